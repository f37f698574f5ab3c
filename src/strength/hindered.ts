import { coverage } from "../expression/coverage/coverage.js";
import { parse } from "../expression/parse/parse.js";
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
  const skips = now.flatMap((each) => (each.as === "skip" ? whySkipped(each) : []));
  const isPassed = isPassedBy(now);
  const counted = own.map((shift) =>
    isPassed && shift.way === "stronger" ? { ...shift, way: "neutral" as const } : shift,
  );
  const isIdle = [before ?? now, after ?? now].every((side) => side.some(({ as }) => as === "off"));
  const reasons = own.length === 0 && isIdle ? ["it is switched off"] : skips;
  return [
    ...counted,
    ...reasons.map((why): Shift => ({ dimension: IN_FORCE, way: "neutral", why, witness: null })),
  ];
}

/** The dimension of what says whether the object does anything at all. */
const IN_FORCE = "in_force";

type Skip = Extract<Hindrance, { readonly as: "skip" }>;

/** Whether one or another of the rules in front lets every request past that the object is for. */
function isPassedBy(hindrances: readonly Hindrance[]): boolean {
  const whole = hindrances.flatMap((each) => (each.as === "skip" && each.of === "all" ? each : []));
  const [first] = whole;
  // In parentheses, what is no expression could become one.
  const wheres = [...new Set(whole.map(({ where }) => where))].filter((each) => parse(each).ok);
  if (first === undefined || wheres.length === 0) return false;
  return ["equal", "superset"].includes(coverage(wheres.map((each) => `(${each})`).join(" or "), first.own));
}

function whySkipped({ by, where, own, of }: Skip): readonly string[] {
  if (coverage(where, own) === "disjoint") return [];
  const what = of === "all" ? "it" : "some of its rules";
  return [
    `except where ${JSON.stringify(cut(by, MAX_CHARS))} (not managed) skips ${what}: ${requestsOf(where)}`,
  ];
}

function requestsOf(where: string): string {
  const words = on(where, "request").replace(/^on /, "");
  return words === "some requests" ? `requests of ${cut(where, MAX_CHARS)}` : words;
}

const MAX_CHARS = 80;
