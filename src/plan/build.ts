import { callsOf, intermediateCalls, type KindChanges, rulesAfter } from "../calls/index.js";
import { checkBetween, type Known } from "../kinds/between/index.js";
import { diffFields } from "../kinds/fields.js";
import { notIncluded, wantedIn } from "../kinds/included.js";
import { isReadFor, kinds } from "../kinds/index.js";
import {
  aboutOf,
  type Finding,
  impliedIn,
  isManagedIn,
  type Kind,
  mostOf,
  type PendingChange,
  sectionIn,
} from "../kinds/kind.js";
import { beyondLimits } from "../kinds/limits.js";
import { declaredSecrets, fieldsWithSecrets, withoutSecrets, withoutVolatile } from "../kinds/sensitive.js";
import { type KindPart, liveState, objectsOf } from "../kinds/zone-state.js";
import { secretFieldsBefore } from "../match/base.js";
import { matchLetGo } from "../match/let-go.js";
import { type Against, type BaseDeclarations, type Before, type Matched, match } from "../match/match.js";
import { withoutReferences, withoutSensitive } from "../match/seal.js";
import { toldOnce } from "../match/told-once.js";
import { budgeted } from "../model/comparing.js";
import { type Item, isAmong, isSameNow, type Path, type Picking, type Triple } from "../model/item.js";
import { equal, isObject, type Json } from "../model/json.js";
import {
  type Action,
  type Breach,
  type Change,
  type FieldChange,
  NOT_ENTITLED,
  QUOTA_FULL,
  type SectionNotPlanned,
  type Seen,
  type ZonePlan,
} from "../model/plan.js";
import { detailed, failed, hasErrors, ok, type Problem, type Result } from "../model/problem.js";
import { lazily } from "../model/remembered.js";
import { isSecret, type Sealed, type SealedObject, type Sensitive } from "../model/sealed.js";
import { says } from "../model/sentence.js";
import type { Dimensions, Shift } from "../model/strength.js";
import type { Service, WantedZone } from "../model/wanted.js";
import { itemsOf, type ZoneState } from "../model/zone-state.js";
import { mayEvaluate, withBlocking } from "../strength/index.js";
import { askedOf } from "./asked.js";
import { type KindState, type Others, refOf, toChange, toTakenOver, writtenIn } from "./change.js";
import { callOf, notPlannedPart, seenOf, takenOverPart, zoneDigest } from "./digest.js";
import { guard } from "./guard.js";
import { heldBack } from "./held-back.js";
import { layerMoves, layersOf, movingObjects } from "./moves.js";
import { type KindCalls, order } from "./order.js";
import { nameOf } from "./wording.js";

/** A plan that is made within the zone's budget for comparing, with a warning if the budget was too small. */
export function withinBudget(zone: string, plan: () => Result<ZonePlan>): Result<ZonePlan> {
  const { value, problems } = budgeted(zone, plan);
  return value.ok ? ok({ ...value.value, problems: [...value.value.problems, ...problems] }) : value;
}

/**
 * Makes a zone's plan from what the files declare and what is live. Pure: the same inputs give the same plan.
 *
 * @param states of the kinds whose sections the zone has and could be read; the other kinds are not managed there
 * @param unread the sections that could not
 */
export function buildZonePlan(
  zone: WantedZone,
  zoneId: string,
  states: readonly KindState[],
  service: Service,
  requests: number,
  against: Omit<Against, keyof Before> = { only: "all" },
  unread: readonly SectionNotPlanned[] = [],
): Result<ZonePlan> {
  const { picking, isToTell = false, config = [] } = against;
  const matches = states.map((state): MatchedSection => {
    const { base, isBaseUnread } = state;
    const own = { ...against, base, isBaseUnread };
    const all =
      state.isLetGo === true && base !== null
        ? matchedLetGo(state, base, picking)
        : match(state.kind, state.declared, state.live, zone, own);
    const refused = refusedWithout(state, all, zone, config);
    const problems = [
      ...all.problems,
      ...wholeProblems(state.kind, all, service, zone),
      ...tooMany(state.kind, all, service, zone),
      ...switchedOff(state, all, zone),
    ];
    const section = { state, secrets: () => secretsOf(state, zone) };
    // Drift is told whether or not it can be taken back.
    if (isToTell) {
      const told = refused.flatMap((each) => each.problems.map(asWarning));
      return { ...section, matched: all, leftOut: [], problems: [...problems, ...told] };
    }
    const leftOut = refused.map(({ want, problems: why }) => ({
      section: state.kind.section,
      object: want.ref.key,
      problems: why,
    }));
    return { ...section, matched: withoutChanges(all, refused), leftOut, problems };
  });
  const isWrong = ({ problems }: MatchedSection) =>
    hasErrors(problems) || problems.some(({ code }) => code === NOT_ENTITLED);
  const wrong = matches.filter(isWrong).map(({ state, problems }) => ({
    section: state.kind.section,
    problems,
  }));
  const others = matches.filter((each) => !isWrong(each));
  return planSections(zone, zoneId, others, [...unread, ...wrong], service, requests, { picking });
}

/** A section that the files no longer have. All of it stays as it is live. */
function matchedLetGo(
  { kind, live, isUnread }: KindState,
  base: BaseDeclarations,
  picking: Picking | undefined,
): Matched {
  const { takenOver, ...letGo } = matchLetGo(kind, base.declared, isUnread === true ? null : live, base);
  return {
    ...letGo,
    triples: [],
    takenOver: picking === undefined ? takenOver : takenOver.filter((each) => isAmong(picking, each)),
    unmanagedItems: live.items.map((item) => withoutSensitive(kind, withoutReferences(item))),
    unmanaged: [],
    problems: [],
  };
}

/**
 * Plans the sections of a zone that can be planned: each by itself, and none whose changes rest on one that cannot. A
 * problem where none is left.
 *
 * @param missing those that cannot
 * @param picking the objects that are meant; absent: all. A section of which none is may be missing
 * @param unread sections that nobody has looked at, as the plan is not of all that the zone has
 */
export function planSections(
  zone: WantedZone,
  zoneId: string,
  matches: readonly MatchedSection[],
  missing: readonly SectionNotPlanned[],
  service: Service,
  requests: number,
  { picking, unread = [] }: { readonly picking?: Picking | undefined; readonly unread?: readonly string[] },
): Result<ZonePlan> {
  if (missing.length === 0) {
    const known = { unknown: [], unread };
    return ok(planMatched(zone, zoneId, matches, [], service, requests, { picking, known }));
  }
  const held = heldBack(
    zone.name,
    matches.map(({ state: { kind }, matched }) => ({
      section: kind.section,
      restsOn: () => {
        const pending = pendingChanges(kind, matched, 0);
        return pending.length === 0 ? [] : (kind.restsOn?.(pending) ?? []);
      },
      at: () => zone.locate([sectionIn(kind, zone.sections)], "key"),
    })),
    missing,
  );
  const all = [...missing, ...held];
  const isMeant = ({ name }: Kind) => picking?.hasKind(name) ?? true;
  // A zone whose other sections are not looked at is planned in part, as it is where they are.
  const isOfPart = kinds.some((kind) => isManagedIn(kind, zone.sections) && !isReadFor(picking, kind));
  const known = { unknown: all.map(({ section }) => section), unread };
  const toldSections = new Set(kinds.filter(isMeant).map(({ section }) => section));
  // A section waits for some that were held back before it: from the last one on, each finds its reasons told.
  for (const { section, waitsFor } of held.toReversed()) {
    if (toldSections.has(section)) for (const each of waitsFor) toldSections.add(each);
  }
  const notPlanned = kinds.flatMap(({ section }) =>
    toldSections.has(section) ? all.filter((each) => each.section === section) : [],
  );
  const left = matches.filter(({ state }) => !held.some(({ section }) => section === state.kind.section));
  const problems = notPlanned.flatMap((each) => each.problems);
  if (left.length === 0 && !isOfPart && hasErrors(problems)) return failed(...problems);
  return ok(planMatched(zone, zoneId, left, notPlanned, service, requests, { picking, known }));
}

/** A section that could be read, with what is to be known of its objects. */
interface MatchedSection extends MatchedKind {
  readonly problems: readonly Problem[];
  /** Objects of it that are left out. Absent: none. */
  readonly leftOut?: readonly SectionNotPlanned[];
}

interface MatchedKind {
  readonly state: KindState;
  readonly matched: Matched;
  /** What the files, and those before them, have of the kind as secrets: no journal has it. */
  readonly secrets: () => readonly Json[];
}

function secretsOf({ kind, declared, base }: KindState, zone: WantedZone): readonly Json[] {
  const past = base?.zone == null ? [] : declaredSecrets(kind, base.declared, base.zone);
  return [...declaredSecrets(kind, declared, zone), ...past];
}

interface ChangingKind extends MatchedKind {
  readonly pending: readonly PendingChange[];
}

/** Wanted × live, object by object → the zone's plan. */
function planMatched(
  zone: WantedZone,
  zoneId: string,
  matches: readonly MatchedSection[],
  sectionsNotPlanned: readonly SectionNotPlanned[],
  service: Service,
  requests: number,
  { picking, known: between }: { readonly picking: Picking | undefined; readonly known: Known },
): ZonePlan {
  const states = matches.map(({ state }) => state);
  const managed = matches.filter(({ state }) => state.isLetGo !== true);
  const meant = managed.filter(({ state: { kind } }) => picking?.hasKind(kind.name) ?? true);
  // What objects have to do with each other is told of those that are meant, and of what is read for them.
  const near = managed.filter(({ state: { kind } }) => isReadFor(picking, kind));
  const meantStates = meant.map(({ state }) => state);
  const notPlanned = [...sectionsNotPlanned, ...meant.flatMap(({ leftOut = [] }) => leftOut)];
  const known = matches.filter(({ state }) => state.isUnread !== true);
  const before = liveState(known.map(({ state, matched }) => partOf(state, itemsBefore(matched))));
  const others = lazily(
    (): Others => ({
      declared: idsAmong(matches, ({ want }) => want !== null),
      going: idsAmong(matches, ({ want }) => want === null),
      mayEvaluate: lazily(() =>
        matches.some(({ matched }) =>
          itemsEver(matched).some((item) => layersOf(item, before).some(mayEvaluate)),
        ),
      ),
    }),
  );
  let calls = 0;
  const changingKinds = matches.map((each): ChangingKind => {
    const pending = pendingChanges(each.state.kind, each.matched, calls);
    calls += pending.length;
    return { ...each, pending };
  });
  const taken = takenOverIn(matches, calls);
  const takenOver = taken.flatMap(({ state, pending }) =>
    pending.map((each) => toTakenOver(state, each, zone, others())),
  );
  const changes: readonly Change[] = [
    ...changingKinds.flatMap(({ state, pending }) =>
      pending.map((each) => toChange(state, each, zone, others(), toldBy(takenOver, each.triple))),
    ),
    ...takenOver,
  ];
  const unchanged =
    matches.reduce((sum, { matched }) => sum + matched.triples.length, -calls) -
    asDeclaredNow(taken, changingKinds);
  const kindChanges = changingKinds.map((each) => changesOf(each, zoneId, service));
  const rulesThen = rulesAfter(kindChanges);
  const after: ZoneState = {
    objects: objectsOf(known.map(({ state, matched }) => partOf(state, itemsAfter(matched)))),
    rules: new Map([...before.rules].map(([phase, rules]) => [phase, rulesThen(phase, rules)])),
  };
  const kindCalls = callsOfKinds(kindChanges, before, service);
  const seen = changingKinds.flatMap(({ pending }, index): readonly Seen[] => [
    ...pending.map(({ triple }) => ({ ref: refOf(triple), state: triple.live?.normal ?? null })),
    ...(kindCalls[index]?.drafts ?? []).flatMap(({ reads }) => reads ?? []),
  ]);
  const unlisted = states.flatMap(({ kind, live }) => (live.unlisted === true ? [kind.name] : []));
  const ordered = order(kindCalls, changes);
  const steps = ordered.steps.map((step) => ({ ...step, secretFields: secretFieldsOf(step.body, matches) }));
  const written = writtenIn(zone, meantStates);
  const full = matches.flatMap(({ state: { kind }, matched }) => {
    const limit = fullAt(kind, matched, service);
    return limit === null ? [] : [{ kind, limit }];
  });
  const emptied = matches.flatMap(({ state: { kind }, matched }) =>
    isEmptied(matched, picking) ? [kind.name] : [],
  );
  const breaches: readonly Breach[] = guard(zone, changes, { unlisted, emptied, full });
  return {
    zone: zone.name,
    zoneId,
    counts: { ...countActions(changes), unchanged, requests },
    // What the files let go of tells nothing of its rules: a kind that they still have does.
    unmanaged: toldOnce(
      managed.map(({ state, matched }) => ({ items: state.live.items, told: matched.unmanaged })),
      (each) => each,
    ).flat(),
    notPlanned,
    optional: states.flatMap(({ kind }) => (wantedIn(zone, kind).as === "optional" ? [kind.name] : [])),
    unlisted,
    readSet: seen,
    journaled: changingKinds.flatMap(journaledIn),
    changes,
    steps,
    // The states of a fleet that stays as it is would take much memory.
    ...(zone.tests === undefined && steps.length === 0
      ? {}
      : {
          states: {
            before: withoutSecretFields(before, states, zone),
            ...(states.every(({ base }) => base === null)
              ? {}
              : { past: withoutSecretFields(pastState(before, changes), states, zone) }),
            after,
          },
        }),
    moves: withBlocking(layerMoves(changes, before)),
    impact: null,
    breaches,
    retold: meant.flatMap(({ state, matched }) => concerns(state.kind, matched, service, zone)),
    asked: changingKinds.flatMap(({ state: { kind, declared }, matched: { triples }, pending }) =>
      askedOf(kind, triples, pending, declared, zone),
    ),
    secrets: new Map(matches.flatMap(({ matched }) => [...matched.secrets])),
    unset: matches.flatMap(({ matched }) => matched.unset),
    problems: [
      ...[...notPlanned, ...meant].flatMap(({ problems }) => problems),
      ...once(meantStates.flatMap(({ live }) => live.warnings ?? [])),
      ...meantStates.flatMap(({ kind, live }) => (live.unlisted === true ? [cannotList(kind, zone)] : [])),
      ...ordered.warnings,
      ...checkBetween(among(after, near), among(before, near), between).map(
        ({ path, ...rest }): Problem => ({ ...rest, at: zone.locate(path) }),
      ),
    ],
    written,
    digest: zoneDigest({
      zoneId,
      calls: steps.map(callOf),
      seen: seen.map(seenOf),
      ...takenOverPart(changes),
      ...(written === null ? {} : { written }),
      ...notPlannedPart(notPlanned),
    }),
  };
}

/** What is told already of an object of which a part is taken over. */
function toldBy(takenOver: readonly Change[], triple: Triple): readonly Shift[] {
  const ref = refOf(triple);
  return takenOver.filter((each) => isSameNow(each.ref, ref)).flatMap(({ shifts }) => shifts);
}

/** What the files change and is live already, kind by kind, numbered behind the changes that have calls. */
function takenOverIn(matches: readonly MatchedKind[], first: number): readonly ChangingKind[] {
  let at = first;
  return matches.map((each) => ({
    ...each,
    pending: (each.matched.takenOver ?? []).map((triple) => ({
      at: at++,
      action: actionOf(triple),
      triple,
      fields: takenOverFields(each.state.kind, triple),
    })),
  }));
}

/** Of an object that is new to the files, not what the service gives each of its kind. */
function takenOverFields(kind: Kind, { want, live }: Triple): readonly FieldChange[] {
  const fields = diffFields(live?.normal ?? null, want?.normal ?? null, kind.fields);
  const implied = impliedIn(kind);
  if (live !== null) return fields;
  return fields.filter(
    ({ path, after }) => want?.owns.includes(path) || !equal(implied[path] ?? null, after),
  );
}

/** How many of the objects that are taken over do not change otherwise. */
function asDeclaredNow(taken: readonly ChangingKind[], changing: readonly ChangingKind[]): number {
  const others = new Set(changing.flatMap(({ pending }) => pending.map(({ triple }) => keyed(triple))));
  const kept = taken.flatMap(({ pending }) =>
    pending.filter(({ triple: { want, noLongerDeclared } }) => want !== null && noLongerDeclared !== true),
  );
  return kept.filter(({ triple }) => !others.has(keyed(triple))).length;
}

function keyed(triple: Triple): string {
  const { kind, key, id } = refOf(triple);
  return JSON.stringify([kind, id ?? key]);
}

/** The ids of the live objects of a zone that are so. */
function idsAmong(
  matches: readonly MatchedKind[],
  isMeant: (triple: Triple) => boolean,
): ReadonlySet<string> {
  return new Set(
    matches.flatMap(({ matched }) =>
      matched.triples.filter(isMeant).flatMap(({ live }) => live?.ref.id ?? []),
    ),
  );
}

/** The objects that are different, in file order, deletions of undeclared ones last. */
function pendingChanges(kind: Kind, { triples }: Matched, first: number): readonly PendingChange[] {
  const different = triples.flatMap((triple) => {
    const fields = diffFields(triple.live?.normal ?? null, wholeOf(kind, triple), kind.fields);
    const action = actionOf(triple);
    return action === "update" && fields.length === 0 ? [] : [{ action, triple, fields }];
  });
  return different.map((each, index) => ({ at: first + index, ...each }));
}

/** For a replacement: the wanted object with the defaults that the service gives a new one, where the live one shows them. */
function wholeOf(kind: Kind, { want, live, replaces }: Triple): SealedObject | null {
  if (want === null || replaces === undefined) return want?.normal ?? null;
  const implied = Object.entries(impliedIn(kind));
  const shown = implied.filter(([field]) => field in (live?.normal ?? {}));
  return { ...Object.fromEntries(shown), ...want.normal };
}

function changesOf(
  { state: { kind, live }, matched, pending }: ChangingKind,
  zoneId: string,
  service: Service,
): KindChanges {
  return { kind, zoneId, live, changes: pending, isFull: fullAt(kind, matched, service) !== null };
}

/** The calls of each kind, in the kinds' order. */
function callsOfKinds(
  kinds: readonly KindChanges[],
  before: ZoneState,
  service: Service,
): readonly KindCalls[] {
  const calls = callsOf(kinds);
  return kinds.map((own, index) => ({
    drafts: calls[index] ?? [],
    live: itemsOf(before, own.kind.name),
    dimensions: (item) => dimensionsAmong(own.kind, item),
    most: mostOf(own.kind, service),
    intermediateCalls: (change) => intermediateCalls(own, change, service),
  }));
}

function actionOf({ want, live }: Triple): Action {
  if (want === null) return "delete";
  return live === null ? "create" : "update";
}

/** The fields of a body that hold what a sealed field of a wanted object is. */
function secretFieldsOf(
  body: Sealed | null,
  matches: readonly { readonly matched: Matched }[],
): readonly string[] {
  const fields = Object.entries(isObject(body) ? body : {}).filter(([, value]) => isSecret(value));
  if (fields.length === 0) return [];
  const sealed = new Set(
    matches.flatMap(({ matched }) =>
      matched.triples.flatMap(({ want }) => Object.values(want?.normal ?? {})),
    ),
  );
  return fields.flatMap(([field, value]) => (sealed.has(value) ? [field] : []));
}

/** The live objects that change, as a journal keeps them. */
function journaledIn({ state, secrets, pending }: ChangingKind): ZonePlan["journaled"] {
  const { kind, live } = state;
  const secretBefore = secretFieldsBefore(kind, state);
  return pending.flatMap(({ triple: { want, live: sealed } }) => {
    if (sealed === null) return [];
    const whole = live.items.find(({ raw }) => raw === sealed.raw) ?? sealed;
    const open = withoutSecrets(kind, whole, want?.normal ?? null, secrets, secretBefore);
    return [{ ref: sealed.ref, raw: withoutVolatile(kind, open) }];
  });
}

function partOf({ kind, live: { context } }: KindState, items: readonly Item[]): KindPart {
  return { kind, items, context };
}

/** A state with the objects of these kinds alone. */
function among({ objects, rules }: ZoneState, those: readonly MatchedSection[]): ZoneState {
  const names = new Set(those.map(({ state }) => state.kind.name));
  return { objects: new Map([...objects].filter(([name]) => names.has(name))), rules };
}

function countActions(changes: readonly Change[]): Record<Action, number> {
  const count = (action: Action) =>
    changes.filter((change) => change.takenOver !== true && change.action === action).length;
  return { create: count("create"), update: count("update"), delete: count("delete") };
}

function concerns(
  kind: Kind,
  { triples, unmanagedItems: unmanaged }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  const section: Path = [sectionIn(kind, zone.sections)];
  // At its entry, where a comment can accept it for this object alone.
  const kept = triples.flatMap(({ want, live }) =>
    want !== null && live !== null ? [{ item: live, at: want.at ?? section }] : [],
  );
  // Where each is about something else, the others are not the files' concern.
  const others = aboutOf(kind) === null ? unmanaged.map((item) => ({ item, at: section })) : [];
  return [...kept, ...others].flatMap(({ item, at }) =>
    [...beyondLimits(kind, item, service), ...(kind.concerns?.(item, service) ?? [])].map(
      (oddity): Problem => ({ ...oddity, severity: "warning", at: zone.locate(at) }),
    ),
  );
}

/** Objects that are switched off and stay so, where the files say nothing of that: nobody who reads these would think so. */
function switchedOff(
  { kind, declared }: KindState,
  { triples }: Matched,
  zone: WantedZone,
): readonly Problem[] {
  if (kind.hindrances === undefined) return [];
  const off = triples.flatMap(({ want }) => (want?.normal.enabled === false ? [want] : []));
  const unsaid = off.filter(({ at }) =>
    declared.some(({ path, body }) => body.enabled === undefined && equal(path, at)),
  );
  return unsaid.map(({ ref, at }) => ({
    code: "switched_off",
    severity: "warning",
    summary: "A live object is switched off",
    detail: `The live ${nameOf(ref)} is switched off, and the files do not say whether it is to be on: nothing that they declare of it takes effect. Write enabled: true to have it on, or enabled: false where that is meant.`,
    at: zone.locate(at ?? []),
  }));
}

/** A declared object that the service would refuse as it is sent. */
interface Refused {
  readonly triple: Triple;
  readonly want: Item;
  readonly problems: readonly Problem[];
}

/** What the service wants beside what is sent of declared objects. */
function refusedWithout(
  { kind, declared }: KindState,
  matched: Matched,
  zone: WantedZone,
  config: readonly string[],
): readonly Refused[] {
  const { checkSent } = kind;
  if (checkSent === undefined) return [];
  return pendingChanges(kind, matched, 0).flatMap(({ action, triple, fields }): readonly Refused[] => {
    const { want, replaces } = triple;
    const own = declared.find(({ path }) => equal(path, want?.at ?? null));
    if (want === null || own === undefined || replaces === "made") return [];
    const isWhole = action === "create" || replaces !== undefined;
    const sent = isWhole ? "all" : fields.map(({ path }) => path);
    const problems = checkSent(own.body, sent, { zone: zone.name, config }).map((finding) =>
      placedIn(want, finding, zone),
    );
    return problems.length === 0 ? [] : [{ triple, want, problems }];
  });
}

/** The same where these objects stay as they are live. */
function withoutChanges(matched: Matched, refused: readonly Refused[]): Matched {
  const left = new Set(refused.map(({ triple }) => triple));
  return {
    ...matched,
    triples: matched.triples.filter((triple) => !left.has(triple)),
    unmanagedItems: [...matched.unmanagedItems, ...[...left].flatMap(({ live }) => live ?? [])],
  };
}

function asWarning(reason: Problem): Problem {
  return { ...reason, severity: "warning" };
}

/** The objects before the plan is carried out: all that is live. */
function itemsBefore({ triples, unmanagedItems }: Matched): readonly Item[] {
  return [...triples.flatMap(({ live }) => live ?? []), ...unmanagedItems];
}

/** The objects in all their states. */
function itemsEver({ triples, unmanagedItems }: Matched): readonly Item[] {
  return [
    ...triples.flatMap(({ base, past = null, want, live }) =>
      [base, past, want, live].flatMap((item) => item ?? []),
    ),
    ...unmanagedItems,
  ];
}

/** The objects after it: what is wanted, and all that stays. */
function itemsAfter({ triples, unmanagedItems }: Matched): readonly Item[] {
  const wanted = triples.flatMap(({ want, replaces }) =>
    want === null || replaces === "made" ? [] : [want],
  );
  return [...wanted, ...unmanagedItems];
}

/** The zone with its objects as the base has them. Lists of rules are as they are live. */
function pastState({ objects, rules }: ZoneState, changes: readonly Change[]): ZoneState {
  const moving = movingObjects(changes);
  const past = [...objects].map(([name, { items, context }]) => {
    const unchanged = items.filter(({ ref }) => !moving.some(({ change }) => isSameNow(change.ref, ref)));
    const former = moving.flatMap((each) => (each.change.ref.kind === name ? (each.past ?? []) : []));
    return [name, { items: [...unchanged, ...former], context }] as const;
  });
  return { objects: new Map(past), rules };
}

/** A state in which nothing tells what is secret: the answers to tests would tell it bit by bit. */
function withoutSecretFields(
  { objects, rules }: ZoneState,
  states: readonly KindState[],
  zone: WantedZone,
): ZoneState {
  const hidden = states.map(
    (state) =>
      [
        state.kind.name,
        new Set([
          ...secretFieldsBefore(state.kind, state),
          ...fieldsWithSecrets(state.kind, state.declared, zone),
        ]),
      ] as const,
  );
  const fieldsOf = new Map(hidden);
  const shown = [...objects].map(([name, { items, context }]) => {
    const fields = fieldsOf.get(name) ?? new Set();
    return [name, { items: items.map((item) => withHidden(item, fields)), context }] as const;
  });
  return { objects: new Map(shown), rules };
}

function withHidden(item: Item, fields: ReadonlySet<string>): Item {
  if (fields.size === 0) return item;
  const normal = Object.entries(item.normal).map(
    ([field, value]) => [field, fields.has(field) ? UNKNOWN : value] as const,
  );
  return { ...item, normal: Object.fromEntries(normal) };
}

const UNKNOWN: Sensitive = { $sensitive: "different" };

/** What is wrong with objects as they would be, at their places in the files. */
function wholeProblems(
  kind: Kind,
  { triples }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  return triples.flatMap(({ want }) =>
    want === null
      ? []
      : (kind.checkWhole?.(want, service) ?? []).map((finding) => placedIn(want, finding, zone)),
  );
}

/**
 * How many there can be, where something is to take another's place and there is no room for it beside that, with all
 * gone that goes anyway; else null.
 */
function fullAt(
  kind: Kind,
  { triples, unmanagedItems: unmanaged }: Matched,
  service: Service,
): number | null {
  const limit = mostOf(kind, service);
  const staying =
    triples.filter(({ want, live }) => want !== null && live !== null).length + unmanaged.length;
  const isFull = limit !== null && staying >= limit && triples.some(({ replaces }) => replaces === "whole");
  return isFull ? limit : null;
}

/** Whether no live object stays but those that `unmanaged` lists. Of a part of the objects, the others stay. */
function isEmptied({ triples, unmanagedItems: unmanaged }: Matched, picking: Picking | undefined): boolean {
  const isWhole = picking === undefined || unmanaged.length === 0;
  return (
    isWhole &&
    triples.every(({ want, live, replaces }) => live === null || want === null || replaces !== undefined)
  );
}

/** More objects than there can be are no problem while they do not get more. */
function tooMany(
  kind: Kind,
  { triples, unmanagedItems: unmanaged }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  const { section } = kind;
  const limit = mostOf(kind, service);
  const now = triples.filter(({ live }) => live !== null).length + unmanaged.length;
  const then = triples.filter(({ want }) => want !== null).length + unmanaged.length;
  if (limit === null || then <= Math.max(limit, now)) return [];
  const at = zone.locate([section], "key");
  if (limit === 0) {
    const { why, ...said } = notIncluded(kind, wantedIn(zone, kind));
    const none = `${zone.name} would have ${then} of its ${section}; service.limits.${section} is 0. ${why}`;
    return [{ ...said, detail: none, at }];
  }
  const detail = `${zone.name} would have ${then} ${section}, ${unmanaged.length} of them not declared; service.limits.${section} is ${limit}. Delete some in the same change (ensure: absent, or prune), or raise the limit if your account allows more.`;
  return [
    {
      code: QUOTA_FULL,
      severity: "error",
      summary: `Too many ${section}`,
      detail,
      at,
    },
  ];
}

function placedIn({ at }: Item, { path, offset: _, ...rest }: Finding, zone: WantedZone): Problem {
  return { ...rest, at: zone.locate([...(at ?? []), ...path], path.length === 0 ? "key" : "value") };
}

/** Kinds that read the same list tell the same of it. */
function once(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
}

function cannotList(kind: Kind, zone: WantedZone): Problem {
  return {
    code: "unlisted",
    severity: "warning",
    summary: "What is live cannot be listed",
    ...detailed(
      says`The service does not list the ${kind.section} of ${zone.name}, so all that the file declares is planned as new, and nothing can be changed, deleted or read back. Apply only once, with ${{ flag: "allow", value: "create_unlisted" }}, what is certainly not there.`,
    ),
    at: zone.locate([kind.section], "key"),
  };
}

/** What one object does takes nothing from what another one does that is about something else. */
function dimensionsAmong(kind: Kind, { normal, ref }: Item): Dimensions {
  const own = kind.dimensions(normal);
  if (aboutOf(kind) === null) return own;
  return Object.fromEntries(Object.entries(own).map(([name, each]) => [`${ref.key} ${name}`, each]));
}
