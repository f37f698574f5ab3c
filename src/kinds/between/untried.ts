import { includes } from "../../csp/inclusion/includes.js";
import { coverage } from "../../expression/coverage/coverage.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Finding } from "../kind.js";
import type { KindPart, KnownObject } from "./part.js";
import { isBlocking, isReporting, nameOf, POLICIES } from "./policies.js";

/**
 * Policies that start to block, and that none which only reports has gone before: the service's documentation asks for
 * a week of reports first. What is live has to be known for that.
 */
export function untriedBlocks(parts: readonly KindPart[]): readonly Finding[] {
  const { objects = [], live = null } = parts.find(({ kind }) => kind === POLICIES.kind) ?? {};
  if (live === null) return [];
  const tried = live.filter((each) => isReporting(each) || isBlocking(each));
  if (tried.length > MOST_TRIED) return [];
  return objects
    .filter((policy) => startsToBlock(policy) && !tried.some((each) => isTrialOf(each, policy.normal)))
    .map(warning);
}

/** More than a service has policies: then nothing is said. */
const MOST_TRIED = 20;

function startsToBlock({ normal, was, at }: KnownObject): boolean {
  return at !== null && isBlocking(normal) && (was === null || !isBlocking(was));
}

/** Whether what the policy would block was reported, or blocked: on all its pages, all it refuses. In doubt it was. */
function isTrialOf(tried: SealedObject, policy: SealedObject): boolean {
  const [where, pages] = [tried, policy].map(({ expression }) => asText(expression ?? ""));
  const [reported, refused] = [tried, policy].map(({ value }) => asText(value ?? ""));
  return (
    includes(refused ?? "", reported ?? "") !== false &&
    ["equal", "superset", "unknown"].includes(coverage(where ?? "", pages ?? ""))
  );
}

function warning({ normal, at, was }: KnownObject): Finding {
  const name = nameOf({ normal });
  const before =
    was !== null && isReporting(was)
      ? `${name} has only reported so far, but not all that it would block now: its pages or its value change at the same time`
      : `${name} would block at once, and no live policy with its pages and its value has reported (action: log) what that stops`;
  return {
    path: [...(at ?? [POLICIES.section]), "action"],
    severity: "warning",
    code: "blocks_untried",
    summary: "A policy blocks that has not reported first",
    detail: `${before}. The service's documentation asks for seven days of reports before: apply it with action: log, look at what is reported, then let it block.`,
  };
}
