import type { PlanDocument } from "../../plan/generated/plan-document.js";
import { failedText, nothingText } from "../failures.js";
import { palette } from "../palette.js";
import { summaryText } from "../plan-text.js";
import { doneText, verdictText } from "../verdict.js";
import type { PlanView } from "../view.js";
import { withoutBaseText } from "../without-base.js";
import { code, message, prose } from "./escape.js";
import type { Block } from "./fitted.js";
import { RANKS } from "./ranks.js";

/** What a plan comes to, and by what it is known: what is approved is exact, however little of it is shown. */
export function headBlock(document: PlanDocument, { about }: PlanView): Block {
  const name = about === "plan" ? "Plan" : "Drift";
  const full = verdictText(document, PLAIN, about) ?? nothingText(document, about);
  const counts = `${name}: ${summaryText(document, about, PLAIN)}`;
  const remark = [withoutBaseText(document, about)].flatMap((text) => (text === null ? [] : [message(text)]));
  const identity = identityText(document);
  return {
    heading: null,
    forms: [
      { text: `### ${name}: ${prose(briefText(document, about))}\n\n${identity}`, rank: RANKS.head },
      {
        text: [`### ${name}: ${prose(full)}`, prose(counts), ...remark, identity].join("\n\n"),
        rank: RANKS.headInFull,
      },
    ],
    of: { noun: "message", n: 0 },
  };
}

function briefText(document: PlanDocument, about: PlanView["about"]): string {
  if (document.changes.length === 0) return nothingText(document, about);
  return [doneText(document, PLAIN, about), failedText(document, about)]
    .filter((each) => each !== null)
    .join("; ");
}

const PLAIN = palette(false);
const DIGEST_CHARS = 100;

function identityText({ digest, base, expires_at }: PlanDocument): string {
  return [
    `Digest of the whole plan: ${code(digest, DIGEST_CHARS)}`,
    ...(base === undefined ? [] : [`base: ${code(base, DIGEST_CHARS)}`]),
    ...(expires_at === undefined ? [] : [`can be applied until ${code(expires_at, DIGEST_CHARS)}`]),
  ].join("; ");
}
