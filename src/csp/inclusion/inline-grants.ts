import { type CompiledPolicy, decidingList, type SourceList } from "../match/compile.js";
import type { EffectiveDirective } from "../match/fallback.js";

/** What a policy lets run that has no URL: everything of a kind, or what one of these words allows. */
export type Grants = "everything" | ReadonlySet<string>;

/** By kind: inline scripts and styles, event handlers and style attributes, eval. */
export function inlineGrants(policy: CompiledPolicy): readonly Grants[] {
  return KINDS.map(([effective, grants]) => {
    const list = decidingList(policy.lists, effective);
    return list === null ? "everything" : grants(list);
  });
}

type GrantsOf = (list: SourceList) => Grants;

const KINDS: readonly (readonly [EffectiveDirective, GrantsOf])[] = [
  ["script-src-elem", scripts],
  ["style-src-elem", elements],
  ["script-src-attr", attributes],
  ["style-src-attr", attributes],
  ["script-src", (list) => word(list, ["'unsafe-eval'"])],
  ["script-src", (list) => word(list, ["'unsafe-eval'", "'wasm-unsafe-eval'"])],
  ["script-src", (list) => word(list, ["'unsafe-eval'", "'trusted-types-eval'"])],
  ["script-src-elem", speculationRules],
];

function scripts(list: SourceList): Grants {
  const grants = elements(list);
  const isDynamic = list.keywords.has("'strict-dynamic'");
  return grants === "everything" || !isDynamic ? grants : new Set([...grants, "inserted"]);
}

function elements(list: SourceList): Grants {
  if (allowsAllInline(list)) return "everything";
  return new Set([...prefixed("nonce", list.nonces), ...prefixed("hash", list.hashes)]);
}

/** A hash counts for an attribute only with `'unsafe-hashes'`. */
function attributes(list: SourceList): Grants {
  if (allowsAllInline(list)) return "everything";
  return new Set(list.keywords.has("'unsafe-hashes'") ? prefixed("hash", list.hashes) : []);
}

/** Nonces and hashes switch `'unsafe-inline'` off, and so does `'strict-dynamic'` for scripts. */
function allowsAllInline({ keywords, nonces, hashes, directive }: SourceList): boolean {
  const isForStyles = directive.name.startsWith("style-src");
  return (
    keywords.has("'unsafe-inline'") &&
    nonces.size === 0 &&
    hashes.size === 0 &&
    (isForStyles || !keywords.has("'strict-dynamic'"))
  );
}

function speculationRules(list: SourceList): Grants {
  return allowsAllInline(list) ? "everything" : word(list, ["'inline-speculation-rules'"]);
}

function word(list: SourceList, keywords: readonly string[]): Grants {
  return keywords.some((keyword) => list.keywords.has(keyword)) ? "everything" : new Set();
}

function prefixed(prefix: string, sources: ReadonlyMap<string, unknown>): string[] {
  return [...sources.keys()].map((key) => `${prefix} ${key}`);
}
