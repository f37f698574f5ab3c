import { isSame } from "../../diff/fields.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import type { Json } from "../../model/json.js";
import { differing, type Stays, secretUnknown, thereAgain } from "./messages.js";
import { hiddenIn, openNormal, openRaw } from "./open.js";
import type { Past } from "./past.js";
import { givenFor, journaledFor } from "./secrets.js";
import { NOTHING, type Undoing, type Undone, whole } from "./undoing.js";

/** What was deleted is created again, unless it is there. */
export function undoDeleted(undoing: Undoing, past: Past, again: Item | null): Undone {
  const { kind, zone } = undoing;
  const { before, change, behind } = past;
  if (before === null || (again !== null && again.ref.id === change.id)) return NOTHING;
  if (again !== null) return foundAgain(undoing, past, again);
  const hidden = hiddenIn(undoing, past, null);
  const given = [...journaledFor(undoing, past, hidden), ...givenFor(undoing, past, hidden)].filter(
    ({ name }, index, all) => all.findIndex((each) => each.name === name) === index,
  );
  const missing = [...hidden.values()].filter(
    (name) => (before[name] ?? "") !== "" && !given.some((each) => each.name === name),
  );
  if (missing.length > 0)
    return { ...NOTHING, problems: [secretUnknown(past, zone, missing, "It is not created again.")] };
  const named = Object.fromEntries(given.map(({ name, value }) => [name, value as Json])); // a reference is JSON
  const sealed = Object.fromEntries(given.map(({ field, value }) => [field, value]));
  const raw = { ...openRaw(hidden, before), ...named };
  const normal = { ...openNormal(undoing, hidden, before), ...sealed };
  const want = { ...whole(kind, raw, normal, null), ...(behind === null ? {} : { behind }) };
  return {
    triples: [{ ...WITHOUT_BASE, want, live: null }],
    problems: [],
    secrets: new Map(
      given.flatMap(({ reference, plain }) => (reference === null ? [] : [[reference, plain]])),
    ),
  };
}

function foundAgain(undoing: Undoing, past: Past, again: Item): Undone {
  const other = differsFromFormer(undoing, past, again);
  return other.length === 0 ? NOTHING : { ...NOTHING, problems: [thereAgain(past, undoing.zone, other)] };
}

/** The fields in which a live object is not what the deleted one was. */
export function differsFromFormer(undoing: Undoing, past: Past, item: Item): readonly Stays[] {
  const hidden = hiddenIn(undoing, past, item.raw);
  const old = openNormal(undoing, hidden, past.before ?? {});
  const now = openNormal(undoing, hidden, item.raw ?? {});
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const { meanings } = undoing.kind;
  const other = names.filter((field) => !isSame(now[field] ?? null, old[field] ?? null, meanings[field]));
  return differing(other, old, now);
}
