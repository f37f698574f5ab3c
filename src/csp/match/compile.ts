import { rememberedText } from "../../model/remembered.js";
import { EFFECTIVE, type EffectiveDirective, FALLBACKS, type LoadKind, valueForm } from "../directives.js";
import {
  type Directive,
  hashKey,
  inForce,
  isDropped,
  type Policy,
  parsedCsp,
  readSource,
  type Source,
} from "../syntax.js";

import { hostSource, type UrlSource } from "./match-source.js";

/** A parsed value, prepared for judging many loads. */
export interface CompiledCsp {
  readonly policies: readonly CompiledPolicy[];
  /** One policy that says so is enough: http: loads are asked for over https:. */
  readonly upgradesInsecure: boolean;
}

export interface CompiledPolicy {
  /** The directives that browsers obey, by name. */
  readonly directives: ReadonlyMap<string, Directive>;
  /** Of those the ones that are lists of sources. */
  readonly lists: ReadonlyMap<string, SourceList>;
  /** The list that decides about a kind of load; null where no directive does. */
  readonly deciding: Readonly<Record<LoadKind, SourceList | null>>;
}

/** The sources of a directive, by how they allow something. */
export interface SourceList {
  readonly directive: Directive;
  /** In the order written; of one spelling the first. */
  readonly keywords: ReadonlyMap<string, Source>;
  readonly nonces: ReadonlyMap<string, Source>;
  readonly hashes: ReadonlyMap<string, Source>;
  readonly star: Source | null;
  readonly self: Source | null;
  readonly urls: readonly (UrlSource & { readonly written: Source })[];
}

/** A value as `CompiledCsp`, made once for each text and shared: nobody may change it. */
export const compile = rememberedText((csp): CompiledCsp => {
  const policies = parsedCsp(csp).policies.map(compilePolicy);
  const upgradesInsecure = policies.some(({ directives }) => directives.has("upgrade-insecure-requests"));
  return { policies, upgradesInsecure };
});

function compilePolicy(policy: Policy): CompiledPolicy {
  const directives = obeyed(policy);
  const lists = new Map(
    [...directives]
      .filter(([name]) => valueForm(name) === "sources")
      .map(([name, directive]) => [name, sourceList(directive)]),
  );
  const deciding = {
    script: decidingList(lists, EFFECTIVE.script),
    connection: decidingList(lists, EFFECTIVE.connection),
  };
  return { directives, lists, deciding };
}

/**
 * A directive with an invalid character is dropped whole. Chromium still counts it as the first of its name: a later
 * one of that name does not take its place.
 */
function obeyed(policy: Policy): ReadonlyMap<string, Directive> {
  return new Map([...inForce(policy)].filter(([, directive]) => !isDropped(directive)));
}

/**
 * The list of the directive that decides: the effective directive itself, or the first in its fallback chain that the
 * policy has.
 */
export function decidingList(
  lists: ReadonlyMap<string, SourceList>,
  effective: EffectiveDirective,
): SourceList | null {
  const name = FALLBACKS[effective].find((each) => lists.has(each));
  return (name !== undefined && lists.get(name)) || null;
}

function sourceList(directive: Directive): SourceList {
  const keywords = new Map<string, Source>();
  const nonces = new Map<string, Source>();
  const hashes = new Map<string, Source>();
  const urls: (UrlSource & { readonly written: Source })[] = [];
  for (const written of directive.sources) {
    const read = readSource(written.text);
    switch (read.form) {
      case "keyword":
        addFirst(keywords, read.keyword, written);
        break;
      case "nonce":
        addFirst(nonces, read.nonce, written);
        break;
      case "hash":
        addFirst(hashes, hashKey(read.algorithm, read.digest), written);
        break;
      case "scheme":
        urls.push({ scheme: read.scheme, host: null, port: null, path: "", written });
        break;
      case "host": {
        const source = written.text === "*" ? null : hostSource(read);
        if (source !== null) urls.push({ ...source, written });
        break;
      }
      case "odd":
        break;
    }
  }
  const star = directive.sources.find(({ text }) => text === "*") ?? null;
  return { directive, keywords, nonces, hashes, star, self: keywords.get("'self'") ?? null, urls };
}

function addFirst(sources: Map<string, Source>, key: string | null, written: Source): void {
  if (key !== null && !sources.has(key)) sources.set(key, written);
}
