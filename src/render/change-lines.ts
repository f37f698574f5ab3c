import { fieldLines, INDENT, lostLines } from "./field-lines.js";
import { type ImpactView, loadText, type Move } from "./impact-moves.js";
import { lineChars, type Palette, type TextStyle } from "./palette.js";
import { atLineStart, count, plain } from "./safe-text.js";
import { quoted, quotedBoth } from "./values.js";
import { type ChangeGroup, type ChangeView, exampleText, moreText, type PlanView } from "./view.js";
import { EFFECTS } from "./words.js";

/**
 * A change: title, reasons, fields, impact on what pages load, requests, and links to the dashboard. For drift: the
 * change outside the files, then the effect of going back.
 *
 * @param leadChars the length of the longest lead, for aligning the names
 */
export function changeLines(
  group: ChangeGroup,
  leadChars: number,
  style: TextStyle,
  view: PlanView,
): readonly string[] {
  const { members } = group;
  const [first] = members;
  const { colors } = style;
  const { change, lead, tone, origin, fields } = first;
  const { backLead } = view.words;
  return [
    `  ${colors[tone](lead)}${" ".repeat(leadChars - lead.length)}  ${titleOf(first, members, colors)}${placesText(members, colors)}`,
    ...(origin === null ? [] : [`${INDENT}${colors.warning(`! ${plain(origin)}`)}`]),
    ...reasonLines(group, style),
    ...(change.action === "delete"
      ? lostLines(fields, style)
      : fields.flatMap((field) => fieldLines(field, style))),
    ...(group.impact === null ? [] : impactLines(group.impact, colors, view)),
    ...group.requests.map((each) => `${INDENT}${backLead}${plain(each)}`),
    ...lookLines([first.dashboard], members.length - 1, INDENT, colors),
  ];
}

/** The first place, and the number of others. */
function placesText(members: ChangeGroup["members"], colors: Palette): string {
  const [first, ...otherPlaces] = [...new Set(members.flatMap(({ place }) => place ?? []))];
  if (first === undefined) return "";
  const more = otherPlaces.length === 0 ? "" : ` and ${otherPlaces.length} more`;
  return colors.faint(`  ${plain(first)}${more}`);
}

/** `policy "Checkout scripts"`; for a kind with one object a zone, just the kind. */
function titleOf(
  { change: { kind, key, was, id: liveId }, id }: ChangeView,
  { length }: ChangeGroup["members"],
  colors: Palette,
): string {
  if (key === kind) return plain(kind);
  if (key === liveId) return `${plain(kind)} ${plain(key)}`; // the object has no name
  const precise = id === null || length > 1 ? "" : ` ${plain(id)}`;
  if (was !== undefined) {
    const [now, before] = quotedBoth(key, was);
    return `${plain(kind)} ${now}${colors.faint(` (was ${before})`)}${precise}`;
  }
  return `${plain(kind)} ${quoted(key)}${precise}`;
}

/** Links to the dashboard, for the first zone. */
export function lookLines(
  links: readonly (string | null)[],
  otherZones: number,
  indent: string,
  colors: Palette,
): readonly string[] {
  const places = [...new Set(links.filter((link) => link !== null))];
  const more = otherZones === 0 ? "" : ` (also in ${count(otherZones, "other zone")})`;
  return places.map((place) => colors.faint(`${indent}in the dashboard: ${place}${more}`));
}

/** The effect on protection, a line for each dimension, with examples. */
function reasonLines(group: ChangeGroup, style: TextStyle): readonly string[] {
  const { colors } = style;
  const { lead, dimensions } = group.members[0].reasons;
  const chars = lineChars(style) - INDENT.length - 2;
  return dimensions.flatMap(({ effect, why, witness }) => {
    const { tone, sign } = EFFECTS[effect];
    const lines = inLines(`${lead}${plain(why, MAX_WHY_CHARS)}`, chars);
    const example = exampleText(witness, group);
    return [
      ...lines.map((line, index) => `${INDENT}${index === 0 ? colors[tone](sign) : " "} ${line}`),
      ...(example === null ? [] : [`${INDENT}  ${colors.faint("e.g.")} ${example}`]),
    ];
  });
}

/** Reasons quote values, which the fields below show in full. */
const MAX_WHY_CHARS = 600;

function inLines(text: string, chars: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= chars)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(atLineStart(word));
  }
  return lines;
}

/** The impact on what pages load: numbers, and the first few URLs. */
function impactLines(
  { moves, unseen, untried }: ImpactView,
  colors: Palette,
  view: PlanView,
): readonly string[] {
  return [
    ...[...unseen, ...untried].map((each) => `${INDENT}${colors.warning(each)}`),
    ...moves.flatMap((move) => movedLines(move, colors, view)),
  ];
}

const MAX_DETECTIONS = 5;

function movedLines(
  { heading, sum, isDanger, detections }: Move,
  colors: Palette,
  view: PlanView,
): readonly string[] {
  const shown = detections.slice(0, MAX_DETECTIONS);
  const rest = detections.length - shown.length;
  const width = Math.max(...shown.map(({ mark }) => mark.length));
  const paint = isDanger ? colors.error : colors.strong;
  return [
    `${INDENT}${view.words.backLead}${paint(`${heading}:`)} ${sum}`,
    ...shown.map(({ load, mark, isMalicious }) => {
      const markPaint = isMalicious ? colors.error : colors.faint;
      const column = width === 0 ? "" : `${markPaint(mark)}${" ".repeat(width - mark.length)}  `;
      return `${INDENT}  ${column}${loadText(load)}`;
    }),
    ...(rest > 0 ? [colors.faint(`${INDENT}  ${moreText(rest, view)}`)] : []),
  ];
}
