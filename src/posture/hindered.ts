import { coverage } from "../expression/coverage/coverage.js";
import { cut } from "../model/cut.js";
import type { Hindrance, Shift } from "../model/strength.js";
import { on } from "./places.js";

/**
 * What a change does of an object that something keeps from doing what it says. Nothing is gained where a rule of others
 * lets everything past it; a loss stays one, for that rule may go tomorrow.
 *
 * @param before null: the object is not there
 */
export function hindered(
  own: readonly Shift[],
  before: readonly Hindrance[] | null,
  after: readonly Hindrance[] | null,
): readonly Shift[] {
  const now = after ?? before ?? [];
  const skips = now.flatMap((each) => (each.as === "skip" ? skipOf(each) : []));
  const isPassed = skips.some(({ isWhole }) => isWhole);
  const counted = own.map((shift) =>
    isPassed && shift.way === "stronger" ? { ...shift, way: "neutral" as const } : shift,
  );
  const isIdle = [before ?? now, after ?? now].every((side) => side.some(({ as }) => as === "off"));
  const reasons = own.length === 0 && isIdle ? ["it is switched off"] : skips.map(({ why }) => why);
  return [
    ...counted,
    ...reasons.map((why): Shift => ({ dimension: IN_FORCE, way: "neutral", why, witness: null })),
  ];
}

/** The dimension of what says whether the object does anything at all. */
const IN_FORCE = "in_force";

interface Skip {
  readonly why: string;
  readonly isWhole: boolean;
}

function skipOf({ by, where, own, of }: Extract<Hindrance, { readonly as: "skip" }>): readonly Skip[] {
  const covers = coverage(where, own);
  if (covers === "disjoint") return [];
  const what = of === "all" ? "it" : "some of its rules";
  const why = `but ${JSON.stringify(cut(by, MAX_CHARS))} (not managed) skips ${what} ${onRequests(where)}`;
  return [{ why, isWhole: of === "all" && (covers === "equal" || covers === "superset") }];
}

function onRequests(where: string): string {
  const words = on(where, "request");
  return words === "on some requests" ? `on requests that match ${cut(where, MAX_CHARS)}` : words;
}

const MAX_CHARS = 80;
