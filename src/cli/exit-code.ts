import type { PlanDocument } from "../plan/generated/plan-document.js";
import { hasDrift } from "../render/undeclared.js";
import { EXIT } from "../run/exit-codes.js";
import { failsTests } from "../run/plan.js";
import type { Arguments } from "./command.js";

export function planExitCode(
  document: PlanDocument,
  about: "plan" | "drift",
  isRefused: boolean,
  detailed: boolean,
): number {
  if (document.zones.some((zone) => zone.status !== "planned") || failsTests(document)) return EXIT.error;
  if (isRefused) return EXIT.refused;
  const isNews = about === "drift" ? hasDrift(document) : document.changes.length > 0;
  return detailed && isNews ? EXIT.changes : EXIT.done;
}

/**
 * The exit code of an answer, for scripts.
 *
 * @param isGood whether everything is allowed, or matches; an undecided answer is not good
 */
export function answerCode(args: Arguments, isGood: boolean): number {
  return isGood || !args.on("exit-code") ? EXIT.done : EXIT.changes;
}
