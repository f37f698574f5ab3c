import { coverage } from "../expression/coverage/coverage.js";
import type { Skips, Witness } from "../model/strength.js";
import type { Move, Way } from "./move.js";
import { broadest, coverWords, NOTHING, requestsOf } from "./scope-words.js";
import { areSameWithin, customHostWords, requestWitness, type ZoneName } from "./scopes.js";

/** Null: nothing is skipped. */
type Side = Skips | null;

/** Compares skips as pairs of a request and a part of the protection. More pairs are weaker, fewer are stronger. */
export function compareSkips(before: Side, after: Side, zone: ZoneName): Move | null {
  const more = skipsMore(before, after, zone);
  const less = skipsMore(after, before, zone);
  const way = wayOf(more, less);
  if (way === null) return null;
  const why = wordsFor(before, after, way, zone);
  return { way, why, witness: way === "stronger" ? null : witnessOf(before, after, zone) };
}

type Answer = "yes" | "no" | "unknown";

/** Skipping surely no more is never weaker, even if it is unknown whether less is skipped; and the reverse. */
function wayOf(more: Answer, less: Answer): Way | null {
  if (more === "no") return less === "no" ? null : "stronger";
  if (less === "no") return "weaker";
  return more === "yes" && less === "yes" ? "mixed" : "unknown";
}

/** Whether the second side skips something that the first does not. */
function skipsMore(before: Side, after: Side, zone: ZoneName): Answer {
  if (after === null) return "no";
  const parts = namesIn(before, after).map((name) => [partOf(before, name), partOf(after, name)] as const);
  const isNew = parts.some(([oldPart, newPart]) => !isWithin(newPart, oldPart));
  const isShared = parts.some(([oldPart, newPart]) => areShared(oldPart, newPart));
  const answers = [
    isNew ? matchesSomething(after.where) : "no",
    isShared ? isBeyond(before?.where ?? NOTHING, after.where, zone) : "no",
  ];
  if (answers.includes("yes")) return "yes";
  return answers.includes("unknown") ? "unknown" : "no";
}

function matchesSomething(where: string): Answer {
  return isBeyond(NOTHING, where, null);
}

/** Whether the second expression matches a request that the first does not. Custom host names of a zone are unknown. */
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

/** The names on either side, and null for everything that neither names. */
function namesIn(before: Side, after: Side): readonly (string | null)[] {
  return [...new Set([before, after].flatMap((side) => Object.keys(side?.past ?? {}))), null];
}

function partOf(side: Side, name: string | null): Part {
  if (side === null) return [];
  const part = name !== null && Object.hasOwn(side.past, name) ? side.past[name] : undefined;
  return part ?? (side.others ? "all" : []);
}

function isWithin(part: Part, whole: Part): boolean {
  return whole === "all" || (part !== "all" && part.every((each) => whole.includes(each)));
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
  const partWords = before.is === after.is ? [] : [`skips ${before.is} → ${after.is}`];
  const words = [...partWords, ...(grown === null ? [] : [grown])];
  const fallback = way === "unknown" ? [UNDECIDED] : words.length === 0 ? [IN_GENERAL[way]] : [];
  return [...words, ...fallback].join("; ");
}

const UNDECIDED = "unknown whether it skips less";
const IN_GENERAL = { weaker: "skips more", stronger: "skips less", mixed: "skips other rules" };

/** The change in the skipping requests, in words. Null: no known change. */
function grownWords(before: string, after: string): string | null {
  if (isBeyond(after, before, null) === "unknown") return null;
  const [more, less] = [isBeyond(before, after, null), isBeyond(after, before, null)];
  if (more === "no" && less === "no") return null;
  const way = more === "no" ? "weaker" : less === "no" ? "stronger" : "mixed";
  return `skips ${coverWords(way, before, after, "request")}`;
}

/** A request that is inspected before and skips something after. */
function witnessOf(before: Side, after: Side, zone: ZoneName): Witness | null {
  if (after === null) return null;
  const isNew = namesIn(before, after).some((name) => !isWithin(partOf(after, name), partOf(before, name)));
  for (const old of [before?.where ?? NOTHING, ...(isNew ? [NOTHING] : [])])
    for (const where of [broadest(after.where), after.where]) {
      const witness = requestWitness(where, old, "weaker", zone);
      if (witness !== null) return witness;
    }
  return null;
}
