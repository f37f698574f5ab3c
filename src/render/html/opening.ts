import type { PlanDocument } from "../../plan/generated/plan-document.js";
import { type Phrase, phrase, type Tone } from "../palette.js";
import { count, plain } from "../safe-text.js";
import {
  countsPhrase,
  failedText,
  narrowedText,
  notComparedText,
  nothingText,
  undeclaredPhrase,
  undoText,
  verdictOf,
  withoutBaseText,
} from "../verdict.js";
import type { PlanView } from "../view.js";
import { html, joined, type Markup, shown } from "./markup.js";

/** The verdict, the numbers and the inputs of the plan. */
export function opening(view: PlanView): Markup {
  return html`<header>
<p class="made">zoneward ${view.about}</p>
<h1>${shown(headline(view))}</h1>
<ul class="verdict">${statements(view)}</ul>
<dl class="tiles">${tiles(view)}</dl>
<dl class="facts">${facts(view.document)}</dl>
</header>
`;
}

/** `13 changes in 2 zones`, or the failures where nothing changes; a visible text. */
export function headline(view: PlanView): string {
  const { changes, zones, words } = view;
  const failed = failedText(view);
  if (changes.length === 0 && failed !== "") return nothingText(view);
  const changed = zones.filter((zone) => zone.changes.length > 0);
  const [only] = zones;
  const zoneCount = changed.length === 0 ? zones.length : changed.length;
  const where = zones.length === 1 && only ? plain(only.zone.zone, MAX_CHARS) : count(zoneCount, "zone");
  const changesText = changes.length === 0 ? "No change" : count(changes.length, "change");
  const headlineText = `${changesText}${words.suffix} in ${where}${notComparedText(view.document)}`;
  return failed === "" ? headlineText : `${headlineText}; ${failed}`;
}

const MAX_CHARS = 100;

/** The verdict, a statement a line, the worst first. */
function statements(view: PlanView): readonly Markup[] {
  const { document, changes } = view;
  const parts =
    changes.length === 0 ? [undeclaredPhrase(document.unmanaged), countsPhrase(view)] : verdictOf(view);
  return [phrase(narrowedText(view)), ...parts, phrase(withoutBaseText(view)), phrase(undoText(view))]
    .filter((part) => part.length > 0)
    .map((part) => html`<li>${inTones(part)}</li>\n`);
}

function inTones(words: Phrase): readonly Markup[] {
  return words.map(({ tone, text }) =>
    tone === null ? shown(text) : html`<span class="${CLASSES[tone]}">${shown(text)}</span>`,
  );
}

const CLASSES: { readonly [tone in Tone]: string } = {
  stronger: "strengthens",
  weaker: "weakens",
  unclear: "mixed",
  add: "add",
  remove: "remove",
  strong: "strong",
  faint: "faint",
  error: "error",
  warning: "warning",
};

function tiles({ document: { summary }, words }: PlanView): readonly Markup[] {
  const { create, update, delete: deletes, unchanged, calls, requests } = summary;
  const numbers = { create, update, deletes };
  return [
    ...words.page.objects.map(([tile, name]) => [name, numbers[tile]] as const),
    ["unchanged", unchanged] as const,
    [words.page.calls, calls] as const,
    ["requests used", requests] as const,
  ].map(([name, number]) => html`<div><dt>${name}</dt><dd>${number}</dd></div>`);
}

function facts({ digest, base, inputs, expires_at, summary }: PlanDocument): readonly Markup[] {
  const origins = ORIGINS.filter((origin) => summary.origins[origin] > 0);
  const isKnown = origins.some((origin) => origin !== "unknown");
  const texts = (all: readonly string[]) =>
    joined(
      all.map((each) => html`<code>${each}</code>`),
      html`, `,
    );
  const allFacts: readonly (readonly [string, readonly string[]])[] = [
    ["Digest", [digest]],
    ["Base", base === undefined ? [] : [...(inputs.base === undefined ? [] : [inputs.base]), base]],
    ["Origins", isKnown ? origins.map((origin) => `${summary.origins[origin]} ${origin}`) : []],
    ["Files", inputs.config],
    ["Zones", inputs.zones],
    ["Guardrails", inputs.guardrails === undefined ? [] : [inputs.guardrails]],
    ["Expires", expires_at === undefined ? [] : [expires_at]],
  ];
  return allFacts
    .filter(([, all]) => all.length > 0)
    .map(([name, all]) => html`<div><dt>${name}</dt><dd>${texts(all)}</dd></div>`);
}

const ORIGINS = ["declared", "drift", "conflict", "mixed", "unknown"] as const;
