import { canonicalName, namesWith, sameField } from "../kinds/fields.js";
import { impliedIn, type Kind, nameField } from "../kinds/kind.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { type Item, type Ref, type Triple, type UnsetField, WITHOUT_BASE } from "../model/item.js";
import type { Json } from "../model/json.js";
import { type Problem, problem, warning } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Comparing } from "./keyed-pairs.js";
import { changedFixed, type Pair, pinOf } from "./pair.js";
import { type Former, type SealedPair, seal, withoutSensitive } from "./seal.js";
import { itemOf } from "./taken-over.js";

/** The comparison of one declared object with its live object. */
export interface Wanted {
  readonly triples: readonly Triple[];
  readonly problems: readonly Problem[];
  readonly secrets: ReadonlyMap<string, Json>;
  readonly unset: readonly UnsetOf[];
}

/** A field of an object whose secrets are not set. */
export interface UnsetOf extends UnsetField {
  readonly ref: Ref;
}

/** Without its secret, a field's drift is unknown, whatever the text in the files. */
export function withUnknownDrift(unset: UnsetOf): UnsetOf {
  return unset.taken === "nothing" ? unset : { ...unset, taken: "unknown" };
}

/** The triple of a declared object. It is replaced if a field cannot change in place. */
export function toTriples(comparing: Comparing, { declared, live }: Pair, former: Former): Wanted {
  const { kind, zone, keyOf } = comparing;
  if (declared.body.ensure === "absent") return live === null ? NOTHING : deletion(kind, declared, live);
  if (live === null) return creation(comparing, declared);
  const plain = namedAsLive(kind, kind.toDesired(declared.body, live), live);
  const key = keyOf(filledIn(plain, live.normal), declared) || live.ref.key;
  const fixed = changedFixed(kind, plain, live);
  const sealed = seal(kind, declared, plain, key, live, zone, former, fixed.length > 0);
  return fixed.length > 0
    ? replacementOf(comparing, declared, live, sealed, fixed)
    : update(kind, declared, key, sealed);
}

/** A name that differs only in its spelling is not changed. */
function namedAsLive(kind: Kind, desired: SealedObject, { normal }: Item): SealedObject {
  const named = nameField(kind) ?? "";
  const [before, after] = [normal[named], desired[named]];
  if (before === after || typeof before !== "string" || typeof after !== "string") return desired;
  return canonicalName(before) === canonicalName(after) ? { ...desired, [named]: before } : desired;
}

/** An object that an interrupted apply has replaced and not deleted yet. */
export function leftBehind(comparing: Comparing, declared: Declared, live: Item, former: Former): Wanted {
  const { kind, zone } = comparing;
  const { want, secrets } = newItem(comparing, declared);
  const sealed = seal(kind, declared, kind.toDesired(declared.body, live), want.ref.key, live, zone, former);
  return {
    triples: [replacing(want, sealed, declared, "made")],
    problems: [halfReplaced(want, live, declared, zone)],
    secrets,
    // The object is only deleted.
    unset: [],
  };
}

const NOTHING: Wanted = { triples: [], problems: [], secrets: new Map(), unset: [] };

function deletion(kind: Kind, { path }: Declared, live: Item): Wanted {
  return {
    ...NOTHING,
    triples: [{ ...WITHOUT_BASE, want: null, live: { ...withoutSensitive(kind, live), at: path } }],
  };
}

/** Undeclared fields keep their live values. */
function update(
  kind: Kind,
  { path }: Declared,
  key: string,
  { desired, live, secrets, unset }: SealedPair,
): Wanted {
  const ref = { kind: kind.name, key, id: live?.ref.id ?? null };
  const normal = live === null ? desired : filledIn(desired, live.normal);
  const want: Item = { ref, normal, raw: live?.raw ?? null, owns: Object.keys(desired), at: path };
  return { triples: [{ ...WITHOUT_BASE, want, live }], problems: [], secrets, unset: unsetOf(ref, unset) };
}

/** The desired fields over the live ones. Without a difference, the live object itself, which saves memory. */
function filledIn(desired: SealedObject, live: SealedObject): SealedObject {
  const isLive = Object.entries(desired).every(([field, value]) => value === live[field]);
  return isLive ? live : { ...live, ...desired };
}

function unsetOf(ref: Ref, unset: readonly UnsetField[]): readonly UnsetOf[] {
  return unset.map((each) => ({ ...each, ref }));
}

const NEW: Former = { entry: null, secretFields: new Set() };

/** Undeclared fields get their defaults. A new object has the field order of its file. */
function newItem(comparing: Comparing, declared: Declared) {
  const { kind, zone, keyOf } = comparing;
  const item = itemOf(comparing, declared, declared.path);
  const key = keyOf(item.normal, declared);
  const { desired, secrets, unset } = seal(kind, declared, item.normal, key, null, zone, NEW);
  const want = { ...item, ref: { ...item.ref, key }, normal: desired };
  return { want, secrets, unset: unsetOf(want.ref, unset) };
}

function creation(comparing: Comparing, declared: Declared): Wanted {
  const { want, secrets, unset } = newItem(comparing, declared);
  const problems = missingFields(comparing, want, "is not live", declared);
  if (problems.length > 0) return { triples: [], problems, secrets, unset };
  return { triples: [{ ...WITHOUT_BASE, want, live: null }], problems: [], secrets, unset };
}

/** The new object has only declared fields and defaults, so that it is the same whenever it is created. */
function replacementOf(
  comparing: Comparing,
  declared: Declared,
  live: Item,
  sealed: SealedPair,
  fixed: readonly string[],
): Wanted {
  const { kind, zone } = comparing;
  const { want, secrets } = newItem(comparing, declared);
  const ref = { ...want.ref, id: live.ref.id };
  const problems = [
    ...missingFields(comparing, want, cannotChangeText(fixed), declared),
    ...(pinOf(declared) === null ? [] : [pinnedReplaced(want.ref.key, fixed, declared, zone)]),
  ];
  if (problems.length > 0) return { ...NOTHING, problems };
  return {
    triples: [replacing(want, sealed, declared, "whole")],
    problems: fixed.map((field) => replacementWarning(kind, field, want, live, declared, zone)),
    secrets,
    unset: unsetOf(ref, sealed.unset),
  };
}

function replacing(
  want: Item,
  { live }: SealedPair,
  { path }: Declared,
  replaces: Triple["replaces"] & string,
): Triple {
  return { ...WITHOUT_BASE, want, live: live === null ? null : { ...live, at: path }, replaces };
}

function cannotChangeText(fixed: readonly string[]): string {
  return `cannot change its ${fixed.join(" and ")} in place`;
}

function missingFields(
  { kind, zone }: Comparing,
  { ref, owns }: ReturnType<typeof newItem>["want"],
  why: string,
  declared: Declared,
): readonly Problem[] {
  const fields = namesWith(kind.fields, "required").filter((field) => !owns.includes(field));
  if (fields.length === 0) return [];
  const detail = `${JSON.stringify(ref.key)} ${why} in ${zone.name}, and a new object needs ${fields.join(", ")}. Add ${fields.length === 1 ? "it" : "them"}, or correct the name.`;
  const summary = `Cannot create ${JSON.stringify(ref.key)}`;
  return [problem("cannot_create", summary, detail, zone.locate(declared.path))];
}

/** The new object would have another id than the pin. */
function pinnedReplaced(
  key: string,
  fixed: readonly string[],
  { path }: Declared,
  zone: WantedZone,
): Problem {
  return problem(
    "pinned_replaced",
    "Pinned object would be replaced",
    `${JSON.stringify(key)} ${cannotChangeText(fixed)}: a replacement gets another id than the pinned one. Remove id.`,
    zone.locate([...path, "id"]),
  );
}

function replacementWarning(
  kind: Kind,
  field: string,
  want: ReturnType<typeof newItem>["want"],
  { normal: before }: Item,
  { path }: Declared,
  zone: WantedZone,
): Problem {
  const after = { ...impliedIn(kind), ...want.normal };
  const lost = Object.keys(before).filter(
    (each) => !want.owns.includes(each) && !sameField(kind, each, before, after),
  );
  const rest = lost.length === 0 ? "" : ` Undeclared fields are lost: ${lost.join(", ")}.`;
  return warning(
    "replaced",
    "Change replaces the live object",
    `The ${field} of ${JSON.stringify(want.ref.key)} cannot change in place, so the live object is deleted and a new one created.${rest}`,
    zone.locate([...path, ...field.split(".")]),
  );
}

function halfReplaced({ ref: { key } }: Item, live: Item, { path }: Declared, zone: WantedZone): Problem {
  return warning(
    "half_replaced",
    "Interrupted replacement",
    `The live ${JSON.stringify(live.ref.key)} of ${zone.name} with the id ${live.ref.id} was being replaced. Its replacement ${JSON.stringify(key)} exists, so the old object is deleted.`,
    zone.locate(path),
  );
}
