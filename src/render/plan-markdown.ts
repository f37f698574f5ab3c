import { hasErrors, type Problem } from "../model/problem.js";
import { changeBlocks } from "./markdown/changes.js";
import { code, message } from "./markdown/escape.js";
import { type Block, pageOf, RANKS } from "./markdown/fit-to-size.js";
import {
  acceptedBlocks,
  errorBlocks,
  firstBlocks,
  guardrailBlocks,
  headBlock,
  warningBlocks,
} from "./markdown/messages.js";
import { callBlocks, unmanagedBlocks } from "./markdown/unmanaged.js";
import { count } from "./safe-text.js";
import type { PlanView } from "./view.js";

/**
 * A plan as a comment: changes to the review itself, the verdict, guardrails, the changes with the worst first, then the
 * rest. Over the limit, the least important parts are left out, with a notice. The digest is always there.
 */
export function planMarkdown(view: PlanView, maxBytes: number): string {
  const undeclared = unmanagedBlocks(view.document);
  const before = [...firstBlocks(view), headBlock(view)];
  const after = [
    ...guardrailBlocks(view),
    ...errorBlocks(view),
    ...undeclared.alarming,
    ...changeBlocks(view),
    ...warningBlocks(view),
    ...acceptedBlocks(view),
    ...undeclared.others,
    ...callBlocks(view),
  ];
  return pageOf(before, after, maxBytes, ELSEWHERE);
}

const ELSEWHERE = "The digest covers the whole plan. The formats json and html show all of it.";

/** The comment when planning failed: the reasons. */
export function problemsMarkdown(problems: readonly Problem[], maxBytes: number): string {
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.filter(({ severity }) => severity === "warning");
  const title = hasErrors(problems) ? `No plan: ${count(errors.length, "error")}` : "No plan";
  const head: Block = {
    heading: null,
    forms: [{ text: `### ${title}`, rank: RANKS.head }],
    counted: { noun: "message", n: 0 },
  };
  const blocks = [
    ...errors.map((each) => problemBlock(each, "#### Errors", RANKS.error)),
    ...warnings.map((each) => problemBlock(each, "#### Warnings", RANKS.warning)),
  ];
  return pageOf([head], blocks, maxBytes, "The formats json and html show all of them.");
}

function problemBlock({ summary, detail, at }: Problem, heading: string, rank: number): Block {
  const place = at === null ? "" : `${code(`${at.file}:${at.line}:${at.column}`, PLACE_CHARS)} `;
  const lead = `- ${place}**${message(summary, SUMMARY_CHARS)}**`;
  return {
    heading,
    forms: [
      { text: lead, rank },
      { text: `${lead}: ${message(detail)}`, rank: rank + 1 },
    ],
    counted: { noun: "message", n: 1 },
  };
}

const PLACE_CHARS = 120;
const SUMMARY_CHARS = 200;
