import { namesWith } from "../kinds/fields.js";
import { entryName, type Kind, type Live, listOf, nameField } from "../kinds/kind.js";
import { undeclaredAmong } from "../kinds/undeclared-fields.js";
import { groupBy } from "../model/group-by.js";
import {
  EVERYTHING,
  type Item,
  isAmong,
  NO_ORIGINS,
  type Origins,
  type Picking,
  type Ref,
  type Triple,
  WITHOUT_BASE,
} from "../model/item.js";
import type { Json } from "../model/json.js";
import { type Problem, warning } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import {
  isPattern,
  type Listing,
  type LiveUnmanaged,
  newEntries,
  patternsFor,
  type Unmanaged,
} from "../model/unmanaged.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import {
  type BaseDeclarations,
  type BaseOf,
  type Before,
  baseOf,
  type Counterparts,
  counterparts,
  secretFieldsBefore,
} from "./base.js";
import { driftOnly } from "./drift-only.js";
import { matchLetGo, NOTHING_LET_GO } from "./let-go.js";
import { noLongerManagedFields } from "./no-longer.js";
import { threeOf, withOrigins } from "./origins.js";
import type { Pair } from "./pair.js";
import { type Former, withoutSensitive } from "./seal.js";
import { takenOver, withBaseObjects } from "./taken-over.js";
import { leftBehind, toTriples, type UnsetOf, type Wanted, withUnknownDrift } from "./triples.js";
import { type HasReplaced, underKeys } from "./under-keys.js";

export type { BaseDeclarations, Before } from "./base.js";
export type { HasReplaced } from "./under-keys.js";

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

/** The base and the options of a comparison with the live state. */
export interface Against extends Before {
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
  kind: Kind,
  declared: readonly Declared[],
  live: Live,
  zone: WantedZone,
  against: Against,
): Matched {
  const { only, hasReplaced = () => false, picking = EVERYTHING } = against;
  const base = against.base === null ? null : baseOf(kind, against.base, live);
  const { comparing, read, pairs, unpaired } = underKeys(kind, declared, live, zone, base, hasReplaced);
  const fromBase = base === null ? NOTHING : counterparts(kind, declared, pairs, base, read, zone);
  const rivals = rivalsOf(kind, pairs, fromBase, zone, hasReplaced);
  const secretFields = base?.secretFields() ?? secretFieldsBefore(kind, against);
  const formerOf = (entry: Declared) => formerEntry(fromBase.priorEntries.get(entry), base, secretFields);
  const entries: readonly Entry[] = [
    ...pairs.map((each) => ({
      three: { base: fromBase.priorEntries.get(each.declared) ?? null, want: each.declared, live: each.live },
      ...toTriples(comparing, each, formerOf(each.declared)),
    })),
    ...rivals.left.map(({ live: item, pair: { declared: want }, base: entry }) => ({
      three: { base: entry, want, live: item },
      ...leftBehind(comparing, want, item, formerOf(want)),
    })),
  ];
  // Objects that cannot be listed cannot be compared with the base.
  const comparedBase = live.unlisted === true ? null : base;
  const since: readonly SinceBase[] =
    comparedBase === null ? entries : entries.map((entry) => sinceBase(entry, comparedBase));
  const ofFiles = since.flatMap(({ triples }) => triples);
  const isOfFiles = only === "all";
  const takenOverTriples = isOfFiles ? since.flatMap(({ takenOver: taken = [] }) => taken) : [];
  const letGo = base === null || !isOfFiles ? NOTHING_LET_GO : matchLetGo(base, fromBase.letGo, live);
  const meantLive = new Set(entries.map(({ three }) => three.live));
  const undeclared = read.items.filter((item) => !meantLive.has(item));
  const barelyNamed = base === null ? [] : pairs.filter((each) => isBarelyNamed(kind, each, fromBase));
  const unmanagedObjects = unmanagedLive(
    kind,
    {
      undeclared,
      named: barelyNamed.flatMap((each) => each.live ?? []),
      declared: entries.flatMap(asOwned),
    },
    fromBase,
    live,
    zone,
    base,
  );
  const { meant, untouched } = splitByPicking([...ofFiles, ...unmanagedObjects.triples], picking);
  const { drifted, undrifted } = isOfFiles ? { drifted: meant, undrifted: [] } : driftIn(kind, meant);
  const isMeant = isMeantBy(kind, picking);
  const meantEntries = entries.filter(isMeant);
  return {
    triples: drifted,
    takenOver: splitByPicking([...takenOverTriples, ...letGo.takenOver], picking).meant,
    kept: [
      ...unmanagedObjects.items,
      ...[...untouched, ...undrifted].flatMap(({ live: item }) => item ?? []),
    ],
    unmanaged: unmanagedObjects.unmanaged.filter(({ ref }) => picking.has(ref)),
    problems: [
      ...unpaired.map(({ problem }) => problem),
      ...rivals.problems,
      ...fromBase.problems,
      ...(isOfFiles ? looksRenamed(kind, meantEntries, leftOver(undeclared, unmanagedObjects), zone) : []),
      ...meantEntries.flatMap(({ problems }) => problems),
      ...(base === null
        ? []
        : noLongerManagedFields(kind, entriesInBoth(entries, fromBase), base.zone, zone)),
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
  readonly three: {
    readonly base: Declared | null;
    readonly want: Declared;
    readonly live: Item | null;
  };
}

/** Further live objects that match an entry. */
interface Rivals {
  /** Objects to delete: an interrupted apply has replaced them, or only the base declares them. */
  readonly left: readonly { readonly live: Item; readonly pair: Pair; readonly base: Declared | null }[];
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
      .map(({ live, pair }) => ({ live, pair, base: entriesInBase.get(live) ?? null })),
    problems: unclear.flatMap(({ problem }) => problem ?? []),
  };
}

function formerEntry(
  before: Declared | undefined,
  base: BaseDeclarations | null,
  secretFields: Former["secretFields"],
): Former {
  if (base === null) return { entry: null, secretFields };
  const isNew = before === undefined || base.zone === null;
  return { entry: isNew ? "nothing" : { declared: before, zone: base.zone }, secretFields };
}

/** The triples of an entry, and its changes since the base that are live already. Absent: there is no base. */
interface SinceBase extends Pick<Wanted, "triples"> {
  readonly takenOver?: readonly Triple[];
}

/** The triples of an entry, with their origins and their objects in the base. */
function sinceBase({ three: states, triples, unset }: Entry, base: BaseOf): SinceBase {
  const three = threeOf(base, states);
  const withOrigin = withOrigins(base, triples, three);
  const compared = withBaseObjects(
    base,
    withOrigin.map((each) => withRewritten(each, unset)),
    three.base,
  );
  return { triples: compared, takenOver: takenOver(base, compared, three) };
}

function splitByPicking(triples: readonly Triple[], picking: Picking) {
  return {
    meant: triples.filter((each) => isAmong(picking, each)),
    untouched: triples.filter((each) => !isAmong(picking, each)),
  };
}

function driftIn(kind: Kind, triples: readonly Triple[]) {
  const drifts = triples.map((triple) => ({ triple, drift: driftOnly(kind, triple) }));
  return {
    drifted: drifts.flatMap(({ drift }) => drift ?? []),
    undrifted: drifts.flatMap(({ triple, drift }) => (drift === null ? [triple] : [])),
  };
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
  const rewritten = unset.filter(({ taken }) => taken === "changed");
  if (rewritten.length === 0) return triple;
  const fields = Object.fromEntries(rewritten.map(({ field }) => [field, "declared"] as const));
  return { ...triple, origins: { ...triple.origins, fields: { ...triple.origins.fields, ...fields } } };
}

const NOTHING: Counterparts = { priorEntries: new Map(), noLongerDeclared: [], letGo: [], problems: [] };

/** Live objects that the files do not declare. */
interface UnmanagedLive {
  /** For the objects to delete: pruned, or declared by the base only. */
  readonly triples: readonly Triple[];
  readonly items: readonly Item[];
  /** The effects of objects that stay or that the change only names, and of unmanaged rules. */
  readonly unmanaged: readonly Unmanaged[];
}

/** A declared live object that stays, with the fields that the files own. */
function asOwned({ three: { live }, triples }: Entry): readonly Item[] {
  return triples.flatMap(({ want, replaces }) =>
    live === null || want === null || replaces !== undefined ? [] : [{ ...live, owns: want.owns }],
  );
}

/** @param live objects that are undeclared, objects that the change declares by little more than their names, and declared ones */
function unmanagedLive(
  kind: Kind,
  live: {
    readonly undeclared: readonly Item[];
    readonly named: readonly Item[];
    readonly declared: readonly Item[];
  },
  { noLongerDeclared }: Pick<Counterparts, "noLongerDeclared">,
  { context, bypasses = [] }: Pick<Live, "context" | "bypasses">,
  zone: WantedZone,
  base: BaseOf | null,
): UnmanagedLive {
  const list = listOf(kind);
  const pruned = list !== null && zone.prune.includes(list.section);
  const bases = new Map(noLongerDeclared.map(({ declared, live }) => [live, declared]));
  const { undeclared: undeclaredItems, named, declared } = live;
  const keptIds = pruned
    ? listedIn(sparedIn(zone, base, list.section), kind.kept?.undeclared?.(undeclaredItems, context) ?? [])
    : new Set();
  const isGoing = (item: Item) => (pruned && !keptIds.has(item.ref.id)) || bases.has(item);
  const triples = undeclaredItems.filter(isGoing).flatMap((item): readonly Triple[] => {
    const shown = withoutSensitive(kind, item);
    const entry = bases.get(item);
    if (entry === undefined || base === null)
      return [{ base: null, want: null, live: shown, origins: prunedOrigins(kind, base) }];
    const triple = { ...WITHOUT_BASE, want: null, live: { ...shown, at: entry.path.slice(0, 1) } };
    const baseWithoutSecrets = { ...base, context, secretFields: () => NO_FIELDS };
    const three = threeOf(baseWithoutSecrets, { base: entry, want: null, live: item });
    const withOrigin = withOrigins(baseWithoutSecrets, [triple], three);
    return withBaseObjects(baseWithoutSecrets, withOrigin, entry).map((each) => ({
      ...each,
      noLongerDeclared: true,
    }));
  });
  const staying = undeclaredItems.filter((item) => !isGoing(item));
  const newlyNamed = new Set(named.map(({ ref }) => ref));
  const otherDeclared = declared.filter(({ ref }) => !newlyNamed.has(ref));
  const unmanaged = [
    ...undeclaredAmong(kind, [...staying, ...named], otherDeclared, context),
    ...bypasses,
  ].map((object): Unmanaged => {
    const { raw: _, name: _name, ...shown } = object;
    return { ...shown, known: newlyNamed.has(object.ref) ? "newly_listed" : knownIn(object, zone, base) };
  });
  return { triples, items: staying.map((item) => withoutSensitive(kind, item)), unmanaged };
}

// Deleted objects show no sensitive field.
const NO_FIELDS: ReadonlySet<string> = new Set();

/** Entries that protect objects from pruning. A new pattern does not, in a section that the base prunes already. */
function sparedIn({ unmanaged }: WantedZone, base: BaseDeclarations | null, section: string): Listing {
  const before = base?.zone ?? null;
  if (before === null || !before.prune.includes(section)) return unmanaged;
  const isNew = (newEntries(unmanaged, before.unmanaged)[section] ?? []).filter(isPattern);
  return { ...unmanaged, [section]: (unmanaged[section] ?? []).filter((each) => !isNew.includes(each)) };
}

function listedIn(listing: Listing, objects: readonly LiveUnmanaged[]): ReadonlySet<Ref["id"]> {
  return new Set(objects.filter((each) => patternsFor(listing, each).length > 0).map(({ ref }) => ref.id));
}

/** Whether the files list the object under `unmanaged:`. An object that the base does not list is marked for review. */
function knownIn(object: LiveUnmanaged, zone: WantedZone, base: BaseDeclarations | null): Unmanaged["known"] {
  const isIn = (listing: Listing) => patternsFor(listing, object).length > 0;
  if (!isIn(zone.unmanaged)) return "not_listed";
  return base !== null && !isIn(base.zone?.unmanaged ?? {}) ? "newly_listed" : "listed";
}

/** An undeclared object in a section that the base prunes already was created outside the files. */
function prunedOrigins(kind: Kind, base: BaseDeclarations | null): Origins {
  if (base === null) return NO_ORIGINS;
  const isPruned = base.zone?.prune.includes(listOf(kind)?.section ?? kind.section);
  return { fields: {}, rest: isPruned ? "drift" : "declared" };
}

/** Undeclared live objects that the files do not list either: only these can be renamed ones. */
function leftOver(undeclared: readonly Item[], { items, unmanaged }: UnmanagedLive): readonly LeftOver[] {
  const listed = new Set(unmanaged.flatMap(({ ref, known }) => (known === "listed" ? ref : [])));
  const staying = new Set(items.map(({ ref }) => ref));
  return undeclared
    .filter(({ ref }) => !listed.has(ref))
    .map((item) => ({ live: item, isDeleted: !staying.has(item.ref) }));
}

interface LeftOver {
  readonly live: Item;
  readonly isDeleted: boolean;
}

/**
 * Entries that would create an object beside a live one with the same content under another name, one that is deleted or
 * that no file declares: `renamed_from` was probably forgotten. Each live object is named once.
 */
function looksRenamed(
  kind: Kind,
  entries: readonly Entry[],
  leftOver: readonly LeftOver[],
  zone: WantedZone,
): readonly Problem[] {
  const key = nameField(kind);
  if (key === null || leftOver.length === 0) return [];
  const created = entries.flatMap(({ three: { want, live } }) => (isCreated(want.body, live) ? [want] : []));
  if (created.length === 0) return [];
  const byContent = groupBy(leftOver, ({ live }) => contentOf(kind, live.normal));
  const named = new Set<LeftOver>();
  return created.flatMap((declared): readonly Problem[] => {
    const content = contentOf(kind, kind.toDesired(declared.body, null));
    const alike = content === null ? [] : (byContent.get(content) ?? []);
    const renamed = alike.find((each) => !named.has(each));
    if (renamed === undefined) return [];
    named.add(renamed);
    return [looksRenamedWarning(kind, key, declared, renamed, zone)];
  });
}

function isCreated({ ensure, renamed_from }: Declared["body"], live: Item | null): boolean {
  return live === null && ensure !== "absent" && renamed_from === undefined;
}

/** The identifying values, to compare. They may be secrets and are never shown. Null: a value is missing, or no field identifies. */
function contentOf({ fields }: Kind, normal: SealedObject): string | null {
  const values = namesWith(fields, "identifies").map((field) => {
    const value = normal[field] ?? null;
    return value === null ? null : (fields[field]?.canonical?.(value) ?? value);
  });
  return values.length === 0 || values.includes(null) ? null : JSON.stringify(values);
}

function looksRenamedWarning(
  { name, fields }: Kind,
  named: string,
  { path, body }: Declared,
  { live, isDeleted }: LeftOver,
  zone: WantedZone,
): Problem {
  const [created, former] = [body[named], live.normal[named]].map((each) => JSON.stringify(each));
  const becomes = isDeleted ? "is deleted" : "stays undeclared";
  return warning(
    "looks_renamed",
    "New object looks like a renamed one",
    `The ${name} ${created} would be created in ${zone.name}, while ${former} with the same ${namesWith(fields, "identifies").join(" and ")} ${becomes}. If it is the same object, write renamed_from: ${former} here to keep its id.`,
    zone.locate([...path, named]),
  );
}
