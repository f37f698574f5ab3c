import { intermediateItems } from "../../calls/index.js";
import { diffFields, namesWith, valuesOf } from "../../kinds/fields.js";
import { isCreated, type Kind, POSITION } from "../../kinds/kind.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import { isObject, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { blocksBeyond } from "../../strength/index.js";
import { type Edit, editsBetween, inField } from "./edits.js";
import { messagesFor } from "./messages.js";
import { secretsBack, secretsOf, withSecrets } from "./secrets.js";
import type { AppliedChange } from "./states-before.js";
import { isOfKind, NOTHING, type Undoing, type Undone, viewOf } from "./view.js";

/**
 * Takes a changed object back field by field. A field that is still as the apply left it gets its former value. A field that
 * was changed since stays, and so do fields that the apply has not changed.
 */
export function undoUpdated(undoing: Undoing, applied: AppliedChange, live: Item): Undone {
  const { kind, zone } = undoing;
  if (applied.before === null) return NOTHING;
  const messages = messagesFor(applied, zone.name);
  if (!isOfKind(undoing, applied.before)) return { ...NOTHING, problems: [messages.notOfKind()] };
  const raw = live.raw ?? {};
  const view = viewOf(undoing, applied, live);
  const isUnset = isEmpty(applied.before);
  // Fields that are not shown have known values only where nothing is set in the object, before or now.
  const unset = isUnset || isEmpty(raw) ? unsetValues(kind) : {};
  const itemOf = (object: JsonObject) => view.itemOf(object, unset);
  const [before, now, afters] = [itemOf(applied.before), itemOf(raw), applied.afters.map(itemOf)];
  // Once the apply has set something, the service may show more fields on its own.
  const filledIn = isUnset
    ? namesWith(kind.fields, "unsetVaries")
    : Object.keys(unsetValues(kind)).filter((field) => !(field in before.normal));
  const { back, kept, isBack } = comparedWith(undoing, before, afters, now, filledIn);
  const former = restoredObject(kind, applied, raw, back, itemOf);
  const restored = isUnset ? former : (kind.restorable?.(former, raw) ?? former);
  const open = itemOf(restored);
  const failing = [...movedFields(kind, open.normal, before.normal)].filter((field) => back.has(field));
  const { given, problems } = secretsBack(undoing, applied, view, [live], isBack);
  const strengthOf = (item: Item) => kind.dimensions(item, null);
  const isOddlyBlocking = blocksBeyond(strengthOf(open), strengthOf(before), strengthOf(now));
  const relations = given.map(({ field }) => [field, { $sensitive: "different" }] as const);
  const want = withSecrets({ ...open, raw: restored }, given);
  return {
    triples: [
      {
        ...WITHOUT_BASE,
        want: applied.behind === null ? want : { ...want, behind: applied.behind },
        live: { ...live, normal: { ...now.normal, ...Object.fromEntries(relations) } },
      },
    ],
    problems: [
      ...(kept.length === 0 ? [] : [messages.changedSince(kept)]),
      ...(isOddlyBlocking ? [messages.blocksAnew([...back], kept)] : []),
      ...(failing.length === 0 ? [] : [messages.notBrought(failing)]),
      ...problems,
    ],
    secrets: secretsOf(given),
  };
}

/** The values of fields that were never set, of a kind whose object is always there. */
function unsetValues(kind: Kind): JsonObject {
  return isCreated(kind) ? {} : valuesOf(kind.fields, "unset");
}

/**
 * Says which fields go back, which fields somebody else has changed, and whether all visible fields are back already: then
 * the call had no effect, or it was undone before.
 *
 * @param filledIn fields that the service shows on its own
 */
function comparedWith(
  { kind, service }: Undoing,
  before: Item,
  afters: readonly Item[],
  now: Item,
  filledIn: readonly string[],
) {
  // An interrupted rollback may have left an intermediate state of the object.
  const midways = afters.flatMap((after) => intermediateItems(kind, { want: before, live: after }, service));
  const movedFrom = ({ normal }: Item) => movedFields(kind, normal, now.normal);
  const [sinceBefore, sinceAfters] = [movedFrom(before), afters.map(movedFrom)];
  const since = [sinceBefore, ...sinceAfters, ...midways.map(movedFrom)];
  const isOurs = (field: string) => since.some((moved) => !moved.has(field));
  const changed = new Set(afters.flatMap(({ normal }) => [...movedFields(kind, before.normal, normal)]));
  const back = [...changed].filter(isOurs);
  const kept = diffFields(before.normal, now.normal, kind.fields).filter(
    ({ path }) => !isOurs(path) && (changed.has(path) || !filledIn.includes(path)),
  );
  const isNotAsMade = (field: string) => sinceAfters.every((moved) => moved.has(field));
  const isBack = back.every((field) => !sinceBefore.has(field)) && back.some(isNotAsMade);
  return { back: new Set(back), kept, isBack };
}

function movedFields(kind: Kind, before: SealedObject, now: SealedObject): ReadonlySet<string> {
  return new Set(diffFields(before, now, kind.fields).map(({ path }) => path));
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

/**
 * The live object with its restored fields. A field may be spread over several places of the object, or share a place with
 * others. So only places that the apply has changed are restored, and none that would change another field.
 */
function restoredObject(
  kind: Kind,
  applied: AppliedChange,
  live: JsonObject,
  back: ReadonlySet<string>,
  itemOf: (raw: JsonObject) => Item,
): JsonObject {
  const [now, before] = [itemOf(live).normal, itemOf(applied.before ?? {})];
  const formerRaw = before.raw ?? {};
  const afters = applied.afters.map((after) => itemOf(after).raw ?? {});
  const isFree = (name: string, edits: readonly Edit[]) =>
    [...movedFields(kind, now, itemOf(edited(live, edits)).normal)].every(
      // The rule's position stays unless it is edited itself, whatever the other edits make of it.
      (field) => back.has(field) || (field === POSITION && name !== POSITION),
    );
  const names = [...new Set([formerRaw, ...afters].flatMap(Object.keys))];
  const free = names.flatMap((name) => {
    const edits = afters.flatMap((after) =>
      editsBetween(after[name], formerRaw[name]).map((edit) => inField(name, edit)),
    );
    // Edits of a value that changes its form are applied together: one alone would give a third form.
    return isFree(name, edits) ? edits : edits.filter((edit) => isFree(name, [edit]));
  });
  const restored = edited(live, free);
  // The service may have changed more than was sent. Then the whole former object is sent.
  const whole = { ...live, ...formerRaw };
  const desired = Object.fromEntries([
    ...Object.entries(now).filter(([field]) => !back.has(field)),
    ...Object.entries(before.normal).filter(([field]) => back.has(field)),
  ]);
  const isExact = (raw: JsonObject) => movedFields(kind, desired, itemOf(raw).normal).size === 0;
  return isExact(restored) || !isExact(whole) ? restored : whole;
}

function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce<JsonObject>((now, edit) => {
    const next = edit(now);
    return isObject(next) ? next : {};
  }, object);
}
