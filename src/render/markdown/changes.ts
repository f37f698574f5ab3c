import type {
  Effect,
  PlanDocument,
  PlannedChange,
  PlannedField,
  PlannedPart,
} from "../../plan/generated/plan-document.js";
import { type FieldWords, shownSides, wordedBy } from "../field-lines.js";
import { type FoldedChange, type FoldedMember, fold, memberChange } from "../fold.js";
import { impactMoves, nothingMovedText, sumOf, unseenText } from "../impact-moves.js";
import { fieldOriginText, originText, placeText } from "../origin-text.js";
import { OUTSIDE_ACTIONS, OUTSIDE_WORDS, outsideEffect, WORST_FIRST } from "../outside.js";
import { capital, count, plain } from "../plain.js";
import { isAny, SIGNS, witnessText } from "../reasons.js";
import { changedTexts, sensitiveSides, valueText } from "../values.js";
import type { PlanView } from "../view.js";
import { code, codeInHtml, details, fence, prose } from "./escape.js";
import { type Block, changeRanks } from "./fitted.js";

/** The changes by what they do to protection, the worst first; of drift, by what was done outside the files. */
export function changeBlocks({ changes }: PlanDocument, view: PlanView): readonly Block[] {
  const effectOf = (change: PlannedChange) =>
    view.about === "drift" ? outsideEffect(change) : change.effect;
  return WORST_FIRST.flatMap((effect) => {
    const some = changes.filter((change) => effectOf(change) === effect);
    const words = view.about === "drift" ? OUTSIDE_HEADINGS : HEADINGS;
    const heading = `#### ${words[effect]} (${some.length})`;
    return fold(some).map((folded) => changeBlock(folded, heading, changeRanks(effect), view));
  });
}

const HEADINGS: { readonly [effect in Effect]: string } = {
  weakens: "Weakens protection",
  unknown: "Nobody can tell whether it weakens protection",
  mixed: "Weakens and strengthens protection",
  strengthens: "Strengthens protection",
  neutral: "Does nothing to protection",
};

const OUTSIDE_HEADINGS: { readonly [effect in Effect]: string } = {
  weakens: capital(OUTSIDE_WORDS.weakens),
  unknown: capital(OUTSIDE_WORDS.unknown),
  mixed: capital(OUTSIDE_WORDS.mixed),
  strengthens: capital(OUTSIDE_WORDS.strengthens),
  neutral: `${capital(OUTSIDE_WORDS.neutral)}, protection is the same`,
};

/** When each of a change's forms is shown, where there is not room for all. */
interface Ranks {
  readonly title: number;
  readonly reasons: number;
  readonly fields: number;
  /** In which zones, of a change in many. */
  readonly zones: number;
  readonly whole: number;
}

/**
 * A change, in one zone or in many: what and where, then why it is how it is, then field by field, then what each zone has
 * for itself.
 */
function changeBlock(folded: FoldedChange, heading: string, ranks: Ranks, view: PlanView): Block {
  const title = titleText(folded, view.about);
  const reasons = [title, listText([...reasonItems(folded, view.about), ...impactItems(folded, view.about)])];
  const fields = fieldsText(folded, view);
  const join = (parts: readonly string[]) => parts.filter((part) => part !== "").join("\n\n");
  return {
    heading,
    forms: [
      { text: title, rank: ranks.title },
      { text: join(reasons), rank: ranks.reasons },
      { text: join([...reasons, fields]), rank: ranks.fields },
      { text: join([...reasons, fields, namesText(folded)]), rank: ranks.zones },
      { text: join([...reasons, fields, zonesText(folded)]), rank: ranks.whole },
    ],
    of: { noun: "change", n: folded.members.length },
  };
}

function titleText({ shared, members }: FoldedChange, about: PlanView["about"]): string {
  const { action, kind, key, was, replaces } = shared;
  const [first] = members;
  const name = key === kind ? "" : ` ${code(key, NAME_CHARS)}`;
  const before = was === undefined ? "" : ` (was ${code(was, NAME_CHARS)})`;
  const where =
    members.length === 1 && first !== undefined
      ? ` in ${placed(first, shared)}${action === "delete" || replaces === true ? idText(first) : ""}`
      : `, ${sameIn(members.map(({ zone }) => zone))}`;
  const origin = first === undefined ? null : originText(memberChange(shared, first));
  const isNews = origin !== null && (about === "plan" || shared.origin !== "drift");
  const doing = replaces === true ? "replace" : action;
  const lead = about === "plan" ? doing : `${OUTSIDE_ACTIONS[action]} outside:`;
  return `**${capital(lead)}** ${prose(kind, NAME_CHARS)}${name}${before}${where}${isNews ? `; **${prose(origin)}**` : ""}`;
}

function placed(member: FoldedMember, shared: FoldedChange["shared"]): string {
  const place = placeText(memberChange(shared, member));
  return `${code(member.zone, NAME_CHARS)}${place === null ? "" : ` (${prose(place, NAME_CHARS)})`}`;
}

/** Names need not be unique in the live state. */
function idText({ id }: FoldedMember): string {
  return id === null ? "" : `, id ${code(id, NAME_CHARS)}`;
}

function listText(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

const WHY_CHARS = 600;

/** Of a folded change the first zone's example: each zone has its own below. */
function reasonItems({ shared, members }: FoldedChange, about: PlanView["about"]): readonly string[] {
  return shared.dimensions.map(({ effect, why }, index) => {
    const example = exampleText(members[0]?.witnesses[index] ?? null);
    return `${SIGNS[effect]} ${leadOf(about)}${prose(why, WHY_CHARS)}${example}`;
  });
}

function exampleText(witness: FoldedMember["witnesses"][number]): string {
  return witness === null || isAny(witness) ? "" : `; for example ${prose(witnessText(witness))}`;
}

/** How many detections move, in each of the ways and in all zones together. */
function impactItems({ members }: FoldedChange, about: PlanView["about"]): readonly string[] {
  const impacts = members.flatMap(({ impact }) => impact ?? []);
  if (impacts.length === 0) return [];
  const lead = leadOf(about);
  const all = sumOf(impacts);
  const moves = impactMoves(all, 0).map(({ heading, sum, isDanger }) =>
    isDanger ? `**${lead}${heading}: ${sum}**` : `${lead}${heading}: ${sum}`,
  );
  const unseen = unseenText(all);
  const dark = impacts.filter((impact) => impact.unseen !== undefined).length;
  const some = dark < impacts.length ? `in ${count(dark, "zone")} ` : "";
  const notes = unseen === null ? [] : [`**${some}${unseen}**`];
  const unread = impacts.filter((impact) => Object.keys(impact).length === 0).length;
  if (unread > 0 && unread < impacts.length)
    return [...notes, ...moves, `not tried in ${count(unread, "zone")}: what was detected could not be read`];
  return moves.length + notes.length === 0 ? [nothingMovedText(all)] : [...notes, ...moves];
}

/** What is done is done by going back. */
function leadOf(about: PlanView["about"]): string {
  return about === "drift" ? "going back: " : "";
}

function fieldsText({ shared, members }: FoldedChange, view: PlanView): string {
  const [first] = members;
  if (first === undefined || shared.fields.length === 0) return "";
  const change = memberChange(shared, first);
  const lines = shared.fields.flatMap((field) => fieldLines(change, field, view.explain));
  const note = view.about === "drift" && change.action === "update" ? ": live (-) and as declared (+)" : "";
  return details(`${count(shared.fields.length, "field")}${note}`, fence(lines, "diff"));
}

/** Of a change in many zones, in which. */
function namesText({ members }: FoldedChange): string {
  if (members.length === 1) return "";
  return zoneNames(members.map(({ zone }) => zone));
}

/** What each zone has for itself; of one zone that is what the change does to what its pages load. */
function zonesText({ shared, members }: FoldedChange): string {
  const [only, ...others] = members;
  if (only === undefined) return "";
  if (others.length > 0) {
    const items = members.map((member) => `- ${zoneItem(member, shared)}`);
    return details(`The same in ${count(members.length, "zone")}`, items.join("\n"));
  }
  const items = impactList(only, "");
  const summary = `What ${codeInHtml(only.zone, NAME_CHARS)} loads`;
  return items.length === 0 ? "" : details(summary, items.join("\n"));
}

function zoneItem(member: FoldedMember, shared: FoldedChange["shared"]): string {
  const examples = member.witnesses.map(exampleText).join("");
  return [`${placed(member, shared)}${idText(member)}${examples}`, ...impactList(member, "  ")].join("\n");
}

const MAX_DETECTIONS = 20;
const URL_CHARS = 300;

function impactList({ impact }: FoldedMember, indent: string): readonly string[] {
  if (impact === undefined) return [];
  return impactMoves(impact, MAX_DETECTIONS).flatMap(({ heading, sum, shown, rest }) => [
    `${indent}- ${heading}: ${sum}`,
    ...shown.map(({ mark, url, page }) => {
      const on = page === null ? "" : ` on ${code(page, URL_CHARS)}`;
      return `${indent}  - ${mark === "" ? "" : `${mark}: `}${code(url, URL_CHARS)}${on}`;
    }),
    ...(rest > 0 ? [`${indent}  - and ${rest} more`] : []),
  ]);
}

/** Of names in titles. */
export const NAME_CHARS = 120;

/** ``the same in 5 zones: `a`, `b`, `c` and 2 more``. */
export function sameIn(zones: readonly string[]): string {
  const named = zones.slice(0, MAX_NAMED).map((zone) => code(zone, NAME_CHARS));
  const rest = zones.length - named.length;
  const list = rest === 0 ? named.join(", ") : `${named.join(", ")} and ${rest} more`;
  return `the same in ${count(zones.length, "zone")}: ${list}`;
}

const MAX_NAMED = 3;

/** All of them, by their names alone. */
function zoneNames(zones: readonly string[]): string {
  return details(
    `The same in ${count(zones.length, "zone")}`,
    zones.map((zone) => code(zone, NAME_CHARS)).join(", "),
  );
}

/** A field before and after, as lines of a difference: what comes begins with `+`, what goes with `-`. */
function fieldLines(change: PlannedChange, field: PlannedField, words: FieldWords): readonly string[] {
  const origin = fieldOriginText(change, field);
  return [
    `  ${plain(field.path)}${origin === null ? "" : ` (${origin})`}`,
    ...valueLines(change, field, words),
  ];
}

function valueLines(change: PlannedChange, field: PlannedField, words: FieldWords): readonly string[] {
  const { before, after, parts = [] } = field;
  if (parts.length > 0) return parts.flatMap(partLines);
  const worded = (value: unknown) => wordedBy(words, change, field, value);
  if (change.action === "create") return sided("+", valueText(worded(after)));
  if (change.action === "delete") return sided("-", valueText(worded(before)));
  const [old, now] = sensitiveSides(field) ?? changedTexts(worded(before), worded(after));
  return [...sided("-", old), ...sided("+", now)];
}

/** A long CSP value takes a line per directive. */
function sided(sign: "+" | "-", shown: string): readonly string[] {
  const lines = shown.length > LINE_CHARS ? shown.split(/(?<=;) /) : [shown];
  return lines.map((line) => `${sign}   ${line}`);
}

const LINE_CHARS = 110;

function partLines(changed: PlannedPart): readonly string[] {
  const note = changed.change === "changed" ? "" : ` (${changed.change})`;
  const { added, removed } = shownSides(changed);
  return [
    ...(changed.part === "" ? [] : [`    ${plain(changed.part)}${note}`]),
    ...removed.map((each) => `-     ${each}`),
    ...added.map((each) => `+     ${each}`),
  ];
}
