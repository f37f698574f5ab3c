import { diffFields, namesWith } from "../../kinds/fields.js";
import { type Called, mayShareScope, nameIn } from "../../kinds/keys.js";
import { aboutOf, impliedIn, placeFor } from "../../kinds/kind.js";
import type { Matched } from "../../match/match.js";
import { withoutSensitive } from "../../match/seal.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import type { Action, FieldChange } from "../../model/plan.js";
import { hasErrors } from "../../model/problem.js";
import { messagesFor } from "./messages.js";
import type { Past } from "./past.js";
import { secretsBack, secretsOf, withGiven } from "./secrets.js";
import { undoUpdated } from "./updated.js";
import { NOTHING, type Undoing, type Undone, viewOf } from "./view.js";

/**
 * Matches the objects of one kind that an apply changed with the live ones. As in any plan three states are compared: the
 * journal gives the base, as the apply left the objects, and the desired state, as they were before the apply. What
 * somebody else has changed since stays, and a message names it.
 */
export function undo(undoing: Undoing, past: readonly Past[]): Matched {
  const { kind, live } = undoing;
  const own = past.filter(({ change }) => change.kind === kind.name);
  const all = live.unlisted === true ? undoUnlisted(undoing, own) : undoAll(undoing, own);
  const triples = all.flatMap((each) => each.triples);
  const touched = new Set(triples.map((each) => each.live?.raw));
  return {
    triples,
    unmanagedItems: live.items
      .filter(({ raw }) => !touched.has(raw))
      .map((item) => withoutSensitive(kind, item)),
    unmanaged: [],
    problems: all.flatMap(({ problems }) => problems),
    secrets: new Map(all.flatMap(({ secrets }) => [...secrets])),
    // A secret that the environment does not give does not come back, and the plan says so.
    unset: [],
  };
}

function undoUnlisted({ zone }: Undoing, past: readonly Past[]): readonly Undone[] {
  const made = past.filter(({ change }) => change.action === "create");
  return made.map((each) => ({ ...NOTHING, problems: [messagesFor(each, zone.name).unlistedMade()] }));
}

function undoAll(undoing: Undoing, past: readonly Past[]): readonly Undone[] {
  const done = (action: Action) => past.filter(({ change }) => change.action === action);
  const found = pairPast(undoing, past);
  const liveOf = (each: Past) => found.get(each) ?? [];
  const updated = done("update").map((each): Undone => {
    const [item] = liveOf(each);
    if (item !== undefined) return undoUpdated(undoing, each, item);
    return { ...NOTHING, problems: [messagesFor(each, undoing.zone.name).goneSince()] };
  });
  const going = new Map(done("create").map((each) => [each, undoCreated(undoing, each, liveOf(each))]));
  const twinsOf = (each: Past) => [...going.keys()].filter((other) => areTwins(each, other));
  const isStaying = (each: Past) => liveOf(each).length > 0 && going.get(each)?.triples.length === 0;
  const deleted = done("delete").filter((each) => !twinsOf(each).some(isStaying));
  const back = new Map(
    deleted.map((each) => {
      const inPlace = twinsOf(each).filter(({ of }) => of === each.of);
      return [each, undoDeleted(undoing, each, liveOf(each)[0] ?? null, inPlace.flatMap(liveOf))];
    }),
  );
  // Where an object cannot come back, the object in its place is better than nothing.
  for (const [each, { problems }] of back)
    if (hasErrors(problems)) for (const twin of twinsOf(each)) going.delete(twin);
  for (const [each, undone] of back) {
    const [twin, ...more] = twinsOf(each);
    const swap = twin === undefined || more.length > 0 ? null : inPlaceOf(undone, going.get(twin));
    if (twin === undefined || swap === null) continue;
    back.set(each, swap);
    going.delete(twin);
  }
  return [...updated, ...back.values(), ...going.values()];
}

/** Whether one of them took the other's place. */
function areTwins(one: Past, other: Past): boolean {
  return one.of === other.of || one.change.key === other.change.key;
}

/** A replacement of the object that goes by the one that comes again, which is there before the other is deleted. */
function inPlaceOf(back: Undone, going: Undone = NOTHING): Undone | null {
  const [[comes], [goes]] = [back.triples, going.triples];
  if (comes === undefined || goes === undefined) return null;
  return {
    triples: [{ ...comes, live: goes.live, replaces: "whole" }],
    problems: [...back.problems, ...going.problems],
    secrets: back.secrets,
  };
}

/**
 * Finds the live objects that each may be now: by the id where it is known, else by the name. No live object is found twice.
 * Where the apply deleted an object and created another one of its name, a live object like the deleted one is that one.
 */
function pairPast(undoing: Undoing, past: readonly Past[]): ReadonlyMap<Past, readonly Item[]> {
  const { kind, live } = undoing;
  const free = new Set(live.items);
  const found = new Map<Past, readonly Item[]>();
  const tests = new Map(past.map((each) => [each, nameTest(undoing, each)]));
  const isNamed = (each: Past, item: Item) => tests.get(each)?.(item) === true;
  const isNamesake = (each: Past, item: Item) => isNamed(each, item) && !each.others.has(item.ref.id ?? "");
  const isFormer = (each: Past, item: Item) =>
    item.ref.id === each.change.id || sinceDeleted(undoing, each, item).length === 0;
  // A lone object of a kind with one object is the changed one, whatever its id is now.
  const isOnly = (each: Past) =>
    kind.shape.as === "one" && live.items.filter((item) => isNamed(each, item)).length === 1;
  const take = (action: Action, isIt: (each: Past, item: Item) => boolean, atMost = 1) => {
    const open = past.filter((each) => each.change.action === action && !found.has(each));
    for (const each of open) {
      const items = [...free].filter((item) => isIt(each, item)).slice(0, atMost);
      for (const item of items) free.delete(item);
      if (items.length > 0) found.set(each, kind.shape.as === "one" ? items.map(calledAs(each)) : items);
    }
  };
  take("update", (each, item) => (isOnly(each) ? isNamed(each, item) : item.ref.id === each.change.id));
  take("create", ({ madeId }, { ref }) => madeId !== null && ref.id === madeId);
  take("delete", (each, item) => isNamesake(each, item) && isFormer(each, item));
  take("create", (each, item) => each.madeId === null && isNamesake(each, item), free.size);
  // A live object without a name is the deleted one only where the pass above found it the same.
  take("delete", (each, item) => !isNameless(undoing, each) && isNamesake(each, item));
  return found;
}

/** Where there is one object of each, the live one has the name that the apply knew it by. */
function calledAs({ change: { key } }: Past): (item: Item) => Item {
  return (item) => ({ ...item, ref: { ...item.ref, key } });
}

/** What the object was called before the apply, or as the apply made it. */
function calledThen({ kind, live, reading }: Undoing, { before, afters, change }: Past): Called {
  const normal = kind.normalOf(before ?? afters[0] ?? {}, live.context, reading);
  return normal === null ? { name: change.key, within: null } : nameIn(kind.shape, normal);
}

function isNameless(undoing: Undoing, past: Past): boolean {
  return undoing.kind.shape.as === "list" && calledThen(undoing, past).name === null;
}

/** Tells objects of a list apart by their names, and other objects by what they are about. */
function nameTest(undoing: Undoing, past: Past): (item: Item) => boolean {
  const { shape } = undoing.kind;
  const about = aboutOf(undoing.kind);
  if (shape.as === "list") {
    const called = calledThen(undoing, past);
    return ({ normal }) => {
      const now = nameIn(shape, normal);
      return now.name === called.name && mayShareScope(now, called);
    };
  }
  const meant = [past.before, ...past.afters].map((raw) => (raw === null ? null : about?.aboutLive(raw)));
  return ({ raw }) => about === null || (raw !== null && meant.includes(about.aboutLive(raw)));
}

/** Deletes a created object, unless somebody has changed it since. */
function undoCreated(undoing: Undoing, past: Past, found: readonly Item[]): Undone {
  const { kind, zone } = undoing;
  const messages = messagesFor(past, zone.name);
  const looks = found.map((item) => ({ item, changed: sinceMade(undoing, past, item) }));
  const own = looks.filter(({ changed }) => changed.length === 0);
  const [first] = own.length === 1 ? own : looks;
  if (first === undefined) return NOTHING;
  const { item, changed } = first;
  if (own.length !== 1 && looks.length > 1) return { ...NOTHING, problems: [messages.manyMade(found)] };
  if (changed.length > 0) return { ...NOTHING, problems: [messages.madeAndChanged(changed)] };
  const { normal } = viewOf(undoing, past, item).itemOf(item.raw ?? {});
  const live = { ...item, normal, at: placeFor(kind, past.change.key) };
  return { ...NOTHING, triples: [{ ...WITHOUT_BASE, want: null, live }] };
}

/** The fields in which a live object is not as it was made: of several states those of the closest one. */
function sinceMade(undoing: Undoing, past: Past, item: Item): readonly FieldChange[] {
  const { kind } = undoing;
  const { itemOf } = viewOf(undoing, past, item);
  const now = itemOf(item.raw ?? {});
  const differences = past.afters.map((after) =>
    diffFields(itemOf(after, impliedIn(kind)).normal, now.normal, kind.fields),
  );
  return differences.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** The fields in which a live object is not what the deleted one was. */
function sinceDeleted(undoing: Undoing, past: Past, item: Item): readonly FieldChange[] {
  const { itemOf } = viewOf(undoing, past, item);
  return diffFields(itemOf(past.before ?? {}).normal, itemOf(item.raw ?? {}).normal, undoing.kind.fields);
}

/**
 * Creates a deleted object again, unless it is there.
 *
 * @param inPlace the objects that are there in its place, if it was replaced
 */
function undoDeleted(undoing: Undoing, past: Past, again: Item | null, inPlace: readonly Item[]): Undone {
  const { kind, zone } = undoing;
  const { before, change, behind } = past;
  const messages = messagesFor(past, zone.name);
  if (before === null || (again !== null && again.ref.id === change.id)) return NOTHING;
  if (again !== null) {
    const other = sinceDeleted(undoing, past, again);
    return other.length === 0 ? NOTHING : { ...NOTHING, problems: [messages.thereAgain(other)] };
  }
  const unsaid = namesWith(kind.fields, "alwaysSent").filter((name) => (before[name] ?? null) === null);
  if (unsaid.length > 0)
    return { ...NOTHING, problems: [messages.notBrought(unsaid, "It is not created again.")] };
  const view = viewOf(undoing, past, null);
  const { given, problems } = secretsBack(undoing, past, view, inPlace);
  if (hasErrors(problems)) return { ...NOTHING, problems };
  const made = withGiven(view.itemOf(before), given);
  const want = { ...made, ref: { ...made.ref, key: change.key }, ...(behind === null ? {} : { behind }) };
  return { triples: [{ ...WITHOUT_BASE, want, live: null }], problems, secrets: secretsOf(given) };
}
