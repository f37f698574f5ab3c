import type { TextRun } from "../../model/changed-parts.js";
import { cut } from "../../model/cut.js";
import type { PlannedChange, PlannedPart } from "../../plan/generated/plan-document.js";
import { changedRuns } from "../changed-text.js";
import type { Columns, ShownField } from "../field-view.js";
import { visible } from "../safe-text.js";
import { wholeText } from "../values.js";
import type { ChangeView, PlanView } from "../view.js";
import type { Words } from "../words.js";
import { html, joined, type Markup, shown } from "./markup.js";

export function fieldsTable({ change, fields }: ChangeView, view: PlanView): Markup {
  if (fields.length === 0) return html``;
  const rows = fields.map((field) => {
    const { path, originNote: note, shown: difference } = field;
    const where = note === null ? html`` : html` <span class="warning">(${note})</span>`;
    return html`<tr><th scope="row">${path}${where}</th><td>${differenceMarkup(difference)}</td></tr>\n`;
  });
  return html`<table class="fields">${caption(change, view.words)}
${rows}</table>
`;
}

/** Where the colours make the sides clear, the caption is for screen readers only. */
function caption({ taken_over, removed }: PlannedChange, { page, sidesNote }: Words): Markup {
  if (taken_over === true)
    return html`<caption>${removed === undefined ? FROM_BASE_TO_FILES : FROM_BASE_TO_LIVE}</caption>`;
  return sidesNote === ""
    ? html`<caption class="vh">${page.fields}</caption>`
    : html`<caption>${page.fields}</caption>`;
}

const FROM_BASE_TO_FILES = "From the base to the files (already live)";
const FROM_BASE_TO_LIVE = "From the base to the live state (which stays)";

function differenceMarkup(field: ShownField): Markup {
  switch (field.as) {
    case "columns":
      return html`${field.columns.map(threeColumns)}`;
    case "parts":
      return html`<ul class="parts">${field.parts.map(partItem)}</ul>`;
    case "added":
      return html`<ins>${whole(field.value)}</ins>`;
    case "removed":
      return html`<del>${whole(field.value)}</del>`;
    case "changed":
      return changedValue(field);
  }
}

/** The values in the base, in the live state, and in the files. */
function threeColumns({ part, states }: Columns): Markup {
  const head = part === "" ? html`` : html`<div><code>${part}</code></div>`;
  const items = states.map(([name, text]) => html`<div><dt>${name}</dt><dd>${value(text)}</dd></div>`);
  return html`${head}<dl class="three">${items}</dl>`;
}

function whole(content: unknown): Markup {
  return value(visible(wholeText(content)));
}

function changedValue({ sides, values }: Extract<ShownField, { readonly as: "changed" }>): Markup {
  const [old, now] = sides;
  if (values === null || old.length + now.length <= LINE_CHARS)
    return html`<del>${shown(old)}</del> → <ins>${shown(now)}</ins>`;
  const [from, to] = values;
  const runs = changedWords(from, to);
  if (runs !== null) return runs;
  return html`<div><del><b>−</b> ${longValue(from, old)}</del></div><div><ins><b>+</b> ${longValue(to, now)}</ins></div>`;
}

const LINE_CHARS = 90;

/** Two long texts as one, with removed and added parts marked. */
function changedWords(from: unknown, to: unknown): Markup | null {
  const runs = changedRuns(from, to);
  if (runs === null) return null;
  const text = html`${runs.map(run)}`;
  const brief = runs.map(({ change, text: runText }) => ({
    change,
    text: cut(runText, change === "same" ? AROUND_CHARS : BRIEF_CHARS),
  }));
  const isLong = runs.reduce((sum, each) => sum + each.text.length, 0) > LONG_CHARS;
  if (!isLong) return html`<div class="words">${text}</div>`;
  return html`<details class="words"><summary>${brief.map(run)}</summary><div class="whole">${text}</div></details>`;
}

/** The length of unchanged text between changes. */
const AROUND_CHARS = 120;

function run({ change, text }: TextRun): Markup {
  switch (change) {
    case "same":
      return shown(text);
    case "removed":
      return html`<del>${shown(text)}</del>`;
    case "added":
      return html`<ins>${shown(text)}</ins>`;
  }
}

/** A very long value is cut to its difference, with the whole behind it. */
function longValue(content: unknown, differing: string): Markup {
  const text = visible(wholeText(content));
  return text.length <= VERY_LONG_CHARS ? value(differing) : value(text, differing);
}

const VERY_LONG_CHARS = 2_000;

function partItem({ part, change, added, removed }: PlannedPart): Markup {
  const note = change === "changed" ? html`` : html` <span class="faint">(${change})</span>`;
  const head = part === "" ? html`` : html`<code>${part}</code>${note} `;
  const members = [
    ...added.map((member) => html` <ins><b>+</b> ${value(visible(member))}</ins>`),
    ...removed.map((member) => html` <del><b>−</b> ${value(visible(member))}</del>`),
  ];
  return html`<li>${head}${members}</li>`;
}

/** A visible text as a value. A long text is cut, with the whole behind it. */
function value(text: string, brief = cut(text, BRIEF_CHARS)): Markup {
  if (text.length <= LONG_CHARS) return inLines(text);
  return html`<details><summary>${shown(brief)}</summary><div class="whole">${shown(text)}</div></details>`;
}

const LONG_CHARS = 600;
const BRIEF_CHARS = 200;
const DIRECTIVES_CHARS = 90;

/** A long CSP value takes a line per directive. */
function inLines(text: string): Markup {
  if (text.length <= DIRECTIVES_CHARS) return shown(text);
  return joined(text.split(/(?<=; )/).map(shown), html`<br>`);
}
