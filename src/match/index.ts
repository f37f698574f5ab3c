import type { Kind, Live } from "../kinds/kind.js";
import { type Item, type Triple, WITHOUT_BASE } from "../model/item.js";
import type { Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { harmless } from "./harmless.js";
import { pair } from "./pair.js";
import { withoutSensitive } from "./seal.js";
import { toTriples } from "./wanted.js";

/** What is declared and what is live, object by object. */
export interface Matched {
  readonly triples: readonly Triple[];
  /** Live objects that the files do not declare and that stay. */
  readonly unmanaged: readonly Item[];
  readonly problems: readonly Problem[];
  /** What the references to secrets in the triples stand for. */
  readonly secrets: ReadonlyMap<string, Json>;
}

/** A zone's declared objects of one kind with its live ones. */
export function match(kind: Kind, declared: readonly Declared[], live: Live, zone: WantedZone): Matched {
  const items = live.items.map(harmless);
  const { pairs, problems } = pair(kind, declared, { ...live, items }, zone);
  const taken = new Set(pairs.map((each) => each.live));
  const foreign = items.filter((item) => !taken.has(item)).map((item) => withoutSensitive(kind, item));
  const pruned = zone.prune.includes(kind.section);
  const wanted = pairs.map((each) => toTriples(kind, each, zone));
  return {
    triples: [
      ...wanted.flatMap((each) => each.triples),
      ...(pruned ? foreign.map((item) => ({ ...WITHOUT_BASE, want: null, live: item })) : []),
    ],
    unmanaged: pruned ? [] : foreign,
    problems: [...problems, ...wanted.flatMap((each) => each.problems)],
    secrets: new Map(wanted.flatMap((each) => [...each.secrets])),
  };
}
