import { canonicalName } from "../kinds/fields.js";
import { haveSameKey } from "../kinds/keys.js";
import { entryName, type Kind, listOf } from "../kinds/kind.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import type { Json } from "../model/json.js";
import { type Problem, warning } from "../model/problem.js";
import type { KindState } from "./base.js";
import { objectNoLongerManaged } from "./no-longer-warnings.js";
import { type Pair, type Paired, pair, pinOf } from "./pair.js";

/** The entries of the base by the entries of the files, and the entries that only the base has. */
export interface Counterparts {
  readonly priorEntries: ReadonlyMap<Declared, Declared>;
  /** Live objects that the base declares and the files do not. */
  readonly noLongerDeclared: readonly { readonly declared: Declared; readonly live: Item }[];
  /** Other entries of the base that the files no longer have. Nothing is sent for them. */
  readonly letGo: readonly Declared[];
  readonly problems: readonly Problem[];
}

/** @param pairs the entries of the files with their live objects */
export function counterparts(state: KindState, pairs: readonly Pair[], zone: WantedZone): Counterparts {
  const { kind, base, live } = state;
  const inBase = pair(kind, base.declared, live, base.zone);
  const priorEntries = priorEntriesIn(state, liveOf(pairs), liveOf(inBase.pairs));
  const matched = new Set(priorEntries.values());
  const removed = base.declared.filter((each) => !matched.has(each) && each.body.ensure !== "absent");
  return { priorEntries, ...fateOfRemoved(state, removed, pairs, inBase, zone) };
}

type LiveOf = ReadonlyMap<Declared, Item | null>;

function liveOf(pairs: readonly Pair[]): LiveOf {
  return new Map(pairs.map((each) => [each.declared, each.live]));
}

/**
 * Matches the entries of the files with those of the base: by pin, by name, by former name, or by the live object. So an
 * object that got another name or pin is still one object.
 */
function priorEntriesIn(
  { kind, base, declared, live }: KindState,
  liveNow: LiveOf,
  liveInBase: LiveOf,
): Counterparts["priorEntries"] {
  const keyOf = ({ body }: Declared) => kind.keys.declared(body, live.context);
  const { named = "" } = listOf(kind) ?? {};
  const ids = (now: Declared, before: Declared) => [pinOf(now), pinOf(before)] as const;
  const liveItems = (now: Declared, before: Declared) =>
    [liveNow.get(now) ?? null, liveInBase.get(before) ?? null] as const;
  const signs: readonly ((now: Declared, before: Declared) => boolean)[] = [
    (now, before) => areKnownEqual(...ids(now, before)),
    (now, before) => haveSameKey(keyOf(now), keyOf(before)),
    (now, before) =>
      now.body.renamed_from !== undefined && isSameName(now.body.renamed_from, before.body[named]),
    (now, before) => areKnownEqual(...liveItems(now, before)),
  ];
  const canBeSame = (now: Declared, before: Declared) =>
    !areKnownDifferent(...ids(now, before)) && !areKnownDifferent(...liveItems(now, before));
  const priorEntries = new Map<Declared, Declared>();
  const unmatched = new Set(base.declared);
  for (const isSame of signs) {
    for (const now of declared) {
      const before = priorEntries.has(now)
        ? undefined
        : [...unmatched].find((each) => isSame(now, each) && canBeSame(now, each));
      if (before === undefined) continue;
      priorEntries.set(now, before);
      unmatched.delete(before);
    }
  }
  return priorEntries;
}

/**
 * What becomes of entries that only the base has. The object of an entry removed from a list is deleted. The object of a
 * removed section stays.
 */
function fateOfRemoved(
  { kind, base, live }: KindState,
  removed: readonly Declared[],
  pairs: readonly Pair[],
  inBase: Paired,
  zone: WantedZone,
): Omit<Counterparts, "priorEntries"> {
  const isFromList = ({ path: [section = "", ...rest] }: Declared) =>
    rest.length > 0 && section in zone.sections;
  const fromLists = removed.filter(isFromList);
  const ofSections = removed.filter((each) => !isFromList(each));
  const liveInBase = liveOf(inBase.pairs);
  const meantItems = new Set(pairs.map((each) => each.live));
  const isKnown = (entry: Declared) =>
    pinOf(entry) !== null || kind.keys.declared(entry.body, live.context).name !== null;
  const isLive = (entry: Declared) => isKnown(entry) && liveInBase.get(entry) != null;
  const isNotLive = (entry: Declared) =>
    (isKnown(entry) && liveInBase.get(entry) === null) ||
    inBase.unpaired.some((each) => each.declared === entry && each.isNotLive === true);
  const unclear = fromLists.filter((each) => live.unlisted === true || !(isLive(each) || isNotLive(each)));
  return {
    noLongerDeclared: fromLists.flatMap((entry) => {
      const item = liveInBase.get(entry) ?? null;
      return item === null || meantItems.has(item) ? [] : [{ declared: entry, live: item }];
    }),
    letGo: [...fromLists.filter((each) => live.unlisted === true || !isLive(each)), ...ofSections],
    problems: [
      ...unclear.map((each) => notDeleted(kind, entryName(kind, each), zone)),
      ...ofSections.map((each) => objectNoLongerManaged(kind, each, base.zone, zone)),
    ],
  };
}

function isSameName(a: Json | undefined, b: Json | undefined): boolean {
  return typeof a === "string" && typeof b === "string" ? canonicalName(a) === canonicalName(b) : a === b;
}

function areKnownEqual<T>(a: T | null, b: T | null): boolean {
  return a !== null && a === b;
}

function areKnownDifferent<T>(a: T | null, b: T | null): boolean {
  return a !== null && b !== null && a !== b;
}

function notDeleted({ name, section }: Kind, key: string, zone: WantedZone): Problem {
  return warning(
    "not_deleted",
    "No longer declared, not deleted",
    `The files no longer declare the ${name} ${JSON.stringify(key)} of ${zone.name}, and its live object is ambiguous. Delete it in the dashboard, or declare it by its id with ensure: absent. Nothing is deleted.`,
    zone.locate([section], "key"),
  );
}
