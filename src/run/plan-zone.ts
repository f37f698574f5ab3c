import type { Client } from "../api/client.js";
import type { ZoneReads } from "../api/reads.js";
import { spellings, withoutSecrets } from "../api/redact.js";
import type { DeclaredZone } from "../config/index.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { managedKinds } from "../kinds/index.js";
import { isManagedIn, type Kind, type Live } from "../kinds/kind.js";
import type { CompareOptions, HasReplaced, KindState } from "../match/match.js";
import { noLongerDeclared } from "../match/no-longer.js";
import type { Declared, Service } from "../model/declared-zone.js";
import type { Picking } from "../model/item.js";
import type { Json } from "../model/json.js";
import { secretsIn } from "../model/looks-secret.js";
import { isNotIncluded, type SectionNotPlanned, type ZonePlan } from "../model/plan.js";
import { asWarning, failed, ok, type Problem, type Result } from "../model/problem.js";
import { buildZonePlan, type Question, withinBudget } from "../plan/build.js";
import type { partsOf } from "../plan/digest.js";
import type { RunTask } from "../plan/guardrails/index.js";
import type { AskedOfRun } from "./ask-service.js";
import type { DesiredRead, ImpactReading } from "./files.js";
import type { Reported } from "./given-logs.js";
import { liveReader, readAgain, type SectionToRead, type ZonePlace } from "./live.js";
import { listedAs } from "./locate.js";
import { bothPick, type Picks } from "./narrowing.js";
import type { RunBase } from "./run-base.js";
import { planOf, protectDeclared, withoutExposedSecret } from "./secrets.js";
import { isPlanInQuestion, readSections } from "./unread-sections.js";

export interface RunContext extends Reported {
  readonly client: Client;
  /** Reads of accounts, made once a run. */
  readonly shared: ZoneReads;
  readonly service: Service;
  /** The values of secrets of the files and of the base. */
  readonly secrets: readonly string[];
  /** Earlier reads by the zone's name. */
  readonly reads?: ReadonlyMap<string, ZoneReads> | undefined;
  readonly impact?: ImpactReading | undefined;
  /** Questions that the service is asked once for all zones. */
  readonly asked: AskedOfRun;
  /** Turns accepted warnings into notes. */
  readonly accept: ReturnType<DesiredRead["accept"]>;
  /** The zones of the approved plan. Null: no plan was approved. */
  readonly approved: ReturnType<typeof partsOf> | null;
  readonly task: RunTask;
}

export interface PlanContext extends RunContext {
  readonly base: RunBase;
  readonly compare: Pick<CompareOptions, "only" | "isToTell" | "config">;
  readonly picks: Picks;
  /** Whether a declared kind is read, for itself or for a picked kind. */
  readonly isRead: (zone: OpenZone, kind: Kind) => boolean;
  /** Whether earlier applies replaced one object by another, by the zone's id. */
  readonly replacements: (zoneId: string) => HasReplaced;
  readonly areFailingTestsAllowed: boolean;
}

/** A zone's plan without the impact on detections, and the questions to the service about it. */
export interface ZoneDraft {
  readonly plan: ZonePlan;
  readonly questions: readonly Question[];
}

/**
 * Reads the managed sections of a zone, and plans the zone without the impact on detections. Sections that the picked objects
 * do not depend on are not read. A failed read fails its section alone.
 *
 * @param again the kinds to read again. For other kinds, the earlier reads count. Null: all kinds
 */
export async function planWith(
  reads: ZoneReads,
  declared: DeclaredZone,
  place: ZonePlace,
  context: PlanContext,
  again: ReadonlySet<string> | null = null,
): Promise<Result<ZoneDraft>> {
  const { client, service, secrets, compare, replacements, picks } = context;
  const open = declared.open();
  const base = context.base.zone(open);
  // Tests that only the base has are run too.
  const wanted = base?.tests === undefined ? open : { tests: [], ...open };
  if (base !== null) protectDeclared(base, client);
  const read = await readStates({ wanted, base, place }, reads, context, again);
  const options = { ...compare, hasReplaced: replacements(place.id) };
  const zone = {
    wanted,
    place: { id: place.id, ...(place.accountId === null ? {} : { accountId: place.accountId }) },
    service,
    requests: reads.requests,
  };
  const planMeant = (picking: Picking) =>
    withinBudget(wanted.name, () => buildZonePlan(zone, read.states, { ...options, picking }, read.unread));
  const whole = planMeant(picks.whole);
  if (!whole.ok) return whole;
  const part = picks.part.isAll ? whole : planMeant(bothPick(picks.whole, picks.part));
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
    problems: [
      ...(base === null ? [] : noLongerDeclared(base, wanted, declared.at())),
      ...read.problems,
      ...planned.problems,
    ],
  };
  const shown = withoutExposedSecret(plan, client, secrets);
  // Drift is reported even if it cannot be reverted, so nothing is asked about it.
  const questions = part.value.questions.map((each) =>
    compare.only === "drift" ? { ...each, asked: { ...each.asked, question: null } } : each,
  );
  return shown.ok ? ok({ plan: shown.value, questions }) : shown;
}

interface ZoneToRead {
  readonly wanted: OpenZone;
  /** Null: the base does not have the zone. */
  readonly base: OpenZone | null;
  readonly place: ZonePlace;
}

interface StatesRead {
  readonly states: readonly KindState[];
  /** Sections of the files that could not be read. */
  readonly unread: readonly SectionNotPlanned[];
  /** The reasons why sections that only the base has are not compared. */
  readonly problems: readonly Problem[];
}

async function readStates(
  { wanted, base: baseZone, place }: ZoneToRead,
  reads: ZoneReads,
  { client, base, compare, isRead, asked }: PlanContext,
  again: ReadonlySet<string> | null,
): Promise<StatesRead> {
  const managed = managedKinds(wanted.sections)
    .filter((kind) => isRead(wanted, kind))
    .map((kind) => ({ ...sectionOf(kind, wanted), former: formerIn(kind, baseZone, compare) }));
  const letGo = sectionsLetGo(wanted, baseZone, compare).filter(({ kind }) => isRead(wanted, kind));
  const reader = liveReader({ name: wanted.name, place, locate: wanted.locate }, client, reads);
  const live = await readAgain([...managed, ...letGo], reader, reads, again);
  const refused = asked.refused(wanted.name);
  const answers = live.slice(0, managed.length).map((answer, index) => {
    const why = refused.get(managed[index]?.kind.section ?? "");
    return why === undefined ? answer : failed(...why);
  });
  const answersLetGo = live.slice(managed.length);
  const former = baseZone ?? wanted;
  // Ask for the zone's Cloudflare plan only if it decides which sections are planned.
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
    ...read.map(
      (each): KindState => ({
        ...each,
        ...(atService === null ? {} : { cloudflarePlan: atService.id }),
        base: base.of(each.kind, baseZone, each.live),
      }),
    ),
    ...left.read.map(
      ({ kind, live: items }): KindState => ({
        kind,
        declared: [],
        live: items,
        base: base.of(kind, baseZone, items),
        letGo: "read",
      }),
    ),
    ...unreadLetGo.map(
      ({ kind }): KindState => ({
        kind,
        declared: [],
        live: NOTHING_READ,
        base: base.of(kind, baseZone, null),
        letGo: "unread",
      }),
    ),
  ];
  return { states, unread, problems: unreadLetGo.flatMap(notCompared) };
}

const NOTHING_READ: Live = { items: [], context: undefined };

/** Warnings without a place, because no file has the section any more. */
function notCompared({ problems }: Pick<SectionNotPlanned, "problems">): readonly Problem[] {
  return problems.map((each) => ({ ...asWarning(each), at: null }));
}

/** Sections that only the base has. Drift is about the sections of the files. */
function sectionsLetGo(
  zone: OpenZone,
  base: OpenZone | null,
  { only }: PlanContext["compare"],
): readonly SectionToRead[] {
  if (base === null || only === "drift") return [];
  const gone = managedKinds(base.sections).filter((kind) => !isManagedIn(kind, zone.sections));
  return gone.map((kind) => sectionOf(kind, base));
}

/** The declarations of a kind in the base. Those that the files dropped are compared with the live state too. */
function formerIn(kind: Kind, base: OpenZone | null, { only }: PlanContext["compare"]): readonly Declared[] {
  return base === null || only === "drift" ? [] : declaredIn(kind, base.sections);
}

function sectionOf(kind: Kind, { sections }: OpenZone): SectionToRead {
  const declared = declaredIn(kind, sections);
  return { kind, declared, reading: declared };
}

/** Hides secrets of the files only. The creator of a live job chooses its values, and could blank out any word with them. */
function withoutSecretsOf(known: readonly Json[], does: string): string {
  return withoutSecrets(does, new Set(secretsIn(does, known).flatMap(spellings)));
}
