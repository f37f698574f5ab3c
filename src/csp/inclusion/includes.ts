import { canonicalSources } from "../canonical.js";
import { equal } from "../equal.js";
import {
  type CompiledCsp,
  type CompiledPolicy,
  compile,
  decidingList,
  type SourceList,
} from "../match/compile.js";
import { uncoveredSources } from "./covers-list.js";
import type { Comparison } from "./covers-source.js";
import { type Grants, inlineGrants } from "./inline-grants.js";
import { ANY_PAGES, findProbe } from "./probes.js";
import { isDynamic, URL_CHECKS, type UrlCheck, upgradesOf, urlPart } from "./url-checks.js";

/**
 * Whether `a` allows everything that `b` allows, on any page of a web server. True where each policy of `a` is
 * covered by one of `b`, source by source; false where something is found that only `b` allows.
 */
export function includes(a: string, b: string): boolean | "unknown" {
  const [over, under] = [compile(a), compile(b)];
  if (over.policies.length * under.policies.length > MOST_PAIRS) return equal(a, b) || "unknown";
  const inline = inlineAnswers(over, under);
  if (inline.includes("refuted")) return false;
  const open = URL_CHECKS.filter((check) => !coversUrls(check, over, under));
  if (open.some((check) => findProbe(check, over, under, ANY_PAGES) !== null)) return false;
  return (open.length === 0 && !inline.includes("open") && coversOthers(over, under)) || "unknown";
}

/** Each policy is compared with each: values with hundreds of them stay undecided. */
const MOST_PAIRS = 2_500;

type Answer = "covered" | "refuted" | "open";

function inlineAnswers(over: CompiledCsp, under: CompiledCsp): readonly Answer[] {
  const overs = over.policies.map(inlineGrants);
  const unders = under.policies.map(inlineGrants);
  const kinds = overs[0]?.keys() ?? [];
  return [...kinds].map((kind) => inlineAnswer(column(overs, kind), column(unders, kind)));
}

function column(grants: readonly (readonly Grants[])[], kind: number): readonly Grants[] {
  return grants.map((each) => each[kind] ?? "everything");
}

/**
 * One policy of the second value within each of the first is enough. Otherwise what they all grant refutes it; two
 * policies that grant different words can still allow an element that has both.
 */
function inlineAnswer(overs: readonly Grants[], unders: readonly Grants[]): Answer {
  const limited = overs.filter((grants) => grants !== "everything");
  const isWithin = (over: Grants) => unders.some((under) => isSubset(under, over));
  if (limited.every(isWithin)) return "covered";
  const [first, ...rest] = unders.filter((grants) => grants !== "everything");
  if (first === undefined) return "refuted";
  const common = [...first].filter((grant) => rest.every((each) => each.has(grant)));
  return limited.some((over) => common.some((grant) => !over.has(grant))) ? "refuted" : "open";
}

function isSubset(under: Grants, over: Grants): boolean {
  if (over === "everything") return true;
  return under !== "everything" && [...under].every((grant) => over.has(grant));
}

function coversUrls(check: UrlCheck, over: CompiledCsp, under: CompiledCsp): boolean {
  const upgrades = upgradesOf(check, over, under);
  return over.policies.every((policy) => {
    const list = decidingList(policy.lists, check.effective);
    if (list === null) return true;
    return under.policies.some((other) => {
      const otherList = decidingList(other.lists, check.effective);
      return otherList !== null && coversList(check, list, otherList, upgrades);
    });
  });
}

function coversList(
  check: UrlCheck,
  over: SourceList,
  under: SourceList,
  upgrades: Comparison["upgrades"],
): boolean {
  if (!TRUSTED[check.trusts].every((isCovered) => isCovered(over, under))) return false;
  if (check.trusts === "workers" && isDynamic(over)) return true;
  const { urls, hasSelf } = uncoveredSources(urlPart(check, over), urlPart(check, under), upgrades);
  return urls.length === 0 && !hasSelf;
}

type Covers = (over: SourceList, under: SourceList) => boolean;

const nonces: Covers = (over, under) => isWithin(under.nonces, over.nonces);
const hashes: Covers = (over, under) => isWithin(under.hashes, over.hashes);
const dynamic: Covers = (over, under) => isDynamic(over) || !isDynamic(under);

/** What allows any URL in the second list has to do so in the first. */
const TRUSTED: Readonly<Record<UrlCheck["trusts"], readonly Covers[]>> = {
  scripts: [nonces, hashes, dynamic],
  nonces: [nonces],
  workers: [dynamic],
  nothing: [],
};

function isWithin(under: ReadonlyMap<string, unknown>, over: ReadonlyMap<string, unknown>): boolean {
  return [...under.keys()].every((key) => over.has(key));
}

/** Directives that restrict something else have to be the same. Reports restrict nothing, nor does what is unknown. */
function coversOthers(over: CompiledCsp, under: CompiledCsp): boolean {
  return over.policies.every((policy) =>
    OTHER_RESTRICTIONS.every((name) => {
      const value = restriction(policy, name);
      return value === null || under.policies.some((other) => restriction(other, name) === value);
    }),
  );
}

function restriction(policy: CompiledPolicy, name: string): string | null {
  const directive = policy.directives.get(name);
  return directive === undefined ? null : canonicalSources(directive).join(" ");
}

const OTHER_RESTRICTIONS = [
  "sandbox",
  "trusted-types",
  "require-trusted-types-for",
  "block-all-mixed-content",
  "treat-as-public-address",
  "navigate-to",
  "prefetch-src",
  "webrtc",
];
