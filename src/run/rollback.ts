import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { AccountSearch } from "../api/zones.js";
import type { Desired } from "../config/index.js";
import { defaultService } from "../config/schema.js";
import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { type Kind, listOf } from "../kinds/kind.js";
import { declaredSecrets } from "../kinds/secret-fields.js";
import { withoutBase } from "../match/base.js";
import { firstFew, word } from "../model/cut.js";
import { type Declared, NOWHERE, type WantedZone } from "../model/declared-zone.js";
import { groupBy } from "../model/group-by.js";
import type { ZonePlan } from "../model/plan.js";
import { ok, type Problem, problem, type Result, remarked, warning } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { says } from "../model/sentence.js";
import { planSections, withinBudget } from "../plan/build.js";
import { pendingChanges } from "../plan/differences.js";
import type { JournaledZone, JournalRecord } from "../plan/read-journal.js";
import type { Section } from "../plan/section.js";
import { othersChanged } from "../plan/undo/other-rules.js";
import { type AppliedChange, appliedChanges } from "../plan/undo/states-before.js";
import { undo } from "../plan/undo/undo.js";
import { AskedOfRun } from "./ask-service.js";
import { type PlanInput, readDesired } from "./files.js";
import { trackedState } from "./journals.js";
import { liveReader, readAgain, type SectionToRead, type ZonePlace } from "./live.js";
import { unnarrowed } from "./narrowing.js";
import { type PlanRun, planAll } from "./plan.js";
import type { RunContext } from "./plan-zone.js";
import { planOf, protectDeclared, withoutExposedSecret } from "./secrets.js";
import { selectNamed } from "./select-zones.js";
import { readSections } from "./unread-sections.js";
import { ZoneRun } from "./zones.js";

/**
 * Plans the rollback of an apply from its journal and the live state. The files give secrets, limits and guardrails. A rollback
 * works without them, so default files that cannot be used and unset secrets are no errors.
 */
export async function runRollback(
  journal: JournalRecord,
  input: PlanInput,
  client: Client,
  progress: Progress,
): Promise<PlanRun> {
  const selected = selectNamed(journal.zones, ({ before }) => before.zone, input.zones, notInJournal);
  if (!selected.ok) return { ok: false, problems: selected.problems };
  const isNamed = input.config.length > 0;
  const config = isNamed ? input.config : journal.begin.config;
  const { desired, guardrails, problems, secrets } = await readDesired({ ...input, config });
  if (desired === null && (isNamed || input.guardrails !== undefined)) return { ok: false, problems };
  client.addSecrets(secrets);
  const context: RunContext = {
    client,
    shared: new ZoneReads(client),
    service: desired?.service ?? defaultService,
    secrets,
    asked: new AskedOfRun(client),
    accept: (problems) => problems,
    approved: null,
    task: "apply",
  };
  const names = selected.value.map(({ before: { zone: name, zone_id: id } }) => ({
    name,
    id,
    accountId: null,
  }));
  const accounts = new AccountSearch(client, names);
  const zones = selected.value.map((each) => toUndo(each, desired, accounts, context));
  return planAll(
    {
      context,
      config,
      base: null,
      guardrails,
      breaches: [],
      warnings: [
        ...(await trackedState(input.cwd)),
        ...journal.warnings,
        ...(desired === null ? [withoutFiles(config)] : []),
      ],
      narrowing: unnarrowed(input.zones),
      undoes: { started: journal.begin.started, digest: journal.begin.digest },
      zones,
    },
    input,
    progress,
  );
}

function notInJournal(pattern: string, names: readonly string[]): Problem {
  const written = firstFew(names, MOST_NAMED, word) || "no zone";
  return problem(
    "no_such_zone",
    "Zone not in the journal",
    says`${{ flag: "zone", value: pattern }} matches none of the journal's zones. The apply wrote to ${written}.`,
  );
}

/** The reason is left out: it quotes the file, and whoever edited the journal may have named any file of this machine. */
function withoutFiles(config: readonly string[]): Problem {
  const detail = says`${firstFew(config, MOST_NAMED, word)} cannot be used, so the rollback is planned without the files: secrets are not restored, and guardrails are not checked. To see why, name the files with ${{ flag: "config" }}.`;
  return warning("no_files", "Planned without the files", detail);
}

const MOST_NAMED = 10;

function toUndo(
  journaled: JournaledZone,
  desired: Desired | null,
  accounts: AccountSearch,
  context: RunContext,
): ZoneRun {
  const { zone: name, zone_id: id } = journaled.before;
  const files = desired?.zones.find((each) => each.name === name)?.open() ?? { ...NOWHERE, name };
  return new ZoneRun(
    {
      name,
      place: ok({ id, accountId: files.accountId, listed: null, accounts }),
      // The journal is untrusted, so its zone id is verified before a write.
      open: () => ({ ...files, id }),
      placed: (problems) => naming(problems, name),
      idle: () => [],
      plan: async (reads, place) => {
        const plan = await planBack(journaled, files, place, reads, context);
        return plan.ok ? ok({ plan: plan.value, questions: [] }) : plan;
      },
    },
    context,
  );
}

/** The zones of a journal have no place in a file, so their problems name the zone. */
function naming(problems: readonly Problem[], zone: string): readonly Problem[] {
  return problems.map((each) =>
    each.detail.includes(zone) ? each : remarked(each, { before: `${zone}: ` }),
  );
}

/** Reads the kinds that the apply has changed, and plans their rollback. */
async function planBack(
  journaled: JournaledZone,
  files: WantedZone,
  place: ZonePlace,
  reads: ZoneReads,
  { client, service, secrets }: RunContext,
): Promise<Result<ZonePlan>> {
  const { zone: name, zone_id: id } = journaled.before;
  const applied = appliedChanges(journaled);
  // Changes of a journal have no place in a file.
  const bare = { ...NOWHERE, name, id, optional: files.optional };
  const parts = partsOf(applied, files, bare);
  protectDeclared(files, client);
  const answers = await readAgain(parts, liveReader({ name, place }, client, reads), reads);
  const { read, unread } = readSections(parts, answers, client, null);
  const undone = read.map((each) => {
    const undoing = { ...each, zone: files, service };
    return { ...undoing, matched: undo(undoing, applied) };
  });
  const others = othersChanged(undone, journaled.before);
  const sections = undone.map(
    ({ kind, declared, live: { items, context }, matched }, index): Section => ({
      // Warnings about the files do not matter here, and a rollback has its own messages for objects that are not listed.
      state: { kind, declared: [], live: { items, context }, base: withoutBase(kind) },
      matched,
      pending: pendingChanges(kind, matched),
      secrets: () => declaredSecrets(kind, declared, files),
      problems: [...matched.problems, ...client.redact(others[index] ?? [])],
    }),
  );
  const otherSections = kinds.flatMap((kind) =>
    parts.some((part) => part.kind === kind) ? [] : kind.section,
  );
  const toPlan = { wanted: bare, place: { id }, service, requests: reads.requests };
  const plan = withinBudget(name, () => planSections(toPlan, sections, unread, { unread: otherSections }));
  return plan.ok ? withoutExposedSecret(planOf(plan.value, client), client, secrets) : plan;
}

/** The kinds that the apply has changed, with the entries by which their objects are found. */
function partsOf(
  applied: readonly AppliedChange[],
  { sections }: WantedZone,
  zone: WantedZone,
): readonly SectionToRead[] {
  return kinds.flatMap((kind) => {
    const changesOfKind = applied.filter(({ change }) => change.kind === kind.name);
    const declared = declaredIn(kind, sections);
    return changesOfKind.length === 0
      ? []
      : [{ kind, zone, declared, reading: readingFor(kind, changesOfKind, declared) }];
  });
}

/** The entries by which the changed objects are found, one for each managed ruleset. */
function readingFor(
  kind: Kind,
  applied: readonly AppliedChange[],
  declared: readonly Declared[],
): readonly Declared[] {
  const rawsOf = ({ before, afters }: AppliedChange) => [...(before === null ? [] : [before]), ...afters];
  const meantBy = (each: AppliedChange) =>
    rawsOf(each).map((raw) => kind.keys.live({ raw, normal: {} }).name)[0] ?? null;
  return [...groupBy(applied, meantBy)].map(([meant, changes], index) => {
    const isMeant = ({ body }: Declared) => kind.keys.declared(body, null).name === meant;
    const body = kind.at.reads?.again?.(changes.flatMap(rawsOf), declared.find(isMeant)?.body ?? null) ?? {};
    const list = listOf(kind);
    const isSingle = list === null || changes.some(({ change }) => change.key === kind.name);
    return { path: isSingle ? [kind.section] : [list.section, index], body };
  });
}
