import type { Client } from "../api/client.js";
import { atPlace } from "../api/problems.js";
import { ZoneReads } from "../api/reads.js";
import { spellings, withoutSecrets } from "../api/redact.js";
import { AccountSearch, findZones, type PinnedZone } from "../api/zones.js";
import type { DeclaredZone } from "../config/index.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { type Wanted, wantedIn } from "../kinds/included.js";
import { kinds } from "../kinds/index.js";
import { isManagedIn, type Kind, type Live } from "../kinds/kind.js";
import {
  noLongerManagedSections,
  noLongerPruned,
  noLongerRequired,
  noLongerTested,
  noLongerTold,
} from "../match/base.js";
import type { Against, BaseDeclarations, HasReplaced } from "../match/match.js";
import type { Picking } from "../model/item.js";
import type { Json } from "../model/json.js";
import { type AskedOfZone, isNotIncluded, type SectionNotPlanned, type ZonePlan } from "../model/plan.js";
import { failed, inZone, ok, type Problem, problem, type Result, type Span } from "../model/problem.js";
import { secretsIn } from "../model/secrets-in-text.js";
import type { Declared, Service } from "../model/wanted.js";
import { buildZonePlan, withinBudget } from "../plan/build.js";
import type { KindState } from "../plan/change.js";
import type { ZoneOutcome } from "../plan/document.js";
import type { AskedAbout, AskedOfRun } from "./asked.js";
import type { ImpactReading } from "./files.js";
import { withImpact } from "./impact.js";
import { accountFinder, type ListedAs, liveReader, type Place, readAgain } from "./live.js";
import type { Reported } from "./logs.js";
import { bothPick, type Picks } from "./narrowing.js";
import { planOf, protectDeclared, withoutExposedSecret } from "./secrets.js";
import { isPlanInQuestion, readSections } from "./sections.js";

/** A declared zone, and where it is at the service or why that is not known. */
export interface LocatedZone {
  readonly declared: DeclaredZone;
  readonly place: Result<Place>;
}

/** A zone whose plan may be carried out. */
export interface ZoneToApply {
  readonly name: string;
  /** Problems of the zone that name no place, at its name in the files. */
  placed(problems: readonly Problem[]): readonly Problem[];
  /**
   * The zone's plan, with what the given one changes read now. Sections that it leaves alone are as they were when the
   * zone was planned: what an apply does not touch, it does not read again.
   */
  replan(plan: Pick<ZonePlan, "changes">): Promise<Result<ZonePlan>>;
  /** What the files say of a kind there. */
  wanted(kind: Kind): Wanted;
  /** The id that somebody has written down for it, to be held against its name before a write; null: it needs not be. */
  pinned(): PinnedZone | null;
  /** The account that it belongs to. */
  accountId(): Promise<Result<string>>;
}

export function toApply({ declared, place }: LocatedZone, context: PlanContext): ZoneToApply {
  return {
    name: declared.name,
    placed: (problems) => placed(problems, declared).problems,
    replan: async ({ changes }) => {
      if (!place.ok) return place;
      const reads = new ZoneReads(context.client, context.shared, context.planned?.get(declared.name));
      const again = new Set(changes.map(({ ref }) => ref.kind));
      const drafted = await planWith(reads, declared, place.value, context, again);
      return drafted.ok ? ok(drafted.value.plan) : drafted;
    },
    wanted: (kind) => wantedIn(declared.open(), kind),
    accountId: async () => (place.ok ? accountFinder(declared.name, place.value)() : place),
    pinned: () => {
      const { name, id, accountId } = declared.open();
      const isHeld = place.ok && hasHeld(name, place.value);
      return id === null || isHeld ? null : { name, id, accountId };
    },
  };
}

/** What the zones of a run have in common. */
export interface RunContext extends Reported {
  readonly client: Client;
  /** Reads of accounts, which are made once a run. */
  readonly shared: ZoneReads;
  readonly service: Service;
  /** What the names stand for that the files have as secrets, or had before the change. */
  readonly secrets: readonly string[];
  /** Of zones that were read before, by name as the files declare it. */
  readonly reads?: ReadonlyMap<string, ZoneReads> | undefined;
  readonly impact?: ImpactReading | undefined;
}

/** What zones are planned with. */
export interface PlanContext extends RunContext {
  /** The files before the change. */
  readonly against: AgainstBase;
  /** The objects that are meant. */
  readonly picks: Picks;
  /** Whether a kind that a zone's files have is read there, be it for others that are meant. */
  readonly isRead: (zone: OpenZone, kind: Kind) => boolean;
  /** What earlier applies have put in the place of what in a zone, by its id. */
  readonly replacements: (zoneId: string) => HasReplaced;
  /** What the service is asked once for all of them. */
  readonly asked: AskedOfRun;
  /** Whether a test that fails stands against applying. Null: none is run. */
  readonly testing: { readonly isLifted: boolean } | null;
  /** The reads that the plans of zones with calls were made from, by the zone's name. Null: nothing is applied. */
  readonly planned: Map<string, ZoneReads> | null;
}

/** What the files are held against beside the live state. */
export interface AgainstBase {
  /** A zone as the base has it; null: it does not. Without a base, or with one that cannot be read, null. */
  readonly zone: ((zone: OpenZone) => OpenZone | null) | null;
  /** Whether there is a base that could not be read. */
  readonly isUnread: boolean;
  /** Whether it takes something from the environment that is not set any more. */
  readonly lacks: boolean;
  /** Fields of a kind that any of its zones has as secrets. */
  readonly secretFields: (kind: Kind) => ReadonlySet<string>;
  readonly only: Against["only"];
  readonly isToTell: boolean;
  /** The files as the command line names them. */
  readonly config: readonly string[];
}

/**
 * Zones with their ids: as the files say, else by name through the zone list.
 *
 * @param isNewId whether the id that the files give a zone has to be that of its name at the service
 * @param isRead whether a kind that the zone's files have is read there
 */
export async function locateZones(
  zones: readonly DeclaredZone[],
  client: Client,
  isNewId: (zone: OpenZone) => boolean = () => false,
  isRead: PlanContext["isRead"] = () => true,
): Promise<readonly LocatedZone[]> {
  const wanted = zones.map((declared) => {
    const open = declared.open();
    protectDeclared(open, client);
    const { id, name, accountId } = open;
    const read = kinds.filter((kind) => isRead(open, kind));
    const isOptional = read.some((kind) => wantedIn(open, kind).as === "optional");
    const mayAsk = (accountId === null && mayReadAccount(open, read)) || isOptional;
    return { declared, id, name, accountId, mayAsk, isSought: id === null || isNewId(open) };
  });
  // Where pages of the list are read anyway, they tell the accounts too.
  const arePagesRead = wanted.filter(({ isSought }) => isSought).length > 1;
  const sought = wanted.filter((each) => each.isSought || (arePagesRead && each.mayAsk));
  const pinnedAmong = (which: typeof wanted) =>
    which.flatMap(({ id, name, accountId }) => (id === null ? [] : [{ id, name, accountId }]));
  const accounts = new AccountSearch(client, pinnedAmong(wanted.filter((each) => each.mayAsk)));
  const found = await findZones(
    client,
    sought.map(({ id, name, accountId }) => (id === null ? { name, accountId } : { name, accountId, id })),
    pinnedAmong(wanted.filter((each) => !sought.includes(each))),
  );
  const located = wanted.map(({ declared, id, name, accountId, isSought }): LocatedZone => {
    const record = found.get(name);
    if (record?.ok === true) {
      const { id: own, accountId: theirs } = record.value;
      return { declared, place: ok({ id: own, accountId: accountId ?? theirs, listed: record.value }) };
    }
    // Without its account, all of a zone can be read that does not need it.
    if (record !== undefined && (isSought || record.problems.some(isContradicted)))
      return { declared, place: placed(record.problems, declared) };
    if (id === null) throw new Error("findZones answers for every zone that it looks for");
    return { declared, place: ok({ id, accountId, listed: null, accounts }) };
  });
  return refuseTwins(located);
}

function mayReadAccount({ sections }: OpenZone, read: readonly Kind[]): boolean {
  return read.some((kind) => kind.service.permissions.account !== undefined && isManagedIn(kind, sections));
}

function isContradicted({ code }: Problem): boolean {
  return code === "zone_id_mismatch" || code === "zone_in_other_account";
}

/** Whether the zone list has shown the zone's id to be that of its name. */
export function hasHeld(name: string, { accounts }: Place): boolean {
  return accounts === undefined || accounts.recordOf(name) !== null;
}

/** What the zone list has said of a zone by now: also where it was only asked for its account. */
export function listedAs(name: string, { listed, accounts }: Place): ListedAs | null {
  return listed ?? accounts?.recordOf(name) ?? null;
}

/** Why what is written for a zone protects nothing yet, as far as that is known by now. */
export function idlenessOf(name: string, place: Place): readonly Problem[] {
  const why = listedAs(name, place)?.idle ?? null;
  return why === null ? [] : [why];
}

/** Two declared zones that are one live zone would each undo what the other says. */
function refuseTwins(zones: readonly LocatedZone[]): readonly LocatedZone[] {
  const names = new Map<string, string[]>();
  for (const { declared, place } of zones)
    if (place.ok) names.set(place.value.id, [...(names.get(place.value.id) ?? []), declared.name]);
  return zones.map((zone) => {
    const { declared, place } = zone;
    const twins = place.ok ? (names.get(place.value.id) ?? []) : [];
    if (!place.ok || twins.length <= 1) return zone;
    const detail = `${twins.join(" and ")} all lead to the zone with the id ${place.value.id}. Correct the id that is wrong, or keep one of them.`;
    const twin = problem("duplicate_id", "Several declared zones are one live zone", detail);
    return { declared, place: placed([twin], declared) };
  });
}

/** Problems of a zone that name no place stand at its name in the files. */
export function placed(problems: readonly Problem[], declared: DeclaredZone): ReturnType<typeof failed> {
  return failed(...inZone(problems, declared.name).map((each) => atPlace(each, declared.at())));
}

/** Plans the zones, some at a time, in the order of the files. */
export async function* planZones(
  zones: readonly LocatedZone[],
  context: PlanContext,
): AsyncGenerator<ZoneOutcome> {
  const isAsking = context.against.only === "all"; // what drifted is told whether or not it could be taken back
  const outcomes = someAtATime(zones, 2 * context.client.concurrency, async (zone) => {
    const reads = context.reads?.get(zone.declared.name) ?? new ZoneReads(context.client, context.shared);
    return { zone, reads, ...(await outcomeOf(zone, reads, context)) };
  });
  for await (const { zone, reads, outcome, asked } of outcomes) {
    const isRefused = asked !== null && (await context.asked.isRefused(asked, isAsking));
    yield isRefused ? (await outcomeOf(zone, reads, context)).outcome : outcome;
  }
}

/** Work on each, so many at the same time; what comes of it in their order. */
export async function* someAtATime<T, U>(
  all: readonly T[],
  width: number,
  work: (each: T) => Promise<U>,
): AsyncGenerator<U> {
  const running: Promise<U>[] = [];
  for (const each of all) {
    running.push(work(each));
    const [first] = running;
    if (running.length < width || first === undefined) continue;
    running.shift();
    yield await first;
  }
  for (const each of running) yield await each;
}

interface Outcome {
  readonly outcome: ZoneOutcome;
  /** What the service is to be asked about the plan. Null: there is none. */
  readonly asked: AskedAbout | null;
}

async function outcomeOf(
  { declared, place }: LocatedZone,
  reads: ZoneReads,
  context: PlanContext,
): Promise<Outcome> {
  const zone = declared.name;
  const idle = place.ok ? idlenessOf(zone, place.value) : [];
  const failure = (problems: readonly Problem[], zoneId: string | null): Outcome => ({
    outcome: {
      ok: false,
      failure: {
        zone,
        zoneId,
        requests: reads.requests,
        problems: placed([...idle, ...problems], declared).problems,
      },
    },
    asked: null,
  });
  if (!place.ok) return failure(place.problems, null);
  const drafted = await planWith(reads, declared, place.value, context);
  if (!drafted.ok) return failure(drafted.problems, place.value.id);
  const tested = await withTests(drafted.value.plan, declared, context);
  const plan = await withImpact(withoutIdleStates(tested), reads, context);
  if (!plan.ok) return failure(plan.problems, place.value.id);
  if (plan.value.steps.length > 0) context.planned?.set(zone, reads);
  return {
    outcome: { ok: true, plan: withProblems(plan.value, placed(idle, declared).problems) },
    asked: { zone, zoneId: place.value.id, asked: drafted.value.asked },
  };
}

/** Most files have no tests. */
async function withTests(
  plan: ZonePlan,
  declared: DeclaredZone,
  { testing, against }: PlanContext,
): Promise<ZonePlan> {
  const { states } = plan.meaning;
  if (states === undefined || testing === null) return plan;
  const { testPlan, testsTakenOut } = await import("./zone-tests.js");
  const zone = declared.open();
  const gone = testsTakenOut(zone, against.zone?.(zone)?.tests ?? [], states);
  const tested = zone.tests === undefined ? plan : testPlan(plan, zone, states, testing.isLifted);
  return gone === null
    ? tested
    : { ...tested, problems: [...tested.problems, { ...gone, at: declared.at() }] };
}

/** Only an apply compares states from then on: those of zones to which nothing is sent would take much memory. */
function withoutIdleStates(plan: ZonePlan): ZonePlan {
  if (plan.steps.length > 0) return plan;
  const { states: _, ...meaning } = plan.meaning;
  return { ...plan, meaning };
}

function withProblems(plan: ZonePlan, problems: readonly Problem[]): ZonePlan {
  return problems.length === 0 ? plan : { ...plan, problems: [...problems, ...plan.problems] };
}

/**
 * Reads what a zone's files manage, and plans the zone, without what was detected there. Sections that the files do not
 * have are not read, nor those that have nothing to do with what is meant. A read that fails fails its section.
 *
 * @param again the kinds that are read now, where the others are as they were read before; null: all are read
 */
async function planWith(
  reads: ZoneReads,
  declared: DeclaredZone,
  place: Place,
  context: PlanContext,
  again: ReadonlySet<string> | null = null,
): Promise<Result<{ readonly plan: ZonePlan; readonly asked: readonly AskedOfZone[] }>> {
  const { client, service, secrets, against, replacements, picks } = context;
  const open = declared.open();
  const base = against.zone?.(open) ?? null;
  // Tests that only the base has are run too.
  const wanted = base?.tests === undefined ? open : { tests: [], ...open };
  if (base !== null) protectDeclared(base, client);
  const read = await readStates({ wanted, base, place }, reads, context, again);
  const { only, isToTell, config } = against;
  const compared = { only, isToTell, config, hasReplaced: replacements(place.id) };
  const zone = {
    wanted,
    place: { id: place.id, ...(place.accountId === null ? {} : { accountId: place.accountId }) },
    service,
    requests: reads.requests,
  };
  const planMeant = (picking: Picking | null) =>
    withinBudget(wanted.name, () =>
      buildZonePlan(zone, read.states, picking === null ? compared : { ...compared, picking }, read.unread),
    );
  const whole = planMeant(picks.whole);
  if (!whole.ok) return whole;
  const part = picks.part === null ? whole : planMeant(bothPick(picks.whole, picks.part));
  if (!part.ok) return part;
  const planned = planOf(part.value, client);
  const known = [...planned.secrets.values.values(), ...secrets];
  const plan: ZonePlan = {
    ...planned,
    ...(part === whole ? {} : { whole: whole.value.plan }),
    live: {
      ...planned.live,
      unmanaged: planned.live.unmanaged.map((each) => ({
        ...each,
        does: withoutSecretsOf(known, each.does),
      })),
    },
    problems: [...noLongerIn(wanted, base, declared.at()), ...read.problems, ...planned.problems],
  };
  const shown = withoutExposedSecret(plan, client, secrets);
  return shown.ok ? ok({ plan: shown.value, asked: part.value.asked }) : shown;
}

/** What the files no longer say, and the base does. */
function noLongerIn(wanted: OpenZone, base: OpenZone | null, at: Span): readonly Problem[] {
  if (base === null) return [];
  return [
    ...noLongerManagedSections(base, wanted, at),
    ...noLongerPruned(base, wanted, at),
    ...noLongerTold(base, wanted),
    ...noLongerTested(base, wanted, at),
    ...noLongerRequired(base, wanted),
  ];
}

interface ZoneToRead {
  readonly wanted: OpenZone;
  /** The zone as the base has it; null: it does not. */
  readonly base: OpenZone | null;
  readonly place: Place;
}

interface StatesRead {
  readonly states: readonly KindState[];
  /** Sections of the files that could not be read. */
  readonly unread: readonly SectionNotPlanned[];
  /** Why sections that only the base has are not compared. */
  readonly problems: readonly Problem[];
}

/** What the files, the base and the live zone have of each kind. */
async function readStates(
  { wanted, base: baseZone, place }: ZoneToRead,
  reads: ZoneReads,
  { client, against, isRead, asked }: PlanContext,
  again: ReadonlySet<string> | null,
): Promise<StatesRead> {
  const baseOf = (kind: Kind): BaseDeclarations | null =>
    against.zone === null
      ? null
      : {
          zone: baseZone,
          declared: declaredIn(kind, baseZone?.sections ?? {}),
          lacks: against.lacks,
          secretFields: () => against.secretFields(kind),
        };
  const managed = kinds
    .filter((kind) => isManagedIn(kind, wanted.sections) && isRead(wanted, kind))
    .map((kind) => sectionOf(kind, wanted));
  const letGo = sectionsLetGo(wanted, baseZone, against).filter(({ kind }) => isRead(wanted, kind));
  const reader = liveReader({ name: wanted.name, place, locate: wanted.locate }, client, reads);
  const live = await readAgain([...managed, ...letGo], reader, reads, again);
  const refused = asked.refused(wanted.name);
  const answers = live.slice(0, managed.length).map((answer, index) => {
    const why = refused.get(managed[index]?.kind.section ?? "");
    return why === undefined ? answer : failed(...why);
  });
  const answersLetGo = live.slice(managed.length);
  const former = baseZone ?? wanted;
  // Of a zone that was not looked up, the service's plan is asked for where it decides what is planned.
  if (isPlanInQuestion(managed, answers, wanted) || isPlanInQuestion(letGo, answersLetGo, former))
    await place.accounts?.ask(wanted.name, place.id);
  const atService = listedAs(wanted.name, place)?.plan ?? null;
  const { read, unread } = readSections(managed, answers, client, wanted, atService);
  const left = readSections(letGo, answersLetGo, client, former, atService);
  const unreadLetGo = letGo.flatMap(({ kind }) => {
    const why = left.unread.find(({ section }) => section === kind.section);
    return why === undefined || isNotIncluded(why) ? [] : [{ kind, problems: why.problems }];
  });
  const states = [
    ...read.map((each): KindState => ({ ...each, base: baseOf(each.kind), isBaseUnread: against.isUnread })),
    ...left.read.map(
      (each): KindState => ({ ...each, declared: [], base: baseOf(each.kind), isLetGo: true }),
    ),
    ...unreadLetGo.map(
      ({ kind }): KindState => ({
        kind,
        declared: [],
        live: NOTHING_READ,
        base: baseOf(kind),
        isLetGo: true,
        isUnread: true,
      }),
    ),
  ];
  return { states, unread, problems: unreadLetGo.flatMap(notCompared) };
}

const NOTHING_READ: Live = { items: [], context: undefined };

/** Why a section that the files let go of is not compared with the base. It stands in no file any more. */
function notCompared({ problems }: Pick<SectionNotPlanned, "problems">): readonly Problem[] {
  return problems.map((each) => ({ ...each, severity: "warning", at: null }));
}

/** What the base declares of kinds that the files have no section for any more. Drift is of what they have. */
function sectionsLetGo(
  zone: OpenZone,
  base: OpenZone | null,
  { only }: AgainstBase,
): readonly SectionToRead[] {
  if (base === null || only === "drift") return [];
  const gone = kinds.filter((kind) => isManagedIn(kind, base.sections) && !isManagedIn(kind, zone.sections));
  return gone.map((kind) => sectionOf(kind, base));
}

interface SectionToRead {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
  /** What is said for the objects to be found: what is declared. */
  readonly reading: readonly Declared[];
}

function sectionOf(kind: Kind, { sections }: OpenZone): SectionToRead {
  const declared = declaredIn(kind, sections);
  return { kind, declared, reading: declared };
}

/**
 * What something undeclared does, without what the files keep secret. What live objects have is no measure here: whoever
 * makes a job chooses its destination, and could have any word of this program taken for a part of it.
 */
function withoutSecretsOf(known: readonly Json[], does: string): string {
  return withoutSecrets(does, new Set(secretsIn(does, known).flatMap(spellings)));
}
