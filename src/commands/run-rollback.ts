import picomatch from "picomatch";
import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import type { Desired } from "../config/index.js";
import { defaultService } from "../config/schema.js";
import { zoneName } from "../config/zone-name.js";
import type { Guardrails } from "../model/guardrails.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/progress.js";
import { encode, type ZoneOutcome } from "../plan/codec.js";
import { guardRun } from "../plan/guard-run.js";
import type { JournaledZone, JournalRecord } from "../plan/read-journal.js";
import { readDesired } from "./desired.js";
import { someAtATime } from "./plan-zones.js";
import { type PlanInput, type PlanRun, requestsOf } from "./run-plan.js";
import { toUndo, undoOutcome, undoToApply } from "./undo-zones.js";

/** Journal → live state → the plan of the way back. */
export async function runRollback(
  journal: JournalRecord,
  input: PlanInput,
  client: Client,
  progress: Progress,
): Promise<PlanRun> {
  const selected = selectJournaled(journal.zones, input.zones);
  if (!selected.ok) return { ok: false, problems: selected.problems };
  const config = input.config.length > 0 ? input.config : journal.begin.config;
  const files = await readFiles({ ...input, config }, input.config.length > 0);
  if (!files.ok) return { ok: false, problems: files.problems };
  const { desired, guardrails, warnings } = files.value;
  const service = desired?.service ?? defaultService;
  const around = { client, shared: new ZoneReads(client), service };
  const zones = selected.value.map((each) => toUndo(each, desired));
  const outcomes: ZoneOutcome[] = [];
  progress(0, zones.length, "planning");
  const work = someAtATime(zones, 2 * client.concurrency, (zone) => undoOutcome(zone, around));
  for await (const outcome of work) {
    outcomes.push(outcome);
    progress(outcomes.length, zones.length, "planning");
  }
  const problems = [...journal.warnings, ...warnings];
  const document = encode(outcomes, {
    inputs: {
      config: [...config],
      zones: [...input.zones],
      ...(input.guardrails === undefined ? {} : { guardrails: input.guardrails }),
    },
    breaches: guardRun(outcomes, guardrails),
    allowed: input.allow,
    sharedRequests: client.requests - requestsOf(outcomes),
    warnings: problems,
  });
  const found = outcomes.flatMap((each) => (each.ok ? each.plan.problems : each.failure.problems));
  return {
    ok: true,
    client,
    zones: zones.map((zone) => undoToApply(zone, around)),
    outcomes,
    document,
    problems: [...problems, ...found],
  };
}

/** The journal's zones that `--zone` names; all when it names none. */
function selectJournaled(
  zones: readonly JournaledZone[],
  patterns: readonly string[],
): Result<readonly JournaledZone[]> {
  if (patterns.length === 0) return ok(zones);
  const tests = patterns.map((pattern) => ({
    pattern,
    matches: picomatch(zoneName(pattern) ?? pattern.toLowerCase()),
  }));
  const idle = tests.filter(({ matches }) => !zones.some(({ before }) => matches(before.zone)));
  if (idle.length === 0)
    return ok(zones.filter(({ before }) => tests.some(({ matches }) => matches(before.zone))));
  const names = zones.map(({ before }) => before.zone).join(", ") || "no zone";
  return failed(
    ...idle.map(({ pattern }) =>
      problem(
        "no_such_zone",
        "A zone that is not in the journal",
        `--zone ${pattern} matches none of the journal's zones. The apply wrote to ${names}.`,
      ),
    ),
  );
}

interface Files {
  /** Null: they cannot be used. */
  readonly desired: Desired | null;
  readonly guardrails: Guardrails;
  readonly warnings: readonly Problem[];
}

/**
 * The files as they are now. They give secrets, limits and guardrails, none of which a rollback needs: files that
 * nobody named and that cannot be used are done without, and so are secrets that are not set.
 */
async function readFiles(input: PlanInput, isNamed: boolean): Promise<Result<Files>> {
  const read = await readDesired(input);
  const { desired } = read.desired === null ? await readDesired(input, "check") : read;
  if (desired !== null) return ok({ desired, guardrails: desired.guardrails, warnings: [] });
  if (isNamed || input.guardrails !== undefined) return failed(...read.problems);
  const [first] = read.problems;
  const why = first === undefined ? "" : ` ${first.summary}: ${first.detail}`;
  const detail = `${input.config.join(", ")} cannot be used, so the way back is planned without: no secret comes back, and what guardrails would say is not known.${why}`;
  const warning = problem("no_files", "The files are done without", detail);
  return ok({
    desired: null,
    guardrails: { limits: {}, forbid: [] },
    warnings: [{ ...warning, severity: "warning" }],
  });
}
