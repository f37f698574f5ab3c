import { equal as sameCsp } from "../csp/canonical.js";
import { includes, includesOn } from "../csp/inclusion/includes.js";
import { coverage } from "../expression/coverage/coverage.js";
import { equal as sameExpression } from "../expression/spelling/canonical.js";
import { rememberedText } from "../model/remembered.js";
import type { Layer, Layers } from "../model/strength.js";
import { wayOf } from "./compare-scopes.js";
import { cspWords } from "./csp-words.js";
import { compareFraming } from "./framing.js";
import { inZone, loadWitness } from "./load-witness.js";
import { pagesWhereBoth } from "./page-hosts.js";
import { coverWords, NOTHING, on, onAny } from "./places.js";
import {
  compareBlockingUpgrades,
  compareUpgrades,
  obeyed,
  withoutUpgrade,
  withoutUpgrades,
} from "./upgrades.js";
import { type Move, together, type Way } from "./ways.js";
import { areSameWithin, customHostWords, outsideWords, type ZoneName } from "./zone-hosts.js";

/** Layers add up, so more of them is stronger. One that changes is compared with what it becomes. */
export function compareLayers(before: Layers, after: Layers, zone: ZoneName): Move | null {
  if (before.beside?.is !== after.beside?.is)
    return { way: "unknown", why: (before.beside ?? after.beside)?.why ?? "" };
  const { gone, come } = differing(before.layers, after.layers);
  const [old, ...otherOld] = gone;
  const [now, ...otherNow] = come;
  if (otherOld.length > 0 || otherNow.length > 0)
    return { way: "unknown", why: "several policies become others" };
  const pair: Pair = {
    before: old ?? null,
    after: now ?? null,
    counts: after.counts ?? "protection",
    sameWithin: zone !== null && old && now && areSameWithin(zone, old.where, now.where) ? zone : null,
  };
  const move = compareOnce(JSON.stringify(pair));
  if (move === null) return null;
  const named = outsideWords(
    zone,
    [...gone, ...come].map(({ where }) => where),
  );
  const why = named === null ? move.why : `${move.why} (${named})`;
  const { witness = null } = move;
  if (witness?.as !== "load" || old === undefined) return { ...move, why };
  return { ...move, why, witness: inZone(witness, zone, old, pair.after) };
}

function differing(
  before: readonly Layer[],
  after: readonly Layer[],
): { readonly gone: readonly Layer[]; readonly come: readonly Layer[] } {
  return {
    gone: before.filter((layer) => !after.some((each) => isSame(layer, each))),
    come: after.filter((layer) => !before.some((each) => isSame(layer, each))),
  };
}

function isSame(a: Layer, b: Layer): boolean {
  return a.mode === b.mode && sameExpression(a.where, b.where) && sameCsp(obeyed(a), obeyed(b));
}

interface Pair {
  /** Null: it is not there. */
  readonly before: Layer | null;
  readonly after: Layer | null;
  readonly counts: NonNullable<Layers["counts"]>;
  /** The zone on whose own hosts both are for the same requests; null: on none. */
  readonly sameWithin: string | null;
}

/** Policies of a template change alike in all its zones. */
const compareOnce = rememberedText((text): Move | null => {
  const pair = JSON.parse(text) as Pair; // as it was written
  const { before, after } = pair;
  const moves = [...compareRestrictions(pair), ...(upgradeMove(pair) ?? []), ...framingMove(pair)];
  const way = together(moves.map((each) => each.way));
  if (way === null) return null;
  const open = moves.filter((each) => each.way === "unknown");
  const why = [...new Set([...open, ...moves].map((each) => each.why))].join("; ");
  const witness = way === "stronger" || before === null ? null : loadWitness(before, after);
  return { way, why, witness };
});

function upgradeMove({ before, after, counts }: Pair): readonly Move[] | null {
  const move = (counts === "blocking" ? compareBlockingUpgrades : compareUpgrades)(before, after);
  return move && [move];
}

/** What becomes of X-Frame-Options, on the pages that a layer is for. */
function framingMove(pair: Pair): readonly Move[] {
  const [before = null, after = null] = [pair.before, pair.after].map((layer) =>
    layer && isNowhere(layer.where) ? null : layer,
  );
  const pages = before && after ? wayOf(before.where, after.where) : null;
  return [compareFraming(before, after, pages) ?? []].flat();
}

/** What is refused or reported, by layers that do so at all. */
function compareRestrictions(pair: Pair): readonly Move[] {
  const [before, after] = [pair.before, pair.after].map((layer) =>
    layer && restricts(layer) ? layer : null,
  );
  if (!before) return after ? [{ way: "stronger", why: starting(after) }] : [];
  if (!after) return [{ way: "weaker", why: ending(before, pair.after) }];
  return [compareModes, compareCsps, compareWhere].flatMap((each) => each(before, after, pair) ?? []);
}

/** One for no page restricts nothing, nor does one that allows everything. */
function restricts({ where, csp }: Layer): boolean {
  return !isNowhere(where) && refusesSomething(csp);
}

const isNowhere = rememberedText((where) => coverage(where, NOTHING) === "equal");
const refusesSomething = rememberedText((csp) => includes(withoutUpgrade(csp), "") !== true);

function starting({ mode, where }: Layer): string {
  return `starts to ${DOES[mode]} ${on(where, "page")}`;
}

function ending(gone: Layer, after: Layer | null): string {
  if (after !== null && isNowhere(after.where)) return "on no page any more";
  return `no longer ${DOES[gone.mode]}s ${onAny(gone.where, "page")}`;
}

const DOES = { enforce: "block", report: "report" } as const;

function compareModes(before: Layer, after: Layer): Move | null {
  if (before.mode === after.mode) return null;
  return after.mode === "enforce"
    ? { way: "stronger", why: "from reporting to blocking" }
    : { way: "weaker", why: "from blocking to reporting" };
}

function compareWhere({ where: before }: Layer, { where: after }: Layer, { sameWithin }: Pair): Move | null {
  const way = wayOf(before, after);
  if (way === null) return null;
  if (sameWithin === null || way === "stronger") return { way, why: coverWords(way, before, after, "page") };
  return { way: "unknown", why: customHostWords(sameWithin) };
}

/** What they allow on the pages that both are for. Of what is blocked, upgrades count as what they make of loads. */
function compareCsps(old: Layer, now: Layer, { counts }: Pair): Move | null {
  const [before, after] = counts === "blocking" ? [obeyed(old), obeyed(now)] : withoutUpgrades(old, now);
  const pages = pagesWhereBoth(old.where, now.where);
  const way = wayOfCsps(includesOn(pages, after, before), includesOn(pages, before, after));
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
