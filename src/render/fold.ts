import { type Group, groupBy } from "../model/group-by.js";
import type { Diagnostic, PlannedChange } from "../plan/generated/plan-document.js";

/** Changes that are the same in several zones, in groups; what each zone has for itself does not tell them apart. */
export function fold<Each extends { readonly change: PlannedChange }>(
  changes: readonly Each[],
): readonly Group<Each>[] {
  return [...groupBy(changes, ({ change }) => JSON.stringify(shared(change))).values()];
}

/** Its zone, its id there, its places, what shows it, and what the zone's pages load. */
function shared({ zone, zone_id, id, source, removed, impact, dimensions, fields, ...rest }: PlannedChange) {
  return {
    ...rest,
    dimensions: dimensions.map(({ witness, ...each }) => each),
    fields: fields.map(({ source: _, ...each }) => each),
  };
}

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
