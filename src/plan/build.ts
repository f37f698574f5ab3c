import { across, type KindPart } from "../kinds/between/index.js";
import { diffFields } from "../kinds/fields.js";
import type { Finding, Kind, Live, PendingChange, ZoneLive } from "../kinds/kind.js";
import { declaredSecrets, hasSensitive, sensitiveFields, withoutSecrets } from "../kinds/sensitive.js";
import { type Against, type Former, type Matched, match } from "../match/match.js";
import { type Item, isFromOutside, originOf, type Ref, type Triple } from "../model/item.js";
import { equal, isObject, type Json, type JsonObject } from "../model/json.js";

import type { Action, Breach, Change, ChangingLive, FieldChange, Seen, ZonePlan } from "../model/plan.js";
import { failed, hasErrors, ok, type Problem, type Result } from "../model/problem.js";
import { isSecret, type Sealed, type SealedObject } from "../model/sealed.js";
import type { Dimensions } from "../model/strength.js";
import type { Declared, Service, WantedZone } from "../model/wanted.js";
import { hindered, inOwnWords, redirects, shifts } from "../strength/index.js";
import { callOf, digestOf, seenOf, zoneDigest } from "./digest.js";
import { guard } from "./guard.js";
import { layerMoves } from "./layer-moves.js";
import { type KindCalls, order } from "./order.js";
import { shownAsWritten, writtenIn } from "./written.js";

/** One kind's part of a zone: what the files declare, and what is live. */
export interface KindState {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
  /** What the base says of it; null: there is none, or it could not be read. */
  readonly former: Former | null;
  readonly live: Live;
}

/**
 * Declared × live → the zone's plan. Pure: the same inputs give the same plan. Only kinds whose section the zone
 * has are among the states.
 */
export function buildZonePlan(
  zone: WantedZone,
  zoneId: string,
  states: readonly KindState[],
  service: Service,
  requests: number,
  against: Omit<Against, "former"> = { only: "all" },
): Result<ZonePlan> {
  const matches = states.map((state) => ({
    state,
    secrets: () => secretsOf(state, zone),
    matched: match(state.kind, state.declared, state.live, zone, { ...against, former: state.former }),
  }));
  const problems = matches.flatMap(({ state, matched }) => [
    ...matched.problems,
    ...wholeProblems(state.kind, matched, service, zone),
    ...tooMany(state.kind, matched, service, zone),
  ]);
  if (hasErrors(problems)) return failed(...problems);
  return ok(planMatched(zone, zoneId, matches, problems, service, requests));
}

export interface MatchedKind {
  readonly state: KindState;
  readonly matched: Matched;
  /** What the files, and those before them, have of the kind as secrets: no journal has it. */
  readonly secrets: () => readonly Json[];
}

function secretsOf({ kind, declared, former }: KindState, zone: WantedZone): readonly Json[] {
  const past = former?.zone == null ? [] : declaredSecrets(kind, former.declared, former.zone);
  return [...declaredSecrets(kind, declared, zone), ...past];
}

/** Wanted × live, object by object → the zone's plan. */
export function planMatched(
  zone: WantedZone,
  zoneId: string,
  matches: readonly MatchedKind[],
  problems: readonly Problem[],
  service: Service,
  requests: number,
): ZonePlan {
  const states = matches.map(({ state }) => state);
  const changes: Change[] = [];
  const calls: KindCalls[] = [];
  const seen: Seen[] = [];
  const changingLive: ChangingLive[] = [];
  const unchangedLive: (() => ZonePlan["unchangedLive"][number])[] = [];
  const draftedKinds: (MatchedKind & { readonly drafted: readonly PendingChange[] })[] = [];
  let unchanged = 0;
  for (const each of matches) {
    const { state, matched } = each;
    const drafted = draft(state.kind, matched, changes.length);
    draftedKinds.push({ ...each, drafted });
    unchanged += matched.triples.length - drafted.length;
    changes.push(...drafted.map((each) => toChange(state, each, zone)));
    const limit = fullAt(state.kind, matched, service);
    const full = limit === null ? {} : { full: true as const };
    const own = callsOf(state.kind, matched, drafted, { zoneId, ...state.live, ...full }, service);
    calls.push(own);
    seen.push(...drafted.map(({ triple }) => ({ ref: refOf(triple), state: triple.live?.normal ?? null })));
    changingLive.push(...changingIn(each, drafted));
    unchangedLive.push(...unchangedIn(state, drafted));
    seen.push(...own.drafts.flatMap(({ reads }) => reads ?? []));
  }
  const unlisted = states.flatMap(({ kind, live }) => (live.unlisted === true ? [kind.name] : []));
  const ordered = order(calls, changes);
  const steps = ordered.steps.map((step) => ({ ...step, secretFields: secretFieldsOf(step.body, matches) }));
  const written = writtenIn(zone, states);
  const full = matches.flatMap(({ state: { kind }, matched }) => {
    const limit = fullAt(kind, matched, service);
    return limit === null ? [] : [{ kind, limit }];
  });
  const breaches: readonly Breach[] = guard(zone, changes, { unlisted, full });
  return {
    zone: zone.name,
    zoneId,
    counts: { ...countActions(changes), unchanged, requests },
    unmanaged: matches.flatMap(({ matched }) => matched.undeclared),
    unlisted,
    readSet: seen,
    changingLive,
    // Nobody asks where nothing is sent, and fleets have many objects.
    unchangedLive: steps.length === 0 ? [] : unchangedLive.map((each) => each()),
    alreadyDone: steps.length === 0 ? [] : draftedKinds.flatMap(alreadyDoneIn),
    changes,
    steps,
    moves: layerMoves(draftedKinds),
    impact: null,
    breaches,
    secrets: new Map(matches.flatMap(({ matched }) => [...matched.secrets])),
    problems: [
      ...problems,
      ...states.flatMap(({ live }) => live.warnings ?? []),
      ...states.flatMap(({ kind, live }) => (live.unlisted === true ? [cannotList(kind, zone)] : [])),
      ...matches.flatMap(({ state, matched }) => concerns(state.kind, matched, service, zone)),
      ...ordered.warnings,
      ...across(matches.map(({ state, matched }) => partOf(state.kind, matched))).map(
        ({ path, ...rest }): Problem => ({ ...rest, at: zone.locate(path) }),
      ),
    ],
    written,
    digest: zoneDigest({
      zoneId,
      calls: steps.map(callOf),
      seen: seen.map(seenOf),
      ...(written === null ? {} : { written }),
    }),
  };
}

/** The objects that are different, in file order, deletions of undeclared ones last. */
function draft(kind: Kind, { triples }: Matched, first: number): readonly PendingChange[] {
  const different = triples.flatMap((triple) => {
    const fields = diffFields(triple.live?.normal ?? null, wholeOf(kind, triple), kind.meanings);
    const action = actionOf(triple);
    return action === "update" && fields.length === 0 ? [] : [{ action, triple, fields }];
  });
  return different.map((each, index) => ({ at: first + index, ...each }));
}

/** What takes another's place is told with what the service gives it, as far as that is told of the other. */
function wholeOf({ creation }: Kind, { want, live, replaces }: Triple): SealedObject | null {
  if (want === null || replaces === undefined) return want?.normal ?? null;
  const implied = Object.entries((creation.possible ? creation.implied : null) ?? {});
  const shown = implied.filter(([field]) => field in (live?.normal ?? {}));
  return { ...Object.fromEntries(shown), ...want.normal };
}

function callsOf(
  kind: Kind,
  { triples, unmanaged }: Matched,
  drafted: readonly PendingChange[],
  zone: ZoneLive,
  service: Service,
): KindCalls {
  return {
    drafts: kind.steps(drafted, zone),
    live: [...triples.flatMap(({ live }) => (live === null ? [] : [live])), ...unmanaged],
    dimensions: kind.dimensions,
    most: kind.most?.(service) ?? null,
    intermediateCalls: (change) =>
      drafted
        .filter(({ at }) => at === change)
        .flatMap((each) => kind.intermediateCalls?.(each, zone, service) ?? []),
  };
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
function changingIn(
  {
    state: {
      kind,
      live: { items },
    },
    secrets,
  }: MatchedKind,
  drafted: readonly PendingChange[],
): readonly ChangingLive[] {
  return drafted.flatMap(({ triple: { want, live } }) => {
    if (live === null) return [];
    const whole = items.find((item) => item.raw === live.raw) ?? live;
    const open = withoutSecrets(kind, whole, want?.normal ?? null, secrets);
    return [{ ref: live.ref, raw: lasting(kind, whole.raw), open: lasting(kind, open) }];
  });
}

function alreadyDoneIn({
  matched: { triples },
  drafted,
}: MatchedKind & { readonly drafted: readonly PendingChange[] }): ZonePlan["alreadyDone"] {
  const changing = new Set(drafted.map(({ triple }) => triple));
  return triples.flatMap((triple) =>
    triple.want === null || changing.has(triple)
      ? []
      : [{ ref: triple.want.ref, normal: triple.want.normal }],
  );
}

/** The live objects that stay as they are. */
function unchangedIn(
  { kind, live: { items } }: KindState,
  drafted: readonly PendingChange[],
): readonly (() => ZonePlan["unchangedLive"][number])[] {
  const changing = new Set(drafted.map(({ triple: { live } }) => live?.raw));
  const others = items.filter(({ raw }) => !changing.has(raw));
  return others.map(({ ref, raw }) => () => ({ ref, digest: digestOf(lasting(kind, raw)) }));
}

/** Without what the service writes into it on its own. */
function lasting({ volatile }: Kind, raw: JsonObject | null): JsonObject {
  return Object.fromEntries(Object.entries(raw ?? {}).filter(([field]) => !volatile.includes(field)));
}

/** What takes the place of a live object has no id of its own yet. */
function refOf({ want, live }: Triple): Ref {
  const item = want ?? live;
  if (item === null) throw new Error("a triple has at least one side");
  return { ...item.ref, id: item.ref.id ?? live?.ref.id ?? null };
}

function toChange(state: KindState, { action, triple, fields }: PendingChange, zone: WantedZone): Change {
  const { kind, former } = state;
  const { around } = state.live;
  const { want, live } = triple;
  const ref = refOf(triple);
  const between = (a: Item | null, b: Item | null, strengths: Strengths = dimensions) =>
    shifts(a === null ? {} : strengths(a.normal), b === null ? {} : strengths(b.normal), zone.name);
  const dimensions: Strengths = (normal) => kind.dimensions(normal, around);
  const keeping = (item: Item | null) =>
    item === null ? null : (kind.hindrances?.(item.normal, around) ?? []);
  const effects = (a: Item | null, b: Item | null) => hindered(between(a, b), keeping(a), keeping(b));
  const sent = (a: Item | null, b: Item | null) =>
    redirects(a === null ? {} : dimensions(a.normal), b === null ? {} : dimensions(b.normal));
  const own = effects(live, want);
  const isOutside = wasOutside(triple, fields);
  const blocking = between(live, want, (normal) => kind.blocking?.(normal, around) ?? {});
  const path = want?.at ?? live?.at ?? ["prune", zone.prune.indexOf(kind.section)];
  return {
    ref,
    action,
    replaces: triple.replaces !== undefined,
    was: live !== null && live.ref.key !== ref.key ? live.ref.key : null,
    fields: asWritten(fields, triple, state, zone),
    shifts: own,
    blocking: inOwnWords(blocking, own),
    origins: triple.origins,
    redirects: sent(live, want),
    outside: isOutside ? { shifts: effects(triple.base, live), redirects: sent(triple.base, live) } : null,
    at: zone.locate(path, triple.dropped === true ? "key" : "value"),
    removed: triple.dropped === true ? (former?.zone?.locate(triple.base?.at ?? []) ?? null) : null,
  };
}

/** Sensitive fields with what the files say of them. */
function asWritten(
  fields: readonly FieldChange[],
  { want, base, origins }: Triple,
  { kind, declared, former }: KindState,
  zone: WantedZone,
): readonly FieldChange[] {
  if (!hasSensitive(kind)) return fields;
  const now = writtenFields(kind, want, declared, zone);
  const then = former?.zone ? writtenFields(kind, base, former.declared, former.zone) : null;
  return fields.map((field) => {
    const { path } = field;
    const after = now.get(path);
    if (after === undefined) return field;
    // Only where live was as the base says, the base knows what it was.
    const before = originOf(origins, path) === "declared" ? (then?.get(path) ?? null) : null;
    return { ...field, written: { before, after } };
  });
}

/** The secret fields of a declared object, as may be shown. */
function writtenFields(
  kind: Kind,
  item: Item | null,
  declared: readonly Declared[],
  zone: Pick<WantedZone, "outside">,
): ReadonlyMap<string, string> {
  const own = declared.find(({ path }) => equal(path, item?.at ?? null));
  const fields = own === undefined ? [] : sensitiveFields(kind, own, zone);
  return new Map(
    fields.flatMap(({ field, isSecret, written }) =>
      isSecret ? [[field, shownAsWritten(written)] as const] : [],
    ),
  );
}

type Strengths = (normal: SealedObject) => Dimensions;

/** Whether something of it was done outside the files. */
function wasOutside({ origins }: Triple, fields: readonly FieldChange[]): boolean {
  const all = [origins.rest, ...fields.map(({ path }) => originOf(origins, path))];
  return (fields.length === 0 ? all : all.slice(1)).some(isFromOutside);
}

function countActions(changes: readonly Change[]): Record<Action, number> {
  const count = (action: Action) => changes.filter((change) => change.action === action).length;
  return { create: count("create"), update: count("update"), delete: count("delete") };
}

function concerns(
  kind: Kind,
  { triples, unmanaged }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  const kept = triples.flatMap(({ want, live }) => (want !== null && live !== null ? [live] : []));
  return [...kept, ...unmanaged].flatMap((item) =>
    kind
      .concerns(item, service)
      .map((concern): Problem => ({ ...concern, severity: "warning", at: zone.locate([kind.section]) })),
  );
}

/** The zone's objects of a kind after the plan and before, those of others included. */
function partOf({ name }: Kind, { triples, unmanaged }: Matched): KindPart {
  const wanted = triples.flatMap(({ want, live, replaces }) =>
    want === null || replaces === "made"
      ? []
      : [{ normal: want.normal, at: want.at, was: live?.normal ?? null }],
  );
  const foreign = unmanaged.map(({ normal, at }) => ({ normal, at, was: normal }));
  const live = [...triples.flatMap((each) => each.live ?? []), ...unmanaged];
  return { kind: name, objects: [...wanted, ...foreign], live: live.map(({ normal }) => normal) };
}

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
function fullAt({ most }: Kind, { triples, unmanaged }: Matched, service: Service): number | null {
  const limit = most?.(service) ?? null;
  const staying =
    triples.filter(({ want, live }) => want !== null && live !== null).length + unmanaged.length;
  const isFull = limit !== null && staying >= limit && triples.some(({ replaces }) => replaces === "whole");
  return isFull ? limit : null;
}

/** More objects than there can be are no problem while they do not get more. */
function tooMany(
  { most, section }: Kind,
  { triples, unmanaged }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  const limit = most?.(service) ?? null;
  const now = triples.filter(({ live }) => live !== null).length + unmanaged.length;
  const then = triples.filter(({ want }) => want !== null).length + unmanaged.length;
  if (limit === null || then <= Math.max(limit, now)) return [];
  const detail = `${zone.name} would have ${then} ${section}, ${unmanaged.length} of them not declared; service.limits.${section} is ${limit}. Delete some in the same change (ensure: absent, or prune), or raise the limit if your account allows more.`;
  return [
    {
      code: "too_many",
      severity: "error",
      summary: `Too many ${section}`,
      detail,
      at: zone.locate([section], "key"),
    },
  ];
}

function placedIn({ at }: Item, { path, offset: _, ...rest }: Finding, zone: WantedZone): Problem {
  return { ...rest, at: zone.locate([...(at ?? []), ...path], path.length === 0 ? "key" : "value") };
}

function cannotList(kind: Kind, zone: WantedZone): Problem {
  return {
    code: "unlisted",
    severity: "warning",
    summary: "What is live cannot be listed",
    detail: `The service does not list the ${kind.section} of ${zone.name}, so all that the file declares is planned as new, and nothing can be changed, deleted or read back. Apply only once, with --allow create_unlisted, what is certainly not there.`,
    at: zone.locate([kind.section], "key"),
  };
}
