import type { Kind, Live } from "../kinds/kind.js";
import type { Item } from "../model/item.js";
import type { Problem } from "../model/problem.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { type Pair, pair, pinOf } from "./pair.js";

/** What the base, the files before the change, says of one kind in a zone. */
export interface Former {
  /** Null: the base does not have the zone. */
  readonly zone: WantedZone | null;
  readonly declared: readonly Declared[];
}

/** Which entry of the base is which of the files, and what became of those that the files no longer have. */
export interface Counterparts {
  readonly of: ReadonlyMap<Declared, Declared>;
  /** Live objects that the base declares and the files do not. */
  readonly dropped: readonly { readonly declared: Declared; readonly live: Item }[];
  readonly problems: readonly Problem[];
}

/**
 * An object that got another name or pin between the base and the files is one object, as long as anything of it is the
 * same: its pin, its name, its former name, or the live object that it means.
 *
 * @param pairs of the files' entries with what they mean
 */
export function counterparts(
  kind: Kind,
  declared: readonly Declared[],
  pairs: readonly Pair[],
  former: Former,
  live: Live,
  zone: WantedZone,
): Counterparts {
  if (kind.shape.as === "one") return ofOne(kind, declared, former);
  const { named } = kind.shape;
  const byPair = new Map(pairs.map((each) => [each.declared, each.live]));
  const formerPairs = former.zone === null ? NONE : pair(kind, former.declared, live, former.zone);
  const formerLive = new Map(formerPairs.pairs.map((each) => [each.declared, each.live]));
  const signs: readonly ((now: Declared, then: Declared) => boolean)[] = [
    (now, then) => pinOf(now) !== null && pinOf(now) === pinOf(then),
    (now, then) => now.body[named] === then.body[named],
    (now, then) => now.body.renamed_from !== undefined && now.body.renamed_from === then.body[named],
    (now, then) => (byPair.get(now) ?? null) !== null && byPair.get(now) === formerLive.get(then),
  ];
  const of = new Map<Declared, Declared>();
  const left = new Set(former.declared);
  for (const isSame of signs) {
    for (const now of declared) {
      const then = of.has(now) ? undefined : [...left].find((each) => isSame(now, each));
      if (then === undefined) continue;
      of.set(now, then);
      left.delete(then);
    }
  }
  const taken = new Set(byPair.values());
  const gone = [...left].filter(({ body }) => body.ensure !== "absent");
  const dropped = gone.flatMap((each) => {
    const item = formerLive.get(each) ?? null;
    return item === null || taken.has(item) ? [] : [{ declared: each, live: item }];
  });
  const unclear = gone.filter((each) => !formerLive.has(each));
  return { of, dropped, problems: unclear.map((each) => notDeleted(kind, each.body[named], zone)) };
}

const NONE = { pairs: [], problems: [] };

/** Where both say how to find it and say it differently, they are not about the same object. */
function ofOne(kind: Kind, declared: readonly Declared[], former: Former): Counterparts {
  const [now] = declared;
  const [then] = former.declared;
  const isSame = now !== undefined && then !== undefined && findingOf(kind, now) === findingOf(kind, then);
  return { of: isSame ? new Map([[now, then]]) : new Map(), dropped: [], problems: [] };
}

/** What an entry says that is no field of the object. */
function findingOf(kind: Kind, { body }: Declared): string {
  const own = kind.want(body, null);
  const finding = Object.entries(body).filter(([key]) => !(key in own) && key !== "ensure");
  return JSON.stringify(finding.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function notDeleted({ name, section }: Kind, key: unknown, zone: WantedZone): Problem {
  return {
    code: "not_deleted",
    severity: "warning",
    summary: "No longer declared, and not deleted",
    detail: `The files no longer declare the ${name} ${JSON.stringify(key)} of ${zone.name}, and which live object it is cannot be told, so none is deleted. Delete it at the service, or declare it by its id with ensure: absent.`,
    at: zone.locate([section], "key"),
  };
}
