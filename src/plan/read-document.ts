import { kinds } from "../kinds/index.js";
import { cut } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import { equal, isList, isObject, type Json } from "../model/json.js";
import { parseStrictly } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { type NamedOption, type Sentences, says } from "../model/sentence.js";
import { FORMAT_VERSION, partsOf, runDigest, zoneDigest } from "./digest.js";
import type {
  PlanDocument,
  PlannedCall,
  PlannedChange,
  PlannedZone,
  SeenObject,
} from "./generated/plan-document.js";
import { validate } from "./generated/plan-document.validate.js";

/** Reads a plan document from its text. `apply` checks whether it still fits the live state. */
export function readPlan(name: string, text: string): Result<PlanDocument> {
  const read = parseStrictly(text);
  return read.ok ? documentIn(name, read.value) : failed(notPlan(name, `${name} ${read.reason}.`));
}

/** A plan document that was handed over as a value, by the same rules. */
export function checkPlan(name: string, value: unknown): Result<PlanDocument> {
  try {
    return readPlan(name, JSON.stringify(value) ?? "");
  } catch {
    return failed(notPlan(name, `${name} cannot be written as JSON.`));
  }
}

function notPlan(name: string, why: string): Problem {
  return problem("bad_plan", "Not a plan file", [`${why} `, ...adviceFor(name)]);
}

function adviceFor(name: string): Sentences {
  if (/\.ya?ml$/i.test(name)) {
    const planning: NamedOption = { command: "plan", flag: "config", value: name, isAdvice: true };
    return says`This is a desired-state file. To plan it, ${planning}.`;
  }
  if (/\.jsonl$/i.test(name)) return [`This is a journal. To undo its apply: zoneward rollback ${name}.`];
  return says`Write plan files with ${{ command: "plan", flag: "out" }}.`;
}

function documentIn(name: string, value: Json): Result<PlanDocument> {
  const version = isObject(value) ? value.format_version : undefined;
  if (version !== FORMAT_VERSION) return failed(otherVersion(name, version));
  if (validate(value)) {
    const document = value as unknown as PlanDocument; // the type comes from the schema that was checked
    return isUnedited(document) ? ok(document) : failed(edited(name));
  }
  const [first] = validate.errors ?? [];
  const where = first === undefined ? "" : ` ${first.instancePath || "/"} ${first.message ?? "is wrong"}.`;
  const detail = `${name} does not have the form of a plan.${where} Plan again.`;
  return failed(problem("bad_plan", "Not a plan file", detail));
}

function otherVersion(name: string, version: Json | undefined): Problem {
  const found =
    version === undefined
      ? "names no format_version"
      : `has format_version ${cut(JSON.stringify(version), MAX_CHARS)}`;
  const detail = `${name} ${found}; this zoneward reads ${JSON.stringify(FORMAT_VERSION)}. Plan again.`;
  return problem("bad_plan", "Plan file of another version", detail);
}

const MAX_CHARS = 100;

/**
 * Whether the contents match the digests. Forged digests gain nothing: apply plans again, sends only the calls of the new
 * plan, and compares both.
 */
function isUnedited(document: PlanDocument): boolean {
  const parts = [...partsOf(document).values()];
  return (
    isConsistent(document) &&
    parts.every((part) => part.digest === zoneDigest(part)) &&
    document.digest ===
      runDigest(
        parts.map(({ digest }) => digest),
        document,
        document.zones.map(({ zone }) => zone),
      )
  );
}

/** Zones are unique, each entry belongs to a planned zone, and the counts match the entries. */
function isConsistent({
  zones,
  calls,
  changes,
  seen,
  unmanaged,
  guardrails,
  summary,
}: PlanDocument): boolean {
  const planned = new Map(zones.filter(isPlanned).map(({ zone, zone_id }) => [zone, zone_id]));
  const withCalls = changes.filter(({ taken_over }) => taken_over !== true);
  const counted = (action: string) => withCalls.filter((each) => each.action === action).length;
  return (
    new Set(zones.map(({ zone }) => zone)).size === zones.length &&
    zones.every((each) => isPlanned(each) || each.digest === undefined) &&
    [...calls, ...changes, ...seen, ...unmanaged].every(({ zone }) => planned.has(zone)) &&
    changes.every(({ zone, zone_id }) => planned.get(zone) === zone_id) &&
    // Only a run that applies a saved plan sets this field. In a file, it would hide a change.
    changes.every(({ applied }) => applied === undefined) &&
    calls.every(
      ({ step, zone, changes: indices }, index) =>
        step === index + 1 && indices.length > 0 && indices.every((each) => changes[each]?.zone === zone),
    ) &&
    guardrails.every(({ zone, changes: indices = [] }) =>
      indices.every((each) => zone !== undefined && changes[each]?.zone === zone),
    ) &&
    areAsSeen(withCalls, seen) &&
    calls.every((call) => call.changes.every((each) => isDoneBy(call, changes[each]))) &&
    equal(
      [summary.zones, summary.calls, summary.create, summary.update, summary.delete, summary.taken_over ?? 0],
      [
        zones.length,
        calls.length,
        ...["create", "update", "delete"].map(counted),
        changes.length - withCalls.length,
      ],
    ) &&
    equal(
      [summary.unmanaged, summary.not_listed],
      [unmanaged.length, unmanaged.filter(({ known }) => known === "not_listed").length],
    )
  );
}

/**
 * Whether changes and seen objects match one to one. Guardrails count the changes of zones outside a partial apply, and the
 * digests cover only the seen objects.
 */
function areAsSeen(changes: PlanDocument["changes"], seen: PlanDocument["seen"]): boolean {
  const nameOf = ({ zone, kind, key, id }: Pick<SeenObject, "zone" | "kind" | "key" | "id">) =>
    JSON.stringify([zone, kind, key, id]);
  const objects = groupBy(seen, nameOf);
  const all = changes.map((change) => ({ change, was: objects.get(nameOf(change)) ?? [] }));
  const changing = new Set(all.flatMap(({ was }) => was));
  return (
    new Set(changes.map(nameOf)).size === changes.length &&
    all.every(({ change: { action }, was }) =>
      was.some(({ state }) => (state === null) === (action === "create")),
    ) &&
    seen.every((each) => changing.has(each) || LISTS.includes(each.key))
  );
}

/** Lists of rules that calls write are seen too, under the names of their phases. */
const LISTS: readonly string[] = kinds.flatMap(({ at }) => (at.as === "rules" ? at.phase.name : []));

/** Whether the call can carry out the change. A DELETE, or a list without the rule, does more than an update. */
function isDoneBy({ method, body }: PlannedCall, change: PlannedChange | undefined): boolean {
  if (change?.taken_over === true) return false;
  if (change?.action !== "update" || change.replaces === true) return change !== undefined;
  if (method === "DELETE") return false;
  const rules = isObject(body) ? body.rules : undefined;
  return !isList(rules) || rules.some((rule) => isObject(rule) && rule.id === change.id);
}

function isPlanned({ status, zone_id, digest, problem: failure, not_planned = [] }: PlannedZone): boolean {
  const isPart = not_planned.some(({ problem: { severity } }) => severity === "error");
  return (
    status === (isPart ? "partly" : "planned") &&
    zone_id !== null &&
    digest !== undefined &&
    failure === undefined
  );
}

function edited(name: string): Problem {
  const detail = `${name} was changed after it was made: its contents do not match its digests. Plan again.`;
  return problem("plan_edited", "Plan file was edited", detail);
}
