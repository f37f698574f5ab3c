import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import type { Desired } from "../config/index.js";
import { defaultService } from "../config/schema.js";
import { type Guardrails, NO_GUARDRAILS } from "../model/guardrails.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/progress.js";
import type { JournalRecord } from "../plan/read-journal.js";
import { type PlanInput, readDesired } from "./files.js";
import { type PlanRun, planAll } from "./plan.js";
import { selectNamed } from "./select-zones.js";
import { trackedState } from "./tracked-state.js";
import { toUndo, undoOutcome, undoToApply } from "./undo-zones.js";
import { someAtATime } from "./zones.js";

/** Journal → live state → the plan of the way back. */
export async function runRollback(
  journal: JournalRecord,
  input: PlanInput,
  client: Client,
  progress: Progress,
): Promise<PlanRun> {
  const selected = selectNamed(journal.zones, ({ before }) => before.zone, input.zones, notInJournal);
  if (!selected.ok) return { ok: false, problems: selected.problems };
  const config = input.config.length > 0 ? input.config : journal.begin.config;
  const files = await readFiles({ ...input, config }, input.config.length > 0);
  if (!files.ok) return { ok: false, problems: files.problems };
  const { desired, guardrails, warnings, secrets } = files.value;
  client.protect(secrets);
  const service = desired?.service ?? defaultService;
  const around = { client, shared: new ZoneReads(client), service, secrets };
  const zones = selected.value.map((each) => toUndo(each, desired));
  return planAll(
    {
      client,
      config,
      base: null,
      guardrails,
      breaches: [],
      warnings: [...(await trackedState(input.cwd)), ...journal.warnings, ...warnings],
      zones: zones.map((zone) => undoToApply(zone, around)),
      outcomes: someAtATime(zones, 2 * client.concurrency, (zone) => undoOutcome(zone, around)),
    },
    input,
    progress,
  );
}

function notInJournal(pattern: string, names: readonly string[]): Problem {
  const written = names.join(", ") || "no zone";
  return problem(
    "no_such_zone",
    "A zone that is not in the journal",
    `--zone ${pattern} matches none of the journal's zones. The apply wrote to ${written}.`,
  );
}

interface Files {
  /** Null: they cannot be used. */
  readonly desired: Desired | null;
  readonly guardrails: Guardrails;
  readonly warnings: readonly Problem[];
  /** What the names stand for that they have as secrets. */
  readonly secrets: readonly string[];
}

/**
 * The files as they are now. They give secrets, limits and guardrails, none of which a rollback needs: files that
 * nobody named and that cannot be used are done without, and so are secrets that are not set.
 */
async function readFiles(input: PlanInput, isNamed: boolean): Promise<Result<Files>> {
  const read = await readDesired(input);
  const { desired, guardrails } = read.desired === null ? await readDesired(input, "check") : read;
  const { secrets } = read;
  if (desired !== null) return ok({ desired, guardrails, warnings: [], secrets });
  if (isNamed || input.guardrails !== undefined) return failed(...read.problems);
  const [first] = read.problems;
  const why = first === undefined ? "" : ` ${first.summary}: ${first.detail}`;
  const detail = `${input.config.join(", ")} cannot be used, so the way back is planned without: no secret comes back, and what guardrails would say is not known.${why}`;
  const warning = problem("no_files", "The files are done without", detail);
  return ok({
    desired: null,
    guardrails: NO_GUARDRAILS,
    warnings: [{ ...warning, severity: "warning" }],
    secrets,
  });
}
