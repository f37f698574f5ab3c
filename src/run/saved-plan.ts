import path from "node:path";
import { readNamed, whyNotRead } from "../disk/place.js";
import { GUARDRAILS, LOAD_GUARDRAILS } from "../model/guardrails.js";
import { equal } from "../model/json.js";
import { jsonText } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { lifting, type Sentences, says } from "../model/sentence.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { RunBreach } from "../plan/guardrails/index.js";
import { count } from "../render/safe-text.js";
import type { PlanInput } from "./files.js";
import { FILES_IN } from "./plan-formats.js";
import { picker } from "./select-zones.js";
import { withWho } from "./who.js";
import { type Redacts, redacted, type Written, writeOut } from "./write-files.js";

/** The digest of the approved plan, and the option that names it. */
export interface Approved {
  readonly digest: string;
  readonly option: string;
}

/**
 * Reads a saved plan for an apply. Refuses a plan that is too old, has expired, or is not the approved one.
 *
 * @param maxAgeMinutes since the file was written; null: any age
 * @param approved null: any plan
 */
export async function savedPlan(
  file: string,
  cwd: string,
  maxAgeMinutes: number | null,
  approved: Approved | null,
): Promise<Result<PlanDocument>> {
  const plan = await planInFile(file, cwd);
  if (!plan.ok) return plan;
  const { document, writtenMs } = plan.value;
  const held = [
    asApproved(file, document, approved),
    notOver(file, document.expires_at),
    youngEnough(writtenMs, file, maxAgeMinutes),
  ];
  return held.find((each) => !each.ok) ?? ok(document);
}

function asApproved(file: string, { digest }: PlanDocument, approved: Approved | null): Result<null> {
  if (approved === null || approved.digest === digest) return ok(null);
  const detail = `The digest of ${file} is ${digest}, but ${approved.option} is ${approved.digest}. Use the approved plan. Nothing was read or written.`;
  return failed(problem("other_plan", "Not the approved plan", detail));
}

interface PlanRead {
  readonly document: PlanDocument;
  readonly writtenMs: number;
}

/** The plan in a file of any age, with the time of the file, checked against the schema and its own digests. */
export async function planInFile(file: string, cwd: string): Promise<Result<PlanRead>> {
  const read = await readNamed(path.resolve(cwd, file), MAX_PLAN_BYTES);
  if (read.as !== "file") {
    const advice = read.as === "too large" ? "" : " Write plan files with zoneward plan -o FILE.";
    const detail = `${file} cannot be read: ${whyNotRead(read)}.${advice}`;
    return failed(problem("bad_plan", "Plan file cannot be read", detail));
  }
  const plan = await asPlan(file, read.bytes.toString("utf8"));
  return plan.ok ? ok({ document: plan.value, writtenMs: read.writtenMs }) : plan;
}

/** The check is large and most runs read no plan, so it is loaded on demand. */
async function asPlan(name: string, text: string): Promise<Result<PlanDocument>> {
  const { readPlan } = await import("../plan/read-document.js");
  return readPlan(name, text);
}

/** Far larger than the plan of the largest fleet. */
const MAX_PLAN_BYTES = 256 * 1024 * 1024;

/** The input of an apply. It plans the files and zones of the saved plan again, unless flags name others. */
export function withSaved(input: PlanInput, saved: PlanDocument | null): PlanInput {
  const planned = forApply(input, saved);
  if (saved === null) return planned;
  return {
    ...planned,
    config: input.config.length > 0 ? input.config : saved.inputs.config,
    guardrails: input.guardrails ?? saved.inputs.guardrails,
    base: input.base ?? baseOf(saved),
    changedOver: saved.inputs.changed === true ? 0 : undefined,
  };
}

/** The input of an apply of the same files. */
export function forApply(input: PlanInput, saved: PlanDocument | null): PlanInput {
  if (saved === null) return { ...input, isForApply: true };
  return {
    ...input,
    isForApply: true,
    ...partFor(input, saved),
    about: saved.inputs.about,
    impact: input.impact ?? (saved.summary.impact === null ? undefined : "as planned"),
  };
}

/** The zones and objects of a saved plan that this run applies. Without names, or with those that it was made with: all. */
function partFor(
  { zones, only = [] }: Pick<PlanInput, "zones" | "only">,
  plan: PlanDocument,
): Pick<PlanInput, "zones" | "only" | "saved"> {
  const whole = { zones: plan.inputs.zones, only: plan.inputs.only ?? [] };
  const areZonesNamed = zones.length > 0 && !equal(zones, whole.zones);
  const areObjectsNamed = only.length > 0 && !equal(only, whole.only);
  return {
    zones: areZonesNamed ? zones : whole.zones,
    only: areObjectsNamed ? only : whole.only,
    saved: {
      plan,
      isPart: areZonesNamed || areObjectsNamed,
      hasZone: picker(areZonesNamed ? zones : []),
      only: areObjectsNamed ? only : [],
    },
  };
}

/** The commit's hash: its branch may have moved. */
function baseOf({ base, inputs }: PlanDocument): string | undefined {
  return base?.startsWith("git:") ? base : inputs.base;
}

/** Writes a plan file for `apply`. */
export async function writePlan(
  file: string,
  document: PlanDocument,
  { redactor, cwd }: { readonly redactor: Redacts; readonly cwd: string },
): Promise<Result<string>> {
  const whole = planFile(document);
  const written = redacted(whole, redactor);
  // Redaction may change the words of messages in a plan, and nothing else.
  if (written.text !== whole.text && !(await asPlan(file, written.text)).ok) return failed(cannotSave(file));
  return writeOut(file, written, cwd);
}

function cannotSave(file: string): Problem {
  const detail = `The plan shows the value of a secret in a field that is not secret, so ${file} is not written. Remove the value there. If it is not secret, write \${env:…} in place of \${secret:…}.`;
  return problem("secret_exposed", "Plan with a secret cannot be saved", detail);
}

function planFile(document: PlanDocument): Written {
  // Names of authors are personal, and an apply does not need them.
  return { text: jsonText(withWho(document)), ...FILES_IN.json };
}

/**
 * Refuses a file that is too old.
 *
 * @param minutes the highest age; null: any
 */
export function youngEnough(
  writtenMs: number,
  name: string,
  minutes: number | null,
  advice: Sentences = NEW_PLAN,
): Result<null> {
  if (minutes === null) return ok(null);
  const ageMs = Date.now() - writtenMs;
  if (ageMs < minutes * MINUTE_MS) return ok(null);
  const age = count(Math.floor(ageMs / MINUTE_MS), "minute");
  return failed(
    tooOld(says`${name} was written ${age} ago, and ${{ flag: "max-age" }} is ${String(minutes)}.`, advice),
  );
}

/** Refuses a plan that has expired. */
export function notOver(name: string, end: string | undefined): Result<null> {
  if (end === undefined || Date.now() < Date.parse(end)) return ok(null);
  return failed(tooOld([`${name} could be applied until ${end}.`], NEW_PLAN));
}

const NEW_PLAN: Sentences = ["Make a new plan."];

function tooOld(why: Sentences, advice: Sentences): Problem {
  return problem("too_old", "File too old", [...why, " Nothing was sent. ", ...advice]);
}

const MINUTE_MS = 60_000;

/**
 * Guardrails on loads that refused the saved plan and do not refuse the new one. They still count: the logs that the saved
 * plan was made with may be missing here.
 *
 * @param fresh the guardrails that refuse the new plan
 */
export function refusedBefore(
  { saved }: Pick<PlanInput, "saved">,
  fresh: readonly RunBreach[],
): readonly RunBreach[] {
  const refusals = (saved?.plan.guardrails ?? []).filter(
    // The file may be edited, so only this run can lift a guardrail.
    ({ name, zone }) =>
      LOAD_GUARDRAILS.includes(name) && (zone === undefined || (saved?.hasZone(zone) ?? true)),
  );
  return refusals.flatMap(({ name, zone = null, message }) => {
    const guardrail = GUARDRAILS.find((each) => each === name);
    if (guardrail === undefined) return [];
    if (fresh.some((each) => each.guardrail === guardrail && each.zone === zone)) return [];
    const reason = `The saved plan says: ${message} Its evidence changed, or was not read again.`;
    const advice = says`Plan again with the same logs, or, if it is intended, ${lifting(guardrail)}.`;
    return [{ guardrail, zone, message: reason, advice, changes: [] }];
  });
}
