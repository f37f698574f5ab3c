import type { PlannedChange } from "../plan/generated/plan-document.js";
import { quoted, quotedBoth } from "./changed.js";
import { effectPaint } from "./effect.js";
import { type FieldWords, fieldLines, isSaid, lostLines } from "./field-lines.js";
import { impactLines } from "./impact-lines.js";
import type { Palette } from "./palette.js";
import { plain } from "./plain.js";
import { reasonLines } from "./reasons.js";

const INDENT = "      ";

/**
 * A change: what it does to protection and why, then what is different, then what that does to what pages load.
 *
 * @param effectChars of the longest effect that is shown, for aligning the names behind it
 */
export function changeLines(
  change: PlannedChange,
  effectChars: number,
  colors: Palette,
  words: FieldWords,
): readonly string[] {
  const { action, effect, source, fields, impact } = change;
  const paint = effectPaint(effect, colors);
  const place = source === null ? "" : colors.faint(`  ${plain(source.file)}:${source.line}`);
  const lead = `${paint(`${SYMBOLS[action]} ${effect}`)}${" ".repeat(effectChars - effect.length)}`;
  const unsaid = fields.filter((field) => !isSaid(change, field));
  return [
    `  ${lead}  ${titleOf(change, colors)}${place}`,
    ...reasonLines(change, INDENT, colors),
    ...(action === "delete"
      ? lostLines(change, unsaid, INDENT, colors, words)
      : unsaid.flatMap((field) => fieldLines(change, field, INDENT, colors, words))),
    ...(impact === undefined ? [] : impactLines(impact, INDENT, colors)),
  ];
}

const SYMBOLS: { readonly [action in PlannedChange["action"]]: string } = {
  create: "+",
  update: "~",
  delete: "-",
};

/** `policy "Checkout scripts"`; of a kind with one object a zone, the kind says it all. */
function titleOf({ kind, key, was, id, action }: PlannedChange, colors: Palette): string {
  if (key === kind) return plain(kind);
  if (was !== undefined) {
    const [now, before] = quotedBoth(key, was);
    return `${plain(kind)} ${now}${colors.faint(` (was ${before})`)}`;
  }
  // Names need not be unique in the live state, so what is deleted also shows its id.
  const precise = action === "delete" && id !== null ? ` ${plain(id)}` : "";
  return `${plain(kind)} ${quoted(key)}${precise}`;
}
