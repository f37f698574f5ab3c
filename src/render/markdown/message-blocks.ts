import { type Group, groupBy } from "../../model/group-by.js";
import type { Diagnostic, Guardrail, PlanDocument, SourcePlace } from "../../plan/generated/plan-document.js";
import { REVIEW_CHANGES, reviewFirst } from "../review-first.js";
import { code, prose } from "./escape.js";
import type { Block } from "./fitted.js";
import { RANKS } from "./ranks.js";

/** What changes the review itself, which no verdict says. */
export function firstBlocks({ diagnostics }: PlanDocument): readonly Block[] {
  return reviewFirst(diagnostics).first.map(({ code: name, message, source }) => {
    const lead = `> [!WARNING]\n> **${REVIEW_CHANGES.get(name) ?? ""}**${placeText(source)}`;
    return {
      heading: null,
      forms: [
        { text: lead, rank: RANKS.first },
        { text: `${lead}: ${prose(message)}`, rank: RANKS.firstInFull },
      ],
      of: { noun: "message", n: 1 },
    };
  });
}

/** What stands against the plan, then what was lifted: a block for each guardrail, whatever the number of zones. */
export function guardrailBlocks({ guardrails }: PlanDocument): readonly Block[] {
  return [false, true].flatMap((isLifted) => {
    const some = guardrails.filter(({ allowed }) => allowed === isLifted);
    const byName = groupBy(some, ({ name }) => name);
    return [...byName].map(([name, breaches]) => guardrailBlock(name, breaches, isLifted));
  });
}

function guardrailBlock(name: string, breaches: Group<Guardrail>, isLifted: boolean): Block {
  const [only, ...others] = breaches;
  const lead = isLifted
    ? `> [!WARNING]\n> **Guardrail lifted by** ${code(`--allow ${name}`, NAME_CHARS)}`
    : `> [!CAUTION]\n> **Guardrail says no:** ${code(name, NAME_CHARS)}`;
  const isOne = others.length === 0;
  const brief = isOne ? `${lead}${zoneText(only)}` : `${lead}, ${breaches.length} times`;
  const items = breaches.map((each) => `> - ${prose(each.message)}${zoneText(each)}`);
  return {
    heading: null,
    forms: [
      { text: brief, rank: RANKS.guardrail },
      {
        text: isOne ? `${brief}: ${prose(only.message)}` : [brief, ...items].join("\n"),
        rank: RANKS.guardrailInFull,
      },
    ],
    of: { noun: "message", n: breaches.length },
  };
}

function zoneText({ zone }: Guardrail): string {
  return zone === undefined ? "" : ` (${code(zone, NAME_CHARS)})`;
}

const NAME_CHARS = 120;

/** What could not be planned, and why. */
export function errorBlocks({ diagnostics, zones }: PlanDocument): readonly Block[] {
  const ofZones = zones.flatMap(({ problem }) => problem ?? []);
  const errors = [...ofZones, ...diagnostics.filter(({ severity }) => severity === "error")];
  const told = new Map(
    errors.map((error) => [JSON.stringify([error.zone, error.code, error.message]), error]),
  );
  const ranks = { brief: RANKS.error, full: RANKS.errorInFull };
  return [...told.values()].map((error) => messageBlock(error, "#### Could not be planned", ranks));
}

export function warningBlocks({ diagnostics }: PlanDocument): readonly Block[] {
  const ranks = { brief: RANKS.warning, full: RANKS.warningInFull };
  return reviewFirst(diagnostics)
    .others.filter(({ severity }) => severity === "warning")
    .map((each) => messageBlock(each, "#### Warnings", ranks));
}

function messageBlock(
  { code: name, message, zone, source }: Diagnostic,
  heading: string,
  ranks: { readonly brief: number; readonly full: number },
): Block {
  const where = zone === undefined ? "" : ` in ${code(zone, NAME_CHARS)}`;
  const lead = `- ${code(name, NAME_CHARS)}${where}${placeText(source)}`;
  return {
    heading,
    forms: [
      { text: lead, rank: ranks.brief },
      { text: `${lead}: ${prose(message)}`, rank: ranks.full },
    ],
    of: { noun: "message", n: 1 },
  };
}

function placeText(source: SourcePlace | undefined): string {
  return source === undefined ? "" : ` (${code(`${source.file}:${source.line}`, NAME_CHARS)})`;
}
