import { diffFields, namesWith } from "../../kinds/fields.js";
import { mayShareScope } from "../../kinds/keys.js";
import { declaredPath, impliedIn, type Key, nameField } from "../../kinds/kind.js";
import type { Matched } from "../../match/match.js";
import { withoutSensitive } from "../../match/seal.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import type { JsonObject } from "../../model/json.js";
import type { Action, FieldChange } from "../../model/plan.js";
import { hasErrors } from "../../model/problem.js";
import { messagesFor } from "./messages.js";
import { secretsBack, secretsOf, withSecrets } from "./secrets.js";
import type { AppliedChange } from "./states-before.js";
import { undoUpdated } from "./updated.js";
import { isOfKind, NOTHING, type Undoing, type Undone, viewOf } from "./view.js";

/**
 * Matches the objects of one kind that an apply changed with the live ones. As in any plan three states are compared: the
 * base is the state after the apply, and the desired state that before the apply, both from the journal. Later changes by
 * others stay, and a message names them.
 */
export function undo(undoing: Undoing, applied: readonly AppliedChange[]): Matched {
  const { kind, live } = undoing;
  const changesOfKind = applied.filter(({ change }) => change.kind === kind.name);
  const results =
    live.unlisted === true ? undoUnlisted(undoing, changesOfKind) : undoAll(undoing, changesOfKind);
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

function undoUnlisted({ zone }: Undoing, applied: readonly AppliedChange[]): readonly Undone[] {
  const made = applied.filter(({ change }) => change.action === "create");
  return made.map((each) => ({ ...NOTHING, problems: [messagesFor(each, zone.name).unlistedMade()] }));
}

function undoAll(undoing: Undoing, applied: readonly AppliedChange[]): readonly Undone[] {
  const withAction = (action: Action) => applied.filter(({ change }) => change.action === action);
  const liveItems = pairApplied(undoing, applied);
  const liveOf = (entry: AppliedChange) => liveItems.get(entry) ?? [];
  const updated = withAction("update").map((entry): Undone => {
    const [item] = liveOf(entry);
    if (item !== undefined) return undoUpdated(undoing, entry, item);
    return { ...NOTHING, problems: [messagesFor(entry, undoing.zone.name).goneSince()] };
  });
  const going = new Map(
    withAction("create").map((entry) => [entry, undoCreated(undoing, entry, liveOf(entry))]),
  );
  const twinsOf = (entry: AppliedChange) => [...going.keys()].filter((other) => areTwins(entry, other));
  const isStaying = (entry: AppliedChange) =>
    liveOf(entry).length > 0 && going.get(entry)?.triples.length === 0;
  const deleted = withAction("delete").filter((entry) => !twinsOf(entry).some(isStaying));
  const back = new Map(
    deleted.map((entry) => {
      const inPlace = twinsOf(entry).filter(({ changeIndex }) => changeIndex === entry.changeIndex);
      return [entry, undoDeleted(undoing, entry, liveOf(entry)[0] ?? null, inPlace.flatMap(liveOf))];
    }),
  );
  // Where an object cannot come back, the object in its place is better than nothing.
  for (const [entry, { problems }] of back)
    if (hasErrors(problems)) for (const twin of twinsOf(entry)) going.delete(twin);
  for (const [entry, undone] of back) {
    const [twin, ...more] = twinsOf(entry);
    const swap = twin === undefined || more.length > 0 ? null : inPlaceOf(undone, going.get(twin));
    if (twin === undefined || swap === null) continue;
    back.set(entry, swap);
    going.delete(twin);
  }
  return [...updated, ...back.values(), ...going.values()];
}

/** Whether one object took the other's place. */
function areTwins(first: AppliedChange, other: AppliedChange): boolean {
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
function pairApplied(
  undoing: Undoing,
  applied: readonly AppliedChange[],
): ReadonlyMap<AppliedChange, readonly Item[]> {
  const { kind, live } = undoing;
  const free = new Set(live.items);
  const foundItems = new Map<AppliedChange, readonly Item[]>();
  const tests = new Map(applied.map((each) => [each, nameTest(undoing, each)]));
  const isNamed = (entry: AppliedChange, item: Item) => tests.get(entry)?.(item) === true;
  const isNamesake = (entry: AppliedChange, item: Item) =>
    isNamed(entry, item) && !entry.otherIds.has(item.ref.id ?? "");
  const isFormer = (entry: AppliedChange, item: Item) =>
    item.ref.id === entry.change.id || sinceDeleted(undoing, entry, item).length === 0;
  // A lone object of a kind with one object is the changed one, whatever its id is now.
  const isOnly = (each: AppliedChange) =>
    nameField(kind) === null && live.items.filter((item) => isNamed(each, item)).length === 1;
  const take = (action: Action, isMatch: (each: AppliedChange, item: Item) => boolean, atMost = 1) => {
    const unfound = applied.filter((each) => each.change.action === action && !foundItems.has(each));
    for (const entry of unfound) {
      const items = [...free].filter((item) => isMatch(entry, item)).slice(0, atMost);
      for (const item of items) free.delete(item);
      if (items.length > 0)
        foundItems.set(entry, nameField(kind) === null ? items.map(underJournaledName(entry)) : items);
    }
  };
  take("update", (each, item) => (isOnly(each) ? isNamed(each, item) : item.ref.id === each.change.id));
  take("create", ({ madeId }, { ref }) => madeId !== null && ref.id === madeId);
  take("delete", (each, item) => isNamesake(each, item) && isFormer(each, item));
  take("create", (each, item) => each.madeId === null && isNamesake(each, item), free.size);
  // A live object without a name is the deleted one only where the pass above found it the same.
  take("delete", (each, item) => !isNameless(undoing, each) && isNamesake(each, item));
  return foundItems;
}

/** Gives a live object the key that it had in the apply. */
function underJournaledName({ change: { key } }: AppliedChange): (item: Item) => Item {
  return (item) => ({ ...item, ref: { ...item.ref, key } });
}

/** The object's key before the apply, or as the apply created it. */
function formerKey({ kind, live, reading }: Undoing, { before, afters, change }: AppliedChange): Key {
  const raw = before ?? afters[0] ?? {};
  const normal = kind.normalOf(raw, live.context, reading);
  return normal === null ? { name: change.key, within: null } : kind.keys.live({ normal, raw });
}

function isNameless(undoing: Undoing, applied: AppliedChange): boolean {
  return formerKey(undoing, applied).name === null;
}

function nameTest(undoing: Undoing, applied: AppliedChange): (item: Item) => boolean {
  const former = formerKey(undoing, applied);
  return (item) => {
    const key = undoing.kind.keys.live(item);
    return key.name === former.name && mayShareScope(key, former);
  };
}

/** Deletes a created object, unless somebody has changed it since. */
function undoCreated(undoing: Undoing, applied: AppliedChange, items: readonly Item[]): Undone {
  const { kind, zone } = undoing;
  const messages = messagesFor(applied, zone.name);
  const candidates = items.map((item) => ({ item, changed: sinceMade(undoing, applied, item) }));
  const unchanged = candidates.filter(({ changed }) => changed.length === 0);
  const [first] = unchanged.length === 1 ? unchanged : candidates;
  if (first === undefined) return NOTHING;
  const { item, changed } = first;
  if (unchanged.length !== 1 && candidates.length > 1)
    return { ...NOTHING, problems: [messages.manyMade(items)] };
  if (changed.length > 0) return { ...NOTHING, problems: [messages.madeAndChanged(changed)] };
  const { normal } = viewOf(undoing, applied, item).itemOf(item.raw ?? {});
  const live = { ...item, normal, at: declaredPath(kind, applied.change.key) };
  return { ...NOTHING, triples: [{ ...WITHOUT_BASE, want: null, live }] };
}

/** The fields in which a live object differs from the state after the apply; of several such states, the closest. */
function sinceMade(undoing: Undoing, applied: AppliedChange, item: Item): readonly FieldChange[] {
  const { kind } = undoing;
  const { itemOf } = viewOf(undoing, applied, item);
  // The service shows some fields that were never set, and leaves out others.
  const normalOf = (raw: JsonObject) => itemOf(raw, impliedIn(kind)).normal;
  const now = normalOf(item.raw ?? {});
  const differences = applied.afters.map((after) => diffFields(normalOf(after), now, kind.fields));
  return differences.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** The fields in which a live object differs from the deleted one. */
function sinceDeleted(undoing: Undoing, applied: AppliedChange, item: Item): readonly FieldChange[] {
  const { itemOf } = viewOf(undoing, applied, item);
  return diffFields(itemOf(applied.before ?? {}).normal, itemOf(item.raw ?? {}).normal, undoing.kind.fields);
}

/**
 * Creates a deleted object again, unless it exists.
 *
 * @param inPlace the live objects that replaced it
 */
function undoDeleted(
  undoing: Undoing,
  applied: AppliedChange,
  recreated: Item | null,
  inPlace: readonly Item[],
): Undone {
  const { kind, zone } = undoing;
  const { before, change, behind } = applied;
  const messages = messagesFor(applied, zone.name);
  if (before === null || (recreated !== null && recreated.ref.id === change.id)) return NOTHING;
  if (!isOfKind(undoing, before)) return { ...NOTHING, problems: [messages.notOfKind()] };
  if (recreated !== null) {
    const differences = sinceDeleted(undoing, applied, recreated);
    return differences.length === 0 ? NOTHING : { ...NOTHING, problems: [messages.thereAgain(differences)] };
  }
  const lackingFields = namesWith(kind.fields, "alwaysSent").filter(
    (name) => (before[name] ?? null) === null,
  );
  if (lackingFields.length > 0)
    return { ...NOTHING, problems: [messages.notBrought(lackingFields, "It is not created again.")] };
  const view = viewOf(undoing, applied, null);
  const { given, problems } = secretsBack(undoing, applied, view, inPlace);
  if (hasErrors(problems)) return { ...NOTHING, problems };
  const item = withSecrets(view.itemOf(before), given);
  const want = { ...item, ref: { ...item.ref, key: change.key }, ...(behind === null ? {} : { behind }) };
  return { triples: [{ ...WITHOUT_BASE, want, live: null }], problems, secrets: secretsOf(given) };
}
