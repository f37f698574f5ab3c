import type { PlanDocument } from "../plan/generated/plan-document.js";
import { callBlocks } from "./markdown/call-blocks.js";
import { changeBlocks } from "./markdown/change-blocks.js";
import { headBlock } from "./markdown/head-block.js";
import { errorBlocks, firstBlocks, guardrailBlocks, warningBlocks } from "./markdown/message-blocks.js";
import { pageOf } from "./markdown/page.js";
import { unmanagedBlocks } from "./markdown/unmanaged-blocks.js";
import type { PlanView } from "./view.js";

/**
 * A plan as a comment: what would weaken the review itself, the verdict, what stands against the plan, the changes with
 * the worst first, then all else. Where it would be longer than allowed, what matters least is left out; it says so, and
 * the digest of the whole plan always stands there.
 */
export function planMarkdown(document: PlanDocument, view: PlanView, maxBytes: number): string {
  const before = [...firstBlocks(document), headBlock(document, view)];
  const after = [
    ...guardrailBlocks(document),
    ...errorBlocks(document, view),
    ...changeBlocks(document, view),
    ...warningBlocks(document),
    ...unmanagedBlocks(document),
    ...callBlocks(document),
  ];
  return pageOf(before, after, maxBytes, ELSEWHERE);
}

const ELSEWHERE = "The digest is of the whole plan; the formats json and html have all of it.";
