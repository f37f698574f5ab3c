import type { PlannedChange } from "../plan/generated/plan-document.js";
import { quoted, quotedBoth } from "./changed.js";
import { effectPaint } from "./effect.js";
import { fieldLines, isSaid, lostLines } from "./field-lines.js";
import { impactLines } from "./impact-lines.js";
import { originText, placeText } from "./origin-text.js";
import { OUTSIDE_ACTIONS, OUTSIDE_WORDS, outsideEffect } from "./outside.js";
import type { Palette } from "./palette.js";
import { plain } from "./plain.js";
import { reasonLines } from "./reasons.js";
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
