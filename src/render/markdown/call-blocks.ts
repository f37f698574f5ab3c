import { groupBy } from "../../model/group-by.js";
import type { PlanDocument, PlannedCall } from "../../plan/generated/plan-document.js";
import { count, plain } from "../plain.js";
import { details } from "./details.js";
import { code, codeInHtml, fence } from "./escape.js";
import type { Block } from "./fitted.js";
import { RANKS } from "./ranks.js";

/** What apply sends, zone by zone in its order. */
export function callBlocks({ calls, zones }: PlanDocument): readonly Block[] {
  const byZone = groupBy(calls, ({ zone }) => zone);
  return zones.flatMap(({ zone }) => {
    const own = byZone.get(zone);
    if (own === undefined) return [];
    const summary = `${count(own.length, "call")} in ${codeInHtml(zone, NAME_CHARS)}`;
    return {
      heading: "#### Calls",
      forms: [
        { text: details(summary, own.map(callText).join("\n\n")), rank: RANKS.call },
        { text: details(summary, own.map(wholeText).join("\n\n")), rank: RANKS.callInFull },
      ],
      of: { noun: "call", n: own.length },
    };
  });
}

const NAME_CHARS = 120;

function callText({ step, method, path, after }: PlannedCall): string {
  const needs = after.length === 0 ? "" : ` after ${after.join(", ")}`;
  return `**Step ${step}**${needs}: ${code(`${method} ${path}`)}`;
}

function wholeText(call: PlannedCall): string {
  if (call.body === null) return callText(call);
  const lines = JSON.stringify(call.body, null, 2).split("\n");
  return `${callText(call)}\n\n${fence(
    lines.map((line) => plain(line)),
    "json",
  )}`;
}
