import { type At, listOf, type PendingChange } from "../kinds/kind.js";
import type { Service } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import { asText, type Json } from "../model/json.js";
import type { FindCreated } from "../model/plan.js";
import { absurd } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import { type KindChanges, type PendingStep, PLAIN } from "./call.js";
import { intermediateItems } from "./intermediate.js";

/** The calls that change objects of a collection, each by itself. */
export function collectionCalls(kindChanges: KindChanges, at: CollectionAt): readonly PendingStep[] {
  const collection = collectionOf(kindChanges, at);
  const calls: PendingStep[] = [];
  for (const change of kindChanges.changes)
    for (const [index, call] of callsFor(change, collection).entries())
      calls.push(index === 0 ? call : { ...call, needs: [calls.length - 1] });
  return calls;
}

/**
 * Calls that take the object of a change part of the way, for when no order of the calls is safe. Until its own call is
 * sent, the object protects both the old and the new requests. If the apply stops in between, the object shows as changed.
 */
export function intermediateCalls(
  kindChanges: KindChanges,
  change: number,
  service: Service,
): readonly PendingStep[] {
  const { kind, changes } = kindChanges;
  if (kind.at.as !== "collection") return [];
  const collection = collectionOf(kindChanges, kind.at);
  return changes
    .filter(({ at }) => at === change)
    .flatMap((pending) =>
      intermediateItems(kind, pending.triple, service).map((item) =>
        updating(pending, item, pending.triple.live ?? absurd(HAS_ID), collection),
      ),
    );
}

type CollectionAt = Extract<At, { as: "collection" }>;

interface Collection extends KindChanges {
  /** The segments of the collection's path. */
  readonly list: readonly string[];
  /** The ids of all live objects in it. */
  readonly known: readonly string[];
}

function collectionOf(kindChanges: KindChanges, { path }: CollectionAt): Collection {
  const known = kindChanges.live.items.flatMap(({ ref }) => ref.id ?? []);
  return { ...kindChanges, list: ["zones", kindChanges.zoneId, ...path], known };
}

/** One after the other. A new object is there before the one that it replaces goes, where there is room for both. */
function callsFor(change: PendingChange, collection: Collection): readonly PendingStep[] {
  const { want, live, replaces } = change.triple;
  if (want === null || replaces === "made") return [deleting(change, live ?? absurd(HAS_ID), collection)];
  if (live === null) return [creating(change, want, collection)];
  if (replaces === undefined) return [updating(change, want, live, collection)];
  const steps = [creating(change, want, collection), deleting(change, live, collection)];
  return collection.isFull ? steps.toReversed() : steps;
}

function creating({ at }: PendingChange, want: Item, { kind, live, list, known }: Collection): PendingStep {
  const body = kind.toWire(want, null, live);
  const where = whereCreated(listOf(kind) ?? absurd(IS_LIST), body, want);
  return {
    ...PLAIN,
    method: "POST",
    path: list,
    body,
    changes: [at],
    effects: [{ ref: want.ref, item: want }],
    findCreated: live.unlisted === true ? null : { list: `/${list.join("/")}`, where, known },
  };
}

/** The fields that identify a new object in the list: the name as sent, and its scope. */
function whereCreated(
  { named, within }: { readonly named: string; readonly within?: string },
  body: SealedObject,
  { normal }: Item,
): FindCreated["where"] {
  return {
    [named]: (body[named] ?? null) as Json, // no name is sealed
    ...(within === undefined ? {} : { [within]: asText(normal[within]) }),
  };
}

function updating(
  { at, fields }: PendingChange,
  want: Item,
  live: Item,
  { kind, live: zone, list }: Collection,
): PendingStep {
  const body = kind.toWire(want, { live, fields: fields.map(({ path }) => path) }, zone);
  const effects = [{ ref: want.ref, item: want }];
  return { ...PLAIN, method: "PUT", path: [...list, idOf(live)], body, changes: [at], effects };
}

function deleting({ at }: PendingChange, live: Item, { list }: Collection): PendingStep {
  const effects = [{ ref: live.ref, item: null }];
  return { ...PLAIN, method: "DELETE", path: [...list, idOf(live)], body: null, changes: [at], effects };
}

function idOf({ ref }: Item): string {
  return ref.id ?? absurd(HAS_ID);
}

const HAS_ID = "a live object of a collection has an id: read() checked it";
const IS_LIST = "the objects of a collection are told apart by a name";
