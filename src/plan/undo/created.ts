import { isSame } from "../../diff/fields.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import type { SealedObject } from "../../model/sealed.js";
import { differing, madeAndChanged, manyMade, type Stays } from "./messages.js";
import { hiddenIn, openNormal } from "./open.js";
import type { Past } from "./past.js";
import { NOTHING, type Undoing, type Undone } from "./undoing.js";

/** What was created is deleted, if nobody has changed it since. */
export function undoCreated(undoing: Undoing, past: Past, found: readonly Item[]): Undone {
  const { zone, kind } = undoing;
  const looks = found.map((item) => ({ item, ...look(undoing, past, item) }));
  const own = looks.filter(({ changed }) => changed.length === 0);
  const [first] = own.length === 1 ? own : looks;
  if (first === undefined) return NOTHING;
  if (own.length !== 1 && looks.length > 1) return { ...NOTHING, problems: [manyMade(past, zone, found)] };
  if (first.changed.length > 0) return { ...NOTHING, problems: [madeAndChanged(past, zone, first.changed)] };
  const at = [kind.section, past.change.key];
  return {
    ...NOTHING,
    triples: [{ ...WITHOUT_BASE, want: null, live: { ...first.item, normal: first.normal, at } }],
  };
}

interface Look {
  readonly normal: SealedObject;
  /** The fields in which it is not as it was made. */
  readonly changed: readonly Stays[];
}

function look(undoing: Undoing, past: Past, { raw }: Item): Look {
  const { kind } = undoing;
  const hidden = hiddenIn(undoing, past, raw);
  const normal = openNormal(undoing, hidden, raw ?? {});
  const implied = kind.creation.possible ? kind.creation.implied : {};
  const differences = past.afters.map((after) => {
    const made = { ...implied, ...openNormal(undoing, hidden, after) };
    const names = new Set([...Object.keys(normal), ...Object.keys(made)]);
    const changed = [...names].filter(
      (field) =>
        !hidden.has(field) && !isSame(normal[field] ?? null, made[field] ?? null, kind.meanings[field]),
    );
    return differing(changed, made, normal);
  });
  const [fewest = []] = differences.toSorted((a, b) => a.length - b.length);
  return { normal, changed: fewest };
}
