import { intermediateItems } from "../../calls/index.js";
import { diffFields, entriesWith, namesWith } from "../../kinds/fields.js";
import { isCreated, type Kind, listOf } from "../../kinds/kind.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import { isObject, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { blocksBeyond } from "../../strength/index.js";
import { type Edit, editsBetween, inField } from "./edits.js";
import { messagesFor } from "./messages.js";
import type { Past } from "./past.js";
import { secretsBack, secretsOf, withGiven } from "./secrets.js";
import { NOTHING, type Undoing, type Undone, viewOf } from "./view.js";

/**
 * Takes a changed object back field by field. A field that is still as the apply left it becomes what it was before. A field
 * that somebody else has changed since stays, and so do fields that the apply has not changed.
 */
export function undoUpdated(undoing: Undoing, past: Past, live: Item): Undone {
  const { kind, zone } = undoing;
  if (past.before === null) return NOTHING;
  const messages = messagesFor(past, zone.name);
  const raw = live.raw ?? {};
  const view = viewOf(undoing, past, live);
  const isUnset = isEmpty(past.before);
  // Fields that are not shown have known values only where nothing is set in the object, before or now.
  const unset = isUnset || isEmpty(raw) ? usualIn(kind) : {};
  const itemOf = (each: JsonObject) => view.itemOf(each, unset);
  const [before, now, afters] = [itemOf(past.before), itemOf(raw), past.afters.map(itemOf)];
  // Once the apply has set something, the service may show more fields on its own.
  const filledIn = isUnset
    ? namesWith(kind.fields, "unsetVaries")
    : Object.keys(usualIn(kind)).filter((field) => !(field in before.normal));
  const { back, kept, isBack } = comparedWith(undoing, before, afters, now, filledIn);
  const former = putBack(kind, past, raw, back, itemOf);
  const put = isUnset ? former : (kind.restorable?.(former, raw) ?? former);
  const open = itemOf(put);
  const failing = [...movedFields(kind, open.normal, before.normal)].filter((field) => back.has(field));
  const { given, problems } = secretsBack(undoing, past, view, [live], isBack);
  const strengthOf = ({ normal }: Item) => kind.dimensions(normal);
  const isOddlyBlocking = blocksBeyond(strengthOf(open), strengthOf(before), strengthOf(now));
  const relations = given.map(({ field }) => [field, { $sensitive: "different" }] as const);
  const want = withGiven({ ...open, raw: put }, given);
  return {
    triples: [
      {
        ...WITHOUT_BASE,
        want: past.behind === null ? want : { ...want, behind: past.behind },
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
function usualIn(kind: Kind): JsonObject {
  return isCreated(kind) ? {} : Object.fromEntries(entriesWith(kind.fields, "unset"));
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
  // A way back that was broken off may have left what its calls make of the object in between.
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
 * The live object with what goes back. Where a field is spread over several places of the object, or shares one with
 * others, only the places that the apply has changed are touched, and none that would change any other field.
 */
function putBack(
  kind: Kind,
  past: Past,
  live: JsonObject,
  back: ReadonlySet<string>,
  itemOf: (raw: JsonObject) => Item,
): JsonObject {
  const [now, before] = [itemOf(live).normal, itemOf(past.before ?? {})];
  const then = before.raw ?? {};
  const afters = past.afters.map((after) => itemOf(after).raw ?? {});
  const place = listOf(kind)?.inOrder?.field;
  const isFree = (at: string, edits: readonly Edit[]) =>
    [...movedFields(kind, now, itemOf(edited(live, edits)).normal)].every(
      // A place that is not edited stays, although another form of the rest may say more of it.
      (field) => back.has(field) || (field === place && at !== place),
    );
  const names = [...new Set([then, ...afters].flatMap(Object.keys))];
  const free = names.flatMap((at) => {
    const edits = afters.flatMap((after) =>
      editsBetween(after[at], then[at]).map((edit) => inField(at, edit)),
    );
    // Parts of what takes another form go back together: one of them alone would give a third form.
    return isFree(at, edits) ? edits : edits.filter((edit) => isFree(at, [edit]));
  });
  const put = edited(live, free);
  // The service may have changed more than it was sent. Then the whole former object tells it better.
  const all = { ...live, ...then };
  const desired = Object.fromEntries([
    ...Object.entries(now).filter(([field]) => !back.has(field)),
    ...Object.entries(before.normal).filter(([field]) => back.has(field)),
  ]);
  const isExact = (raw: JsonObject) => movedFields(kind, desired, itemOf(raw).normal).size === 0;
  return isExact(put) || !isExact(all) ? put : all;
}

function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce<JsonObject>((now, edit) => {
    const next = edit(now);
    return isObject(next) ? next : {};
  }, object);
}
