import type { PlanDocument } from "../../plan/generated/plan-document.js";
import { palette } from "../palette.js";
import { summaryText } from "../plan-text.js";
import { doneText, verdictText } from "../verdict.js";
import type { PlanView } from "../view.js";
import { code, prose } from "./escape.js";
import type { Block } from "./fitted.js";
import { RANKS } from "./ranks.js";

/** What a plan comes to, and by what it is known: what is approved is exact, however little of it is shown. */
export function headBlock(document: PlanDocument, { about }: PlanView): Block {
  const name = about === "plan" ? "Plan" : "Drift";
  const nothing = about === "plan" ? "no changes" : "nothing changed outside the files";
  const brief = document.changes.length === 0 ? nothing : doneText(document, PLAIN, about);
  const full = verdictText(document, PLAIN, about) ?? nothing;
  const counts = `${name}: ${summaryText(document, about, PLAIN)}`;
  const identity = identityText(document);
  return {
    heading: null,
    forms: [
      { text: `### ${name}: ${prose(brief)}\n\n${identity}`, rank: RANKS.head },
      { text: `### ${name}: ${prose(full)}\n\n${prose(counts)}\n\n${identity}`, rank: RANKS.headInFull },
    ],
    of: { noun: "message", n: 0 },
  };
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
