import { equal as sameCsp } from "../csp/equal.js";
import { includes } from "../csp/inclusion/includes.js";
import { equal as sameExpression } from "../expression/spelling/equal.js";
import { rememberedText } from "../model/remembered.js";
import type { Layer, Layers } from "../model/strength.js";
import { wayOf } from "./compare-scopes.js";
import { cspWords } from "./csp-words.js";
import { compareFraming } from "./framing.js";
import { loadWitness, onHost } from "./load-witness.js";
import { coverWords, on, onAny } from "./places.js";
import { compareUpgrades, obeyed, withoutUpgrades } from "./upgrades.js";
import { type Move, together, type Way } from "./ways.js";

/**
 * Layers add up, so more of them is stronger. One that changes is compared with what it becomes.
 *
 * @param host for a witness whose page may be on any
 */
export function compareLayers(before: Layers, after: Layers, host: string): Move | null {
  if (before.beside?.is !== after.beside?.is)
    return { way: "unknown", why: (before.beside ?? after.beside)?.why ?? "" };
  const move = compareOnce(JSON.stringify([before.layers, after.layers]));
  if (move?.witness?.as !== "load") return move;
  return { ...move, witness: onHost(move.witness, host, before.layers, after.layers) };
}

/** Policies of a template change alike in all its zones, but for the host. */
const compareOnce = rememberedText((text): Move | null => {
  const [before, after] = JSON.parse(text) as [readonly Layer[], readonly Layer[]]; // as it was written
  const [gone, ...otherGone] = before.filter((layer) => !after.some((each) => isSame(layer, each)));
  const [come, ...otherCome] = after.filter((layer) => !before.some((each) => isSame(layer, each)));
  if (gone === undefined) return come === undefined ? null : starting(come);
  if (come === undefined) return ending(gone);
  if (otherGone.length > 0 || otherCome.length > 0)
    return { way: "unknown", why: "several policies become others" };
  return compareTwo(gone, come);
});

function isSame(a: Layer, b: Layer): boolean {
  return a.mode === b.mode && sameExpression(a.where, b.where) && sameCsp(obeyed(a), obeyed(b));
}

function starting(come: Layer): Move {
  const start: Move = { way: "stronger", why: `starts to ${DOES[come.mode]} ${on(come.where, "page")}` };
  return inAll([start, compareFraming(null, come, null) ?? []].flat());
}

function ending(gone: Layer): Move {
  const why = `no longer ${DOES[gone.mode]}s ${onAny(gone.where, "page")}`;
  const end: Move = { way: "weaker", why };
  const moves = [end, compareFraming(gone, null, null) ?? []].flat();
  return { ...inAll(moves), witness: loadWitness(gone, null) };
}

const DOES = { enforce: "block", report: "report" } as const;

function compareTwo(before: Layer, after: Layer): Move | null {
  const pages = compareWhere(before, after);
  const moves = [
    compareModes(before, after),
    compareUpgrades(before, after),
    compareCsps(before, after),
    pages,
    compareFraming(before, after, pages?.way ?? null),
  ].flatMap((each) => each ?? []);
  if (moves.length === 0) return null;
  const move = inAll(moves);
  return { ...move, witness: move.way === "stronger" ? null : loadWitness(before, after) };
}

/** Several moves in one, of which at least one moves; what is not known is said first. */
function inAll(moves: readonly Move[]): Move {
  const open = moves.filter((each) => each.way === "unknown");
  const why = [...new Set([...open, ...moves])].map((each) => each.why).join("; ");
  return { way: together(moves.map((each) => each.way)) ?? "unknown", why };
}

function compareModes(before: Layer, after: Layer): Move | null {
  if (before.mode === after.mode) return null;
  return after.mode === "enforce"
    ? { way: "stronger", why: "from reporting to blocking" }
    : { way: "weaker", why: "from blocking to reporting" };
}

function compareWhere({ where: before }: Layer, { where: after }: Layer): Move | null {
  const way = wayOf(before, after);
  return way === null ? null : { way, why: coverWords(way, before, after, "page") };
}

function compareCsps(old: Layer, now: Layer): Move | null {
  const [before, after] = withoutUpgrades(old, now);
  const way = wayOfCsps(includes(after, before), includes(before, after));
  return way === null ? null : { way, why: cspWords(way, before, after) };
}

/**
 * What surely allows all that there was is no stronger, whether or not it allows more: where that is not known, it
 * counts as weaker.
 */
function wayOfCsps(allowsAll: boolean | "unknown", allowedAll: boolean | "unknown"): Way | null {
  if (allowsAll === true) return allowedAll === true ? null : "weaker";
  if (allowedAll === true) return "stronger";
  return allowsAll === false && allowedAll === false ? "mixed" : "unknown";
}
