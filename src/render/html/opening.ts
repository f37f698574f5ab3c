import type { PlanDocument } from "../../plan/generated/plan-document.js";
import { failedText, nothingText } from "../failures.js";
import type { Palette } from "../palette.js";
import { count, plain } from "../plain.js";
import { summaryText } from "../plan-text.js";
import { undeclaredText } from "../undeclared.js";
import { verdictParts } from "../verdict.js";
import { withoutBaseText } from "../without-base.js";
import { html, joined, type Markup, shown } from "./markup.js";
import type { Report } from "./report.js";

/** What it comes to, and what it was made from. */
export function opening(report: Report): Markup {
  const { plan } = report;
  return html`<header>
<p class="made">zoneward ${report.view.about}</p>
<h1>${shown(headline(report))}</h1>
<ul class="verdict">${verdict(report)}</ul>
<dl class="tiles">${tiles(report)}</dl>
<dl class="facts">${facts(plan)}</dl>
</header>
`;
}

/** `13 changes in 2 zones`; where nothing changes and zones failed, that. The text is visible. */
export function headline({ plan, view: { about }, zones }: Report): string {
  const failed = failedText(plan, about);
  if (plan.changes.length === 0 && failed !== null) return nothingText(plan, about);
  const changed = zones.filter(({ changes }) => changes.length > 0);
  const [only] = zones;
  const told = changed.length === 0 ? zones.length : changed.length;
  const where = zones.length === 1 && only ? plain(only.zone.zone, MAX_CHARS) : count(told, "zone");
  const what = plan.changes.length === 0 ? "No change" : count(plan.changes.length, "change");
  const done = `${what}${about === "drift" ? " outside the files" : ""} in ${where}`;
  return failed === null ? done : `${done}; ${failed}`;
}

const MAX_CHARS = 100;

/** A statement a line; what it does to protection is the first. */
function verdict({ plan, view: { about } }: Report): readonly Markup[] {
  const parts =
    plan.changes.length === 0
      ? [undeclaredText(plan, MARKING) ?? "", summaryText(plan, about, MARKING)].filter((part) => part !== "")
      : verdictParts(plan, MARKING, about);
  const remark = withoutBaseText(plan, about);
  return [...parts, ...(remark === null ? [] : [remark])].map((part) => html`<li>${painted(part)}</li>\n`);
}

function tiles({ plan: { summary }, view }: Report): readonly Markup[] {
  const { create, update, delete: deletes, unchanged, calls, requests } = summary;
  const numbers = { create, update, deletes, unchanged, calls, requests };
  return TILES[view.about].map(([of, name]) => html`<div><dt>${name}</dt><dd>${numbers[of]}</dd></div>`);
}

const TILES = {
  plan: [
    ["create", "to create"],
    ["update", "to update"],
    ["deletes", "to delete"],
    ["unchanged", "unchanged"],
    ["calls", "calls to make"],
    ["requests", "requests to plan"],
  ],
  drift: [
    ["deletes", "added outside"],
    ["update", "changed outside"],
    ["create", "deleted outside"],
    ["unchanged", "unchanged"],
    ["calls", "calls to go back"],
    ["requests", "requests to look"],
  ],
} as const;

function facts({ digest, base, inputs, expires_at, summary }: PlanDocument): readonly Markup[] {
  const origins = ORIGINS.filter((origin) => summary.origins[origin] > 0);
  const isKnown = origins.some((origin) => origin !== "unknown");
  const texts = (all: readonly string[]) =>
    joined(
      all.map((each) => html`<code>${each}</code>`),
      html`, `,
    );
  const known: readonly (readonly [string, readonly string[]])[] = [
    ["Digest", [digest]],
    ["Base", base === undefined ? [] : [...(inputs.base === undefined ? [] : [inputs.base]), base]],
    ["Origins", isKnown ? origins.map((origin) => `${summary.origins[origin]} ${origin}`) : []],
    ["Files", inputs.config],
    ["Zones", inputs.zones],
    ["Guardrails", inputs.guardrails === undefined ? [] : [inputs.guardrails]],
    ["Expires", expires_at === undefined ? [] : [expires_at]],
  ];
  return known
    .filter(([, all]) => all.length > 0)
    .map(([name, all]) => html`<div><dt>${name}</dt><dd>${texts(all)}</dd></div>`);
}

const ORIGINS = ["declared", "drift", "conflict", "mixed", "unknown"] as const;

/**
 * A palette for words that other formats have too: it marks what is painted with control characters, of which a visible
 * text has none.
 */
const MARKING: Palette = {
  add: marking("add"),
  change: marking("change"),
  remove: marking("remove"),
  strong: marking("strong"),
  faint: marking("faint"),
  error: marking("error"),
  warning: marking("warning"),
};

const OPEN = "\u0001";
const CLOSE = "\u0002";

function marking(paint: keyof Palette): (text: string) => string {
  return (text) => `${OPEN}${paint}${OPEN}${text}${CLOSE}`;
}

/** A visible text with marks as markup. */
function painted(text: string): Markup {
  const pieces = text.split(PAINTED).map((piece, index, all) => {
    if (index % 3 === 1) return null;
    if (index % 3 === 0) return shown(piece);
    return html`<span class="${all[index - 1] ?? ""}">${shown(piece)}</span>`;
  });
  return html`${pieces.filter((each) => each !== null)}`;
}

/** Of a text that is split by it, every third piece is painted, and the one before says how. */
const PAINTED = new RegExp(`${OPEN}(\\w+)${OPEN}([^${CLOSE}]*)${CLOSE}`);
