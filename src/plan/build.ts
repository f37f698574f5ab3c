import { callsOf, type KindCalls, type KindChanges, rulesAfter } from "../calls/index.js";
import { checkBetween } from "../kinds/between/index.js";
import type { Missing } from "../kinds/between/log-fields.js";
import { isReadFor, kinds, managedKinds } from "../kinds/index.js";
import { type Asked, type Kind, type PendingChange, sectionIn } from "../kinds/kind.js";
import { withoutSecrets, withoutVolatile } from "../kinds/secret-fields.js";
import { isOffOutside } from "../kinds/switched-on.js";
import { undeclaredAmong } from "../kinds/undeclared-fields.js";
import { layersOf } from "../kinds/zone-state.js";
import type { CompareOptions, KindState } from "../match/match.js";
import { reportOnce } from "../match/report-once.js";
import { type Declared, entryAt, type WantedZone } from "../model/declared-zone.js";
import { EVERYTHING, isSameWithinReading, objectKey, type Picking, type Triple } from "../model/item.js";
import { isObject } from "../model/json.js";
import {
  type Change,
  NOT_ENTITLED,
  type PlannedFrom,
  type SectionNotPlanned,
  type Seen,
  type Step,
  type ZonePlan,
} from "../model/plan.js";
import { failed, hasErrors, ok, type Problem, type Result, unquoted } from "../model/problem.js";
import { lazily } from "../model/remembered.js";
import { isSecret, type Sealed } from "../model/sealed.js";
import type { Shift } from "../model/strength.js";
import { budgeted } from "../model/work-budget.js";
import type { ZoneState } from "../model/zone-state.js";
import { mayEvaluate, withBlocking } from "../strength/index.js";
import { refOf, toChange, toTakenOver, writtenIn } from "./change.js";
import { layerMoves } from "./csp-moves.js";
import { type Difference, takenOverChanges } from "./differences.js";
import { partOf, zoneDigest } from "./digest.js";
import type { OtherObjects } from "./effects.js";
import { alwaysGuarded } from "./guardrails/index.js";
import { heldBack } from "./held-back.js";
import { order } from "./order/index.js";
import { ruleSteps } from "./rule-steps.js";
import { compareSection, type Section, type ZoneToPlan } from "./section.js";
import { cannotList, concerns, isFull } from "./section-problems.js";
import { among, itemsEver, shownStates, stateAfter, stateBefore } from "./zone-states.js";

/** A plan, with checks that still need the service. */
export interface DraftedPlan {
  readonly plan: ZonePlan;
  /** Problems that quote the service, before redaction. */
  readonly serviceProblems: readonly Problem[];
  readonly questions: readonly Question[];
}

/** What a kind asks about an entry of one of its sections. */
export interface Question {
  readonly section: string;
  readonly entry: Declared;
  readonly asked: Asked;
}

/** A plan that is made within the zone's budget for comparing, with a warning if the budget was too small. */
export function withinBudget(zone: string, plan: () => Result<DraftedPlan>): Result<DraftedPlan> {
  const { value: result, problems } = budgeted(zone, plan);
  if (!result.ok || problems.length === 0) return result;
  const { plan: drafted, ...rest } = result.value;
  return ok({ ...rest, plan: { ...drafted, problems: [...drafted.problems, ...problems] } });
}

/** Makes a zone's plan from the declared and the live state. Pure: the same inputs give the same plan. */
export function buildZonePlan(
  zone: ZoneToPlan,
  states: readonly KindState[],
  options: CompareOptions = { only: "all" },
  unread: readonly SectionNotPlanned[] = [],
): Result<DraftedPlan> {
  const compared = states.map((state) => compareSection(state, zone, options));
  const isWrong = ({ problems }: Section) =>
    hasErrors(problems) || problems.some(({ code }) => code === NOT_ENTITLED);
  const failedSections = compared.filter(isWrong).map(({ state, problems }) => ({
    section: state.kind.section,
    problems,
  }));
  const sections = compared.filter((each) => !isWrong(each));
  return planSections(zone, sections, [...unread, ...failedSections], options);
}

interface Narrowed {
  /** The objects to plan. Absent: all. */
  readonly picking?: Picking;
  /** Sections that were not read, since the plan is narrowed. Absent: none. */
  readonly unread?: readonly string[];
}

/**
 * Plans the sections of a zone that can be planned, without those whose changes depend on a section that cannot. Fails if no
 * section is left.
 *
 * @param missing sections that cannot be planned. A section without a picked object may be missing
 */
export function planSections(
  zone: ZoneToPlan,
  sections: readonly Section[],
  missing: readonly SectionNotPlanned[],
  { picking = EVERYTHING, unread = [] }: Narrowed,
): Result<DraftedPlan> {
  const { wanted } = zone;
  const heldBackSections =
    missing.length === 0 ? [] : heldBack(wanted.name, sections.map(dependenciesIn(wanted)), missing);
  const unplanned = [...missing, ...heldBackSections];
  const shown = shownSections(heldBackSections, picking);
  const notPlanned = kinds.flatMap(({ section }) =>
    shown.has(section) ? unplanned.filter((each) => each.section === section) : [],
  );
  const plannable = sections.filter(
    ({ state }) => !heldBackSections.some(({ section }) => section === state.kind.section),
  );
  const problems = notPlanned.flatMap((each) => each.problems);
  // A narrowed plan reads only some sections. It succeeds wherever the plan of all sections would.
  const isNarrowed = managedKinds(wanted.sections).some((kind) => !isReadFor(picking, kind));
  if (plannable.length === 0 && !isNarrowed && hasErrors(problems)) return failed(...problems);
  const absent = new Map([
    ...unplanned.map(({ section }) => [section, "not planned"] as const),
    ...unread.map((section) => [section, "not read"] as const),
  ]);
  return ok(planCompared(zone, plannable, notPlanned, picking, absent));
}

function dependenciesIn(wanted: WantedZone) {
  return ({ state: { kind }, pending }: Section) => ({
    section: kind.section,
    dependsOn: () => (pending.length === 0 ? [] : (kind.depends.on?.(pending) ?? [])),
    at: () => wanted.locate([sectionIn(kind, wanted.sections)], "key"),
  });
}

/** The picked sections, and those that they depend on. */
function shownSections(held: ReturnType<typeof heldBack>, picking: Picking): ReadonlySet<string> {
  const isMeant = ({ name }: Kind) => picking.hasKind(name);
  const shown = new Set(kinds.filter(isMeant).map(({ section }) => section));
  // A section can wait for sections that were held back earlier, so the last one comes first.
  for (const { section, waitsFor } of held.toReversed()) {
    if (shown.has(section)) for (const each of waitsFor) shown.add(each);
  }
  return shown;
}

/** A section with its changes. Their numbers are indices into the changes of the zone. */
interface ChangingSection extends Section {
  readonly pending: readonly PendingChange[];
  /** The same changes with all that their calls depend on. */
  readonly sent: KindChanges;
  /** Changes of the files that are live already. */
  readonly takenOver: readonly PendingChange[];
}

function planCompared(
  zone: ZoneToPlan,
  sections: readonly Section[],
  sectionsNotPlanned: readonly SectionNotPlanned[],
  picking: Picking,
  absent: Missing,
): DraftedPlan {
  const { wanted, place, service, requests } = zone;
  const managed = sections.filter(({ state }) => state.letGo === undefined);
  const meant = managed.filter(({ state: { kind } }) => picking.hasKind(kind.name));
  const notPlanned = [...sectionsNotPlanned, ...meant.flatMap(({ leftOut = [] }) => leftOut)];
  const { changing, before, after, changes, steps, live, warnings } = callsIn(sections, zone);
  // Checks between objects cover the picked kinds, and the kinds that are read for them.
  const near = managed.filter(({ state: { kind } }) => isReadFor(picking, kind));
  const between = checkBetween(among(after, near), among(before, near), absent);
  const draft = {
    zone: wanted.name,
    place,
    counts: { unchanged: countUnchanged(changing), requests },
    changes,
    steps,
    notPlanned,
    live,
    meaning: {
      moves: withBlocking(layerMoves(changes, before)),
      impact: null,
      breaches: alwaysGuarded(zone, changes, changing, picking),
      // The states of a fleet that stays as it is would take much memory.
      ...(wanted.tests === undefined && steps.length === 0
        ? {}
        : { states: shownStates({ before, after }, sections.map(stateOf), changes, wanted) }),
    },
    secrets: {
      values: new Map(sections.flatMap(({ matched }) => [...matched.secrets])),
      unset: sections.flatMap(({ matched }) => matched.unset),
      written: writtenIn(wanted, meant.map(stateOf)),
    },
    problems: [
      ...[...notPlanned, ...meant].flatMap(({ problems }) => problems),
      ...warningsOfReading(meant.map(stateOf), wanted),
      ...warnings,
      ...between.map(({ path, ...rest }): Problem => ({ ...rest, at: wanted.locate(path) })),
    ],
  };
  return {
    plan: { ...draft, digest: zoneDigest(partOf({ ...draft, digest: "" })) },
    serviceProblems: meant.flatMap(({ state, matched }) => concerns(state.kind, matched, service, wanted)),
    questions: changing.flatMap(questionsOf),
  };
}

function stateOf({ state }: Section): KindState {
  return state;
}

/** The changes of the sections with their calls, and the zone before and after them. */
function callsIn(sections: readonly Section[], zone: ZoneToPlan) {
  const changing = withChanges(sections, zone);
  const kindChanges = changing.map((each) => each.sent);
  const before = stateBefore(sections);
  const after = stateAfter(sections, before, rulesAfter(kindChanges));
  const changes = changesIn(changing, { before, after }, zone.wanted);
  const kindCalls = callsOf(kindChanges);
  const { steps, warnings } = order(kindCalls, before, zone.service, changes);
  const sent = steps.map((step) => ({ ...step, secretFields: secretFieldsOf(step.body, sections) }));
  return { changing, before, after, changes, steps: sent, live: plannedFrom(changing, kindCalls), warnings };
}

function questionsOf({ state, matched, pending }: ChangingSection): readonly Question[] {
  const { kind, declared } = state;
  const asks = kind.checks?.asked;
  if (asks === undefined) return [];
  const moved = new Map(pending.map(({ triple, fields }) => [triple, fields]));
  return matched.triples.flatMap((triple) => {
    const entry = entryAt(declared, triple.want?.at);
    if (entry === undefined || triple.replaces === "made") return [];
    return [{ section: kind.section, entry, asked: asks(triple, moved.get(triple) ?? [], entry.body) }];
  });
}

/** The sections with their changes, numbered through the zone: first those that need calls. */
function withChanges(sections: readonly Section[], zone: ZoneToPlan): readonly ChangingSection[] {
  let next = 0;
  const numbered = (changes: readonly Difference[]) => changes.map((each) => ({ at: next++, ...each }));
  const withPending = sections.map((each) => ({ ...each, pending: numbered(each.pending) }));
  return withPending.map((each) => ({
    ...each,
    sent: kindChangesOf(each, zone),
    takenOver: numbered(takenOverChanges(each.state.kind, each.matched)),
  }));
}

function kindChangesOf(
  { state: { kind, live }, matched, pending }: Pick<ChangingSection, "state" | "matched" | "pending">,
  { place, service }: ZoneToPlan,
): KindChanges {
  return { kind, zoneId: place.id, live, changes: pending, isFull: isFull(kind, matched, service) };
}

function changesIn(
  sections: readonly ChangingSection[],
  states: { readonly before: ZoneState; readonly after: ZoneState },
  wanted: WantedZone,
): readonly Change[] {
  const otherObjects = lazily((): OtherObjects => otherObjectsIn(sections, states));
  const steps = new Map(
    sections.flatMap(({ sent, takenOver: taken }) => [...ruleSteps(sent, taken, otherObjects)]),
  );
  const around = ({ at }: PendingChange) => ({ ...otherObjects(), inList: steps.get(at) ?? null });
  const takenOver = sections.flatMap(({ state, takenOver: taken }) =>
    taken.map((each) => toTakenOver(state, each, wanted, around(each))),
  );
  const needingCalls = sections.flatMap(({ state, pending }) =>
    pending.map((each) => toChange(state, each, wanted, around(each), shiftsShown(takenOver, each.triple))),
  );
  return [...needingCalls, ...takenOver];
}

function otherObjectsIn(
  sections: readonly Section[],
  { before, after }: { readonly before: ZoneState; readonly after: ZoneState },
): OtherObjects {
  return {
    declared: idsAmong(sections, ({ want }) => want !== null),
    going: idsAmong(sections, ({ want }) => want === null),
    offOutside: idsAmong(sections, ({ want }, kind) => want !== null && isOffOutside(kind, want)),
    rules: { before: before.rules, after: after.rules },
    mayEvaluate: lazily(() =>
      sections.some(({ state: { kind, live }, matched }) =>
        itemsEver(matched).some((item) => layersOf(kind, item, live.context).some(mayEvaluate)),
      ),
    ),
  };
}

/** Shifts that the plan shows already for the part of an object that is taken over. */
function shiftsShown(takenOver: readonly Change[], triple: Triple): readonly Shift[] {
  const ref = refOf(triple);
  return takenOver.filter((each) => isSameWithinReading(each.ref, ref)).flatMap(({ shifts }) => shifts);
}

function countUnchanged(sections: readonly ChangingSection[]): number {
  const pending = sections.flatMap((each) => each.pending);
  const changing = new Set(pending.map(({ triple }) => objectKey(refOf(triple))));
  const takenOver = sections
    .flatMap(({ takenOver: taken }) => taken)
    .filter(({ triple: { want, noLongerDeclared } }) => want !== null && noLongerDeclared !== true)
    .filter(({ triple }) => !changing.has(objectKey(refOf(triple))));
  const all = sections.reduce((sum, { matched }) => sum + matched.triples.length, 0);
  return all - pending.length - takenOver.length;
}

function idsAmong(
  sections: readonly Section[],
  isMeant: (triple: Triple, kind: Kind) => boolean,
): ReadonlySet<string> {
  return new Set(
    sections.flatMap(({ state: { kind }, matched }) =>
      matched.triples.filter((each) => isMeant(each, kind)).flatMap(({ live }) => live?.ref.id ?? []),
    ),
  );
}

/** The fields of a body that hold the secret of a sealed field. */
function secretFieldsOf(body: Sealed | null, sections: readonly Section[]): Step["secretFields"] {
  const fields = Object.entries(isObject(body) ? body : {}).filter(([, value]) => isSecret(value));
  if (fields.length === 0) return [];
  const sealed = new Set(
    sections.flatMap(({ matched }) =>
      matched.triples.flatMap(({ want }) => Object.values(want?.normal ?? {})),
    ),
  );
  return fields.flatMap(([field, value]) => (sealed.has(value) ? [field] : []));
}

function plannedFrom(sections: readonly ChangingSection[], kindCalls: readonly KindCalls[]): PlannedFrom {
  const managed = sections.filter(({ state }) => state.letGo === undefined);
  return {
    seen: kindCalls.flatMap(({ changes, drafts }): readonly Seen[] => [
      ...changes.map(({ triple }) => ({ ref: refOf(triple), state: triple.live?.normal ?? null })),
      ...drafts.flatMap(({ reads }) => reads ?? []),
    ]),
    // Kinds share lists of rules. A kind that the files still have reports the undeclared rules.
    unmanaged: reportOnce(
      managed.map(({ state, matched }) => ({ items: state.live.items, reported: matched.unmanaged })),
      (each) => each,
    ).flat(),
    letGo: sections.flatMap(({ state }) => (mayLetGo(state) ? [state.kind.section] : [])),
    unlisted: sections.flatMap(({ state: { kind, live } }) => (live.unlisted === true ? [kind.name] : [])),
    journaled: sections.flatMap(journaledIn),
  };
}

/** Whether the files let go of a section with live objects, or with possible ones. */
function mayLetGo({ kind, live, letGo }: KindState): boolean {
  if (letGo === undefined) return false;
  if (letGo === "unread" || live.unlisted === true) return true;
  return live.items.length > 0 || undeclaredAmong(kind, [], [], live.context).length > 0;
}

/** The live objects that change, as a journal keeps them. */
function journaledIn({ state, secrets, pending }: ChangingSection): PlannedFrom["journaled"] {
  const { kind, base, live } = state;
  return pending.flatMap(({ triple: { want, live: sealed } }) => {
    if (sealed === null) return [];
    const whole = live.items.find(({ raw }) => raw === sealed.raw) ?? sealed;
    const open = withoutSecrets(kind, whole, want?.normal ?? null, secrets, base.secretFields);
    return [{ ref: sealed.ref, raw: withoutVolatile(kind, open) }];
  });
}

function warningsOfReading(states: readonly KindState[], wanted: WantedZone): readonly Problem[] {
  // A file of one line would be repeated in each key.
  const keyOf = (each: Problem) => JSON.stringify({ ...each, at: unquoted(each.at) });
  const warnings = states.flatMap(({ live }) => live.warnings ?? []);
  return [
    // Kinds that read the same list give the same warnings.
    ...new Map(warnings.map((each) => [keyOf(each), each])).values(),
    ...states.flatMap(({ kind, live }) => (live.unlisted === true ? [cannotList(kind, wanted)] : [])),
  ];
}
