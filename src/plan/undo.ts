import type { Matched } from "../match/index.js";
import { withoutSensitive } from "../match/seal.js";
import { hasErrors } from "../model/problem.js";
import { undoCreated } from "./undo/created.js";
import { undoDeleted } from "./undo/deleted.js";
import { goneSince, unlistedMade } from "./undo/messages.js";
import { pairPast } from "./undo/pairs.js";
import type { Past } from "./undo/past.js";
import { NOTHING, type Undoing, type Undone } from "./undo/undoing.js";
import { undoUpdated } from "./undo/updated.js";

/**
 * What an apply has done to the objects of one kind in a zone → the way back. It is the three-way of the plan, with what
 * the apply made of the objects as the base and what they were before as what is wanted: what is no longer as the apply
 * has made it is somebody else's, stays, and is named.
 */
export function undo(undoing: Undoing, past: readonly Past[]): Matched {
  const { kind, zone, live } = undoing;
  const own = past.filter(({ change }) => change.kind === kind.name);
  if (live.unlisted === true) {
    const made = own.filter(({ change }) => change.action === "create");
    return { ...together([]), problems: made.map((each) => unlistedMade(each, zone)) };
  }
  const { updated, created, deleted } = pairPast(undoing, own);
  const gone = created.map(({ past: each, items }) => ({
    each,
    items,
    undone: undoCreated(undoing, each, items),
  }));
  const staying = gone.filter(({ items, undone }) => items.length > 0 && undone.triples.length === 0);
  const back = deleted.flatMap(({ past: each, items: [again = null] }) =>
    staying.some((other) => areTwins(each, other.each))
      ? []
      : [{ each, undone: undoDeleted(undoing, each, again) }],
  );
  // What took the place of an object that cannot come back is better than nothing.
  const lost = back.filter(({ undone }) => hasErrors(undone.problems));
  const going = gone.filter(({ each }) => !lost.some((other) => areTwins(each, other.each)));
  const swaps = back.flatMap(({ each, undone }) => {
    const [other, ...more] = going.filter((one) => areTwins(each, one.each));
    const swap = other === undefined || more.length > 0 ? null : inPlaceOf(undone, other.undone);
    return swap === null ? [] : [{ of: [undone, other?.undone], undone: swap }];
  });
  const swapped = new Set(swaps.flatMap((each) => each.of));
  const undone = [
    ...updated.map(({ past: each, items: [item] }) =>
      item === undefined
        ? { ...NOTHING, problems: [goneSince(each, zone)] }
        : undoUpdated(undoing, each, item),
    ),
    ...swaps.map((each) => each.undone),
    ...[...back, ...going].map((each) => each.undone).filter((each) => !swapped.has(each)),
  ];
  const touched = new Set(undone.flatMap(({ triples }) => triples.map((each) => each.live?.raw)));
  const rest = live.items.filter(({ raw }) => !touched.has(raw));
  return { ...together(undone), unmanaged: rest.map((item) => withoutSensitive(kind, item)) };
}

/** Whether one of them took the other's place. */
function areTwins(one: Past, other: Past): boolean {
  return one.of === other.of || one.change.key === other.change.key;
}

/** What comes again and the one that goes for it are one: that is there before this is deleted. Null: they are not. */
function inPlaceOf(back: Undone, going: Undone): Undone | null {
  const [comes] = back.triples;
  const [goes] = going.triples;
  if (comes === undefined || goes === undefined) return null;
  return {
    triples: [{ ...comes, live: goes.live, replaces: "whole" }],
    problems: [...back.problems, ...going.problems],
    secrets: back.secrets,
  };
}

function together(all: readonly Undone[]): Matched {
  return {
    triples: all.flatMap(({ triples }) => triples),
    unmanaged: [],
    undeclared: [],
    problems: all.flatMap(({ problems }) => problems),
    secrets: new Map(all.flatMap(({ secrets }) => [...secrets])),
  };
}
