import { canonicalName, secretKeys } from "../kinds/fields.js";
import { haveSameKey } from "../kinds/keys.js";
import { entryName, type Kind, type Live, listOf } from "../kinds/kind.js";
import { type Declared, NOWHERE, type WantedZone } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import type { Json } from "../model/json.js";
import { type Problem, warning } from "../model/problem.js";
import { objectNoLongerManaged } from "./no-longer-warnings.js";
import { type Pair, pair, pinOf } from "./pair.js";

/** The files before the change, as they declare one kind in a zone. */
export interface BaseOf {
  /** `none`: no base is named. `unread`: it could not be read. The base then declares nothing. */
  readonly is: "read" | "unread" | "none";
  readonly kind: Kind;
  /** Without a section if the base does not have the zone. */
  readonly zone: WantedZone;
  readonly declared: readonly Declared[];
  /** In the terms of the base. */
  readonly context: Live["context"];
  /** Whether the base uses an environment variable that is not set. Its value is then unknown. */
  readonly lacks: boolean;
  /** Fields of the kind that the base has as secrets in any object, or may have. */
  readonly secretFields: ReadonlySet<string>;
}

/** One kind in a zone: in the base, in the files, and live. */
export interface KindState {
  readonly kind: Kind;
  readonly base: BaseOf;
  readonly declared: readonly Declared[];
  readonly live: Live;
  /** Only the base has sections of the kind. `unread`: its live state could not be read, and `live` is empty. */
  readonly letGo?: "read" | "unread";
}

/** @param live null: the live state could not be read */
export function baseOf(
  base: Pick<BaseOf, "kind" | "zone" | "declared" | "lacks" | "secretFields">,
  live: Live | null,
): BaseOf {
  const context =
    live === null ? null : (base.kind.reads?.inTermsOf?.(live.context, base.declared) ?? live.context);
  return { is: "read", ...base, context };
}

export function withoutBase(kind: Kind, is: "unread" | "none" = "none"): BaseOf {
  // If the base could not be read, free text may be a secret.
  const secretFields = new Set(is === "unread" ? secretKeys(kind.fields, "text") : []);
  return { is, kind, zone: NOWHERE, declared: [], context: null, lacks: false, secretFields };
}

/** The entries of the base by the entries of the files, and the entries that only the base has. */
export interface Counterparts {
  readonly priorEntries: ReadonlyMap<Declared, Declared>;
  /** Live objects that the base declares and the files do not. */
  readonly noLongerDeclared: readonly { readonly declared: Declared; readonly live: Item }[];
  /** Other entries of the base that the files no longer have. Nothing is sent for them. */
  readonly letGo: readonly Declared[];
  readonly problems: readonly Problem[];
}

/**
 * Matches the entries of the files with those of the base: by pin, by name, by former name, or by the live object. So an
 * object that got another name or pin is still one object.
 *
 * @param pairs the entries of the files with their live objects
 */
export function counterparts(
  { kind, base, declared, live }: KindState,
  pairs: readonly Pair[],
  zone: WantedZone,
): Counterparts {
  const keyOf = ({ body }: Declared) => kind.keys.declared(body, live.context);
  const { named = "" } = listOf(kind) ?? {};
  const liveNow = new Map(pairs.map((each) => [each.declared, each.live]));
  const basePairs = pair(kind, base.declared, live, base.zone);
  const liveInBase = new Map(basePairs.pairs.map((each) => [each.declared, each.live]));
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
  const meantItems = new Set(liveNow.values());
  const removed = [...unmatched].filter(({ body }) => body.ensure !== "absent");
  // An entry removed from a list is deleted. The object of a removed section stays.
  const isFromList = ({ path: [section = "", ...rest] }: Declared) =>
    rest.length > 0 && section in zone.sections;
  const fromLists = removed.filter(isFromList);
  const ofSections = removed.filter((each) => !isFromList(each));
  const noLongerDeclared = fromLists.flatMap((entry) => {
    const item = liveInBase.get(entry) ?? null;
    return item === null || meantItems.has(item) ? [] : [{ declared: entry, live: item }];
  });
  const isKnown = (entry: Declared) => pinOf(entry) !== null || keyOf(entry).name !== null;
  const isNotLive = (entry: Declared) =>
    (isKnown(entry) && liveInBase.get(entry) === null) ||
    basePairs.unpaired.some((each) => each.declared === entry && each.isNotLive === true);
  const unclear = fromLists.filter(
    (each) => live.unlisted === true || (!(isKnown(each) && liveInBase.has(each)) && !isNotLive(each)),
  );
  return {
    priorEntries,
    noLongerDeclared,
    letGo: [...fromLists.filter((each) => unclear.includes(each) || isNotLive(each)), ...ofSections],
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
