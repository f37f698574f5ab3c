import { isSame, namesWith } from "../../kinds/fields.js";
import { areWithinOne, nameIn } from "../../kinds/keys.js";
import { aboutOf, impliedIn, type Live, placeFor } from "../../kinds/kind.js";
import type { Matched } from "../../match/match.js";
import { withoutSensitive } from "../../match/seal.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import type { Json } from "../../model/json.js";
import { hasErrors } from "../../model/problem.js";
import type { SealedObject } from "../../model/sealed.js";
import {
  type DriftedField,
  differing,
  goneSince,
  madeAndChanged,
  manyMade,
  notBrought,
  secretAssumed,
  secretUnknown,
  thereAgain,
  unlistedMade,
} from "./messages.js";
import { calledThen, NOTHING, type Past, type Undoing, type Undone, whole } from "./past.js";
import {
  type Given,
  givenFor,
  journaledFor,
  mayBeOfOther,
  normalWithoutSecrets,
  rawWithoutSecrets,
  secretFieldsIn,
} from "./secrets.js";
import { undoUpdated } from "./updated.js";

/**
 * Matches what an apply did to one kind's objects in a zone with what is live, for the plan of the way back. As in any
 * plan three states are compared: the base is what the apply made of the objects, the desired state is what they were
 * before it. What is live in another state than the apply left it in was changed by somebody else: it is left as it is,
 * and named.
 */
export function undo(given: Undoing, past: readonly Past[]): Matched {
  const own = past.filter(({ change }) => change.kind === given.kind.name);
  const undoing = { ...given, live: calledAsThen(given, own) };
  const { kind, zone, live } = undoing;
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
  const inPlaceOfIt = ({ of }: Past) => gone.find(({ each }) => each.of === of)?.items ?? [];
  const back = deleted.flatMap(({ past: each, items: [again = null] }) =>
    staying.some((other) => areTwins(each, other.each))
      ? []
      : [{ each, undone: undoDeleted(undoing, each, again, inPlaceOfIt(each)) }],
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
  return { ...together(undone), unmanagedItems: rest.map((item) => withoutSensitive(kind, item)) };
}

/** Of a kind with one object of each, the live ones have the names that the apply knew them by. */
function calledAsThen(undoing: Undoing, past: readonly Past[]): Live {
  const { kind, live } = undoing;
  if (aboutOf(kind) === null) return live;
  const tests = past.map((each) => ({ key: each.change.key, isIt: nameTest(undoing, each) }));
  const items = live.items.map((item) => {
    const key = tests.find(({ isIt }) => isIt(item))?.key;
    return key === undefined ? item : { ...item, ref: { ...item.ref, key } };
  });
  return { ...live, items };
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
    unmanagedItems: [],
    unmanaged: [],
    problems: all.flatMap(({ problems }) => problems),
    secrets: new Map(all.flatMap(({ secrets }) => [...secrets])),
    // What the environment does not give does not come back, and the plan says so.
    unset: [],
  };
}

/** What an apply did to objects, each with the live ones that they may be now. */
interface Pairs {
  readonly updated: readonly Paired[];
  readonly created: readonly Paired[];
  readonly deleted: readonly Paired[];
}

interface Paired {
  readonly past: Past;
  readonly items: readonly Item[];
}

/**
 * By the id where it is known; else by the name, and no live object is two. Where an object was deleted and another
 * one of its name created, what is like the deleted one is that one again.
 */
function pairPast(undoing: Undoing, past: readonly Past[]): Pairs {
  const free = new Set(undoing.live.items);
  const take = (each: Past, isIt: (item: Item) => boolean, atMost: number): Paired => {
    const items = [...free].filter(isIt).slice(0, atMost);
    for (const item of items) free.delete(item);
    return { past: each, items };
  };
  const done = (action: Past["change"]["action"]) => past.filter(({ change }) => change.action === action);
  const named = (each: Past) => {
    const { others } = each;
    const isNamed = nameTest(undoing, each);
    return (item: Item) => isNamed(item) && !others.has(item.ref.id ?? "");
  };
  const updated = done("update").map((each) => take(each, changedTest(undoing, each), 1));
  const known = done("create").filter(({ madeId }) => madeId !== null);
  const createdKnown = known.map((each) => take(each, ({ ref }) => ref.id === each.madeId, 1));
  const back = done("delete").map((each) => {
    const isFormer = (item: Item) =>
      item.ref.id === each.change.id || differsFromBefore(undoing, each, item).length === 0;
    return take(each, (item) => named(each)(item) && isFormer(item), 1);
  });
  const unknown = done("create").filter(({ madeId }) => madeId === null);
  const createdUnknown = unknown.map((each) => take(each, named(each), free.size));
  return {
    updated,
    created: [...createdKnown, ...createdUnknown],
    deleted: back.map((each) =>
      each.items.length > 0 || isNameless(undoing, each.past) ? each : take(each.past, named(each.past), 1),
    ),
  };
}

/** Where there is one, or one of each, what is about the same is that one, whatever it is called. */
function nameTest(undoing: Undoing, past: Past): (item: Item) => boolean {
  const about = aboutOf(undoing.kind);
  const { shape } = undoing.kind;
  if (shape.as === "list") {
    const called = calledThen(undoing, past);
    return ({ normal }) => {
      const now = nameIn(shape, normal);
      return now.name === called.name && areWithinOne(now, called);
    };
  }
  if (about === null) return () => true;
  const told = [past.before, ...past.afters].flatMap((raw) => (raw === null ? [] : [about.aboutLive(raw)]));
  return ({ raw }) => raw !== null && told.includes(about.aboutLive(raw));
}

/** Of such, what is there is another one, unless all of it is the same. */
function isNameless(undoing: Undoing, past: Past): boolean {
  return undoing.kind.shape.as === "list" && calledThen(undoing, past).name === null;
}

/** The only object of a kind is the one, whatever its id is now. */
function changedTest(undoing: Undoing, past: Past): (item: Item) => boolean {
  const { kind, live } = undoing;
  const isNamed = nameTest(undoing, past);
  const isOnly = kind.shape.as === "one" && live.items.filter(isNamed).length === 1;
  return (item) => (isOnly ? isNamed(item) : item.ref.id === past.change.id);
}

/** What was created is deleted, if nobody has changed it since. */
function undoCreated(undoing: Undoing, past: Past, found: readonly Item[]): Undone {
  const { zone, kind } = undoing;
  const looks = found.map((item) => ({ item, ...look(undoing, past, item) }));
  const own = looks.filter(({ changed }) => changed.length === 0);
  const [first] = own.length === 1 ? own : looks;
  if (first === undefined) return NOTHING;
  if (own.length !== 1 && looks.length > 1) return { ...NOTHING, problems: [manyMade(past, zone, found)] };
  if (first.changed.length > 0) return { ...NOTHING, problems: [madeAndChanged(past, zone, first.changed)] };
  const at = placeFor(kind, past.change.key);
  return {
    ...NOTHING,
    triples: [{ ...WITHOUT_BASE, want: null, live: { ...first.item, normal: first.normal, at } }],
  };
}

interface Look {
  readonly normal: SealedObject;
  /** The fields in which it is not as it was made. */
  readonly changed: readonly DriftedField[];
}

function look(undoing: Undoing, past: Past, { raw }: Item): Look {
  const { kind } = undoing;
  const secretFields = secretFieldsIn(undoing, past, raw);
  const normal = normalWithoutSecrets(undoing, secretFields, raw ?? {});
  const implied = impliedIn(kind);
  const differences = past.afters.map((after) => {
    const made = { ...implied, ...normalWithoutSecrets(undoing, secretFields, after) };
    const names = new Set([...Object.keys(normal), ...Object.keys(made)]);
    const changed = [...names].filter(
      (field) =>
        !secretFields.has(field) && !isSame(normal[field] ?? null, made[field] ?? null, kind.fields[field]),
    );
    return differing(changed, made, normal);
  });
  const [fewest = []] = differences.toSorted((a, b) => a.length - b.length);
  return { normal, changed: fewest };
}

/**
 * What was deleted is created again, unless it is there.
 *
 * @param inPlace what is there in its place, if it was replaced
 */
function undoDeleted(undoing: Undoing, past: Past, again: Item | null, inPlace: readonly Item[]): Undone {
  const { kind, zone } = undoing;
  const { before, change, behind } = past;
  if (before === null || (again !== null && again.ref.id === change.id)) return NOTHING;
  if (again !== null) return foundAgain(undoing, past, again);
  const unsaid = namesWith(kind.fields, "alwaysSent").filter((name) => (before[name] ?? null) === null);
  if (unsaid.length > 0)
    return { ...NOTHING, problems: [notBrought(past, zone, unsaid, "It is not created again.")] };
  const secretFields = secretFieldsIn(undoing, past, null);
  const given = [
    ...journaledFor(undoing, past, secretFields),
    ...givenFor(undoing, past, secretFields),
  ].filter(({ name }, index, all) => all.findIndex((each) => each.name === name) === index);
  const doubtful = given.filter((each) => mayBeOfOther(past, each));
  // What the one in its place does not have now may be what was there before.
  const isOther = ({ field, plain }: Given) =>
    inPlace.length > 0 &&
    inPlace.every(({ normal }) => !isSame(normal[field] ?? null, plain, kind.fields[field]));
  const sure = given.filter((each) => !doubtful.includes(each) || isOther(each));
  const missing = [...secretFields.values()].filter(
    (name) => (before[name] ?? "") !== "" && !sure.some((each) => each.name === name),
  );
  if (missing.length > 0)
    return { ...NOTHING, problems: [secretUnknown(past, zone, missing, "It is not created again.")] };
  const assumed = doubtful.map(({ name }) => name);
  const named = Object.fromEntries(given.map(({ name, value }) => [name, value as Json])); // a reference is JSON
  const sealed = Object.fromEntries(given.map(({ field, value }) => [field, value]));
  const raw = { ...rawWithoutSecrets(secretFields, before), ...named };
  const normal = { ...normalWithoutSecrets(undoing, secretFields, before), ...sealed };
  const made = whole(kind, raw, normal, { key: change.key, id: null });
  const want = { ...made, ref: { ...made.ref, key: change.key }, ...(behind === null ? {} : { behind }) };
  return {
    triples: [{ ...WITHOUT_BASE, want, live: null }],
    problems: assumed.length === 0 ? [] : [secretAssumed(past, zone, assumed)],
    secrets: new Map(
      given.flatMap(({ reference, plain }) => (reference === null ? [] : [[reference, plain]])),
    ),
  };
}

function foundAgain(undoing: Undoing, past: Past, again: Item): Undone {
  const other = differsFromBefore(undoing, past, again);
  return other.length === 0 ? NOTHING : { ...NOTHING, problems: [thereAgain(past, undoing.zone, other)] };
}

/** The fields in which a live object is not what the deleted one was. */
function differsFromBefore(undoing: Undoing, past: Past, item: Item): readonly DriftedField[] {
  const secretFields = secretFieldsIn(undoing, past, item.raw);
  const old = normalWithoutSecrets(undoing, secretFields, past.before ?? {});
  const now = normalWithoutSecrets(undoing, secretFields, item.raw ?? {});
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const { fields } = undoing.kind;
  const other = names.filter((field) => !isSame(now[field] ?? null, old[field] ?? null, fields[field]));
  return differing(other, old, now);
}
