import { includes } from "../../csp/inclusion/includes.js";
import { coverage } from "../../expression/coverage/coverage.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Finding } from "../kind.js";
import {
  isBlocking,
  isReporting,
  type KindPart,
  type KnownObject,
  nameOf,
  objectsOf,
  POLICIES,
} from "./zone-objects.js";

const SETTINGS = { kind: "settings", section: "settings" } as const;

/**
 * Policies that are switched on while the service is not. The service's documentation has it that they stay in force,
 * which the setting does not make one think.
 */
export function policiesWhileOff(parts: readonly KindPart[]): readonly Finding[] {
  const settings = objectsOf(parts, SETTINGS.kind)?.find(({ normal }) => normal.enabled === false);
  const policies = (objectsOf(parts, POLICIES.kind) ?? []).filter(({ normal }) => normal.enabled === true);
  return settings === undefined || policies.length === 0 ? [] : [whileOffWarning(settings, policies)];
}

function whileOffWarning({ at }: KnownObject, policies: readonly KnownObject[]): Finding {
  const blocking = policies.filter(({ normal }) => isBlocking(normal));
  const what =
    blocking.length > 0
      ? `${listed(blocking)} still ${blocking.length === 1 ? "blocks" : "block"} what ${blocking.length === 1 ? "it does" : "they do"} not allow`
      : `${listed(policies)} ${policies.length === 1 ? "stays" : "stay"} in force`;
  const detail = `The service is switched off, and that does not switch its policies off: ${what}. Nothing is detected or reported meanwhile, so nobody sees what they meet. Switch the policies off too (enabled: false), or leave the service on.`;
  return {
    path: [...(at ?? [SETTINGS.section]), "enabled"],
    severity: "warning",
    code: "policies_while_off",
    summary: "Policies stay in force while the service is off",
    detail,
  };
}

const MAX_NAMED = 3;

function listed(policies: readonly KnownObject[]): string {
  const names = policies.slice(0, MAX_NAMED).map(nameOf);
  const rest = policies.length - names.length;
  const all = rest > 0 ? [...names, `${rest} more`] : names;
  return all.length === 1 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

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
    .map(untriedWarning);
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

function untriedWarning({ normal, at, was }: KnownObject): Finding {
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
