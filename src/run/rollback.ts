import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { AccountSearch } from "../api/zones.js";
import type { Desired } from "../config/index.js";
import { defaultService } from "../config/schema.js";
import { declaredIn } from "../config/zone.js";
import { sameName } from "../kinds/fields.js";
import { wantedIn } from "../kinds/included.js";
import { kinds } from "../kinds/index.js";
import { nameIn } from "../kinds/keys.js";
import { aboutOf, type Kind, type Live, listOf } from "../kinds/kind.js";
import { declaredSecrets } from "../kinds/sensitive.js";
import { groupBy } from "../model/group-by.js";
import { type Guardrails, NO_GUARDRAILS } from "../model/guardrails.js";
import type { Item } from "../model/item.js";
import type { ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result, remarked } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { says } from "../model/sentence.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { planSections, withinBudget } from "../plan/build.js";
import type { ZoneOutcome } from "../plan/document.js";
import type { JournaledZone, JournalRecord } from "../plan/read-journal.js";
import { othersChanged } from "../plan/undo/messages.js";
import { type Past, pastOf } from "../plan/undo/past.js";
import { undo } from "../plan/undo/undo.js";
import { type PlanInput, readDesired } from "./files.js";
import { withImpact } from "./impact.js";
import { trackedState } from "./journals.js";
import { accountFinder, liveReader, type Place, readAgain } from "./live.js";
import { unnarrowed } from "./narrowing.js";
import { type PlanRun, planAll } from "./plan.js";
import { planOf, protectDeclared, withoutExposedSecret } from "./secrets.js";
import { readSections } from "./sections.js";
import { selectNamed } from "./select-zones.js";
import { hasHeld, type RunContext, someAtATime, type ZoneToApply } from "./zones.js";

/** Plans the way back from an apply's journal: reads what is live now, and undoes what the apply did. */
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
  client.addSecrets(secrets);
  const service = desired?.service ?? defaultService;
  const context = { client, shared: new ZoneReads(client), service, secrets, planned: new Map() };
  const names = selected.value.map(({ before: { zone: name, zone_id: id } }) => ({
    name,
    id,
    accountId: null,
  }));
  const accounts = new AccountSearch(client, names);
  const zones = selected.value.map((each) => toUndo(each, desired, accounts));
  return planAll(
    {
      client,
      config,
      base: null,
      guardrails,
      breaches: [],
      warnings: [...(await trackedState(input.cwd)), ...journal.warnings, ...warnings],
      narrowing: unnarrowed(input.zones),
      undoes: { started: journal.begin.started, digest: journal.begin.digest },
      zones: zones.map((zone) => undoToApply(zone, context)),
      outcomes: someAtATime(zones, 2 * client.concurrency, (zone) => undoOutcome(zone, context)),
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
    says`${{ flag: "zone", value: pattern }} matches none of the journal's zones. The apply wrote to ${written}.`,
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
  const { desired, guardrails, problems, secrets } = await readDesired(input);
  if (desired !== null) return ok({ desired, guardrails, warnings: [], secrets });
  if (isNamed || input.guardrails !== undefined) return failed(...problems);
  const [first] = problems;
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

/** A zone to be taken back to what it was before an apply. */
interface ZoneToUndo {
  readonly journaled: JournaledZone;
  /** What the files say of the zone now. Null: nothing. */
  readonly files: WantedZone | null;
  readonly place: Place;
}

/** The zone as the files that can be used have it. */
function toUndo(journaled: JournaledZone, desired: Desired | null, accounts: AccountSearch): ZoneToUndo {
  const declared = desired?.zones.find(({ name }) => name === journaled.before.zone);
  const files = declared?.open() ?? null;
  const place = { id: journaled.before.zone_id, accountId: files?.accountId ?? null, listed: null, accounts };
  return { journaled, files, place };
}

/** What zones are taken back with. */
interface UndoContext extends RunContext {
  readonly planned: Map<string, ZoneReads>;
}

async function undoOutcome(zone: ZoneToUndo, context: UndoContext): Promise<ZoneOutcome> {
  const { zone: name, zone_id: zoneId } = zone.journaled.before;
  const reads = new ZoneReads(context.client, context.shared);
  const planned = await planWith(reads, zone, context);
  const plan = planned.ok ? await withImpact(planned.value, reads, context) : planned;
  if (plan.ok && plan.value.steps.length > 0) context.planned.set(name, reads);
  if (plan.ok) return { ok: true, plan: plan.value };
  const problems = plan.problems.map((each) => naming(each, name));
  return { ok: false, failure: { zone: name, zoneId, requests: reads.requests, problems } };
}

/** The zone for the code that carries plans out. */
function undoToApply(zone: ZoneToUndo, context: UndoContext): ZoneToApply {
  const { zone: name, zone_id: id } = zone.journaled.before;
  return {
    name,
    placed: (problems) => problems.map((each) => naming(each, name)),
    replan: ({ changes }) => {
      const reads = new ZoneReads(context.client, context.shared, context.planned.get(name));
      return planWith(reads, zone, context, new Set(changes.map(({ ref }) => ref.kind)));
    },
    wanted: (kind) => wantedIn(zone.files ?? { optional: [], sections: {} }, kind),
    // Somebody may have written the journal.
    pinned: () => (hasHeld(name, zone.place) ? null : { name, id, accountId: zone.files?.accountId ?? null }),
    accountId: accountFinder(name, zone.place),
  };
}

/** A journal's zone stands in no file, so that a problem says which zone it is. */
function naming(reason: Problem, zone: string): Problem {
  return reason.detail.includes(zone) ? reason : remarked(reason, { before: `${zone}: ` });
}

interface Part {
  readonly kind: Kind;
  /** What the files declare. */
  readonly declared: readonly Declared[];
  /** What is said for the objects to be found. */
  readonly reading: readonly Declared[];
}

/** Reads the kinds that the apply has changed, and plans the way back. */
async function planWith(
  reads: ZoneReads,
  { journaled, files, place }: ZoneToUndo,
  { client, service, secrets }: RunContext,
  again: ReadonlySet<string> | null = null,
): Promise<Result<ZonePlan>> {
  const { zone, zone_id: zoneId } = journaled.before;
  const past = pastOf(journaled);
  const parts = partsOf(past, files);
  const desired = files ?? NOWHERE;
  protectDeclared(desired, client);
  const answers = await readAgain(parts, liveReader({ name: zone, place }, client, reads), reads, again);
  const bare = { ...NOWHERE, name: zone, id: zoneId, optional: desired.optional };
  const { read, unread } = readSections(parts, answers, client, bare, null);
  const undone = read.map(({ kind, declared, reading, live: found }) => {
    const { items, context, unlisted } = found;
    // What is odd about the files, or cannot be listed, is said in the words of a rollback.
    const live: Live = { items, context };
    const seen = unlisted === true ? { ...live, unlisted } : live;
    const side = { declared, zone: desired };
    const undoing = { zone, kind, live: seen, reading, files: side, service };
    const secrets = () => declaredSecrets(kind, declared, desired);
    // What a journal asks for stands in no file.
    return { kind, declared, live, secrets, matched: undo(undoing, past) };
  });
  // Kinds that share a list take each other's rules for those of others.
  const own = new Set(
    undone.flatMap(({ matched }) => matched.triples.flatMap(({ live }) => live?.ref.id ?? [])),
  );
  const matches = undone.map(({ kind, declared, live, secrets, matched }) => {
    const others = matched.unmanagedItems.filter((item) => !isDeclared(kind, item, declared));
    const moved = othersChanged(kind, live, { own, others }, journaled.before);
    const problems = [...matched.problems, ...client.redact(moved)];
    return { state: { kind, declared: [], live, base: null }, matched, secrets, problems };
  });
  const others = kinds.flatMap((kind) => (parts.some((part) => part.kind === kind) ? [] : kind.section));
  const toPlan = { wanted: bare, place: { id: zoneId }, service, requests: reads.requests };
  const plan = withinBudget(zone, () => planSections(toPlan, matches, unread, { unread: others }));
  return plan.ok ? withoutExposedSecret(planOf(plan.value, client), client, secrets) : plan;
}

function partsOf(past: readonly Past[], files: WantedZone | null): readonly Part[] {
  return kinds.flatMap((kind) => {
    const own = past.filter(({ change }) => change.kind === kind.name);
    if (own.length === 0) return [];
    const declared = files === null ? [] : declaredIn(kind, files.sections);
    return [{ kind, declared, reading: readingFor(kind, own, declared) }];
  });
}

/** What to declare for what these were to be found: of a kind with one object of each, each by itself. */
function readingFor(kind: Kind, past: readonly Past[], declared: readonly Declared[]): readonly Declared[] {
  const about = aboutOf(kind);
  const rawsOf = ({ before, afters }: Past) => [...(before === null ? [] : [before]), ...afters];
  const meantBy = (each: Past) => rawsOf(each).map((raw) => about?.aboutLive(raw) ?? "")[0] ?? "";
  return [...groupBy(past, meantBy)].map(([meant, own], index) => {
    const isMeant = ({ body }: Declared) => about === null || about.aboutDeclared(body) === meant;
    const body = kind.reads?.again?.(own.flatMap(rawsOf), declared.find(isMeant)?.body ?? null) ?? {};
    const list = listOf(kind);
    const isSingle = list === null || own.some(({ change }) => change.key === kind.name);
    return { path: isSingle ? [kind.section] : [list.section, index], body };
  });
}

/** Whether an entry of the files is about a live object. */
function isDeclared(kind: Kind, { ref, raw }: Item, declared: readonly Declared[]): boolean {
  const about = aboutOf(kind);
  const { shape } = kind;
  return declared.some(({ body }) => {
    if (about !== null) return raw !== null && about.aboutDeclared(body) === about.aboutLive(raw);
    const { name } = nameIn(shape, body);
    return body.id === ref.id || (name !== null && name === sameName(ref.key));
  });
}

/** No file has it. */
const NOWHERE: WantedZone = {
  name: "",
  id: null,
  accountId: null,
  sections: {},
  prune: [],
  optional: [],
  unmanaged: {},
  locate: () => null,
  isFromOutside: false,
  interpolated: () => null,
};
