import type { Client } from "../api/client.js";
import type { ZoneReads } from "../api/reads.js";
import { spellings, withoutSecrets } from "../api/redact.js";
import type { DeclaredZone } from "../config/index.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { managedKinds } from "../kinds/index.js";
import { isManagedIn, type Kind, type Live } from "../kinds/kind.js";
import {
  newlyAcknowledged,
  noLongerManagedSections,
  noLongerPruned,
  noLongerRequired,
  noLongerTested,
} from "../match/base.js";
import type { Against, BaseDeclarations, HasReplaced } from "../match/match.js";
import type { Picking } from "../model/item.js";
import type { Json } from "../model/json.js";
import { isNotIncluded, type SectionNotPlanned, type ZonePlan, type ZoneQuestion } from "../model/plan.js";
import { asWarning, failed, ok, type Problem, type Result, type Span } from "../model/problem.js";
import { secretsIn } from "../model/secrets-in-text.js";
import type { Declared, Service } from "../model/wanted.js";
import { buildZonePlan, withinBudget } from "../plan/build.js";
import type { KindState } from "../plan/change.js";
import type { ImpactReading } from "./files.js";
import { liveReader, readAgain, type ZonePlace } from "./live.js";
import { listedAs } from "./locate.js";
import type { Reported } from "./logs.js";
import { bothPick, type Picks } from "./narrowing.js";
import type { AskedOfRun } from "./questions.js";
import { planOf, protectDeclared, withoutExposedSecret } from "./secrets.js";
import { isPlanInQuestion, readSections } from "./sections.js";

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
 * Reads what a zone's files manage, and plans the zone, without what was detected there. Sections that the files do not
 * have are not read, nor those that have nothing to do with what is meant. A read that fails fails its section.
 *
 * @param again the kinds that are read now, where the others are as they were read before; null: all are read
 */
export async function planWith(
  reads: ZoneReads,
  declared: DeclaredZone,
  place: ZonePlace,
  context: PlanContext,
  again: ReadonlySet<string> | null = null,
): Promise<Result<{ readonly plan: ZonePlan; readonly asked: readonly ZoneQuestion[] }>> {
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
  return shown.ok ? ok({ plan: shown.value, asked: part.value.questions }) : shown;
}

/** What the files no longer say, and the base does. */
function noLongerIn(wanted: OpenZone, base: OpenZone | null, at: Span): readonly Problem[] {
  if (base === null) return [];
  return [
    ...noLongerManagedSections(base, wanted, at),
    ...noLongerPruned(base, wanted, at),
    ...newlyAcknowledged(base, wanted),
    ...noLongerTested(base, wanted, at),
    ...noLongerRequired(base, wanted),
  ];
}

interface ZoneToRead {
  readonly wanted: OpenZone;
  /** The zone as the base has it; null: it does not. */
  readonly base: OpenZone | null;
  readonly place: ZonePlace;
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
  const managed = managedKinds(wanted.sections)
    .filter((kind) => isRead(wanted, kind))
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
    ...read.map(
      (each): KindState => ({
        ...each,
        ...(atService === null ? {} : { cloudflarePlan: atService.id }),
        base: baseOf(each.kind),
        isBaseUnread: against.isUnread,
      }),
    ),
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
  return problems.map((each) => ({ ...asWarning(each), at: null }));
}

/** What the base declares of kinds that the files have no section for any more. Drift is of what they have. */
function sectionsLetGo(
  zone: OpenZone,
  base: OpenZone | null,
  { only }: AgainstBase,
): readonly SectionToRead[] {
  if (base === null || only === "drift") return [];
  const gone = managedKinds(base.sections).filter((kind) => !isManagedIn(kind, zone.sections));
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

/** Hides the secrets of the files only: whoever creates a job picks its live values, and could blank out any word. */
function withoutSecretsOf(known: readonly Json[], does: string): string {
  return withoutSecrets(does, new Set(secretsIn(does, known).flatMap(spellings)));
}
