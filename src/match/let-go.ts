import { diffFields } from "../kinds/fields.js";
import { aboutOf, type Kind, type Live } from "../kinds/kind.js";
import { mayBeSensitive } from "../kinds/sensitive.js";
import { type Item, NO_ORIGINS, type Origins, type Triple } from "../model/item.js";
import type { Sensitive } from "../model/sealed.js";
import type { Declared } from "../model/wanted.js";
import { type BaseDeclarations, secretFieldsBefore } from "./base.js";
import { driftOnly } from "./drift-only.js";
import { inTermsOf, isOpen, withOrigins } from "./origins.js";
import type { Pair } from "./pair.js";
import { goneFromBoth, IN_CONFLICT, itemOf, whyOpen, withUnknown } from "./taken-over.js";
import { leftAsItIs, toTriples, type Wanted } from "./triples.js";
import { underKeys } from "./under-keys.js";

/** What a change lets go of, and what is told of it. */
export interface LetGo extends Pick<Wanted, "secrets" | "unset"> {
  readonly takenOver: readonly Triple[];
}

export const NOTHING_LET_GO: LetGo = { takenOver: [], secrets: new Map(), unset: [] };

/**
 * What a change lets go of: entries of the base that the files no longer have, and that stay as they are live. Each is
 * compared with what is live, as nothing would tell of that from then on. What cannot be compared is told as unknown.
 *
 * @param live null: it could not be read
 */
export function matchLetGo(
  kind: Kind,
  entries: readonly Declared[],
  live: Live | null,
  base: BaseDeclarations,
): LetGo {
  const { zone, declared } = base;
  if (zone === null || entries.length === 0) return NOTHING_LET_GO;
  if (live === null || live.unlisted === true) {
    const why = `the ${kind.section} of ${zone.name} could not be read`;
    return {
      ...NOTHING_LET_GO,
      takenOver: entries.map((each) => notCompared(kind, each, why, live?.context)),
    };
  }
  const context = kind.reads?.inTermsOf?.(live.context, declared) ?? live.context;
  const { keyOf, pairs, unpaired } = underKeys(kind, declared, live, zone, base, () => false);
  const secretFields = secretFieldsBefore(kind, { base });
  const found = entries.map((entry): LetGo => {
    const told = (...takenOver: readonly Triple[]) => ({ ...NOTHING_LET_GO, takenOver });
    const gone = () =>
      told({ ...goneFromBoth(kind, entry, sectionOf(entry), context), noLongerDeclared: true });
    const none = unpaired.find((each) => each.declared === entry);
    if (none?.isNotLive === true) return gone();
    if (none !== undefined) return told(notCompared(kind, entry, none.problem.detail, context));
    const found = pairs.find((each) => each.declared === entry) ?? {
      declared: entry,
      live: null,
      rivals: [],
    };
    const unclear = whyUnclear(kind, found, context);
    if (unclear !== null) return told(notCompared(kind, entry, unclear, context));
    if (found.live === null) return entry.body.ensure === "absent" ? told() : gone();
    const item = { ...found.live, normal: inTermsOf(entry, kind, found.live, context) };
    const wanted = toTriples(
      kind,
      { ...found, live: item },
      context,
      zone,
      { entry: "nothing", secretFields },
      keyOf,
    );
    const [refused] = wanted.triples.length > 0 ? [] : wanted.problems;
    if (refused !== undefined) return told(notCompared(kind, entry, refused.detail, context));
    const three = { base: entry, want: entry, live: item };
    const triples = withOrigins(kind, wanted.triples, three, context, base.lacks, secretFields);
    return {
      takenOver: triples.flatMap((each) => asTakenOver(kind, each)),
      secrets: wanted.secrets,
      unset: wanted.unset.map(leftAsItIs),
    };
  });
  return {
    takenOver: found.flatMap((each) => each.takenOver),
    secrets: new Map(found.flatMap((each) => [...each.secrets])),
    unset: found.flatMap((each) => each.unset),
  };
}

/** Why it cannot be told which live object an entry means. Null: it can. */
function whyUnclear(
  kind: Kind,
  { declared: { body }, rivals }: Pair,
  context: Live["context"],
): string | null {
  const { shape } = kind;
  if (shape.as === "list" && isOpen(body[shape.named])) return whyOpen(shape.named);
  if (aboutOf(kind)?.aboutDeclared(body, context) === null) return "which live object it is cannot be told";
  return rivals.flatMap(({ problem }) => problem?.detail ?? [])[0] ?? null;
}

/** Inverts the plan that would restore the base's entry: the base is before, the live object after. */
function asTakenOver(kind: Kind, triple: Triple): readonly Triple[] {
  const open = Object.entries(triple.origins.fields).flatMap(([field, origin]) =>
    origin === "unknown" && kind.fields[field]?.writeOnly !== true ? [field] : [],
  );
  const differing: Origins = {
    ...triple.origins,
    fields: { ...triple.origins.fields, ...Object.fromEntries(open.map((field) => [field, "conflict"])) },
  };
  const drifted = driftOnly(kind, { ...triple, origins: differing });
  if (drifted === null) return [];
  const { base, want, live } = drifted;
  // Where each is about something else, it is called as its entry is.
  const called = kind.shape.as === "one" && want !== null ? { ref: { ...want.ref } } : {};
  if (diffFields(live?.normal ?? null, want?.normal ?? null, kind.fields).length === 0) return [];
  return [
    {
      base: base ?? want,
      want: live === null ? null : { ...live, ...called, at: null },
      live: want,
      origins: withUnknown(IN_CONFLICT, open),
      noLongerDeclared: true,
      ...(open.length === 0 ? {} : { notCompared: open.map(whyOpen) }),
    },
  ];
}

/** An object of the base of which nobody can tell what became of it. */
function notCompared(kind: Kind, entry: Declared, why: string, context: Live["context"]): Triple {
  const item = itemOf(kind, entry, sectionOf(entry), context);
  const sealed = ($sensitive: Sensitive["$sensitive"]): Item => {
    const fields = Object.entries(item.normal).map(
      ([field, value]) => [field, mayBeSensitive(kind, field) ? { $sensitive } : value] as const,
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

/** Where the files may still have something. */
function sectionOf({ path }: Declared) {
  return path.slice(0, 1);
}
