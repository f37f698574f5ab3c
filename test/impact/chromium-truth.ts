import type { Loads, Violation, Visit } from "../support/chromium-visit.js";
import type { Case, Policy, Seen } from "./chromium-cases.js";

/** One page of a case with the policies of one side. */
export interface Showing {
  readonly page: string;
  readonly side: Side;
  readonly loads: Loads;
  readonly enforced: readonly string[];
  readonly reportOnly: readonly string[];
}

type Side = "before" | "after";

/** Every page with detections, before and after. */
export function showingsOf(each: Case): readonly Showing[] {
  const pages = [...new Set([...each.scripts, ...each.connections].flatMap((seen) => seen.pages))];
  return pages.flatMap((page) => (["before", "after"] as const).map((side) => showing(each, page, side)));
}

function showing(each: Case, page: string, side: Side): Showing {
  const isHere = (seen: Seen) => seen.pages.includes(page);
  const valuesOf = (action: Policy["action"]) =>
    each.policies.flatMap((move) => {
      const policy = applying(move[side], page, each);
      return policy?.action === action ? [policy.value] : [];
    });
  return {
    page,
    side,
    loads: {
      scripts: each.scripts.filter(isHere).map(({ url }) => url),
      connections: each.connections.filter(isHere).map(({ url, by }) => ({ url, by })),
    },
    enforced: valuesOf("allow"),
    reportOnly: valuesOf("log"),
  };
}

function applying(policy: Policy | null, page: string, { visitor }: Case): Policy | null {
  return policy?.enabled && policy.where.matches(new URL(page), visitor) ? policy : null;
}

/** A page that the browser has opened. */
export interface Shown extends Showing {
  readonly visit: Visit;
}

/** The URLs with an event on some page. */
export interface Happened {
  readonly newly_blocked: ReadonlySet<string>;
  readonly newly_reported: ReadonlySet<string>;
  readonly newly_allowed: ReadonlySet<string>;
}

export interface Truth {
  readonly total: Happened;
  /** By the index of the policy. */
  readonly byPolicy: readonly Happened[];
}

/** What the browser did: in the zone as a whole, and because of each policy. */
export function truthOf(each: Case, shown: readonly Shown[]): Truth {
  const total = nothing();
  const byPolicy = each.policies.map(nothing);
  for (const after of shown.filter(({ side }) => side === "after")) {
    const before = shown.find(({ side, page }) => side === "before" && page === after.page);
    if (before === undefined) throw new Error("each page is shown twice");
    const now = { before: refusalsIn(each, before), after: refusalsIn(each, after) };
    for (const url of urlsOf(after.loads)) {
      const what = happening(now.before.get(url) ?? NONE, now.after.get(url) ?? NONE);
      if (what === null) continue;
      total[what.name].add(url);
      for (const index of what.policies) byPolicy[index]?.[what.name].add(url);
    }
  }
  return { total, byPolicy };
}

function nothing(): Record<keyof Happened, Set<string>> {
  return { newly_blocked: new Set(), newly_reported: new Set(), newly_allowed: new Set() };
}

export function urlsOf({ scripts, connections }: Loads): readonly string[] {
  return [...scripts, ...connections.map(({ url }) => url)];
}

/** The indexes of the policies that refused a load. */
interface Refusal {
  readonly blockedBy: ReadonlySet<number>;
  readonly reportedBy: ReadonlySet<number>;
}

const NONE: Refusal = { blockedBy: new Set(), reportedBy: new Set() };

function refusalsIn(each: Case, shown: Shown): ReadonlyMap<string, Refusal> {
  return new Map(
    urlsOf(shown.loads).map((url): [string, Refusal] => [
      url,
      { blockedBy: refusing(each, shown, url, "enforce"), reportedBy: refusing(each, shown, url, "report") },
    ]),
  );
}

function refusing(
  each: Case,
  { page, side, visit }: Shown,
  url: string,
  disposition: Violation["disposition"],
): ReadonlySet<number> {
  const action = disposition === "enforce" ? "allow" : "log";
  const there = [...each.policies.entries()].flatMap(([index, move]) => {
    const policy = applying(move[side], page, each);
    return policy?.action === action ? [{ index, parts: partsOf(policy.value) }] : [];
  });
  const told = visit.violations.filter((one) => one.disposition === disposition && isOf(one.blockedURI, url));
  return new Set(
    told.flatMap(({ originalPolicy }) => {
      const found = there.filter(({ parts }) => parts.includes(originalPolicy));
      if (found.length === 0) throw new Error(`${page} was not given the policy ${originalPolicy}`);
      return found.map(({ index }) => index);
    }),
  );
}

/** The browser may report the upgraded URL. */
export function isOf(blockedURI: string, url: string): boolean {
  const kept = ({ hostname, pathname, search }: URL) => hostname + pathname + search;
  return URL.canParse(blockedURI) && kept(new URL(blockedURI)) === kept(new URL(url));
}

/** The policies in a value, as the browser names them. */
function partsOf(value: string): readonly string[] {
  return value.split(",").map((each) => each.trim());
}

interface Happening {
  readonly name: keyof Happened;
  readonly policies: readonly number[];
}

function happening(before: Refusal, after: Refusal): Happening | null {
  const without = (these: ReadonlySet<number>, others: ReadonlySet<number>) =>
    [...these].filter((each) => !others.has(each));
  const [was, is] = [before.blockedBy.size > 0, after.blockedBy.size > 0];
  if (is && !was) return { name: "newly_blocked", policies: [...after.blockedBy] };
  if (was && !is) return { name: "newly_allowed", policies: [...before.blockedBy] };
  if (was || is || before.reportedBy.size > 0 || after.reportedBy.size === 0) return null;
  return { name: "newly_reported", policies: without(after.reportedBy, before.reportedBy) };
}
