import { namesWith } from "../kinds/fields.js";
import { entryName, type Kind, type Live, listOf, type PendingChange } from "../kinds/kind.js";
import { hasSensitive, mayBeSensitive, sensitiveFields } from "../kinds/sensitive.js";
import type { Before } from "../match/match.js";

import {
  type Item,
  isDrift,
  type Origins,
  originOf,
  type Path,
  type Ref,
  type Triple,
} from "../model/item.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Change, FieldChange, Written } from "../model/plan.js";
import { referencesIn, SENSITIVE, withoutLiterals } from "../model/reference.js";
import { type Dimensions, SERVICE, type Shift } from "../model/strength.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { redirects, requirementShifts, shifts, withHindrances, withOwnReasons } from "../strength/index.js";
import { digestOf, slowDigestOf } from "./digest.js";

/** What counts of a zone's objects, of all kinds, for what a change of one of them does. */
export interface Others {
  /** The ids of live objects that the files declare. */
  readonly declared: ReadonlySet<string>;
  /** The ids of live objects that go. */
  readonly going: ReadonlySet<string>;
  /** Whether one of them evaluates trusted types where they are required, before or after. */
  mayEvaluate(): boolean;
}

/** One kind's part of a zone: what the files declare, and what is live. */
export interface KindState extends Before {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
  readonly live: Live;
  /** The base has sections for it, and the files have none any more. */
  readonly isLetGo?: true;
  /** What is let go of could not be read. */
  readonly isUnread?: true;
}

/**
 * What a plan tells of one object: its fields, what they do to protection, and where they come from.
 *
 * @param others what counts of the zone's other objects
 * @param told what another change of the object tells: what is taken over from live
 */
export function toChange(
  state: KindState,
  { action, triple, fields }: PendingChange,
  zone: WantedZone,
  { declared, going, mayEvaluate }: Others,
  told: readonly Shift[] = [],
): Change {
  const { kind, base } = state;
  const { context } = state.live;
  const { want, live } = triple;
  const ref = refOf(triple);
  const between = (a: Item | null, b: Item | null, strengths: Strengths = dimensions) => {
    const [was, is] = [a === null ? {} : strengths(a), b === null ? {} : strengths(b)];
    const required = requirementShifts(was, is);
    return [...shifts(was, is, zone.name), ...(required.length > 0 && mayEvaluate() ? required : [])];
  };
  const said = want === null || base === null ? want : ownedInBoth(want, triple.base);
  const dimensions: Strengths = (item) =>
    kind.dimensions(item.normal, context, item === want ? (said ?? item) : item);
  const keeping = (item: Item | null) =>
    item === null
      ? null
      : (kind.hindrances?.(item.normal, context, item) ?? []).filter(
          (each) => each.as === "off" || !going.has(each.id),
        );
  const effects = (a: Item | null, b: Item | null) =>
    withHindrances(between(a, b), keeping(a), keeping(b), declared, zone.name);
  const sent = (a: Item | null, b: Item | null) =>
    redirects(a === null ? {} : dimensions(a), b === null ? {} : dimensions(b));
  const { past } = triple;
  const sinceBase = past === undefined ? [] : effects(past, want);
  const own = [
    ...withSinceBase(effects(live, want), sinceBase, told),
    ...(triple.newlyDeclared ?? []).map(({ name }) => unknownFor(kind, `the base does not declare ${name}`)),
    ...(triple.notCompared ?? []).map((why) => ({
      ...unknownFor(kind, `not compared with what is live: ${why}`),
      ...(live !== null && SERVICE in dimensions(live) ? { dimension: SERVICE } : {}),
    })),
  ];
  const isOutside = wasOutside(triple, fields);
  const blocking = between(live, want, (item) => kind.blocking?.(item.normal, context, item) ?? {});
  const path = want?.at ?? live?.at ?? ["prune", zone.prune.indexOf(listOf(kind)?.section ?? "")];
  return {
    ref,
    action,
    replaces: triple.replaces !== undefined,
    // One without a name was called by its id.
    before: live,
    after: want,
    ...(past === undefined ? {} : { past }),
    was: live !== null && live.ref.key !== ref.key && live.ref.key !== live.ref.id ? live.ref.key : null,
    fields: withBase(withPlaces(asWritten(fields, triple, state, zone), triple, state, zone), triple, kind),
    shifts: own,
    blocking: withOwnReasons(blocking, own),
    origins: triple.origins,
    redirects: [...new Set([...sent(live, want), ...(past === undefined ? [] : sent(past, want))])],
    drift: isOutside ? { shifts: effects(triple.base, live), redirects: sent(triple.base, live) } : null,
    at: zone.locate(path, triple.noLongerDeclared === true ? "key" : "value"),
    removed: triple.noLongerDeclared === true ? (base?.zone?.locate(triple.base?.at ?? []) ?? null) : null,
  };
}

/** A declared object that owns what the base has it own too: the rest of it, nobody has reviewed before this change. */
function ownedInBoth(want: Item, base: Item | null): Item {
  const before = base?.owns ?? "nothing";
  if (!Array.isArray(want.owns) || before === "all") return want;
  return { ...want, owns: before === "nothing" ? [] : want.owns.filter((field) => before.includes(field)) };
}

/** Partly reverting a drift is no gain, so losses since the base are told too. */
function withSinceBase(
  shifted: readonly Shift[],
  sinceBase: readonly Shift[],
  told: readonly Shift[],
): readonly Shift[] {
  const isLoss = ({ way }: Shift) => way !== "stronger" && way !== "neutral";
  const lost = new Set([...shifted, ...told].filter(isLoss).map(({ dimension }) => dimension));
  const more = sinceBase.filter((each) => isLoss(each) && !lost.has(each.dimension));
  return [...shifted, ...more.map((each) => ({ ...each, why: `since the base: ${each.why}` }))];
}

/** The same of what the files change and is live already. What was done outside the files is what the files say now. */
export function toTakenOver(
  state: KindState,
  pending: PendingChange,
  zone: WantedZone,
  others: Others,
): Change {
  const { triple, action, fields } = pending;
  const declared = { ...pending, triple: { ...triple, origins: DECLARED } };
  const change = toChange(state, declared, zone, others);
  const isNothing = action === "update" && change.shifts.every(({ way }) => way === "neutral");
  const readBy = namesWith(state.kind.fields, "readsLive");
  // These fields say what is read from the live object, so their effect on protection is unknown.
  const unknown = fields.filter(({ path }) => readBy.includes(path) || (isNothing && readBy.length > 0));
  const why = ({ path, before }: FieldChange) =>
    before === null ? `the base does not declare ${path}` : `what ${path} did before is not known`;
  const shifted = [...change.shifts, ...unknown.map((field) => unknownFor(state.kind, why(field)))];
  return { ...change, shifts: shifted, takenOver: true, origins: triple.origins };
}

function unknownFor({ name }: Kind, why: string): Shift {
  return { dimension: name, way: "unknown", why, witness: null };
}

const DECLARED: Origins = { fields: {}, rest: "declared" };

/** What takes the place of a live object has no id of its own yet. */
export function refOf({ want, live }: Triple): Ref {
  const item = want ?? live;
  if (item === null) throw new Error("a triple has at least one side");
  return { ...item.ref, id: item.ref.id ?? live?.ref.id ?? null };
}

/** The fields of an object that changes, each with the key in the files that says it. */
function withPlaces(
  fields: readonly FieldChange[],
  { want, live }: Triple,
  { kind, declared }: KindState,
  zone: WantedZone,
): readonly FieldChange[] {
  const own = declared.find(({ path }) => equal(path, want?.at ?? null));
  if (own === undefined || live === null) return fields;
  const keys = keysOfFields(kind, own.body, want);
  return fields.map((field) => {
    const key = keys.get(field.path);
    if (key === undefined) return field;
    const at = zone.locate([...own.path, ...key, ...changedKey(field, own.body, key)], "key");
    return at === null ? field : { ...field, at };
  });
}

/** Fields that were changed in the files and outside them, with what they were before both. */
function withBase(
  fields: readonly FieldChange[],
  { base, origins }: Triple,
  kind: Kind,
): readonly FieldChange[] {
  if (base === null) return fields;
  const isToldOf = (field: string) => originOf(origins, field) === "conflict" && !mayBeSensitive(kind, field);
  return fields.map((field) =>
    isToldOf(field.path) ? { ...field, base: base.normal[field.path] ?? null } : field,
  );
}

/** Where the files write the parts of a field as a map, such as a CSP by its directives: the first one that changes. */
function changedKey({ parts = [] }: FieldChange, body: Json, path: Path): Path {
  const written = path.reduce<Json>((each, key) => (isObject(each) ? (each[key] ?? null) : null), body);
  if (!isObject(written)) return [];
  const names = new Set(parts.map(({ part }) => part));
  return Object.keys(written)
    .filter((key) => names.has(key))
    .slice(0, 1);
}

/** Field → the key of a declared object that says it, or of a map in it. */
function keysOfFields(kind: Kind, body: JsonObject, item: Item | null): ReadonlyMap<string, Path> {
  const always = new Set(Object.keys(kind.toDesired({}, item)));
  const saidBy = (part: JsonObject) =>
    Object.keys(kind.toDesired(part, item)).filter((each) => !always.has(each));
  const keys = new Map<string, Path>();
  for (const [key, value] of Object.entries(body)) {
    for (const field of saidBy({ [key]: value })) keys.set(field, [key]);
    // Some maps are one value, such as a CSP by its directives.
    if (!isObject(value) || saidBy({ [key]: {} }).length > 0) continue;
    for (const [inner, each] of Object.entries(value))
      for (const field of saidBy({ [key]: { [inner]: each } })) keys.set(field, [key, inner]);
  }
  return keys;
}

/** Sensitive fields with what the files say of them. */
function asWritten(
  fields: readonly FieldChange[],
  { want, base, origins }: Triple,
  { kind, declared, base: declaredInBase }: KindState,
  zone: WantedZone,
): readonly FieldChange[] {
  if (!hasSensitive(kind)) return fields;
  const now = writtenFields(kind, want, declared, zone);
  const inBase = declaredInBase?.zone
    ? writtenFields(kind, base, declaredInBase.declared, declaredInBase.zone)
    : null;
  return fields.map((field) => {
    const { path } = field;
    const after = now.get(path);
    if (after === undefined) return field;
    // Only where live was as the base says, the base knows what it was.
    const before = originOf(origins, path) === "declared" ? (inBase?.get(path) ?? null) : null;
    return { ...field, written: { before, after } };
  });
}

/** The secret fields of a declared object, as may be shown. */
function writtenFields(
  kind: Kind,
  item: Item | null,
  declared: readonly Declared[],
  zone: Pick<WantedZone, "interpolated">,
): ReadonlyMap<string, string> {
  const own = declared.find(({ path }) => equal(path, item?.at ?? null));
  const fields = own === undefined ? [] : sensitiveFields(kind, own, zone);
  return new Map(
    fields.flatMap(({ field, isSecret, written }) =>
      isSecret ? [[field, shownAsWritten(written)] as const] : [],
    ),
  );
}

type Strengths = (item: Item) => Dimensions;

/** Whether something of it was done outside the files. */
function wasOutside({ origins }: Triple, fields: readonly FieldChange[]): boolean {
  const all = [origins.rest, ...fields.map(({ path }) => originOf(origins, path))];
  return (fields.length === 0 ? all : all.slice(1)).some(isDrift);
}

/** What a zone declares of one kind. */
interface DeclaredKind {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
}

/**
 * What of a zone's files its calls do not have as it is written: values that take something from outside, and sensitive
 * ones. Who approves a plan approves these too, so the digest covers them. Null: there are none.
 */
export function writtenIn(
  zone: Pick<WantedZone, "name" | "isFromOutside" | "interpolated">,
  kinds: readonly DeclaredKind[],
): Written | null {
  const all = kinds.flatMap(({ kind, declared }) => declared.flatMap((each) => valuesOf(kind, each, zone)));
  if (all.length === 0) return null;
  return {
    texts: all.map(({ shown }) => shown),
    digest: digestOf({ zone: zone.name, values: all.map(({ shown, value }) => [shown, value]) }),
  };
}

interface WrittenValue {
  readonly shown: Written["texts"][number];
  /** What enters the digest. */
  readonly value: Json;
}

function valuesOf(
  kind: Kind,
  { path, body }: Declared,
  zone: Pick<WantedZone, "isFromOutside" | "interpolated">,
): readonly WrittenValue[] {
  const named = kind.shape.as === "list" ? body[kind.shape.named] : entryName(kind, { path, body });
  const place = { kind: kind.name, key: typeof named === "string" ? named : kind.name };
  const sensitive = sensitiveFields(kind, { path, body }, zone).filter(({ isSecret }) => isSecret);
  const hidden = new Set(sensitive.map(({ field }) => field));
  const texts = zone.isFromOutside ? textsIn(body, []) : [];
  const open = texts.flatMap(({ at }) => {
    const written = zone.interpolated([...path, ...at])?.written;
    // Names may have dots in them: a field is a key, or one in it.
    const isHidden = [at.slice(0, 1), at.slice(0, 2)].some((field) => hidden.has(field.join(".")));
    if (written === undefined || isHidden) return [];
    return [{ shown: { ...place, path: at.join("."), text: written }, value: written }];
  });
  return [
    ...open,
    ...sensitive.map(({ field, written }) => {
      const text = shownAsWritten(written);
      // A literal secret enters the digest through a slow hash, so that it cannot be guessed from the digest.
      const value = text.includes(SENSITIVE) ? slowDigestOf(written) : written;
      return { shown: { ...place, path: field, text }, value };
    }),
  ];
}

/** What may be shown of a sensitive value: of one that is no text, the references in it. */
function shownAsWritten(written: Json): string {
  if (typeof written === "string") return withoutLiterals(written);
  const references = textsIn(written, []).flatMap(({ text }) => referencesIn(text));
  return [SENSITIVE, ...new Set(references)].join(" ");
}

function textsIn(value: Json, at: Path): readonly { readonly at: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ at, text: value }];
  if (isList(value)) return value.flatMap((each, index) => textsIn(each, [...at, index]));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => textsIn(each, [...at, key])) : [];
}
