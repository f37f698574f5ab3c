import { URLS as ANGULAR } from "csp_evaluator/dist/allowlist_bypasses/angular.js";
import { URLS as JSONP } from "csp_evaluator/dist/allowlist_bypasses/jsonp.js";
import { Csp } from "csp_evaluator/dist/csp.js";
import { readSource } from "../source.js";
import { isAngularFile } from "./angular-files.js";
import { wholeDomain } from "./whole-domains.js";

/**
 * The policy with only those hosts that may be known to serve a way around it, for the check that says so: for each
 * host that check goes through all of its list. Without those about which something plainer is said.
 */
export function onlyBypasses({ directives }: Csp): Csp {
  return new Csp(
    Object.fromEntries(
      Object.entries(directives).map(([name, words = []]) => [name, words.filter(mayMatter)]),
    ),
  );
}

function mayMatter(word: string): boolean {
  if (word === "'unsafe-eval'" || word === "'none'") return true;
  const source = readSource(word);
  if (source.form !== "host" || wholeDomain(word) !== null || isAngularFile(word)) return false;
  if (!source.host.startsWith("*.")) return hosts.has(source.host);
  const domain = source.host.slice(1);
  return [...hosts].some((host) => host.endsWith(domain));
}

const hosts: ReadonlySet<string> = new Set([...ANGULAR, ...JSONP].map((url) => url.split("/", 3)[2] ?? ""));
