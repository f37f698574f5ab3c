import { coverage } from "../expression/coverage/coverage.js";
import type { Skips, Witness } from "../model/strength.js";
import type { Move, Way } from "./move.js";
import { broadest, coverWords, NOTHING, requestsOf } from "./scope-words.js";
import { areSameWithin, customHostWords, requestWitness, type ZoneName } from "./scopes.js";

/** Null: nothing goes past anything. */
type Side = Skips | null;

/**
 * What becomes of what requests go past. What is skipped is pairs of a request and a part of the protection: more such
 * pairs are weaker, fewer stronger.
 */
export function compareSkips(before: Side, after: Side, zone: ZoneName): Move | null {
  const more = isMore(before, after, zone);
  const less = isMore(after, before, zone);
  const way = wayOf(more, less);
  if (way === null) return null;
  const why = wordsFor(before, after, way, zone);
  return { way, why, witness: way === "stronger" ? null : witnessOf(before, after, zone) };
}

type Answer = "yes" | "no" | "unknown";

/** What surely skips no more is no weaker, whether or not it skips less; and the reverse. */
function wayOf(more: Answer, less: Answer): Way | null {
  if (more === "no") return less === "no" ? null : "stronger";
  if (less === "no") return "weaker";
  return more === "yes" && less === "yes" ? "mixed" : "unknown";
}

/** Whether something is skipped on the second side that is not on the first. */
function isMore(before: Side, after: Side, zone: ZoneName): Answer {
  if (after === null) return "no";
  const parts = namesIn(before, after).map((name) => [partOf(before, name), partOf(after, name)] as const);
  const isNew = parts.some(([old, now]) => !isWithin(now, old));
  const isShared = parts.some(([old, now]) => areShared(old, now));
  const answers = [
    isNew ? isSome(after.where) : "no",
    isShared ? isBeyond(before?.where ?? NOTHING, after.where, zone) : "no",
  ];
  if (answers.includes("yes")) return "yes";
  return answers.includes("unknown") ? "unknown" : "no";
}

/** Whether the expression matches any request. */
function isSome(where: string): Answer {
  return isBeyond(NOTHING, where, null);
}

/** Whether the second expression matches a request that the first one does not. Of a zone, its custom hosts are not known. */
function isBeyond(before: string, after: string, zone: ZoneName): Answer {
  if (before === after) return "no";
  switch (coverage(before, after)) {
    case "equal":
    case "superset":
      return "no";
    case "unknown":
      return "unknown";
    default:
      return zone !== null && areSameWithin(zone, before, after) ? "unknown" : "yes";
  }
}

type Part = "all" | readonly string[];

/** All that one side or the other names, and something that neither does. */
function namesIn(before: Side, after: Side): readonly (string | null)[] {
  return [...new Set([before, after].flatMap((side) => Object.keys(side?.past ?? {}))), null];
}

function partOf(side: Side, name: string | null): Part {
  if (side === null) return [];
  const said = name !== null && Object.hasOwn(side.past, name) ? side.past[name] : undefined;
  return said ?? (side.others ? "all" : []);
}

function isWithin(some: Part, all: Part): boolean {
  return all === "all" || (some !== "all" && some.every((each) => all.includes(each)));
}

function areShared(a: Part, b: Part): boolean {
  if (a === "all") return b.length > 0;
  return b === "all" ? a.length > 0 : a.some((each) => b.includes(each));
}

function wordsFor(before: Side, after: Side, way: Way, zone: ZoneName): string {
  if (before === null && after !== null) return `skips ${after.is}: ${requestsOf(after.where)}`;
  if (after === null && before !== null) return `no longer skips ${before.is}: ${requestsOf(before.where)}`;
  if (before === null || after === null) throw new Error("what is on no side does not move");
  if (zone !== null && areSameWithin(zone, before.where, after.where)) return customHostWords(zone);
  const grown = grownWords(before.where, after.where);
  const what = before.is === after.is ? [] : [`skips ${before.is} → ${after.is}`];
  const words = [...what, ...(grown === null ? [] : [grown])];
  const rest = way === "unknown" ? [UNDECIDED] : words.length === 0 ? [IN_GENERAL[way]] : [];
  return [...words, ...rest].join("; ");
}

const UNDECIDED = "whether less is skipped cannot be decided";
const IN_GENERAL = { weaker: "skips more", stronger: "skips less", mixed: "skips other rules" };

/** What becomes of the requests that skip, in words; null: nothing. */
function grownWords(before: string, after: string): string | null {
  if (isBeyond(after, before, null) === "unknown") return null;
  const [more, less] = [isBeyond(before, after, null), isBeyond(after, before, null)];
  if (more === "no" && less === "no") return null;
  const way = more === "no" ? "weaker" : less === "no" ? "stronger" : "mixed";
  return `skips ${coverWords(way, before, after, "request")}`;
}

/** A request that is looked at before, and goes past something after: one of many, where that is so. */
function witnessOf(before: Side, after: Side, zone: ZoneName): Witness | null {
  if (after === null) return null;
  const isNew = namesIn(before, after).some((name) => !isWithin(partOf(after, name), partOf(before, name)));
  for (const old of [before?.where ?? NOTHING, ...(isNew ? [NOTHING] : [])])
    for (const where of [broadest(after.where), after.where]) {
      const found = requestWitness(where, old, "weaker", zone);
      if (found !== null) return found;
    }
  return null;
}
