import type { PlannedChange, PlannedImpact } from "../plan/generated/plan-document.js";
import { effectPaint } from "./effect.js";
import { fieldLines, isSaid, lostLines } from "./field-lines.js";
import { impactMoves, type Move, nothingMovedText, type ShownDetection, unseenText } from "./impact-moves.js";
import { originText, placeText } from "./origin-text.js";
import { OUTSIDE_ACTIONS, OUTSIDE_WORDS, outsideEffect } from "./outside.js";
import type { Palette } from "./palette.js";
import { plain } from "./plain.js";
import { reasonLines } from "./reasons.js";
import { quoted, quotedBoth, urlText } from "./values.js";
import type { PlanView } from "./view.js";

const INDENT = "      ";

/**
 * A change: what it does to protection and why, then what is different, then what that does to what pages load. Of
 * drift: what was done outside, then what going back does.
 *
 * @param leadChars of the longest lead that is shown, for aligning the names behind it
 */
export function changeLines(
  change: PlannedChange,
  leadChars: number,
  colors: Palette,
  { about, explain }: Pick<PlanView, "about" | "explain">,
): readonly string[] {
  const { action, fields, impact } = change;
  const lead = leadText(change, about);
  const paint = effectPaint(about === "drift" ? outsideEffect(change) : change.effect, colors);
  const place = placeText(change);
  const shownPlace = place === null ? "" : colors.faint(`  ${plain(place)}`);
  const going = about === "drift" ? "going back: " : "";
  const unsaid = fields.filter((field) => !isSaid(change, field));
  return [
    `  ${paint(lead)}${" ".repeat(leadChars - lead.length)}  ${titleOf(change, colors)}${shownPlace}`,
    ...originLines(change, about, colors),
    ...reasonLines(change, INDENT, colors, going),
    ...(action === "delete"
      ? lostLines(change, unsaid, INDENT, colors, explain)
      : unsaid.flatMap((field) => fieldLines(change, field, INDENT, colors, explain))),
    ...(impact === undefined ? [] : impactLines(impact, INDENT, colors, going)),
  ];
}

/** `~ weakens`; of drift, what happened outside: `+ weakened outside the files (added)`. */
export function leadText(change: PlannedChange, about: PlanView["about"]): string {
  const { action, effect, replaces } = change;
  if (about === "plan") return `${replaces === true ? "-/+" : SYMBOLS[action]} ${effect}`;
  const what = action === "update" ? "" : ` (${OUTSIDE_ACTIONS[action]})`;
  return `${OUTSIDE_SYMBOLS[action]} ${OUTSIDE_WORDS[outsideEffect(change)]}${what}`;
}

/** Of drift it is already said that something happened outside. */
function originLines(change: PlannedChange, about: PlanView["about"], colors: Palette): readonly string[] {
  const text = originText(change);
  if (text === null || (about === "drift" && change.origin === "drift")) return [];
  return [`${INDENT}${colors.warning(`! ${text}`)}`];
}

const SYMBOLS: { readonly [action in PlannedChange["action"]]: string } = {
  create: "+",
  update: "~",
  delete: "-",
};

/** The plan would undo it. */
const OUTSIDE_SYMBOLS: typeof SYMBOLS = { create: "-", update: "~", delete: "+" };

/** `policy "Checkout scripts"`; of a kind with one object a zone, the kind says it all. */
function titleOf({ kind, key, was, id, action, replaces }: PlannedChange, colors: Palette): string {
  if (key === kind) return plain(kind);
  // Names need not be unique in the live state, so what is deleted also shows its id.
  const precise = (action === "delete" || replaces === true) && id !== null ? ` ${plain(id)}` : "";
  if (was !== undefined) {
    const [now, before] = quotedBoth(key, was);
    return `${plain(kind)} ${now}${colors.faint(` (was ${before})`)}${precise}`;
  }
  return `${plain(kind)} ${quoted(key)}${precise}`;
}

/**
 * What a change does to what pages load today: how many of each, and the first few.
 *
 * @param lead what the line of each move begins with
 */
function impactLines(impact: PlannedImpact, indent: string, colors: Palette, lead = ""): readonly string[] {
  const moves = impactMoves(impact, MAX_DETECTIONS);
  const unseen = unseenText(impact);
  const lines = [
    ...(unseen === null ? [] : [`${indent}${colors.warning(unseen)}`]),
    ...moves.flatMap((move) => movedLines(move, `${indent}${lead}`, indent, colors)),
  ];
  return lines.length > 0 ? lines : [colors.faint(`${indent}${nothingMovedText(impact)}`)];
}

const MAX_DETECTIONS = 5;

function movedLines(
  { heading, sum, isDanger, shown, rest }: Move,
  start: string,
  indent: string,
  colors: Palette,
): readonly string[] {
  const width = Math.max(...shown.map(({ mark }) => mark.length));
  const paint = isDanger ? colors.error : colors.strong;
  return [
    `${start}${paint(`${heading}:`)} ${sum}`,
    ...shown.map((each) => {
      const gap = " ".repeat(width - each.mark.length);
      const column = width === 0 ? "" : `${markPaint(each, colors)(each.mark)}${gap}  `;
      return `${indent}  ${column}${detectionText(each)}`;
    }),
    ...(rest > 0 ? [colors.faint(`${indent}  and ${rest} more: --format json has all`)] : []),
  ];
}

function markPaint({ isMalicious }: ShownDetection, colors: Palette): Palette["remove"] {
  return isMalicious ? colors.remove : colors.faint;
}

function detectionText({ url, page }: ShownDetection): string {
  return page === null ? urlText(url) : `${urlText(url)} on ${urlText(page)}`;
}
