import { namesWith } from "../kinds/fields.js";
import { entryName, type Kind, type Live, listOf } from "../kinds/kind.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { EVERYTHING, type Item, isAmong, type Picking, type Triple, withOrigin } from "../model/item.js";
import type { Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { Unmanaged } from "../model/unmanaged.js";
import type { BaseOf, KindState } from "./base.js";
import { driftOnly } from "./drift-only.js";
import { type Comparing, type HasReplaced, underKeys } from "./keyed-pairs.js";
import { matchLetGo, NOTHING_LET_GO } from "./let-go.js";
import { looksRenamed } from "./looks-renamed.js";
import { type Counterparts, counterparts } from "./no-longer-declared.js";
import { noLongerManagedFields } from "./no-longer-warnings.js";
import { threeOf, withOrigins } from "./origins.js";
import type { Pair } from "./pair.js";
import type { Former } from "./seal.js";
import { takenOver, withBaseObjects } from "./taken-over.js";
import { leftBehind, toTriples, type UnsetOf, type Wanted, withUnknownDrift } from "./triples.js";
import { undeclaredLive } from "./undeclared.js";

export type { KindState } from "./base.js";
export type { HasReplaced } from "./keyed-pairs.js";

/** The declared and the live state of one kind, object by object. */
export interface Matched {
  readonly triples: readonly Triple[];
  /** Differences between the files and the base that are live already. Absent: none. */
  readonly takenOver?: readonly Triple[];
  /** Live objects that stay as they are: undeclared, or left out by `picking`. */
  readonly kept: readonly Item[];
  /** The effects of these objects, and of unmanaged rules beside managed ones. */
  readonly unmanaged: readonly Unmanaged[];
  readonly problems: readonly Problem[];
  /** The values of the references to secrets in the triples. */
  readonly secrets: ReadonlyMap<string, Json>;
  /** Fields of declared objects whose secrets are not set. */
  readonly unset: readonly UnsetOf[];
}

/** How a run compares the files with the live state. */
export interface CompareOptions {
  /** `drift`: only what was changed outside the files. */
  readonly only: "drift" | "all";
  /** Whether an interrupted apply has put one live object in the place of another. Absent: not known. */
  readonly hasReplaced?: HasReplaced;
  /** The objects to plan; all others keep their live state. Absent: all objects are planned. */
  readonly picking?: Picking;
  /** For a drift report: a value that the service would refuse is a warning. Absent: it is an error. */
  readonly isToTell?: boolean;
  /** The files as the command line names them. Absent: the usual ones. */
  readonly config?: readonly string[];
}

/** Matches a zone's declared objects of one kind with the live ones and with those of the base, object by object. */
export function match(
  state: KindState,
  zone: WantedZone,
  { only, hasReplaced = () => false, picking = EVERYTHING }: CompareOptions,
): Matched {
  const { kind, base, live } = state;
  const isOfFiles = only === "all";
  const { comparing, read, pairs, unpaired } = underKeys(state, zone, hasReplaced);
  const fromBase = counterparts({ ...state, live: read }, pairs, zone);
  const rivals = rivalsOf(kind, pairs, fromBase, zone, hasReplaced);
  const entries = entriesOf(comparing, pairs, rivals, fromBase, base);
  const since = entries.map((entry) => sinceBase(entry, base, live));
  const letGo = isOfFiles ? matchLetGo(base, fromBase.letGo, live) : NOTHING_LET_GO;
  const alreadyLive = isOfFiles ? [...since.flatMap((each) => each.takenOver), ...letGo.takenOver] : [];
  const meantLive = new Set(entries.map(({ three }) => three.live));
  const undeclared = read.items.filter((item) => !meantLive.has(item));
  const barelyNamed = base.is === "read" ? pairs.filter((each) => isBarelyNamed(kind, each, fromBase)) : [];
  const named = barelyNamed.flatMap((each) => each.live ?? []);
  const undeclaredObjects = undeclaredLive(
    state,
    { undeclared, named, declared: entries.flatMap(asOwned) },
    fromBase,
    zone,
  );
  const all = [...since.flatMap(({ triples }) => triples), ...undeclaredObjects.triples];
  const picked = all.filter((each) => isAmong(picking, each));
  const meant = new Map(picked.map((each) => [each, isOfFiles ? each : driftOnly(kind, each)]));
  const untouched = all.filter((each) => !meant.has(each));
  const undrifted = picked.filter((each) => meant.get(each) === null);
  const meantEntries = entries.filter(isMeantBy(kind, picking));
  return {
    triples: [...meant.values()].flatMap((each) => each ?? []),
    takenOver: alreadyLive.filter((each) => isAmong(picking, each)),
    kept: [
      ...undeclaredObjects.items,
      ...[...untouched, ...undrifted].flatMap(({ live: item }) => item ?? []),
    ],
    unmanaged: undeclaredObjects.unmanaged.filter(({ ref }) => picking.has(ref)),
    problems: [
      ...unpaired.map(({ problem }) => problem),
      ...rivals.problems,
      ...fromBase.problems,
      ...(isOfFiles ? looksRenamed(kind, meantEntries, undeclared, undeclaredObjects, zone) : []),
      ...meantEntries.flatMap(({ problems }) => problems),
      ...noLongerManagedFields(kind, entriesInBoth(entries, fromBase), base.zone, zone),
    ],
    secrets: new Map([...entries, letGo].flatMap(({ secrets }) => [...secrets])),
    unset: [
      ...meantEntries.flatMap(({ unset }) => (isOfFiles ? unset : unset.map(withUnknownDrift))),
      ...letGo.unset,
    ],
  };
}

/** An entry of the files with the entry of the base and the live object that it means. */
interface Entry extends Wanted {
  readonly three: EntryStates;
}

interface EntryStates<Live extends Item | null = Item | null> {
  readonly base: Declared | null;
  readonly want: Declared;
  readonly live: Live;
}

/** Further live objects that match an entry. */
interface Rivals {
  /** Objects to delete: an interrupted apply has replaced them, or only the base declares them. */
  readonly left: readonly EntryStates<Item>[];
  readonly problems: readonly Problem[];
}

function rivalsOf(
  kind: Kind,
  pairs: readonly Pair[],
  { noLongerDeclared }: Counterparts,
  { prune }: WantedZone,
  hasReplaced: HasReplaced,
): Rivals {
  const entriesInBase = new Map(noLongerDeclared.map((each) => [each.live, each.declared]));
  const rivals = pairs.flatMap((pair) => pair.rivals.map((rival) => ({ ...rival, pair })));
  const isGoing = ({ live, pair, problem }: (typeof rivals)[number]) =>
    (problem !== null && entriesInBase.has(live)) ||
    (pair.live !== null && hasReplaced(live.ref, pair.live.ref));
  const unclear = prune.includes(listOf(kind)?.section ?? "") ? [] : rivals.filter((each) => !isGoing(each));
  return {
    left: rivals
      .filter(isGoing)
      .map(({ live, pair }) => ({ base: entriesInBase.get(live) ?? null, want: pair.declared, live })),
    problems: unclear.flatMap(({ problem }) => problem ?? []),
  };
}

function entriesOf(
  comparing: Comparing,
  pairs: readonly Pair[],
  { left }: Rivals,
  { priorEntries }: Counterparts,
  base: BaseOf,
): readonly Entry[] {
  const formerOf = (entry: Declared) => formerEntry(priorEntries.get(entry), base);
  return [
    ...pairs.map((each) => ({
      three: { base: priorEntries.get(each.declared) ?? null, want: each.declared, live: each.live },
      ...toTriples(comparing, each, formerOf(each.declared)),
    })),
    ...left.map((three) => ({
      three,
      ...leftBehind(comparing, three.want, three.live, formerOf(three.want)),
    })),
  ];
}

function formerEntry(before: Declared | undefined, { is, zone, secretFields }: BaseOf): Former {
  if (is !== "read") return { entry: null, secretFields };
  return { entry: before === undefined ? "nothing" : { declared: before, zone }, secretFields };
}

/** The triples of an entry, with their origins and their objects in the base, and its changes that are live already. */
function sinceBase({ three: states, triples, unset }: Entry, base: BaseOf, live: Live) {
  // Objects that cannot be listed cannot be compared with the base.
  if (base.is !== "read" || live.unlisted === true) return { triples, takenOver: [] };
  const three = threeOf(base, states);
  const compared = withBaseObjects(
    base,
    withOrigins(base, triples, three).map((each) => withRewritten(each, unset)),
    three.base,
  );
  return { triples: compared, takenOver: takenOver(base, compared, three) };
}

/** Entries of live objects that stay, each with its entry of the base. A new object lets go of no field. */
function entriesInBoth(entries: readonly Entry[], { priorEntries }: Counterparts) {
  const staying = entries.filter(
    ({ three, triples }) => three.live !== null && triples.every(({ replaces }) => replaces === undefined),
  );
  const stay = new Set(staying.map(({ three }) => three.want));
  return [...priorEntries].filter(([entry]) => stay.has(entry));
}

/** Tests whether an entry is picked, by its live or its new name. */
function isMeantBy(kind: Kind, picking: Picking) {
  return ({ three: { want }, triples }: Entry) => {
    // An object that is declared as absent, and is absent, has no triple: only its name.
    if (triples.length === 0) return picking.has({ kind: kind.name, key: entryName(kind, want) });
    return triples.some((each) => isAmong(picking, each));
  };
}

/**
 * Whether a change declares a live object by little more than its name. A reviewer then does not see what the object does,
 * and later plans do not report drift of its other fields.
 */
function isBarelyNamed({ fields }: Kind, { declared, live }: Pair, { priorEntries }: Counterparts): boolean {
  const { body } = declared;
  if (live === null || priorEntries.has(declared) || body.ensure === "absent") return false;
  return namesWith(fields, "required").some((field) => body[field] === undefined);
}

/** The value cannot be compared, but its text in the files changed, so the change is declared. */
function withRewritten(triple: Triple, unset: readonly UnsetOf[]): Triple {
  const rewritten = unset.flatMap(({ field, taken }) => (taken === "changed" ? [field] : []));
  if (rewritten.length === 0) return triple;
  return { ...triple, origins: withOrigin(triple.origins, rewritten, "declared") };
}

/** A declared live object that stays, with the fields that the files own. */
function asOwned({ three: { live }, triples }: Entry): readonly Item[] {
  return triples.flatMap(({ want, replaces }) =>
    live === null || want === null || replaces !== undefined ? [] : [{ ...live, owns: want.owns }],
  );
}
