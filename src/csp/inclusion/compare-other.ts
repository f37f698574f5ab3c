import { canonicalSources } from "../canonical.js";
import { type CompiledCsp, type CompiledPolicy, decidingList } from "../match/compile.js";
import type { Answer } from "./comparison.js";

/** Directives that restrict something else have to be the same. Reports restrict nothing, nor does what is unknown. */
export function compareOther(over: CompiledCsp, under: CompiledCsp): Answer {
  const isCovered = OTHER_RESTRICTIONS.every((name) => {
    const known = new Set(under.policies.map((policy) => restriction(policy, name)));
    return over.policies.every((policy) => {
      const value = restriction(policy, name);
      return value === null || known.has(value);
    });
  });
  return isCovered ? "covered" : "open";
}

function restriction(policy: CompiledPolicy, name: string): string | null {
  const directive = policy.directives.get(name);
  return directive === undefined ? null : canonicalSources(directive).join(" ");
}

const OTHER_RESTRICTIONS = [
  "sandbox",
  "block-all-mixed-content",
  "treat-as-public-address",
  "navigate-to",
  "prefetch-src",
  "webrtc",
];

/** What scripts may hand to the page as markup or as code: `require-trusted-types-for`, and `trusted-types`. */
export function compareTrustedTypes(over: CompiledCsp, under: CompiledCsp): Answer {
  const answers = [compareRequired(over, under), compareNames(over, under)];
  if (answers.every((each) => each === "covered")) return "covered";
  // Without scripts there is nothing for Trusted Types to restrict.
  return answers.includes("refuted") && under.policies.every(mayRunScripts) ? "refuted" : "open";
}

function compareRequired(over: CompiledCsp, under: CompiledCsp): Answer {
  return !over.policies.some(isRequired) || under.policies.some(isRequired) ? "covered" : "refuted";
}

function isRequired({ directives }: CompiledPolicy): boolean {
  const sources = directives.get("require-trusted-types-for")?.sources ?? [];
  return sources.some(({ text }) => text === "'script'");
}

/** The names that Trusted Types policies may have, and whether several may have the same. */
interface Names {
  readonly isAny: boolean;
  readonly named: ReadonlySet<string>;
  readonly canRepeat: boolean;
}

function compareNames(over: CompiledCsp, under: CompiledCsp): Answer {
  const [overs, unders] = [over, under].map(({ policies }) =>
    policies.flatMap((each) => namesOf(each) ?? []),
  );
  const known = unders ?? [];
  const isCovered = (each: Names) => [ANY_NAMES, ...known].some((other) => isWithin(other, each));
  const open = (overs ?? []).filter((each) => !isCovered(each));
  if (open.length === 0) return "covered";
  // Of several, each may leave out what the others allow.
  return known.length < 2 && open.some((each) => !isWithin(known[0] ?? ANY_NAMES, each)) ? "refuted" : "open";
}

const ANY_NAMES: Names = { isAny: true, named: new Set(), canRepeat: true };

/** Null: whatever they are called. */
function namesOf({ directives }: CompiledPolicy): Names | null {
  const sources = directives.get("trusted-types")?.sources;
  if (sources === undefined) return null;
  const texts = new Set(sources.map(({ text }) => text));
  return {
    isAny: texts.has("*"),
    named: new Set([...texts].filter((text) => /^[a-z0-9#=_/@.%-]+$/i.test(text))),
    canRepeat: texts.has("'allow-duplicates'"),
  };
}

function isWithin(inner: Names, outer: Names): boolean {
  if (inner.canRepeat && !outer.canRepeat && (inner.isAny || inner.named.size > 0)) return false;
  return outer.isAny || (!inner.isAny && [...inner.named].every((name) => outer.named.has(name)));
}

function mayRunScripts({ lists }: CompiledPolicy): boolean {
  const list = decidingList(lists, "script-src-elem");
  if (list === null) return true;
  const { star, self, urls, nonces, hashes, keywords } = list;
  return (
    star !== null ||
    self !== null ||
    urls.length + nonces.size + hashes.size > 0 ||
    keywords.has("'unsafe-inline'")
  );
}
