import { diffFields } from "../kinds/fields.js";
import { type Kind, type Live, nameField } from "../kinds/kind.js";
import { mayBeSensitive } from "../kinds/secret-fields.js";
import type { Declared } from "../model/declared-zone.js";
import { type Item, NO_ORIGINS, type Triple, withOrigin } from "../model/item.js";
import type { Sensitive } from "../model/sealed.js";
import type { BaseOf } from "./base.js";
import { driftOnly } from "./drift-only.js";
import { underKeys } from "./keyed-pairs.js";
import { inTermsOf, isOpen, threeOf, withOrigins } from "./origins.js";
import type { Pair } from "./pair.js";
import { goneFromBoth, IN_CONFLICT, itemOf, whyOpen } from "./taken-over.js";
import { toTriples, type Wanted, withUnknownDrift } from "./triples.js";

/** Entries that a change lets go of, compared with the live state. */
export interface LetGo extends Pick<Wanted, "secrets" | "unset"> {
  readonly takenOver: readonly Triple[];
}

export const NOTHING_LET_GO: LetGo = { takenOver: [], secrets: new Map(), unset: [] };

/**
 * Compares entries that only the base has, and whose objects stay, with the live state: later plans no longer show them.
 * Where an entry cannot be compared, the result is unknown.
 *
 * @param live null: the live state could not be read
 */
export function matchLetGo(base: BaseOf, entries: readonly Declared[], live: Live | null): LetGo {
  const { kind, zone, declared, context, secretFields } = base;
  if (entries.length === 0) return NOTHING_LET_GO;
  if (live === null || live.unlisted === true) {
    const why = `the ${kind.section} of ${zone.name} could not be read`;
    return { ...NOTHING_LET_GO, takenOver: entries.map((each) => notCompared(base, each, why)) };
  }
  const { comparing, pairs, unpaired } = underKeys({ kind, base, declared, live }, zone, () => false);
  const letGo = entries.map((entry): LetGo => {
    const letGoWith = (...takenOver: readonly Triple[]) => ({ ...NOTHING_LET_GO, takenOver });
    const gone = () => letGoWith({ ...goneFromBoth(base, entry, sectionOf(entry)), noLongerDeclared: true });
    const unpairedEntry = unpaired.find((each) => each.declared === entry);
    if (unpairedEntry?.isNotLive === true) return gone();
    if (unpairedEntry !== undefined) return letGoWith(notCompared(base, entry, unpairedEntry.problem.detail));
    const entryPair = pairs.find((each) => each.declared === entry) ?? {
      declared: entry,
      live: null,
      rivals: [],
    };
    const unclear = whyUnclear(base, entryPair);
    if (unclear !== null) return letGoWith(notCompared(base, entry, unclear));
    if (entryPair.live === null) return entry.body.ensure === "absent" ? letGoWith() : gone();
    const item = { ...entryPair.live, normal: inTermsOf(base, entry, entryPair.live) };
    const former = { entry: "nothing", secretFields } as const;
    const wanted = toTriples({ ...comparing, context }, { ...entryPair, live: item }, former);
    const [refusal] = wanted.triples.length > 0 ? [] : wanted.problems;
    if (refusal !== undefined) return letGoWith(notCompared(base, entry, refusal.detail));
    const three = threeOf(base, { base: entry, want: entry, live: item });
    const triples = withOrigins(base, wanted.triples, three);
    return {
      takenOver: triples.flatMap((each) => asTakenOver(kind, each)),
      secrets: wanted.secrets,
      unset: wanted.unset.map(withUnknownDrift),
    };
  });
  return {
    takenOver: letGo.flatMap((each) => each.takenOver),
    secrets: new Map(letGo.flatMap((each) => [...each.secrets])),
    unset: letGo.flatMap((each) => each.unset),
  };
}

/** Why the live object of an entry is unknown. Null: it is known. */
function whyUnclear({ kind, context }: BaseOf, { declared: { body }, rivals }: Pair): string | null {
  const named = nameField(kind);
  if (named !== null && isOpen(body[named])) return whyOpen(named);
  if (named === null && kind.keys.declared(body, context).name === null)
    return "its live object is ambiguous";
  return rivals.flatMap(({ problem }) => problem?.detail ?? [])[0] ?? null;
}

/** Inverts the plan that would restore the base's entry: the base is before, the live object after. */
function asTakenOver(kind: Kind, triple: Triple): readonly Triple[] {
  const unknownFields = Object.entries(triple.origins.fields).flatMap(([field, origin]) =>
    origin === "unknown" && kind.fields[field]?.writeOnly !== true ? [field] : [],
  );
  const differing = withOrigin(triple.origins, unknownFields, "conflict");
  const drifted = driftOnly(kind, { ...triple, origins: differing });
  if (drifted === null) return [];
  const { base, want, live } = drifted;
  // An object of a kind with one object per subject has the name of its entry.
  const newRef = nameField(kind) === null && want !== null ? { ref: { ...want.ref } } : {};
  if (diffFields(live?.normal ?? null, want?.normal ?? null, kind.fields).length === 0) return [];
  return [
    {
      base: base ?? want,
      want: live === null ? null : { ...live, ...newRef, at: null },
      live: want,
      origins: withOrigin(IN_CONFLICT, unknownFields, "unknown"),
      noLongerDeclared: true,
      ...(unknownFields.length === 0 ? {} : { notCompared: unknownFields.map(whyOpen) }),
    },
  ];
}

/** An object of the base that cannot be compared with the live state. */
function notCompared(base: BaseOf, entry: Declared, why: string): Triple {
  const item = itemOf(base, entry, sectionOf(entry));
  const sealed = ($sensitive: Sensitive["$sensitive"]): Item => {
    const fields = Object.entries(item.normal).map(
      ([field, value]) => [field, mayBeSensitive(base.kind, field) ? { $sensitive } : value] as const,
    );
    return { ...item, normal: Object.fromEntries(fields) };
  };
  const before = sealed("same");
  return {
    base: { ...before, at: entry.path },
    want: { ...sealed("not_compared"), at: null },
    live: before,
    origins: NO_ORIGINS,
    noLongerDeclared: true,
    notCompared: [why],
  };
}

/** The place of an entry's section, which the files may still have. */
function sectionOf({ path }: Declared) {
  return path.slice(0, 1);
}
