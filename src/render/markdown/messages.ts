import type { Group } from "../../model/group-by.js";
import { spellOption } from "../../model/sentence.js";
import type { Diagnostic, PlanDocument, SourcePlace } from "../../plan/generated/plan-document.js";
import { breachText, type FoldedBreach, type FoldedGuardrail, type FoldedMessage } from "../fold.js";
import { bare } from "../palette.js";
import { acceptedText } from "../problems.js";
import { titled } from "../review-first.js";
import { capital, count } from "../safe-text.js";
import {
  countsPhrase,
  donePhrase,
  failedText,
  narrowedText,
  nothingText,
  undoText,
  verdictOf,
  withoutBaseText,
} from "../verdict.js";
import type { PlanView } from "../view.js";
import { fewNames, NAME_CHARS, sameIn } from "./changes.js";
import { code, details, message, prose } from "./escape.js";
import { type Block, RANKS } from "./fit-to-size.js";

/** Changes to the review itself, which the verdict does not cover. */
export function firstBlocks({ messages }: PlanView): readonly Block[] {
  return messages.first.map((diagnostic) => {
    const { title, text } = titled(diagnostic);
    const lead = `> [!WARNING]\n> **${prose(title)}**${placeText(diagnostic.source)}`;
    return {
      heading: null,
      forms: [
        { text: lead, rank: RANKS.first },
        { text: `${lead}: ${message(text)}`, rank: RANKS.firstInFull },
      ],
      counted: { noun: "message", n: 1 },
    };
  });
}

/** A block for each guardrail: those that refuse, then lifted ones. */
export function guardrailBlocks(view: PlanView): readonly Block[] {
  return view.messages.guardrails.map((each) => guardrailBlock(each, view));
}

function guardrailBlock({ name, allowed, parts, wayOn }: FoldedGuardrail, view: PlanView): Block {
  const [only, ...rest] = parts;
  const n = parts.reduce((sum, { members }) => sum + members.length, 0);
  const lifted = spellOption({ flag: "allow", value: name }, view.spelling);
  const lead = allowed
    ? `> [!WARNING]\n> **Guardrail lifted by** ${message(lifted)}`
    : `> [!CAUTION]\n> **${capital(view.words.refusal(name))} guardrail** ${code(name, NAME_CHARS)}`;
  const brief = rest.length === 0 ? `${lead}${zonesText(only)}` : `${lead}, ${n} times`;
  const items = parts.map((each) => `> - ${message(breachText(each))}${unnamedZones(each)}`);
  const end = wayOn === "" ? [] : [`>\n> ${message(wayOn)}`];
  return {
    heading: null,
    forms: [
      { text: brief, rank: RANKS.guardrail },
      {
        text:
          rest.length === 0
            ? `${lead}${unnamedZones(only)}: ${message(breachText(only))}`
            : [brief, ...items, ...end].join("\n"),
        rank: RANKS.guardrailInFull,
      },
    ],
    counted: { noun: "message", n },
  };
}

/** ` (ZONE)`, ` (ZONE, ZONE, ZONE and 17 more)`. */
function zonesText({ members }: FoldedBreach): string {
  const zones = members.flatMap(({ zone }) => zone ?? []);
  return zones.length === 0 ? "" : ` (${fewNames(zones)})`;
}

/** The zones, unless the message names its only zone. */
function unnamedZones(breach: FoldedBreach): string {
  const { sentence, members } = breach;
  return members.length === 1 && sentence.length > 1 ? "" : zonesText(breach);
}

export function errorBlocks({ messages, words }: PlanView): readonly Block[] {
  const ranks = { brief: RANKS.error, full: RANKS.errorInFull, zones: RANKS.errorZones };
  const heading = `#### ${capital(words.failed)}`;
  return messages.errors.map((folded) => messageBlock(folded, heading, ranks));
}

export function warningBlocks({ messages }: PlanView): readonly Block[] {
  const ranks = { brief: RANKS.warning, full: RANKS.warningInFull, zones: RANKS.warningZones };
  return messages.warnings.map((folded) => messageBlock(folded, "#### Warnings", ranks));
}

/** Accepted warnings, folded. */
export function acceptedBlocks({ messages: { accepted } }: PlanView): readonly Block[] {
  if (accepted.length === 0) return [];
  const items = accepted.map((folded) => {
    const [first] = folded.members;
    const why = first.accepted === undefined ? "" : acceptedText(first.accepted);
    const sameZones = folded.members.length === 1 ? placedText(first) : `, ${sameText(folded.members)}`;
    return `- ${code(first.code, NAME_CHARS)}${sameZones}: ${message(why)}`;
  });
  const lead = `${count(accepted.length, "warning")} accepted in the files`;
  return [
    {
      heading: null,
      forms: [
        { text: `${lead}.`, rank: RANKS.unmanaged },
        { text: details(lead, items.join("\n")), rank: RANKS.unmanagedInFull },
      ],
      counted: { noun: "message", n: accepted.length },
    },
  ];
}

function messageBlock(
  { message: text, members }: FoldedMessage,
  heading: string,
  ranks: { readonly brief: number; readonly full: number; readonly zones: number },
): Block {
  const [first, ...otherMembers] = members;
  const isOne = otherMembers.length === 0;
  const lead = `- ${code(first.code, NAME_CHARS)}${isOne ? placedText(first) : `, ${sameText(members)}`}`;
  const full = `${lead}: ${message(text)}`;
  const items = members.map(({ zone = "", source }) => `- ${code(zone, NAME_CHARS)}${placeText(source)}`);
  return {
    heading,
    forms: [
      { text: lead, rank: ranks.brief },
      { text: full, rank: ranks.full },
      ...(isOne
        ? []
        : [{ text: `${full}\n\n${details(`All ${members.length}`, items.join("\n"))}`, rank: ranks.zones }]),
    ],
    counted: { noun: "message", n: members.length },
  };
}

/** ` in ZONE (FILE:LINE)`. */
function placedText({ zone, source }: Diagnostic): string {
  return `${zone === undefined ? "" : ` in ${code(zone, NAME_CHARS)}`}${placeText(source)}`;
}

/** One zone can have a message several times. */
function sameText(members: Group<Diagnostic>): string {
  const zones = [...new Set(members.flatMap(({ zone }) => zone ?? []))];
  const [only = ""] = zones;
  return zones.length > 1 ? sameIn(zones) : `${members.length} times in ${code(only, NAME_CHARS)}`;
}

function placeText(source: SourcePlace | undefined): string {
  return source === undefined ? "" : ` (${code(`${source.file}:${source.line}`, NAME_CHARS)})`;
}

/** The verdict and the digest of the plan. The digest is always shown, since approvals name it. */
export function headBlock(view: PlanView): Block {
  const { document, words } = view;
  const verdict = verdictOf(view).map(bare).join("; ");
  const full = verdict === "" ? nothingText(view) : verdict;
  const counts = `${words.title}: ${bare(countsPhrase(view))}`;
  const messages = (texts: readonly string[]) =>
    texts.filter((text) => text !== "").map((text) => message(text));
  const remarks = messages([withoutBaseText(view), undoText(view)]);
  const narrowed = messages([narrowedText(view)]);
  const identity = identityText(document);
  const brief = [`### ${words.title}: ${prose(briefText(view))}`, ...narrowed, identity];
  return {
    heading: null,
    forms: [
      { text: brief.join("\n\n"), rank: RANKS.head },
      {
        text: [`### ${words.title}: ${prose(full)}`, ...narrowed, prose(counts), ...remarks, identity].join(
          "\n\n",
        ),
        rank: RANKS.headInFull,
      },
    ],
    counted: { noun: "message", n: 0 },
  };
}

function briefText(view: PlanView): string {
  if (view.changes.length === 0) return nothingText(view);
  return [failedText(view), bare(donePhrase(view))].filter((each) => each !== "").join("; ");
}

const DIGEST_CHARS = 100;

function identityText({ digest, base, expires_at }: PlanDocument): string {
  return [
    `Digest of the whole plan: ${code(digest, DIGEST_CHARS)}`,
    ...(base === undefined ? [] : [`base: ${code(base, DIGEST_CHARS)}`]),
    ...(expires_at === undefined ? [] : [`can be applied until ${code(expires_at, DIGEST_CHARS)}`]),
  ].join("; ");
}
