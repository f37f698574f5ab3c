import { diffFields, namesWith } from "../../kinds/fields.js";
import { mayShareScope } from "../../kinds/keys.js";
import { impliedIn, type Key, nameField } from "../../kinds/kind.js";
import type { Matched } from "../../match/match.js";
import { withoutSensitive } from "../../match/seal.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import type { JsonObject } from "../../model/json.js";
import type { Action, FieldChange } from "../../model/plan.js";
import { hasErrors } from "../../model/problem.js";
import { NOTHING, type Past, pastOf, type Undoing, type Undone } from "./past.js";
import { secretsBack, withSecrets } from "./secrets.js";
import type { AppliedChange } from "./states-before.js";
import { undoUpdated } from "./updated.js";

/**
 * Matches the objects of one kind that an apply changed with the live ones. As in any plan three states are compared: the
 * base is the state after the apply, and the desired state that before the apply, both from the journal. Later changes by
 * others stay, and a message names them.
 */
export function undo(undoing: Undoing, applied: readonly AppliedChange[]): Matched {
  const { kind, live } = undoing;
  const changesOfKind = applied.filter(({ change }) => change.kind === kind.name);
  const all = changesOfKind.map((each) => pastOf(undoing, each));
  const results = live.unlisted === true ? undoUnlisted(all) : undoAll(all, undoing);
  const triples = results.flatMap((each) => each.triples);
  const touched = new Set(triples.map((each) => each.live?.raw));
  return {
    triples,
    kept: live.items.filter(({ raw }) => !touched.has(raw)).map((item) => withoutSensitive(kind, item)),
    unmanaged: [],
    problems: results.flatMap(({ problems }) => problems),
    secrets: new Map(results.flatMap(({ secrets }) => [...secrets])),
    // A secret that the environment does not give does not come back, and the plan says so.
    unset: [],
  };
}

function undoUnlisted(all: readonly Past[]): readonly Undone[] {
  const made = all.filter(({ change }) => change.action === "create");
  return made.map(({ messages }) => ({ ...NOTHING, problems: [messages.unlistedMade()] }));
}

function undoAll(all: readonly Past[], undoing: Undoing): readonly Undone[] {
  const withAction = (action: Action) => all.filter(({ change }) => change.action === action);
  const liveItems = liveItemsOf(all, undoing);
  const liveOf = (past: Past) => liveItems.get(past) ?? [];
  const updated = withAction("update").map((past): Undone => {
    const [item] = liveOf(past);
    return item === undefined
      ? { ...NOTHING, problems: [past.messages.goneSince()] }
      : undoUpdated(past, item);
  });
  const going = new Map(withAction("create").map((past) => [past, undoCreated(past, liveOf(past))]));
  const twinsOf = (past: Past) => [...going.keys()].filter((other) => areTwins(past, other));
  const isStaying = (past: Past) => liveOf(past).length > 0 && going.get(past)?.triples.length === 0;
  const deleted = withAction("delete").filter((past) => !twinsOf(past).some(isStaying));
  const back = new Map(
    deleted.map((past) => {
      const inPlace = twinsOf(past).filter(({ changeIndex }) => changeIndex === past.changeIndex);
      return [past, undoDeleted(past, liveOf(past)[0] ?? null, inPlace.flatMap(liveOf))];
    }),
  );
  // Where an object cannot come back, the object in its place is better than nothing.
  for (const [past, { problems }] of back)
    if (hasErrors(problems)) for (const twin of twinsOf(past)) going.delete(twin);
  for (const [past, undone] of back) {
    const [twin, ...more] = twinsOf(past);
    const swap = twin === undefined || more.length > 0 ? null : inPlaceOf(undone, going.get(twin));
    if (twin === undefined || swap === null) continue;
    back.set(past, swap);
    going.delete(twin);
  }
  return [...updated, ...back.values(), ...going.values()];
}

/** Whether one object took the other's place. */
function areTwins(first: Past, other: Past): boolean {
  return first.changeIndex === other.changeIndex || first.change.key === other.change.key;
}

/** Replaces the created object by the deleted one, so that the deleted one is back before the created one goes. */
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
 * Finds the live objects of each change: by id where it is known, else by name. No live object is found twice. Where the apply
 * deleted an object and created another one of its name, a live object equal to the deleted one counts as the deleted one.
 */
function liveItemsOf(all: readonly Past[], { kind, live }: Undoing): ReadonlyMap<Past, readonly Item[]> {
  const free = new Set(live.items);
  const foundItems = new Map<Past, readonly Item[]>();
  const keys = new Map(all.map((past) => [past, formerKey(past)]));
  const isNamed = (past: Past, item: Item) => {
    const [former, key] = [keys.get(past), kind.keys.live(item)];
    return former !== undefined && key.name === former.name && mayShareScope(key, former);
  };
  const isNamesake = (past: Past, item: Item) => isNamed(past, item) && !past.otherIds.has(item.ref.id ?? "");
  const isFormer = (past: Past, item: Item) =>
    item.ref.id === past.change.id || sinceDeleted(past, item).length === 0;
  // A live object without a name has the key that it had in the apply.
  const named =
    ({ change }: Past) =>
    (item: Item) =>
      nameField(kind) === null ? { ...item, ref: { ...item.ref, key: change.key } } : item;
  // A lone object of a kind with one object is the changed one, whatever its id is now.
  const isOnly = (past: Past) =>
    nameField(kind) === null && live.items.filter((item) => isNamed(past, item)).length === 1;
  const take = (action: Action, isMatch: (past: Past, item: Item) => boolean, atMost = 1) => {
    for (const past of all.filter((each) => each.change.action === action && !foundItems.has(each))) {
      const items = [...free].filter((item) => isMatch(past, item)).slice(0, atMost);
      for (const item of items) free.delete(item);
      if (items.length > 0) foundItems.set(past, items.map(named(past)));
    }
  };
  take("update", (past, item) => (isOnly(past) ? isNamed(past, item) : item.ref.id === past.change.id));
  take("create", ({ madeId }, { ref }) => madeId !== null && ref.id === madeId);
  take("delete", (past, item) => isNamesake(past, item) && isFormer(past, item));
  take("create", (past, item) => past.madeId === null && isNamesake(past, item), free.size);
  // A live object without a name is the deleted one only where the pass above found it the same.
  take("delete", (past, item) => keys.get(past)?.name !== null && isNamesake(past, item));
  return foundItems;
}

/** The object's key before the apply, or as the apply created it. */
function formerKey({ kind, before, afters, change, normalOf }: Past): Key {
  const raw = before ?? afters[0] ?? {};
  const normal = normalOf(raw);
  return normal === null ? { name: change.key, within: null } : kind.keys.live({ normal, raw });
}

/** Deletes a created object, unless somebody has changed it since. */
function undoCreated(past: Past, items: readonly Item[]): Undone {
  const { kind, messages, itemOf } = past;
  const candidates = items.map((item) => ({ item, changed: sinceMade(past, item) }));
  const unchanged = candidates.filter(({ changed }) => changed.length === 0);
  const [first] = unchanged.length === 1 ? unchanged : candidates;
  if (first === undefined) return NOTHING;
  const { item, changed } = first;
  if (unchanged.length !== 1 && candidates.length > 1)
    return { ...NOTHING, problems: [messages.manyMade(items)] };
  if (changed.length > 0) return { ...NOTHING, problems: [messages.madeAndChanged(changed)] };
  const live = { ...item, normal: itemOf(item.raw ?? {}).normal, at: [kind.section] };
  return { ...NOTHING, triples: [{ ...WITHOUT_BASE, want: null, live }] };
}

/** The fields in which a live object differs from the state after the apply; of several such states, the closest. */
function sinceMade(past: Past, item: Item): readonly FieldChange[] {
  // The service shows some fields that were never set, and leaves out others.
  const implied = impliedIn(past.kind);
  const differences = past.afters.map((after) => fieldsBetween(past, after, item, implied));
  return differences.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** The fields in which a live object differs from the deleted one. */
function sinceDeleted(past: Past, item: Item): readonly FieldChange[] {
  return fieldsBetween(past, past.before ?? {}, item);
}

function fieldsBetween({ kind, itemOf }: Past, journaled: JsonObject, { raw }: Item, unset: JsonObject = {}) {
  return diffFields(itemOf(journaled, unset).normal, itemOf(raw ?? {}, unset).normal, kind.fields);
}

/**
 * Creates a deleted object again, unless it exists.
 *
 * @param inPlace the live objects that replaced it
 */
function undoDeleted(past: Past, recreated: Item | null, inPlace: readonly Item[]): Undone {
  const { kind, before, change, messages, normalOf, itemOf } = past;
  if (before === null || (recreated !== null && recreated.ref.id === change.id)) return NOTHING;
  if (normalOf(before) === null) return { ...NOTHING, problems: [messages.notOfKind()] };
  if (recreated !== null) {
    const differences = sinceDeleted(past, recreated);
    return differences.length === 0 ? NOTHING : { ...NOTHING, problems: [messages.thereAgain(differences)] };
  }
  const lackingFields = namesWith(kind.fields, "alwaysSent").filter(
    (name) => (before[name] ?? null) === null,
  );
  if (lackingFields.length > 0)
    return { ...NOTHING, problems: [messages.notBrought(lackingFields, "It is not created again.")] };
  const { given, problems, secrets } = secretsBack(past, inPlace);
  if (hasErrors(problems)) return { ...NOTHING, problems };
  const triple = { ...WITHOUT_BASE, want: withSecrets(itemOf(before), given), live: null };
  return { triples: [triple], problems, secrets };
}
