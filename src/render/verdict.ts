import type {
  EffectCounts,
  ImpactSummary,
  ImpactSums,
  OriginCounts,
  PlanDocument,
} from "../plan/generated/plan-document.js";
import { type EffectWord, effectPaint, PLANNED } from "./effect.js";
import { failedText } from "./failures.js";
import { outsideCounts } from "./outside.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./plain.js";
import { undeclaredText } from "./undeclared.js";
import type { PlanView } from "./view.js";

/**
 * A plan in one line for whoever reviews it: what it does to protection, what was done outside the files, and what it does
 * to what pages load today. Of drift: what was done to protection outside. Null: nothing changes, and nobody else is there.
 */
export function verdictText(
  plan: PlanDocument,
  colors: Palette,
  about: PlanView["about"] = "plan",
): string | null {
  if (plan.changes.length === 0) {
    const undeclared = undeclaredText(plan, colors);
    return undeclared === null ? null : [undeclared, ...failures(plan, about, colors)].join("; ");
  }
  return verdictParts(plan, colors, about).join("; ");
}

/** The same in its parts. */
export function verdictParts(
  plan: PlanDocument,
  colors: Palette,
  about: PlanView["about"],
): readonly string[] {
  const { origins, impact } = plan.summary;
  const parts = [
    doneText(plan, colors, about),
    about === "plan" ? originsText(origins, colors) : conflictsText(origins, colors),
    ...(impact === null ? [] : impactParts(impact, about, colors)),
    undeclaredText(plan, colors) ?? "",
    ...refusals(plan, colors),
    ...failures(plan, about, colors),
  ];
  return parts.filter((part) => part !== "");
}

/** What is done to protection, or was done outside the files. */
export function doneText(plan: PlanDocument, colors: Palette, about: PlanView["about"]): string {
  if (about === "plan") return effectsText(plan.summary.effects, PLANNED, colors);
  return `${effectsText(outsideCounts(plan), OUTSIDE, colors)} outside the files`;
}

/** `2 weaken, 1 strengthens`: what a reviewer looks for first. */
function effectsText(effects: EffectCounts, words: readonly EffectWord[], colors: Palette): string {
  return words
    .flatMap(({ effect, one, several }) => {
      const n = effects[effect];
      return n === 0 ? [] : [effectPaint(effect, colors)(`${n} ${n === 1 ? one : several}`)];
    })
    .join(", ");
}

export const OUTSIDE: readonly EffectWord[] = [
  { effect: "weakens", one: "weakened", several: "weakened" },
  { effect: "unknown", one: "changed with unknown effect", several: "changed with unknown effect" },
  { effect: "mixed", one: "weakened and strengthened", several: "weakened and strengthened" },
  { effect: "strengthens", one: "strengthened", several: "strengthened" },
  { effect: "neutral", one: "changed", several: "changed" },
];

/** `1 in conflict, 1 drifted`: what the files did not bring about. */
function originsText({ drift, conflict, mixed }: OriginCounts, colors: Palette): string {
  const texts = [
    conflict === 0 ? "" : `${conflict} in conflict`,
    drift === 0 ? "" : `${drift} drifted`,
    mixed === 0 ? "" : `${mixed} partly drifted`,
  ].filter((text) => text !== "");
  return texts.length === 0 ? "" : colors.warning(texts.join(", "));
}

/** That drift drifted is no news. */
function conflictsText({ conflict }: OriginCounts, colors: Palette): string {
  return originsText({ declared: 0, drift: 0, conflict, mixed: 0, unknown: 0 }, colors);
}

function impactParts(impact: ImpactSummary, about: PlanView["about"], colors: Palette): readonly string[] {
  const undecided = countsOf(impact, "undecided");
  const moves = movesText(impact, colors);
  return [
    about === "drift" && moves.startsWith("would ") ? `going back ${moves}` : moves,
    undecided === "" ? "" : colors.change(`${undecided} undecided`),
    unreadText(impact.unread, colors),
    unseenText(impact.unseen ?? [], colors),
  ];
}

/**
 * `would block 3 of 41 active scripts, report 2 scripts`: what they are part of is said once. What is malicious and would
 * be allowed comes first.
 */
function movesText(impact: ImpactSummary, colors: Palette): string {
  const { scripts, connections, unread, unseen = [] } = impact;
  const all = countsOf(impact, "tried", "active ");
  if (all === "")
    return unread.length + unseen.length > 0
      ? ""
      : "nothing was detected that the changed policies could touch";
  const malicious = scripts.malicious_allowed + connections.malicious_allowed;
  const inOrder = malicious > 0 ? MOVES.toReversed() : MOVES;
  const moves = inOrder.filter(({ sum }) => scripts[sum] + connections[sum] > 0);
  if (moves.length === 0) return `would block, report or allow none of ${all}`;
  const texts = moves.map(({ sum, verb }, index) => {
    const text = `${verb} ${index === 0 ? shares(impact, sum) : countsOf(impact, sum)}`;
    if (sum === "newly_allowed" && malicious > 0)
      return colors.error(`${text}, ${malicious} of them malicious`);
    return sum === "newly_blocked" ? colors.change(text) : text;
  });
  return `would ${texts.join(", ")}`;
}

const MOVES = [
  { sum: "newly_blocked", verb: "block" },
  { sum: "newly_reported", verb: "report" },
  { sum: "newly_allowed", verb: "allow" },
] as const;

/** `3 of 41 active scripts and 1 of 12 active connections`. */
function shares(impact: ImpactSummary, sum: keyof ImpactSums): string {
  return ofKinds(impact, (of, noun) =>
    of[sum] === 0 ? "" : `${of[sum]} of ${count(of.tried, `active ${noun}`)}`,
  );
}

/** `2 scripts and 1 connection`; empty where there is none. */
function countsOf(impact: ImpactSummary, sum: keyof ImpactSums, before = ""): string {
  return ofKinds(impact, (of, noun) => (of[sum] === 0 ? "" : count(of[sum], `${before}${noun}`)));
}

function ofKinds(
  { scripts, connections }: ImpactSummary,
  text: (of: ImpactSums, noun: string) => string,
): string {
  return [text(scripts, "script"), text(connections, "connection")]
    .filter((each) => each !== "")
    .join(" and ");
}

const MAX_NAMED = 3;

function unreadText(zones: readonly string[], colors: Palette): string {
  return zones.length === 0 ? "" : colors.warning(`${whatZonesLoad(zones)} could not all be read`);
}

function unseenText(zones: readonly string[], colors: Palette): string {
  return zones.length === 0 ? "" : colors.warning(`nobody knows all of ${whatZonesLoad(zones)}`);
}

function whatZonesLoad(zones: readonly string[]): string {
  const named =
    zones.length > MAX_NAMED ? count(zones.length, "zone") : zones.map((each) => plain(each)).join(", ");
  return `what ${named} ${zones.length === 1 ? "loads" : "load"}`;
}

function refusals({ guardrails }: PlanDocument, colors: Palette): readonly string[] {
  const names = [...new Set(guardrails.filter(({ allowed }) => !allowed).map(({ name }) => plain(name)))];
  if (names.length === 0) return [];
  return [
    colors.error(`${names.length === 1 ? "guardrail says" : "guardrails say"} no: ${names.join(", ")}`),
  ];
}

function failures(plan: PlanDocument, about: PlanView["about"], colors: Palette): readonly string[] {
  const failed = failedText(plan, about);
  return failed === null ? [] : [colors.error(failed)];
}
