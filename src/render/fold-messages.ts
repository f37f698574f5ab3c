import { type Group, groupBy } from "../model/group-by.js";
import type { Diagnostic } from "../plan/generated/plan-document.js";

/** The same said of one zone or of many. */
export interface FoldedMessage {
  /** Of many zones without the name of any. */
  readonly message: string;
  /** In the plan's order. */
  readonly members: Group<Diagnostic>;
}

/** Diagnostics that say the same of several zones become one. What is of no zone stays by itself. */
export function foldMessages(diagnostics: readonly Diagnostic[]): readonly FoldedMessage[] {
  const groups = groupBy(diagnostics.entries(), ([n, each]) =>
    JSON.stringify(each.zone === undefined ? n : [each.severity, each.code, sharedMessage(each)]),
  );
  return [...groups.values()].map(([[, first], ...others]) => ({
    message: others.length === 0 ? first.message : sharedMessage(first),
    members: [first, ...others.map(([, each]) => each)],
  }));
}

/** What is said, whichever the zone is. */
function sharedMessage({ zone, message }: Diagnostic): string {
  if (zone === undefined || zone === "") return message;
  return message.split(zone).reduce((before, after) => {
    const isPart = /[\w.-]/.test(before.slice(-1)) || /^(?:[\w-]|\.\w)/.test(after);
    return `${before}${isPart ? zone : "the zone"}${after}`;
  });
}
