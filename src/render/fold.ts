import { type Group, groupBy } from "../model/group-by.js";
import type { Diagnostic, PlannedChange, PlannedDimension } from "../plan/generated/plan-document.js";

/** The same change in one zone or in many. */
export interface FoldedChange {
  readonly shared: SharedChange;
  /** In the plan's order. */
  readonly members: readonly FoldedMember[];
}

/** What is the same in all of them. */
type SharedChange = Omit<PlannedChange, keyof Own | "dimensions"> & {
  readonly dimensions: readonly Omit<PlannedDimension, "witness">[];
};

/** What each zone has for itself. */
export interface FoldedMember extends Own {
  /** Its place among the plan's changes. */
  readonly index: number;
  /** Of each dimension. */
  readonly witnesses: readonly PlannedDimension["witness"][];
}

type Own = Pick<PlannedChange, "zone" | "zone_id" | "id" | "source" | "removed" | "impact">;

/** Changes that are the same in several zones become one; nothing is lost. */
export function fold(changes: readonly PlannedChange[]): readonly FoldedChange[] {
  const folded = new Map<string, { shared: SharedChange; members: FoldedMember[] }>();
  for (const [index, change] of changes.entries()) {
    const { zone, zone_id, id, source, removed, impact, dimensions, ...rest } = change;
    const shared = { ...rest, dimensions: dimensions.map(({ witness: _, ...each }) => each) };
    const member = {
      index,
      ...{ zone, zone_id, id, source },
      ...(removed === undefined ? {} : { removed }),
      ...(impact === undefined ? {} : { impact }),
      witnesses: dimensions.map(({ witness }) => witness),
    };
    const key = JSON.stringify(shared);
    const same = folded.get(key);
    if (same === undefined) folded.set(key, { shared, members: [member] });
    else same.members.push(member);
  }
  return [...folded.values()];
}

/** The changes again, in the plan's order. */
export function expand(folded: readonly FoldedChange[]): readonly PlannedChange[] {
  const changes = folded.flatMap(({ shared, members }) => members.map((member) => whole(shared, member)));
  return changes.toSorted((a, b) => a.index - b.index).map(({ change }) => change);
}

function whole({ dimensions, ...rest }: SharedChange, { index, witnesses, ...own }: FoldedMember) {
  const change = {
    ...rest,
    ...own,
    dimensions: dimensions.map((each, place) => ({ ...each, witness: witnesses[place] ?? null })),
  };
  return { index, change };
}

/** One of the folded changes as the plan has it. */
export function memberChange(shared: SharedChange, member: FoldedMember): PlannedChange {
  return whole(shared, member).change;
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
