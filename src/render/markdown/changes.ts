import type { TextRun } from "../../model/changed-parts.js";
import { firstFew } from "../../model/cut.js";
import { groupBy } from "../../model/group-by.js";
import type { PlannedChange, PlannedPart } from "../../plan/generated/plan-document.js";
import { changedSides } from "../changed-text.js";
import type { Columns, FieldView, ShownField } from "../field-view.js";
import { impactView, reportsText } from "../impact-moves.js";
import { count, plain } from "../safe-text.js";
import { shownSides, valueText, witnessText } from "../values.js";
import type { ChangeGroup, ChangeView, PlanView } from "../view.js";
import { EFFECTS } from "../words.js";
import { code, codeInHtml, details, fence, prose } from "./escape.js";
import { type Block, changeRanks } from "./fit-to-size.js";

/** The changes by effect, the worst first. */
export function changeBlocks(view: PlanView): readonly Block[] {
  const ofEffect = groupBy(view.changes, ({ effect }) => effect);
  return view.groups.map((group) => {
    const { effect } = group;
    const heading = `#### ${EFFECTS[effect].heading} (${ofEffect.get(effect)?.length ?? 0})`;
    return changeBlock(group, heading, changeRanks(effect), view);
  });
}

/** The order in which the forms of a change get the limited room. */
interface Ranks {
  readonly title: number;
  readonly reasons: number;
  readonly fields: number;
  /** The names of the zones. */
  readonly zones: number;
  readonly whole: number;
}

/** A change: title and place, then reasons and impact, then fields, then the details of each zone. */
function changeBlock(group: ChangeGroup, heading: string, ranks: Ranks, view: PlanView): Block {
  const { backLead } = view.words;
  const title = titleText(group);
  const requests = group.requests.map((each) => `${backLead}${prose(each)}`);
  const items = [...reasonItems(group), ...impactItems(group, backLead), ...requests];
  const reasons = [title, items.map((item) => `- ${item}`).join("\n")];
  const fields = fieldsText(group, view);
  const join = (parts: readonly string[]) => parts.filter((part) => part !== "").join("\n\n");
  return {
    heading,
    forms: [
      { text: title, rank: ranks.title },
      { text: join(reasons), rank: ranks.reasons },
      { text: join([...reasons, fields]), rank: ranks.fields },
      { text: join([...reasons, fields, namesText(group)]), rank: ranks.zones },
      { text: join([...reasons, fields, zonesText(group)]), rank: ranks.whole },
    ],
    counted: { noun: "change", n: group.members.length },
  };
}

function titleText({ members }: ChangeGroup): string {
  const [first, ...rest] = members;
  const { title, origin, change } = first;
  const { kind, key, was } = change;
  const name = key === kind ? "" : ` ${code(key, NAME_CHARS)}`;
  const before = was === undefined ? "" : ` (was ${code(was, NAME_CHARS)})`;
  const where =
    rest.length === 0 ? ` in ${placed(first)}` : `, ${sameIn(members.map((each) => each.change.zone))}`;
  return `**${title}** ${prose(kind, NAME_CHARS)}${name}${before}${where}${origin === null ? "" : `; **${prose(origin)}**`}`;
}

function placed({ change, place, id, dashboard }: ChangeView): string {
  const where = place === null ? "" : ` (${prose(place, NAME_CHARS)})`;
  const idText = id === null ? "" : `, id ${code(id, NAME_CHARS)}`;
  return `${code(change.zone, NAME_CHARS)}${where}${idText}${linkText(dashboard)}`;
}

/** The view has checked the address, so it has no special characters of Markdown. */
export function linkText(dashboard: string | null): string {
  return dashboard === null ? "" : `, [open in the dashboard](${dashboard})`;
}

const WHY_CHARS = 600;

/** The reasons, with examples of the first zone. The examples of all zones are below. */
function reasonItems({ members: [{ reasons }] }: ChangeGroup): readonly string[] {
  return reasons.dimensions.map(
    ({ effect, why, witness }) =>
      `${EFFECTS[effect].sign} ${reasons.lead}${prose(why, WHY_CHARS)}${exampleText(witness)}`,
  );
}

function exampleText(witness: PlannedChange["dimensions"][number]["witness"]): string {
  const example = witnessText(witness);
  return example === null ? "" : `; e.g. ${prose(example)}`;
}

/** The numbers of detections that move, in all zones together. */
function impactItems({ impact }: ChangeGroup, going: string): readonly string[] {
  if (impact === null) return [];
  const moves = impact.moves.map(({ heading, sum, isDanger }) =>
    isDanger ? `**${going}${heading}: ${sum}**` : `${going}${heading}: ${sum}`,
  );
  return [...impact.unseen.map((each) => `**${each}**`), ...impact.untried, ...moves];
}

function fieldsText({ members: [{ change, fields }] }: ChangeGroup, view: PlanView): string {
  if (fields.length === 0) return "";
  const lines = fields.flatMap(fieldLines);
  const isTwoSided = change.action === "update" && fields.some(({ shown }) => shown.as !== "columns");
  const sides = isTwoSided ? view.words.sidesNote : "";
  const heading = `${count(fields.length, "field")}${sides}`;
  const text = fence(lines, "diff");
  return lines.length <= view.words.openLines ? `${heading}:\n\n${text}` : details(heading, text);
}

/** The zones of a change in many zones. */
function namesText({ members }: ChangeGroup): string {
  if (members.length === 1) return "";
  const names = members.map(({ change }) => code(change.zone, NAME_CHARS));
  return details(`The same in ${count(names.length, "zone")}`, names.join(", "));
}

/** The details of each zone. For a single zone: the impact on what its pages load. */
function zonesText({ members }: ChangeGroup): string {
  const [only, ...otherMembers] = members;
  if (otherMembers.length > 0) {
    const items = members.map((member) => `- ${zoneItem(member)}`);
    return details(`The same in ${count(members.length, "zone")}`, items.join("\n"));
  }
  const items = impactList(only.change, "");
  const summary = `What ${codeInHtml(only.change.zone, NAME_CHARS)} loads`;
  return items.length === 0 ? "" : details(summary, items.join("\n"));
}

function zoneItem(member: ChangeView): string {
  const { change } = member;
  const examples = member.reasons.dimensions.map(({ witness }) => exampleText(witness)).join("");
  return [`${placed({ ...member, id: change.id })}${examples}`, ...impactList(change, "  ")].join("\n");
}

const MAX_DETECTIONS = 20;
const URL_CHARS = 300;

function impactList({ impact }: PlannedChange, indent: string): readonly string[] {
  if (impact === undefined) return [];
  return impactView([impact]).moves.flatMap(({ heading, sum, detections }) => {
    const shown = detections.slice(0, MAX_DETECTIONS).map(({ load, mark }) => {
      const on = load.page === null ? "" : ` on ${code(load.page, URL_CHARS)}`;
      const lead = mark === "" ? "" : `${mark}: `;
      return `${indent}  - ${lead}${code(load.url, URL_CHARS)}${on}${reportsText(load)}`;
    });
    const rest = detections.length - shown.length;
    return [
      `${indent}- ${heading}: ${sum}`,
      ...shown,
      ...(rest > 0 ? [`${indent}  - and ${rest} more`] : []),
    ];
  });
}

export const NAME_CHARS = 120;

/** ``the same in 5 zones: `a`, `b`, `c` and 2 more``. */
export function sameIn(zones: readonly string[]): string {
  return `the same in ${count(zones.length, "zone")}: ${fewNames(zones)}`;
}

/** `` `a`, `b`, `c` and 2 more``. */
export function fewNames(zones: readonly string[]): string {
  return firstFew(zones, MAX_NAMED, (zone) => code(zone, NAME_CHARS));
}

const MAX_NAMED = 3;

/** A field as lines of a diff: added lines begin with `+`, removed lines with `-`. */
function fieldLines({ path, originNote, shown }: FieldView): readonly string[] {
  return [`  ${plain(path)}${originNote === null ? "" : ` (${originNote})`}`, ...valueLines(shown)];
}

function valueLines(field: ShownField): readonly string[] {
  switch (field.as) {
    case "columns":
      return field.columns.flatMap(columnLines);
    case "parts":
      return field.parts.flatMap(partLines);
    case "added":
    case "removed":
      return sided(field.as === "added" ? "+" : "-", valueText(field.value));
    case "changed": {
      const [old, now] = changedLines(field);
      return [...sided("-", old), ...sided("+", now)];
    }
  }
}

/** Three states have no signs. */
function columnLines({ part, states }: Columns): readonly string[] {
  const indent = part === "" ? "    " : "      ";
  return [
    ...(part === "" ? [] : [`    ${plain(part)}`]),
    ...states.map(([name, text]) => `${indent}${name}  ${text}`),
  ];
}

/** Cuts long texts to the parts around differences, since comments do not break lines. */
function changedLines({
  sides,
  values,
}: Extract<ShownField, { readonly as: "changed" }>): readonly [string, string] {
  const isLong = sides.some((text) => text.length > LINE_CHARS);
  const differing = isLong && values !== null ? changedSides(...values) : null;
  return differing === null ? sides : [textOf(differing[0]), textOf(differing[1])];
}

function textOf(runs: readonly TextRun[]): string {
  return runs.map(({ text }) => text).join("");
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
