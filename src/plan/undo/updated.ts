import { intermediateItems } from "../../calls/index.js";
import { diffFields } from "../../kinds/fields.js";
import { isCreated, type Kind, nameField, POSITION, rulesAt } from "../../kinds/kind.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import { asText, isObject, type JsonObject, pick, pickBy, without } from "../../model/json.js";
import { DIFFERENT, type SealedObject } from "../../model/sealed.js";
import { blocksBeyond } from "../../strength/index.js";
import { type Edit, editsBetween } from "./edits.js";
import { isUnset, NOTHING, type Past, type Undone } from "./past.js";
import { secretsBack, withSecrets } from "./secrets.js";

/**
 * Takes a changed object back field by field. A field that is still as the apply left it gets its former value. A field that
 * was changed since stays, and so do fields that the apply has not changed.
 */
export function undoUpdated(past: Past, live: Item): Undone {
  const { kind, messages, itemOf } = past;
  if (past.before === null) return NOTHING;
  if (past.normalOf(past.before) === null) return { ...NOTHING, problems: [messages.notOfKind()] };
  const [before, now] = [itemOf(past.before), itemOf(live.raw ?? {})];
  const { back, kept, isBack } = comparedWith(past, before, now);
  const restored = rulesAt(kind) === null ? restoredObject : restoredRule;
  const open = restored(past, before, now, back);
  const failing = [...movedFields(kind, open.normal, before.normal)].filter((field) => back.has(field));
  const { given, problems, secrets } = secretsBack(past, [live], isBack);
  const strengthOf = (item: Item) => kind.dimensions(item, null);
  const isOddlyBlocking = blocksBeyond(strengthOf(open), strengthOf(before), strengthOf(now));
  const relations = given.map(({ field }) => [field, DIFFERENT] as const);
  const key = asText(open.normal[nameField(kind) ?? ""] ?? "") || live.ref.key;
  const triple = {
    ...WITHOUT_BASE,
    want: withSecrets({ ...open, ref: { ...live.ref, key } }, given),
    live: { ...live, normal: { ...now.normal, ...Object.fromEntries(relations) } },
  };
  return {
    triples: [triple],
    problems: [
      ...(kept.length === 0 ? [] : [messages.changedSince(kept)]),
      ...(isOddlyBlocking ? [messages.blocksAnew([...back], kept)] : []),
      ...(failing.length === 0 ? [] : [messages.notBrought(failing)]),
      ...problems,
    ],
    secrets,
  };
}

/**
 * Says which fields go back, which fields somebody else has changed, and whether all visible fields are back already: then
 * the call had no effect, or it was undone before.
 */
function comparedWith({ kind, service, itemOf, ...past }: Past, before: Item, now: Item) {
  const afters = past.afters.map((after) => itemOf(after));
  // An interrupted rollback may have left an intermediate state of the object.
  const midways = afters.flatMap((after) => intermediateItems(kind, { want: before, live: after }, service));
  const movedFrom = ({ normal }: Item) => movedFields(kind, normal, now.normal);
  const [sinceBefore, sinceAfters] = [movedFrom(before), afters.map(movedFrom)];
  const since = [sinceBefore, ...sinceAfters, ...midways.map(movedFrom)];
  const isOurs = (field: string) => since.some((moved) => !moved.has(field));
  const changed = new Set(afters.flatMap(({ normal }) => [...movedFields(kind, before.normal, normal)]));
  const back = [...changed].filter(isOurs);
  // Once the apply has set something, the service may show more fields on its own.
  const isFilledIn = (field: string) => {
    const { unset, unsetVaries } = kind.fields[field] ?? {};
    if (isUnset(before.raw)) return unsetVaries === true;
    return unset !== undefined && !isCreated(kind) && !(field in before.normal);
  };
  const kept = diffFields(before.normal, now.normal, kind.fields).filter(
    ({ path }) => !isOurs(path) && (changed.has(path) || !isFilledIn(path)),
  );
  const isNotAsMade = (field: string) => sinceAfters.every((moved) => moved.has(field));
  const isBack = back.every((field) => !sinceBefore.has(field)) && back.some(isNotAsMade);
  return { back: new Set(back), kept, isBack };
}

function movedFields(kind: Kind, before: SealedObject, now: SealedObject): ReadonlySet<string> {
  return new Set(diffFields(before, now, kind.fields).map(({ path }) => path));
}

/**
 * The live object with its restored fields, in their former spelling. Most calls can neither remove a field nor add one that
 * the live object cannot have. So only fields that it had before and has now are restored.
 */
function restoredObject({ kind }: Past, { normal }: Item, now: Item, back: ReadonlySet<string>): Item {
  const moved = movedFields(kind, normal, now.normal);
  const former = pickBy(
    normal,
    (value, field) =>
      value !== null && Object.hasOwn(now.normal, field) && (back.has(field) || !moved.has(field)),
  );
  return { ...now, normal: { ...now.normal, ...former } };
}

/**
 * The live rule with its restored fields. A field may be spread over several places of the rule, or share a place with
 * others. So only places that the apply has changed are restored, and none that would change another field.
 */
function restoredRule(
  { kind, itemOf, ...past }: Past,
  before: Item,
  now: Item,
  back: ReadonlySet<string>,
): Item {
  const [formerRaw, live] = [before.raw ?? {}, now.raw ?? {}];
  const afters = past.afters.map((after) => itemOf(after).raw ?? {});
  const isFree = (name: string, edits: readonly Edit[]) =>
    [...movedFields(kind, now.normal, itemOf(edited(live, edits)).normal)].every(
      // The rule's position stays unless it is edited itself, whatever the other edits make of it.
      (field) => back.has(field) || (field === POSITION && name !== POSITION),
    );
  const names = [...new Set([formerRaw, ...afters].flatMap(Object.keys))];
  const free = names.flatMap((name) => {
    const edits = afters.flatMap((after) => editsBetween(pick(after, [name]), pick(formerRaw, [name])));
    // Edits of a value that changes its form are applied together: one alone would give a third form.
    return isFree(name, edits) ? edits : edits.filter((edit) => isFree(name, [edit]));
  });
  const restored = itemOf(edited(live, free));
  // The service may have changed more than was sent. Then the whole former rule is sent.
  const whole = itemOf({ ...live, ...formerRaw });
  const desired = { ...without(now.normal, [...back]), ...pick(before.normal, [...back]) };
  const isExact = ({ normal }: Item) => movedFields(kind, desired, normal).size === 0;
  return [restored, whole].find(isExact) ?? restored;
}

function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce<JsonObject>((now, edit) => {
    const next = edit(now);
    return isObject(next) ? next : {};
  }, object);
}
