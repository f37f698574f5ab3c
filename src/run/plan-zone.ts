import type { Client } from "../api/client.js";
import type { ZoneReads } from "../api/reads.js";
import { spellings, withoutSecrets } from "../api/redact.js";
import type { DeclaredZone } from "../config/index.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { managedKinds } from "../kinds/index.js";
import { isManagedIn, type Kind, type Live } from "../kinds/kind.js";
import type { CompareOptions, HasReplaced, KindState } from "../match/match.js";
import { noLongerDeclared } from "../match/no-longer-warnings.js";
import type { Service } from "../model/declared-zone.js";
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
 */
export async function planWith(
  reads: ZoneReads,
  declared: DeclaredZone,
  place: ZonePlace,
  context: PlanContext,
): Promise<Result<ZoneDraft>> {
  const { client, service, secrets, compare, replacements, picks } = context;
  const open = declared.open();
  const base = context.base.zone(open);
  // Tests that only the base has are run too.
  const wanted = base?.tests === undefined ? open : { tests: [], ...open };
  if (base !== null) protectDeclared(base, client);
  const read = await readStates({ wanted, base, place }, reads, context);
  const options = { ...compare, hasReplaced: replacements(place.id) };
  const zone = {
    wanted,
    place: { id: place.id, ...(place.accountId === null ? {} : { accountId: place.accountId }) },
    service,
    cloudflarePlan: listedAs(wanted.name, place)?.plan?.id,
    requests: reads.requests,
  };
  const planMeant = (picking: Picking) =>
    withinBudget(wanted.name, () => buildZonePlan(zone, read.states, { ...options, picking }, read.unread));
  const whole = planMeant(picks.whole);
  if (!whole.ok) return whole;
  const part = picks.part.isAll ? whole : planMeant(bothPick(picks.whole, picks.part));
  if (!part.ok) return part;
  const planned = planOf(part.value, client);
  const plan: ZonePlan = {
    ...planned,
    ...(part === whole ? {} : { whole: whole.value.plan }),
    live: withoutSecretsIn(planned, secrets),
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
  { wanted, base, place }: ZoneToRead,
  reads: ZoneReads,
  context: PlanContext,
): Promise<StatesRead> {
  const { client, asked } = context;
  const sections = sectionsToRead(wanted, base, context);
  const reader = liveReader({ name: wanted.name, place, locate: wanted.locate }, client, reads);
  const live = await readAgain(sections, reader, reads);
  const refused = asked.refused(wanted.name);
  const answers = live.map((answer, index) => {
    const why = refused.get(sections[index]?.kind.section ?? "");
    return why === undefined ? answer : failed(...why);
  });
  // Ask for the zone's Cloudflare plan only if it decides which sections are planned.
  if (isPlanInQuestion(sections, answers)) await place.accounts?.ask(wanted.name, place.id);
  const atService = listedAs(wanted.name, place)?.plan ?? null;
  const { read, unread } = readSections(sections, answers, client, atService);
  const isLetGo = ({ kind }: SectionToRead) => !isManagedIn(kind, wanted.sections);
  const letGo = unread.filter((each) => isLetGo(each) && !isNotIncluded(each));
  const stateOf = (section: SectionToRead, liveNow: Live | null): KindState => ({
    kind: section.kind,
    base: context.base.of(section.kind, base, liveNow),
    declared: isLetGo(section) ? [] : section.declared,
    live: liveNow ?? NOTHING_READ,
    ...(isLetGo(section) ? { letGo: liveNow === null ? "unread" : "read" } : {}),
  });
  return {
    states: [...read.map((each) => stateOf(each, each.live)), ...letGo.map((each) => stateOf(each, null))],
    unread: unread.flatMap((each) =>
      isLetGo(each) ? [] : { section: each.section, problems: each.problems },
    ),
    // Without a place, because no file has the section any more.
    problems: letGo.flatMap(({ problems }) => problems.map((each) => ({ ...asWarning(each), at: null }))),
  };
}

const NOTHING_READ: Live = { items: [], context: null };

/** The sections of the files, and those that only the base has. Drift is about the sections of the files. */
function sectionsToRead(
  wanted: OpenZone,
  base: OpenZone | null,
  { compare: { only }, isRead }: PlanContext,
): readonly SectionToRead[] {
  const former = only === "drift" ? {} : (base?.sections ?? {});
  const sectionsOf = (kinds: readonly Kind[], zone: OpenZone) =>
    kinds
      .filter((kind) => isRead(wanted, kind))
      .map((kind) => {
        const declared = declaredIn(kind, zone.sections);
        return { kind, zone, declared, reading: declared, former: declaredIn(kind, former) };
      });
  const letGo = managedKinds(former).filter((kind) => !isManagedIn(kind, wanted.sections));
  return [...sectionsOf(managedKinds(wanted.sections), wanted), ...sectionsOf(letGo, base ?? wanted)];
}

/** Hides secrets of the files only. The creator of a live job chooses its values, and could blank out any word with them. */
function withoutSecretsIn(
  { live, secrets: { values } }: ZonePlan,
  named: readonly string[],
): ZonePlan["live"] {
  const known: readonly Json[] = [...values.values(), ...named];
  const hide = (text: string) => withoutSecrets(text, new Set(secretsIn(text, known).flatMap(spellings)));
  return { ...live, unmanaged: live.unmanaged.map((each) => ({ ...each, does: hide(each.does) })) };
}
