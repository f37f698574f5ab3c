import type { Kind, Live } from "../kinds/kind.js";
import { type Item, isDrift, originOf, type Ref, type Triple } from "../model/item.js";
import type { Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import { isSensitive, type SealedObject } from "../model/sealed.js";
import type { Unmanaged } from "../model/unmanaged.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { type BaseDeclarations, type Counterparts, counterparts, noLongerManagedFields } from "./base.js";
import { type LeftOver, looksRenamed } from "./looks-renamed.js";
import { withOrigins } from "./origins.js";
import { type Pair, pair } from "./pair.js";
import { withoutReferences } from "./seal.js";
import { leftBehind, toTriples, unsent } from "./triples.js";
import { type UnmanagedLive, unmanagedLive } from "./unmanaged.js";

export type { BaseDeclarations } from "./base.js";

/** What is declared and what is live, object by object. */
export interface Matched {
  readonly triples: readonly Triple[];
  /** Live objects that the files do not declare and that stay. */
  readonly unmanagedItems: readonly Item[];
  /** What these do, and unmanaged rules beside managed ones. */
  readonly unmanaged: readonly Unmanaged[];
  readonly problems: readonly Problem[];
  /** What the references to secrets in the triples stand for. */
  readonly secrets: ReadonlyMap<string, Json>;
}

/** What the files are compared with besides the live state. */
export interface Against {
  /** Null: there is no base, or it could not be read. */
  readonly base: BaseDeclarations | null;
  /** `drift`: only what was changed outside the files. */
  readonly only: "drift" | "all";
  /** Whether an interrupted apply has put one live object in the place of another. Absent: not known. */
  readonly hasReplaced?: HasReplaced;
}

/** Whether an apply has made the one in the place of the other, or may have. */
export type HasReplaced = (before: Ref, after: Ref) => boolean;

/** Matches a zone's declared objects of one kind with the live ones and with those of the base, object by object. */
export function match(
  kind: Kind,
  declared: readonly Declared[],
  live: Live,
  zone: WantedZone,
  { base, only, hasReplaced = () => false }: Against,
): Matched {
  const { context } = live;
  const read = { ...live, items: live.items.map(withoutReferences) };
  const { pairs, problems } = pair(kind, declared, read, zone);
  const fromBase = base === null ? NOTHING : counterparts(kind, declared, pairs, base, read, zone);
  const bases = new Map(fromBase.noLongerDeclared.map((each) => [each.live, each.declared]));
  const rivals = pairs.flatMap((each) => each.rivals.map((rival) => ({ ...rival, of: each })));
  const isLeft = ({ live: item, of }: (typeof rivals)[number]) =>
    bases.has(item) || (of.live !== null && hasReplaced(item.ref, of.live.ref));
  const left = rivals.filter(isLeft);
  const unclear = zone.prune.includes(kind.section) ? [] : rivals.filter((each) => !left.includes(each));
  const wanted = [
    ...pairs.map((each) => ({
      three: { base: fromBase.of.get(each.declared) ?? null, want: each.declared, live: each.live },
      ...toTriples(kind, each, zone),
    })),
    ...left.map(({ live: item, of: { declared: want } }) => ({
      three: { base: bases.get(item) ?? null, want, live: item },
      ...leftBehind(kind, want, item, zone),
    })),
  ];
  const ofFiles = wanted.flatMap(({ three, triples }) => {
    // What cannot be listed cannot be compared with the base.
    const isKnown = base !== null && live.unlisted !== true;
    return isKnown ? withOrigins(kind, triples, three, context, base.lacks) : triples;
  });
  const taken = new Set(wanted.map(({ three }) => three.live));
  const undeclared = read.items.filter((item) => !taken.has(item));
  const named = base === null ? [] : pairs.filter((each) => isBarelyNamed(kind, each, fromBase));
  const others = unmanagedLive(
    kind,
    { undeclared, named: named.flatMap((each) => each.live ?? []) },
    fromBase,
    context,
    zone,
    base,
  );
  const triples = [...ofFiles, ...others.triples];
  // A field that is no longer declared matters only where the object is live.
  const areLive = new Set(pairs.filter(({ live: item }) => item !== null).map((each) => each.declared));
  const inBoth = [...fromBase.of].filter(([now]) => areLive.has(now));
  return {
    triples: only === "all" ? triples : triples.flatMap((each) => driftOnly(kind, each)),
    unmanagedItems: others.items,
    unmanaged: others.unmanaged,
    problems: [
      ...problems,
      ...unclear.map((each) => each.problem),
      ...fromBase.problems,
      ...(only === "all" ? looksRenamed(kind, pairs, leftOver(undeclared, others), zone) : []),
      ...wanted.flatMap((each) => each.problems),
      // Drift is told whether or not it could be taken back.
      ...(only === "all" ? pairs.flatMap((each) => unsent(kind, each, zone)) : []),
      ...(base === null ? [] : noLongerManagedFields(kind, inBoth, base, zone)),
    ],
    secrets: new Map(wanted.flatMap((each) => [...each.secrets])),
  };
}

/**
 * Whether a change declares a live object by little more than its name: whoever reviews it does not see what the object
 * does, and drift of the other fields is not told from then on.
 */
function isBarelyNamed({ creation }: Kind, { declared, live }: Pair, { of }: Counterparts): boolean {
  const { body } = declared;
  if (live === null || of.has(declared) || body.ensure === "absent" || !creation.possible) return false;
  return creation.required.some((field) => body[field] === undefined);
}

/** Live objects that no entry means. Those that the files list as known are known to be other ones. */
function leftOver(undeclared: readonly Item[], { items, unmanaged }: UnmanagedLive): readonly LeftOver[] {
  const listed = new Set(unmanaged.flatMap(({ ref, known }) => (known === "listed" ? ref : [])));
  const staying = new Set(items.map(({ ref }) => ref));
  return undeclared
    .filter(({ ref }) => !listed.has(ref))
    .map((item) => ({ live: item, isDeleted: !staying.has(item.ref) }));
}

const NOTHING: Counterparts = { of: new Map(), noLongerDeclared: [], problems: [] };

/**
 * Of a triple, what was changed outside the files: all else is left as it is live. Nothing where nothing was.
 */
function driftOnly(kind: Kind, triple: Triple): readonly Triple[] {
  const { want, live, origins } = triple;
  // What the files themselves delete or replace is no drift.
  if (want === null || live === null || triple.replaces !== undefined)
    return isDrift(origins.rest) ? [triple] : [];
  const isLeft = (field: string) => !isDrift(originOf(origins, field));
  const left = Object.keys(want.normal).filter(isLeft);
  const sensitive = left.filter((field) => isSensitive(live.normal[field] ?? null));
  const isNamed = kind.shape.as === "list" && left.includes(kind.shape.named);
  const asLive = left.flatMap((field) => (field in live.normal ? [[field, live.normal[field] ?? null]] : []));
  const normal = { ...without(want.normal, left), ...without(Object.fromEntries(asLive), sensitive) };
  const owns = Array.isArray(want.owns) ? want.owns.filter((field) => !left.includes(field)) : want.owns;
  const item: Item = { ...want, ref: isNamed ? live.ref : want.ref, normal, owns };
  return [{ ...triple, want: item, live: { ...live, normal: without(live.normal, sensitive) } }];
}

function without(normal: SealedObject, fields: readonly string[]): SealedObject {
  return Object.fromEntries(Object.entries(normal).filter(([field]) => !fields.includes(field)));
}
