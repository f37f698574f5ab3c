import { isSeq, type Node } from "yaml";
import { editList, type Insertion } from "../config/edit/collections.js";
import type { Splice } from "../config/edit/layout.js";
import { pathIn } from "../config/layers.js";
import { type Kind, listOf } from "../kinds/kind.js";
import type { Path } from "../model/item.js";
import type { Declared } from "../model/wanted.js";
import type { Told } from "./drifted.js";
import { LAYOUT, type OwnFile, placeOf } from "./edit-value.js";
import type { Standing } from "./standing.js";

/** What comes into a list, with its place in the live order. */
export interface Arriving extends Insertion {
  readonly place: number;
}

type Refused = { readonly ok: false; readonly why: string };

/**
 * The item of the zone's own list that an object is to come in front of; null: none. Entries of templates come before
 * those of the zone, whatever order these have.
 */
export function nextIn(
  own: OwnFile,
  standing: Standing | null,
): { readonly ok: true; readonly before: number | null; readonly place: number } | Refused {
  if (standing === null) return { ok: true, before: null, place: 0 };
  if ("unsayable" in standing) return { ok: false, why: standing.unsayable };
  const { before, place } = standing;
  if (before === null) return { ok: true, before, place };
  if (isElsewhere(own, before))
    return {
      ok: false,
      why: "It stands in front of an entry of a template or the defaults, and these come before those of the zone. Declare it there.",
    };
  const item = placeOf(own, before, "add");
  return item.ok ? { ok: true, before: item.index, place } : item;
}

/** An entry of the zone's own list, taken to where its object stands live. */
export function movedIn(
  own: OwnFile,
  { path }: Declared,
  standing: Standing | null,
): ({ readonly ok: true } & Arriving) | Refused {
  const next = nextIn(own, standing);
  if (!next.ok) return { ok: false, why: `${next.why} An apply does so too.` };
  const item = placeOf(own, path, "add");
  if (!item.ok) return item;
  if (isElsewhere(own, path))
    return { ok: false, why: "A template or the defaults have it too, in their order." };
  return isSeq(item.parent) ? { ...next, content: { item: item.index } } : { ok: false, why: LAYOUT };
}

function isElsewhere({ zone, layer }: OwnFile, path: Path): boolean {
  return zone.layers.some((each) => each !== layer && pathIn(each, zone.merged, path) !== null);
}

/** What goes from the zone's own list, by its index, and what comes. */
export interface ListEdits {
  readonly removed: readonly number[];
  readonly coming: readonly Arriving[];
}

export interface EditedList {
  readonly splices: readonly Splice[];
  /** Whether what is moved has stayed where it was. */
  readonly isInOldOrder: boolean;
}

/** The edits of a zone's list, of all that go and come in it. Null: it cannot be edited. */
export function editSection(own: OwnFile, kind: Kind, edits: readonly ListEdits[]): EditedList | null {
  const removed = edits.flatMap((each) => each.removed);
  const arriving = edits.flatMap((each) => each.coming).sort((a, b) => a.place - b.place);
  if (removed.length + arriving.length === 0) return { splices: [], isInOldOrder: false };
  const place = placeOf(own, [listOf(kind)?.section ?? kind.section], "add");
  if (!place.ok || !isSeq<Node>(place.node)) return null;
  const list = place.node;
  const coming = isInPlace(list.items.length, arriving) ? [] : arriving;
  const edited = (all: readonly Insertion[]) => editList(own.page, list, place.after, removed, all);
  const all = edited(coming);
  if (all !== null) return { splices: all, isInOldOrder: false };
  // What cannot be moved is no reason to leave what comes and goes.
  const rest = edited(coming.filter(({ content: what }) => "value" in what));
  return rest === null ? null : { splices: rest, isInOldOrder: true };
}

/** Whether all that comes stands there already: what is only written in another way is not moved. */
function isInPlace(count: number, coming: readonly Insertion[]): boolean {
  const moved = coming.flatMap(({ content: what, before }) =>
    "item" in what ? [{ item: what.item, before }] : [],
  );
  const inFrontOf = (place: number | null) =>
    moved.flatMap(({ item, before }) => (before === place ? [item] : []));
  const staying = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !moved.some(({ item }) => item === index),
  );
  const order = [...staying.flatMap((index) => [...inFrontOf(index), index]), ...inFrontOf(null)];
  return moved.length === coming.length && order.every((item, index) => item === index);
}

/** What is told of a change of the list, once it is known whether that could be edited. */
export function toldOfList(told: Told, kind: Kind, edited: EditedList | null): Told {
  const isOfOrder = told.field !== null && told.field === listOf(kind)?.inOrder?.field;
  const isLeft = edited === null ? told.field === null || isOfOrder : edited.isInOldOrder && isOfOrder;
  return isLeft ? { ...told, why: told.why ?? NO_LIST } : told;
}

const NO_LIST =
  "Its list cannot be edited: it stands elsewhere, is shared, or is laid out so that more would change. Edit it by hand.";
