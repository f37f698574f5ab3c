import { groupBy } from "../../model/group-by.js";
import type {
  PlanDocument,
  PlannedCall,
  PlannedChange,
  PlannedZone,
  UnmanagedObject,
} from "../../plan/generated/plan-document.js";
import { fold } from "../fold.js";
import { WORST_FIRST } from "../outside.js";
import type { PlanView } from "../view.js";
import { effectOf } from "./effects.js";

/** A plan as its page has it: everything with its zone, and a number for each change that others can point to. */
export interface Report {
  readonly plan: PlanDocument;
  readonly view: PlanView;
  /** All of them; those with what weakens first where the words say what was done outside the files. */
  readonly zones: readonly ZoneReport[];
}

export interface ZoneReport {
  readonly n: number;
  readonly zone: PlannedZone;
  readonly changes: readonly NumberedChange[];
  readonly calls: readonly PlannedCall[];
  readonly unmanaged: readonly UnmanagedObject[];
}

export interface NumberedChange {
  readonly n: number;
  readonly change: PlannedChange;
  /** The first of the changes that are the same in other zones; null: it is that itself. */
  readonly first: Pick<NumberedChange, "n" | "change"> | null;
}

export function reportOf(plan: PlanDocument, view: PlanView): Report {
  const changes = groupBy(numbered(plan.changes), ({ change }) => change.zone);
  const calls = groupBy(plan.calls, ({ zone }) => zone);
  const unmanaged = groupBy(plan.unmanaged, ({ zone }) => zone);
  const zones = plan.zones.map((zone, n) => ({
    n,
    zone,
    changes: inOrder(changes.get(zone.zone) ?? [], (each) => rank(each, view)),
    calls: calls.get(zone.zone) ?? [],
    unmanaged: unmanaged.get(zone.zone) ?? [],
  }));
  return { plan, view, zones: inOrder(zones, ({ changes: [first] }) => rank(first, view)) };
}

function numbered(changes: readonly PlannedChange[]): readonly NumberedChange[] {
  const firsts = new Map(
    fold(changes).flatMap(({ members: [first, ...others] }) =>
      others.map(({ index }) => [index, first?.index]),
    ),
  );
  return changes.map((change, n) => {
    const at = firsts.get(n) ?? n;
    const same = changes[at];
    return { n, change, first: same === undefined || at === n ? null : { n: at, change: same } };
  });
}

/** What has the lowest rank first; of the same rank, as it was. */
function inOrder<Of>(all: readonly Of[], rankOf: (each: Of) => number): readonly Of[] {
  return all.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** A plan is shown as it is; of drift the worst comes first, and last what did not move. */
function rank(numbered: NumberedChange | undefined, { about }: PlanView): number {
  if (about === "plan") return 0;
  return numbered === undefined ? WORST_FIRST.length : WORST_FIRST.indexOf(effectOf(numbered.change, about));
}
