import type { MovedDetection, PlannedImpact, UndecidedDetection } from "../plan/generated/plan-document.js";
import type { Palette } from "./palette.js";
import { count } from "./plain.js";
import { urlText } from "./url-text.js";

/** What a change does to what pages load today: how many of each, and the first few. */
export function impactLines(impact: PlannedImpact, indent: string, colors: Palette): readonly string[] {
  const lines = MOVES.flatMap((move) =>
    KINDS.flatMap((kind) => movedLines(move, kind, impact[kind]?.[move.name] ?? [], indent, colors)),
  );
  return lines.length > 0 ? lines : [colors.faint(`${indent}${nothingText(impact)}`)];
}

type Kind = keyof PlannedImpact;
type Entry = MovedDetection | UndecidedDetection;

const KINDS: readonly Kind[] = ["scripts", "connections"];
const NOUNS: { readonly [kind in Kind]: string } = { scripts: "script", connections: "connection" };

/** What is only reported no more counts among the reasons; and of each detection only some pages are known. */
function nothingText(impact: PlannedImpact): string {
  const [one, other] = KINDS.filter((kind) => impact[kind] !== undefined).map((kind) => NOUNS[kind]);
  if (one === undefined) return "not tried: what was detected could not be read";
  const nouns = other === undefined ? one : `${one} or ${other}`;
  return `newly blocks, reports or allows no detected ${nouns} where it was first seen`;
}

/** Which of the detections come first, of the few that are shown: of what is blocked the good ones are a loss. */
const LOSSES: readonly Mark[] = ["own", "", "malicious"];
const DANGERS: readonly Mark[] = ["malicious", "unjudged", "", "own"];

const MOVES = [
  { name: "newly_blocked", heading: "newly blocked", order: LOSSES },
  { name: "newly_reported", heading: "newly reported", order: LOSSES },
  { name: "newly_allowed", heading: "newly allowed", order: DANGERS },
  { name: "undecided", heading: "undecided", order: DANGERS },
] as const;

type Mark = "malicious" | "unjudged" | "own" | "";

const MARKS: { readonly [mark in Mark]: string } = {
  malicious: "malicious",
  unjudged: "not judged",
  own: "the service's own",
  "": "",
};

const MAX_SHOWN = 5;

function movedLines(
  { name, heading, order }: (typeof MOVES)[number],
  kind: Kind,
  entries: readonly Entry[],
  indent: string,
  colors: Palette,
): readonly string[] {
  if (entries.length === 0) return [];
  const marked = entries.map((entry) => ({ entry, mark: markOf(entry, order) }));
  const shown = order
    .flatMap((mark) => marked.filter((each) => each.mark === mark))
    .slice(0, MAX_SHOWN)
    .map(({ entry, mark }) => ({ entry, mark, text: markText(entry, mark) }));
  const width = Math.max(...shown.map(({ text }) => text.length));
  const malicious = entries.filter((each) => each.malicious === true).length;
  const paint = name === "newly_allowed" && malicious > 0 ? colors.error : colors.strong;
  const rest = entries.length - shown.length;
  return [
    `${indent}${paint(`${heading}:`)} ${count(entries.length, NOUNS[kind])}${splitText(malicious, entries.length)}`,
    ...shown.map(({ entry, mark, text }) => {
      const column =
        width === 0 ? "" : `${markPaint(mark, colors)(text)}${" ".repeat(width - text.length)}  `;
      return `${indent}  ${column}${placeText(entry)}`;
    }),
    ...(rest > 0 ? [colors.faint(`${indent}  and ${rest} more: --format json has all`)] : []),
  ];
}

function markOf({ malicious, own }: Entry, order: readonly Mark[]): Mark {
  if (malicious === true) return "malicious";
  if (own) return "own";
  return malicious === null && order.includes("unjudged") ? "unjudged" : "";
}

/** It stands before the URL, which can have any text in it. */
function markText(entry: Entry, mark: Mark): string {
  const may =
    "may_be" in entry ? `may be ${entry.may_be.map((each) => each.replace("_", " ")).join(" or ")}` : "";
  return [MARKS[mark], may].filter((each) => each !== "").join(", ");
}

function markPaint(mark: Mark, colors: Palette): Palette["remove"] {
  return mark === "malicious" ? colors.remove : colors.faint;
}

function splitText(malicious: number, all: number): string {
  if (malicious === 0) return "";
  return malicious === all ? ", malicious" : `, ${malicious} of them malicious`;
}

function placeText({ url, page }: Entry): string {
  return page === null ? urlText(url) : `${urlText(url)} on ${urlText(page)}`;
}
