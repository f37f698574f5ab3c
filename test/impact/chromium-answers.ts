import { impactOf } from "../../src/impact/impact-of.js";
import { policy as policyKind } from "../../src/kinds/policy/index.js";
import type { Detected, Happening, Impact, Moved } from "../../src/model/detection.js";
import type { Layer } from "../../src/model/strength.js";
import { itemOf } from "../support/item-of.js";
import type { Case, Policy, PolicyMove, Seen, Told } from "./chromium-cases.js";
import { type Happened, type Shown, truthOf } from "./chromium-truth.js";

/** In the order of the report. */
export const HAPPENINGS = [
  "newly_blocked",
  "newly_reported",
  "newly_allowed",
] as const satisfies readonly Happening[];

/** The impact of one detection, and whether the browser agrees. */
export interface Answer {
  readonly is: "right" | "undecided" | "wrong";
  readonly happening: Happening;
  readonly url: string;
  /** The index of the change; null: the zone as a whole. */
  readonly change: number | null;
  /** Whether the inputs leave the answer open, so that it may be undecided. */
  readonly isOpen: boolean;
  readonly of: Case;
}

/** One answer for each event that the browser or impact reports. */
export function answersOf(each: Case, shown: readonly Shown[]): readonly Answer[] {
  const truth = truthOf(each, shown);
  const { total, byChange } = impactOf(
    each.policies.map((move, index) => ({
      change: isChange(move) ? index : null,
      before: layersOf(move.before),
      after: layersOf(move.after),
    })),
    { scripts: each.scripts.map(detected), connections: each.connections.map(detected) },
  );
  const ofChanges = truth.byPolicy.flatMap((happened, index) => {
    const move = each.policies[index] ?? UNCHANGED;
    // The browser names the refusing policy, but not the policy whose upgrade made it refuse or pass.
    const most = upgradeMoves(move) ? truth.total : happened;
    return isChange(move) ? answers(each, index, byChange.get(index) ?? null, happened, most) : [];
  });
  return [...answers(each, null, total, truth.total), ...ofChanges];
}

const UNCHANGED: PolicyMove = { before: null, after: null };

export function isChange({ before, after }: PolicyMove): boolean {
  return before !== after;
}

function upgradeMoves({ before, after }: PolicyMove): boolean {
  return [before, after].some((policy) => policy !== null && upgrades(policy)) && before !== after;
}

function upgrades({ action, value }: Policy): boolean {
  return action === "allow" && /upgrade-insecure-requests/i.test(value);
}

function layersOf(policy: Policy | null): readonly Layer[] {
  if (policy === null) return [];
  const { action, enabled, value, where } = policy;
  const { csp } = policyKind.dimensions(
    itemOf({ action, enabled, value, expression: where.expression }),
    null,
  );
  return csp?.as === "layers" ? csp.layers : [];
}

function detected({ url, pages, told }: Seen): Detected {
  const [host = null] = pages.map((page) => new URL(page).host);
  return { id: url, url, pages: named(pages, told), host, malicious: null, own: false };
}

function named(pages: readonly string[], told: Told): readonly string[] {
  switch (told) {
    case "urls":
      return pages;
    case "without_scheme":
      return pages.map((page) => page.replace(/^https?:\/\//, ""));
    case "host":
      return [];
  }
}

function answers(
  each: Case,
  change: number | null,
  said: Impact | null,
  happened: Happened,
  most: Happened = happened,
): readonly Answer[] {
  const lists: readonly Moved[] = said === null ? [] : [said.scripts, said.connections];
  return HAPPENINGS.flatMap((happening) => {
    const saidOf = new Set(lists.flatMap((list) => list[happening].map(({ url }) => url)));
    const open = lists.flatMap((list) => list.undecided).filter(({ may_be }) => may_be.includes(happening));
    const openOf = new Set(open.map(({ url }) => url));
    return [...new Set([...saidOf, ...happened[happening], ...openOf])].map((url): Answer => {
      const isSaid = saidOf.has(url);
      const isRight = isSaid && most[happening].has(url);
      const is = isRight ? "right" : !isSaid && openOf.has(url) ? "undecided" : "wrong";
      return { is, happening, url, change, isOpen: isOpen(each, url), of: each };
    });
  });
}

/** Directives that are not modelled, whose effect is unknown. */
export function isUnmodelled({ value }: Pick<Policy, "value">): boolean {
  return /(?:^|[;,])\s*(?:sandbox|foo-src)(?![\w-])/i.test(value);
}

/** Whether a list of detections, with only URLs and pages, leaves the fate of a load open. */
function isOpen({ policies, scripts, connections, visitor }: Case, url: string): boolean {
  const all = policies.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
  const [script, connection] = [scripts, connections].map((list) => list.find((seen) => seen.url === url));
  const trusting = /'nonce-|'sha|'strict-dynamic'/i;
  const seen = script ?? connection;
  const asksScheme = ({ where }: Policy) =>
    seen?.pages.some((page) => {
      const [one, other] = ["http:", "https:"].map((scheme) => new URL(page.replace(/^https?:/, scheme)));
      return one && other && where.matches(one, visitor) !== where.matches(other, visitor);
    });
  return (
    seen?.told === "host" ||
    (seen?.told === "without_scheme" && all.some(asksScheme)) ||
    all.some(({ where }) => where.isOpen) ||
    all.some(isUnmodelled) ||
    (script !== undefined && all.some(({ value }) => trusting.test(value))) ||
    // For `fetch`, the original URL is checked; for XMLHttpRequest, the upgraded one.
    (connection !== undefined && url.startsWith("http:") && all.some(upgrades))
  );
}
