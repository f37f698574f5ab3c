import { namesWith } from "../kinds/fields.js";
import { entryName, type Kind, listOf, owningKeys, type PendingChange } from "../kinds/kind.js";
import { hasSensitive, mayBeSensitive, sensitiveFields } from "../kinds/secret-fields.js";
import type { KindState } from "../match/match.js";
import { type Declared, entryAt, type WantedZone } from "../model/declared-zone.js";
import { DECLARED, type Item, originOf, type Path, type Ref, type Triple, textsAt } from "../model/item.js";
import { isObject, type Json } from "../model/json.js";
import type { Change, FieldChange, Written } from "../model/plan.js";
import { referencesIn, SENSITIVE, withoutLiterals } from "../model/reference.js";
import type { Shift } from "../model/strength.js";
import { digestOf, slowDigestOf } from "./digest.js";
import { type Around, effectsOf, unknownFor } from "./effects.js";

/**
 * One object of a plan: its changed fields, their effect on protection, and their origins.
 *
 * @param shownShifts shifts of the object's change that is taken over from live
 */
export function toChange(
  state: KindState,
  pending: PendingChange,
  zone: WantedZone,
  around: Around,
  shownShifts: readonly Shift[] = [],
): Change {
  const { kind, base } = state;
  const { at: index, action, triple, fields } = pending;
  const { want, live, inBase } = triple;
  const ref = refOf(triple);
  const isDropped = triple.noLongerDeclared === true;
  const path = want?.at ?? live?.at ?? ["prune", zone.prune.indexOf(listOf(kind)?.section ?? "")];
  return {
    index,
    ref,
    action,
    replaces: triple.replaces !== undefined,
    before: live,
    after: want,
    ...(inBase === undefined ? {} : { inBase }),
    // An object without a name has its id as its key.
    was: live !== null && live.ref.key !== ref.key && live.ref.key !== live.ref.id ? live.ref.key : null,
    fields: withBase(withPlaces(asWritten(fields, triple, state, zone), triple, state, zone), triple, kind),
    ...effectsOf(state, pending, zone.name, around, shownShifts),
    origins: triple.origins,
    at: zone.locate(path, isDropped ? "key" : "value"),
    removed: isDropped ? base.zone.locate(triple.base?.at ?? []) : null,
  };
}

/** A change that is taken over: the files now declare a change that was made outside them. */
export function toTakenOver(
  state: KindState,
  pending: PendingChange,
  zone: WantedZone,
  around: Around,
): Change {
  const { triple, action, fields } = pending;
  const declared = { ...pending, triple: { ...triple, origins: DECLARED } };
  const change = toChange(state, declared, zone, around);
  const isNothing = action === "update" && change.shifts.every(({ way }) => way === "neutral");
  const readBy = namesWith(state.kind.fields, "readsLive");
  // These fields say what is read from the live object, so their effect on protection is unknown.
  const unknown = fields.filter(({ path }) => readBy.includes(path) || (isNothing && readBy.length > 0));
  const why = ({ path, before }: FieldChange) =>
    before === null ? `the base does not declare ${path}` : `the former effect of ${path} is unknown`;
  const shifted = [...change.shifts, ...unknown.map((field) => unknownFor(state.kind, why(field)))];
  return { ...change, shifts: shifted, takenOver: true, origins: triple.origins };
}

/** A replacement has no id yet, so it has that of the live object. */
export function refOf({ want, live }: Triple): Ref {
  const item = want ?? live;
  if (item === null) throw new Error("a triple has at least one side");
  return { ...item.ref, id: item.ref.id ?? live?.ref.id ?? null };
}

/** Adds the key in the files to each changed field. */
function withPlaces(
  fields: readonly FieldChange[],
  { want, live }: Triple,
  { kind, declared }: KindState,
  zone: WantedZone,
): readonly FieldChange[] {
  const declaredItem = entryAt(declared, want?.at);
  if (declaredItem === undefined || live === null) return fields;
  const keys = owningKeys(kind, declaredItem.body, want);
  return fields.map((field) => {
    const key = keys.get(field.path);
    if (key === undefined) return field;
    const at = zone.locate(
      [...declaredItem.path, ...key, ...changedKey(field, declaredItem.body, key)],
      "key",
    );
    return at === null ? field : { ...field, at };
  });
}

/** Adds the base's value to fields that were changed both in the files and outside them. */
function withBase(
  fields: readonly FieldChange[],
  { base, origins }: Triple,
  kind: Kind,
): readonly FieldChange[] {
  if (base === null) return fields;
  const isShown = (field: string) => originOf(origins, field) === "conflict" && !mayBeSensitive(kind, field);
  return fields.map((field) =>
    isShown(field.path) ? { ...field, base: base.normal[field.path] ?? null } : field,
  );
}

/** The first changed key where the files write a field as a map, such as a CSP by its directives. */
function changedKey({ parts = [] }: FieldChange, body: Json, path: Path): Path {
  const written = path.reduce<Json>((each, key) => (isObject(each) ? (each[key] ?? null) : null), body);
  if (!isObject(written)) return [];
  const names = new Set(parts.map(({ part }) => part));
  return Object.keys(written)
    .filter((key) => names.has(key))
    .slice(0, 1);
}

/** Adds the text of the files to sensitive fields. */
function asWritten(
  fields: readonly FieldChange[],
  { want, base, origins }: Triple,
  { kind, declared, base: declaredInBase }: KindState,
  zone: WantedZone,
): readonly FieldChange[] {
  if (!hasSensitive(kind)) return fields;
  const now = writtenFields(kind, want, declared, zone);
  const inBase = writtenFields(kind, base, declaredInBase.declared, declaredInBase.zone);
  return fields.map((field) => {
    const { path } = field;
    const after = now.get(path);
    if (after === undefined) return field;
    // The base has the live value's text only if the live value was not changed outside the files.
    const before = originOf(origins, path) === "declared" ? (inBase.get(path) ?? null) : null;
    return { ...field, written: { before, after } };
  });
}

/** The texts of a declared object's secret fields, without literal secrets. */
function writtenFields(
  kind: Kind,
  item: Item | null,
  declared: readonly Declared[],
  zone: Pick<WantedZone, "interpolated">,
): ReadonlyMap<string, string> {
  const declaredItem = entryAt(declared, item?.at);
  const fields = declaredItem === undefined ? [] : sensitiveFields(kind, declaredItem, zone);
  return new Map(
    fields.flatMap(({ field, isSecret, written }) =>
      isSecret ? [[field, shownAsWritten(written)] as const] : [],
    ),
  );
}

interface DeclaredKind {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
}

/**
 * Texts of the files that the calls do not show as written: sensitive values, and values from outside the files. An approval
 * covers these too, so they are in the digest. Null: none.
 */
export function writtenIn(
  zone: Pick<WantedZone, "name" | "isFromOutside" | "interpolated">,
  kinds: readonly DeclaredKind[],
): Written | null {
  const values = kinds.flatMap(({ kind, declared }) =>
    declared.flatMap((each) => valuesOf(kind, each, zone)),
  );
  if (values.length === 0) return null;
  return {
    texts: values.map(({ shown }) => shown),
    digest: digestOf({ zone: zone.name, values: values.map(({ shown, value }) => [shown, value]) }),
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
  const place = { kind: kind.name, key: entryName(kind, { path, body }) || kind.name };
  const sensitive = sensitiveFields(kind, { path, body }, zone).filter(({ isSecret }) => isSecret);
  const hidden = new Set(sensitive.map(({ field }) => field));
  const texts = zone.isFromOutside ? textsAt(body, []) : [];
  const open = texts.flatMap(({ at }) => {
    const written = zone.interpolated([...path, ...at])?.written;
    // Names may contain dots: a field is a key, or a key in a map.
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

/** A sensitive value without its literal secrets. For a list or a map: only its references. */
function shownAsWritten(written: Json): string {
  if (typeof written === "string") return withoutLiterals(written);
  const references = textsAt(written, []).flatMap(({ text }) => referencesIn(text));
  return [SENSITIVE, ...new Set(references)].join(" ");
}
