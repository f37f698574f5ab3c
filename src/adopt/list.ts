import { isSeq, type Node } from "yaml";
import { pathIn } from "../config/layers.js";
import { editList, type Insertion } from "../config/write-yaml/collections.js";
import type { Splice } from "../config/write-yaml/layout.js";
import { type Kind, listOf, POSITION } from "../kinds/kind.js";
import type { Declared } from "../model/declared-zone.js";
import type { Path } from "../model/item.js";
import type { UnitOutcome } from "./drifted.js";
import { editPlaceOf, LAYOUT, type ZoneFile } from "./edit-value.js";
import type { Position } from "./position.js";

/** An insertion with the object's index in the live order. */
export interface PlacedInsertion extends Insertion {
  readonly place: number;
}

type Refused = { readonly ok: false; readonly why: string };

/**
 * The item of the zone's list in front of which to insert an object. Null: at the end. Entries of templates always come
 * before those of the zone.
 */
export function nextIn(
  zoneFile: ZoneFile,
  position: Position | null,
): { readonly ok: true; readonly before: number | null; readonly place: number } | Refused {
  if (position === null) return { ok: true, before: null, place: 0 };
  if ("unsayable" in position) return { ok: false, why: position.unsayable };
  const { before, place } = position;
  if (before === null) return { ok: true, before, place };
  if (isElsewhere(zoneFile, before))
    return {
      ok: false,
      why: "It belongs before an entry of a template or the defaults, which come first. Declare it there.",
    };
  const item = editPlaceOf(zoneFile, before, "add");
  return item.ok ? { ok: true, before: item.index, place } : item;
}

/** Moves an entry of the zone's list to its object's live position. */
export function movedIn(
  zoneFile: ZoneFile,
  { path }: Declared,
  position: Position | null,
): ({ readonly ok: true } & PlacedInsertion) | Refused {
  const next = nextIn(zoneFile, position);
  if (!next.ok) return { ok: false, why: `${next.why} An apply does that too.` };
  const item = editPlaceOf(zoneFile, path, "add");
  if (!item.ok) return item;
  if (isElsewhere(zoneFile, path))
    return { ok: false, why: "A template or the defaults declare it too, in their order." };
  return isSeq(item.parent) ? { ...next, content: { item: item.index } } : { ok: false, why: LAYOUT };
}

function isElsewhere({ zone, layer }: ZoneFile, path: Path): boolean {
  return zone.layers.some((each) => each !== layer && pathIn(each, zone.merged, path) !== null);
}

/** Edits of the zone's list: indices to remove, and insertions. */
export interface ListEdits {
  readonly removed: readonly number[];
  readonly insertions: readonly PlacedInsertion[];
}

export interface EditedList {
  readonly splices: readonly Splice[];
  /** Whether moved entries have stayed at their old place. */
  readonly isInOldOrder: boolean;
}

/** Combines the edits of a zone's list. Null: the list cannot be edited. */
export function editSection(zoneFile: ZoneFile, kind: Kind, edits: readonly ListEdits[]): EditedList | null {
  const removed = edits.flatMap((each) => each.removed);
  const arriving = edits.flatMap((each) => each.insertions).sort((a, b) => a.place - b.place);
  if (removed.length + arriving.length === 0) return { splices: [], isInOldOrder: false };
  const place = editPlaceOf(zoneFile, [listOf(kind)?.section ?? kind.section], "add");
  if (!place.ok || !isSeq<Node>(place.node)) return null;
  const list = place.node;
  const moves = isInPlace(list.items.length, arriving) ? [] : arriving;
  const edited = (items: readonly Insertion[]) => editList(zoneFile.page, list, place.after, removed, items);
  const allEdits = edited(moves);
  if (allEdits !== null) return { splices: allEdits, isInOldOrder: false };
  // If entries cannot be moved, insert and remove the others anyway.
  const rest = edited(moves.filter(({ content }) => "value" in content));
  return rest === null ? null : { splices: rest, isInOldOrder: true };
}

/** Whether all insertions are items that already stand at their new place. */
function isInPlace(count: number, insertions: readonly Insertion[]): boolean {
  const moved = insertions.flatMap(({ content, before }) =>
    "item" in content ? [{ item: content.item, before }] : [],
  );
  const inFrontOf = (place: number | null) =>
    moved.flatMap(({ item, before }) => (before === place ? [item] : []));
  const staying = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !moved.some(({ item }) => item === index),
  );
  const order = [...staying.flatMap((index) => [...inFrontOf(index), index]), ...inFrontOf(null)];
  return moved.length === insertions.length && order.every((item, index) => item === index);
}

/** The outcome for a unit, after editing its list. */
export function listOutcome(outcome: UnitOutcome, edited: EditedList | null): UnitOutcome {
  const isOfOrder = outcome.field === POSITION;
  const isLeft = edited === null ? outcome.field === null || isOfOrder : edited.isInOldOrder && isOfOrder;
  return isLeft ? { ...outcome, why: outcome.why ?? NO_LIST } : outcome;
}

const NO_LIST = "Edit it by hand: its list is elsewhere, shared, or does not allow a small edit.";
