import type { DeclaredZone } from "../config/index.js";
import { type Desired, desiredFrom, readBaseFiles } from "../config/index.js";
import { noLongerManaged, placeOf } from "../match/released.js";
import { FORBIDDABLE, type Guardrails, LIMITS } from "../model/guardrails.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Service } from "../model/wanted.js";
import { changesBetween } from "../plan/changes-between.js";
import type { FilesInput } from "./desired.js";
import { isPicked } from "./select-zones.js";

/** The desired state before the change. */
export interface Base {
  /** As plan documents have it. */
  readonly id: string;
  readonly desired: Desired;
}

/** The base that `--base` names; null: it names none, or one that cannot be read, and then there is a warning. */
export async function readBase(
  base: string | undefined,
  { config, cwd, environment }: FilesInput,
): Promise<{ readonly base: Base | null; readonly warnings: readonly Problem[] }> {
  if (base === undefined) return { base: null, warnings: [] };
  const read = await desiredOfBase(base, { config, cwd, environment });
  return read.ok
    ? { base: read.value, warnings: [] }
    : { base: null, warnings: [notRead(base, read.problems)] };
}

async function desiredOfBase(base: string, { config, cwd, environment }: FilesInput): Promise<Result<Base>> {
  const files = await readBaseFiles(base, config, cwd);
  if (!files.ok) return files;
  const { desired, problems } = desiredFrom(files.value.files, environment);
  if (desired === null || hasErrors(problems)) return failed(...problems);
  return ok({ id: files.value.id, desired });
}

function notRead(base: string, problems: readonly Problem[]): Problem {
  const [first] = problems.filter(({ severity }) => severity === "error");
  const where = first?.at == null ? "" : ` (${first.at.file}:${first.at.line} of the base)`;
  const why = first === undefined ? "" : ` ${first.detail}${where}`;
  const detail = `--base ${base} cannot be read, so where changes come from is not known, and nothing is deleted because it was taken out of the files.${why}`;
  return { ...problem("base_not_read", "The base cannot be read", detail), severity: "warning" };
}

/** What a reviewer has to know of before all else: what guards the change, changed with it. */
export function changedRules(desired: Desired, { desired: former }: Base): readonly Problem[] {
  const guards = [...changedLimits(former.guardrails, desired.guardrails), ...changedForbid(former, desired)];
  const service = changesBetween(serviceOf(former.service), serviceOf(desired.service));
  return [
    ...(guards.length === 0 ? [] : [{ ...guardrailsChanged(guards), at: desired.at("guardrails") }]),
    ...(service.length === 0 ? [] : [{ ...serviceChanged(service), at: desired.at("service") }]),
  ];
}

function changedLimits(before: Guardrails, after: Guardrails): readonly string[] {
  return LIMITS.flatMap((name) => {
    const [was, is] = [before.limits[name] ?? "none", after.limits[name] ?? "none"];
    return was === is ? [] : [`${name} ${was} → ${is}`];
  });
}

function changedForbid(before: Desired, after: Desired): readonly string[] {
  return FORBIDDABLE.flatMap((name) => {
    const [was, is] = [before, after].map(({ guardrails }) => guardrails.forbid.includes(name));
    return was === is ? [] : [`${name} is ${is ? "now" : "no longer"} forbidden`];
  });
}

function guardrailsChanged(changes: readonly string[]): Problem {
  const detail = `This change is also one of the guardrails: ${changes.join("; ")}. For this plan the stricter of before and after holds; afterwards what the files say.`;
  return { ...problem("guardrails_changed", "The guardrails change", detail), severity: "warning" };
}

function serviceOf({ limits, custom_log_fields, extra_csp_directives }: Service) {
  return { limits, custom_log_fields, extra_csp_directives: extra_csp_directives.join(" ") };
}

function serviceChanged(changes: readonly string[]): Problem {
  const detail = `This change is also one of what the files say of the service: ${changes.join("; ")}. What guardrails go by comes from the base.`;
  return {
    ...problem("service_changed", "What is said of the service changes", detail),
    severity: "warning",
  };
}

/** Zones that the base has and the files no longer do. */
export function releasedZones(desired: Desired, base: Base, picked: readonly string[]): readonly Problem[] {
  const kept = new Set(desired.zones.map(({ name }) => name));
  const gone = base.desired.zones.filter(({ name }) => !kept.has(name) && isPicked(name, picked));
  return gone.map(releasedZone);
}

function releasedZone({ name, at }: DeclaredZone): Problem {
  return noLongerManaged(`the zone (${placeOf(at())})`, name, null);
}
