import { withPlanBudget } from "../expression/plan-budget.js";
import { checkBetween, type KindPart, type Known } from "../kinds/between/index.js";
import { diffFields } from "../kinds/fields.js";
import { notIncluded, wantedIn } from "../kinds/included.js";
import { isReadFor, kinds } from "../kinds/index.js";
import {
  type Draft,
  type Finding,
  isManagedIn,
  type Kind,
  type PendingChange,
  sectionIn,
  type ZoneLive,
} from "../kinds/kind.js";
import { callsOf } from "../kinds/rule-edits.js";
import { declaredSecrets, fieldsWithSecrets, withoutSecrets } from "../kinds/sensitive.js";
import { type StatePart, statesOf } from "../kinds/zone-state.js";
import { secretFieldsBefore } from "../match/base.js";
import { type Against, type Before, type Matched, match } from "../match/match.js";
import { toldOnce } from "../match/told-once.js";
import { quoted } from "../model/cut.js";
import type { LayerMove } from "../model/detection.js";
import { type Item, isSameNow, type Path, type Picking, type Triple } from "../model/item.js";
import { equal, isObject, type Json, type JsonObject } from "../model/json.js";
import {
  type Action,
  type Breach,
  type Change,
  type ChangingLive,
  type FieldChange,
  NOT_ENTITLED,
  QUOTA_FULL,
  type SectionNotPlanned,
  type Seen,
  type ZonePlan,
} from "../model/plan.js";
import { detailed, failed, hasErrors, ok, type Problem, type Result } from "../model/problem.js";
import { isSecret, type Sealed, type SealedObject, type Sensitive } from "../model/sealed.js";
import { says } from "../model/sentence.js";
import type { Dimensions, Layer, Strength } from "../model/strength.js";
import type { Service, WantedZone } from "../model/wanted.js";
import { unknownForLoads } from "../strength/index.js";
import { askedOf } from "./asked.js";
import { type KindState, refOf, toChange, toTakenOver, writtenIn } from "./change.js";
import { callOf, digestOf, notPlannedPart, seenOf, takenOverPart, zoneDigest } from "./digest.js";
import { guard } from "./guard.js";
import { heldBack } from "./held-back.js";
import { type KindCalls, order } from "./order.js";
import { nameOf } from "./wording.js";

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
  const matches = states.map((state): MatchedSection => {
    const { base, isBaseUnread } = state;
    const matched = match(state.kind, state.declared, state.live, zone, { ...against, base, isBaseUnread });
    const problems = [
      ...matched.problems,
      ...wholeProblems(state.kind, matched, service, zone),
      ...tooMany(state.kind, matched, service, zone),
      ...switchedOff(state, matched, zone),
      ...refusedWithout(state, matched, zone, against),
    ];
    return { state, secrets: () => secretsOf(state, zone), matched, problems };
  });
  const isWrong = ({ problems }: MatchedSection) =>
    hasErrors(problems) || problems.some(({ code }) => code === NOT_ENTITLED);
  const wrong = matches.filter(isWrong).map(({ state, problems }) => ({
    section: state.kind.section,
    problems,
  }));
  const others = matches.filter((each) => !isWrong(each));
  const { picking } = against;
  return planSections(zone, zoneId, others, [...unread, ...wrong], service, requests, { picking });
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

/** With a budget of its own for comparing: what is beyond it is unknown, and told once. */
function planMatched(...matched: Parameters<typeof planCompared>): ZonePlan {
  const { value: plan, missed } = withPlanBudget(() => planCompared(...matched));
  return missed === null ? plan : { ...plan, problems: [...plan.problems, notCompared(plan.zone, missed)] };
}

/** @param missed the first two, as JSON */
function notCompared(zone: string, missed: string): Problem {
  const [one = "", other = ""] = JSON.parse(missed) as readonly string[]; // two expressions were asked about
  const detail = `Comparing the expressions of ${zone} takes more work than one plan may take. ${quoted(one)} and ${quoted(other)} are the first that were not compared. Effects that depend on the others are unknown, and the order of the calls may open a gap. Use fewer or simpler expressions.`;
  const summary = "Some expressions were not compared";
  return { code: "not_compared", severity: "warning", summary, detail, at: null };
}

/** Wanted × live, object by object → the zone's plan. */
function planCompared(
  zone: WantedZone,
  zoneId: string,
  matches: readonly MatchedSection[],
  notPlanned: readonly SectionNotPlanned[],
  service: Service,
  requests: number,
  { picking, known }: { readonly picking: Picking | undefined; readonly known: Known },
): ZonePlan {
  const states = matches.map(({ state }) => state);
  const meant = matches.filter(({ state: { kind } }) => picking?.hasKind(kind.name) ?? true);
  // What objects have to do with each other is told of those that are meant, and of what is read for them.
  const near = matches.filter(({ state: { kind } }) => isReadFor(picking, kind));
  const meantStates = meant.map(({ state }) => state);
  const changes: Change[] = [];
  const changingKinds: ChangingKind[] = [];
  const others = {
    declared: idsAmong(matches, ({ want }) => want !== null),
    going: idsAmong(matches, ({ want }) => want === null),
  };
  let unchanged = 0;
  for (const each of matches) {
    const { state, matched } = each;
    const pending = pendingChanges(state.kind, matched, changes.length);
    changingKinds.push({ ...each, pending });
    unchanged += matched.triples.length - pending.length;
    for (const one of pending) changes.push(toChange(state, one, zone, others));
  }
  const taken = takenOverIn(matches, changes.length);
  for (const { state, pending } of taken)
    for (const each of pending) changes.push(toTakenOver(state, each, zone, others));
  unchanged -= asDeclaredNow(taken, changingKinds);
  const drafts = draftsOf(changingKinds, zoneId, service);
  const calls = callsOfKinds(changingKinds, drafts, zoneId, service);
  const seen = changingKinds.flatMap(({ pending }, index): readonly Seen[] => [
    ...pending.map(({ triple }) => ({ ref: refOf(triple), state: triple.live?.normal ?? null })),
    ...(calls[index]?.drafts ?? []).flatMap(({ reads }) => reads ?? []),
  ]);
  const unlisted = states.flatMap(({ kind, live }) => (live.unlisted === true ? [kind.name] : []));
  const ordered = order(calls, changes);
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
    unmanaged: toldOnce(
      matches.map(({ state, matched }) => ({ items: state.live.items, told: matched.unmanaged })),
      (each) => each,
    ).flat(),
    notPlanned,
    optional: states.flatMap(({ kind }) => (wantedIn(zone, kind).as === "optional" ? [kind.name] : [])),
    unlisted,
    readSet: seen,
    changingLive: changingKinds.flatMap(changingIn),
    // Only needed where something is sent; computing it for every object of a fleet would be slow.
    unchangedLive: steps.length === 0 ? [] : changingKinds.flatMap(unchangedIn),
    alreadyDone: steps.length === 0 ? [] : changingKinds.flatMap(alreadyDoneIn),
    changes,
    steps,
    ...(zone.tests === undefined
      ? {}
      : {
          states: statesOf(
            changingKinds.map((each) => statePart(each, zone)),
            drafts.flat(),
          ),
        }),
    moves: layerMoves(changingKinds, taken),
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
      ...checkBetween(
        near.map(({ state, matched }) => partOf(state.kind, matched)),
        known,
      ).map(({ path, ...rest }): Problem => ({ ...rest, at: zone.locate(path) })),
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
function takenOverFields({ creation, meanings }: Kind, { want, live }: Triple): readonly FieldChange[] {
  const fields = diffFields(live?.normal ?? null, want?.normal ?? null, meanings);
  const implied = (creation.possible ? creation.implied : null) ?? {};
  if (live !== null) return fields;
  return fields.filter(
    ({ path, after }) => want?.owns.includes(path) || !equal(implied[path] ?? null, after),
  );
}

/** How many of the objects that are taken over do not change otherwise. */
function asDeclaredNow(taken: readonly ChangingKind[], changing: readonly ChangingKind[]): number {
  const others = new Set(changing.flatMap(({ pending }) => pending.map(({ triple }) => keyed(triple))));
  const kept = taken.flatMap(({ pending }) => pending.filter(({ triple: { want } }) => want !== null));
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
    const fields = diffFields(triple.live?.normal ?? null, wholeOf(kind, triple), kind.meanings);
    const action = actionOf(triple);
    return action === "update" && fields.length === 0 ? [] : [{ action, triple, fields }];
  });
  return different.map((each, index) => ({ at: first + index, ...each }));
}

/** For a replacement: the wanted object with the defaults that the service gives a new one, where the live one shows them. */
function wholeOf({ creation }: Kind, { want, live, replaces }: Triple): SealedObject | null {
  if (want === null || replaces === undefined) return want?.normal ?? null;
  const implied = Object.entries((creation.possible ? creation.implied : null) ?? {});
  const shown = implied.filter(([field]) => field in (live?.normal ?? {}));
  return { ...Object.fromEntries(shown), ...want.normal };
}

/** What carries out the changes of each kind. */
function draftsOf(
  kinds: readonly ChangingKind[],
  zoneId: string,
  service: Service,
): readonly (readonly Draft[])[] {
  return kinds.map((each) => each.state.kind.steps(each.pending, zoneLive(each, zoneId, service)));
}

function zoneLive(
  { state: { kind, live }, matched }: ChangingKind,
  zoneId: string,
  service: Service,
): ZoneLive {
  const full = fullAt(kind, matched, service) === null ? {} : { full: true as const };
  return { zoneId, ...live, ...full };
}

/** The calls of each kind, in the kinds' order. */
function callsOfKinds(
  kinds: readonly ChangingKind[],
  drafts: readonly (readonly Draft[])[],
  zoneId: string,
  service: Service,
): readonly KindCalls[] {
  const calls = callsOf(zoneId, drafts);
  return kinds.map((each, index) => {
    const { state, matched, pending } = each;
    const { kind } = state;
    return {
      drafts: calls[index] ?? [],
      live: [
        ...matched.triples.flatMap(({ live }) => (live === null ? [] : [live])),
        ...matched.unmanagedItems,
      ],
      dimensions: (item) => dimensionsAmong(kind, item),
      most: kind.most?.(service) ?? null,
      intermediateCalls: (change) =>
        pending
          .filter(({ at }) => at === change)
          .flatMap((own) => kind.intermediateCalls?.(own, zoneLive(each, zoneId, service), service) ?? []),
    };
  });
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

/** The live objects that change. */
function changingIn({ state, secrets, pending }: ChangingKind): readonly ChangingLive[] {
  const {
    kind,
    live: { items },
  } = state;
  const secretBefore = secretFieldsBefore(kind, state);
  return pending.flatMap(({ triple: { want, live } }) => {
    if (live === null) return [];
    const whole = items.find((item) => item.raw === live.raw) ?? live;
    const open = withoutSecrets(kind, whole, want?.normal ?? null, secrets, secretBefore);
    return [{ ref: live.ref, raw: lasting(kind, whole.raw), open: lasting(kind, open) }];
  });
}

function alreadyDoneIn({ matched: { triples }, pending }: ChangingKind): ZonePlan["alreadyDone"] {
  const changing = new Set(pending.map(({ triple }) => triple));
  return triples.flatMap((triple) =>
    triple.want === null || changing.has(triple)
      ? []
      : [{ ref: triple.want.ref, normal: { ...triple.live?.normal, ...triple.want.normal } }],
  );
}

/** The live objects that stay as they are. */
function unchangedIn({ state: { kind, live }, pending }: ChangingKind): ZonePlan["unchangedLive"] {
  const changing = new Set(pending.map(({ triple: { live } }) => live?.raw));
  const others = live.items.filter(({ raw }) => !changing.has(raw));
  return others.map(({ ref, raw }) => ({ ref, digest: digestOf(lasting(kind, raw)) }));
}

/** Without what the service writes into it on its own. */
function lasting({ volatile }: Kind, raw: JsonObject | null): JsonObject {
  return Object.fromEntries(Object.entries(raw ?? {}).filter(([field]) => !volatile.includes(field)));
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
  const others = kind.about === undefined ? unmanaged.map((item) => ({ item, at: section })) : [];
  return [...kept, ...others].flatMap(({ item, at }) =>
    kind
      .concerns(item, service)
      .map((concern): Problem => ({ ...concern, severity: "warning", at: zone.locate(at) })),
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

/** What the service wants beside what is sent of declared objects. Drift is told whether or not it can be taken back. */
function refusedWithout(
  { kind, declared }: KindState,
  matched: Matched,
  zone: WantedZone,
  { isToTell = false, config = [] }: Omit<Against, "base">,
): readonly Problem[] {
  const { checkSent } = kind;
  if (checkSent === undefined) return [];
  const severity = isToTell ? "warning" : "error";
  return pendingChanges(kind, matched, 0).flatMap(({ action, triple: { want, replaces }, fields }) => {
    const own = declared.find(({ path }) => equal(path, want?.at ?? null));
    if (want === null || own === undefined || replaces === "made") return [];
    const isWhole = action === "create" || replaces !== undefined;
    const sent = isWhole ? "all" : fields.map(({ path }) => path);
    const findings = checkSent(own.body, sent, { zone: zone.name, config });
    return findings.map((finding) => ({ ...placedIn(want, finding, zone), severity }));
  });
}

/** The zone's objects of a kind after the plan and before, those of others included. */
function partOf({ name }: Kind, { triples, unmanagedItems: unmanaged }: Matched): KindPart {
  const wanted = triples.flatMap(({ want, live, replaces }) =>
    want === null || replaces === "made"
      ? []
      : [{ normal: want.normal, at: want.at, was: live?.normal ?? null }],
  );
  const untouched = unmanaged.map(({ normal, at }) => ({ normal, at, was: normal }));
  const live = [...triples.flatMap((each) => each.live ?? []), ...unmanaged];
  return { kind: name, objects: [...wanted, ...untouched], live: live.map(({ normal }) => normal) };
}

/** The same with all that tests ask about. What is secret answers no test: the answers would tell it bit by bit. */
function statePart(
  { state, matched: { triples, unmanagedItems: unmanaged } }: MatchedKind,
  zone: WantedZone,
): StatePart {
  const { kind, declared, live } = state;
  const secret = new Set([...secretFieldsBefore(kind, state), ...fieldsWithSecrets(kind, declared, zone)]);
  const before = live.items.map((item) => withHidden(item, secret));
  const wanted = triples.flatMap(({ want, replaces }) =>
    want === null || replaces === "made" ? [] : [want],
  );
  return { kind, context: live.context, before, after: [...wanted, ...unmanaged] };
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
    want === null ? [] : kind.checkWhole(want, service).map((finding) => placedIn(want, finding, zone)),
  );
}

/**
 * How many there can be, where something is to take another's place and there is no room for it beside that, with all
 * gone that goes anyway; else null.
 */
function fullAt(
  { most }: Kind,
  { triples, unmanagedItems: unmanaged }: Matched,
  service: Service,
): number | null {
  const limit = most?.(service) ?? null;
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
  const limit = kind.most?.(service) ?? null;
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

/** The layers of all objects of a zone, those of others included, where some change moves one; else none. */
function layerMoves(all: readonly ChangingKind[], takenOver: readonly ChangingKind[]): readonly LayerMove[] {
  const moving = all.map((each, index) => ({
    ...each,
    pending: movingIn(each.pending, takenOver[index]?.pending ?? []),
  }));
  const changing = moving.flatMap(({ state, pending }) =>
    pending
      .filter(({ triple }) => isLayered(triple, state))
      .map(({ at, triple }) => ({
        change: at,
        before: layersOf(triple.live, state),
        after: layersOf(triple.want, state),
        ...(besideOf(triple.live, state) === besideOf(triple.want, state)
          ? {}
          : { isUnknown: true as const }),
      })),
  );
  if (!changing.some(isMoving)) return [];
  const staying = moving.flatMap(({ state, matched: { triples, unmanagedItems: unmanaged }, pending }) => {
    const refs = pending.map(({ triple }) => refOf(triple));
    const kept = triples
      .filter((triple) => !refs.some((ref) => isSameNow(ref, refOf(triple))))
      .map(({ live }) => live);
    return [...kept, ...unmanaged].map((item) => layersOf(item, state));
  });
  return [...changing, ...staying.map((layers) => ({ change: null, before: layers, after: layers }))].filter(
    ({ change, before }) => change !== null || before.length > 0,
  );
}

/** From the base to the files: an object that is taken over in part and changes as well moves once. */
function movingIn(
  pending: readonly PendingChange[],
  takenOver: readonly PendingChange[],
): readonly PendingChange[] {
  const isOne = (a: PendingChange, b: PendingChange) => isSameNow(refOf(a.triple), refOf(b.triple));
  const moved = pending.map((each) => {
    const former = takenOver.find((other) => isOne(each, other));
    return former === undefined ? each : { ...each, triple: { ...each.triple, live: former.triple.live } };
  });
  return [...moved, ...takenOver.filter((each) => !pending.some((other) => isOne(each, other)))];
}

function isMoving({ before, after, isUnknown }: LayerMove): boolean {
  return isUnknown === true || JSON.stringify(before) !== JSON.stringify(after);
}

/** Whether it can have layers, be it that it has none while it is switched off. */
function isLayered({ live, want }: Triple, state: MatchedKind["state"]): boolean {
  return [live, want].some((item) => strengthsOf(item, state).some(({ as }) => as === "layers"));
}

function layersOf(item: Item | null, state: MatchedKind["state"]): readonly Layer[] {
  return strengthsOf(item, state).flatMap((strength) => (strength.as === "layers" ? strength.layers : []));
}

/** What else it does whose effect on loads is unknown. */
function besideOf(item: Item | null, state: MatchedKind["state"]): string {
  const all = strengthsOf(item, state).flatMap((strength) =>
    strength.as === "layers"
      ? [
          ...(strength.beside === undefined ? [] : [strength.beside.is]),
          ...strength.layers.flatMap((layer) =>
            layer.mode === "enforce" ? (unknownForLoads(layer) ?? []) : [],
          ),
        ]
      : [],
  );
  return JSON.stringify(all);
}

function strengthsOf(
  item: Item | null,
  { kind, live: { context } }: MatchedKind["state"],
): readonly Strength[] {
  return item === null ? [] : Object.values(kind.dimensions(item.normal, context, item));
}

/** What one object does takes nothing from what another one does that is about something else. */
function dimensionsAmong(kind: Kind, { normal, ref }: Item): Dimensions {
  const own = kind.dimensions(normal);
  if (kind.about === undefined) return own;
  return Object.fromEntries(Object.entries(own).map(([name, each]) => [`${ref.key} ${name}`, each]));
}
