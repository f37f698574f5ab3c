import { looksLikeIpAddress } from "csp_evaluator/dist/checks/security_checks.js";
import { Type, type Finding as Verdict } from "csp_evaluator/dist/finding.js";
import { requireText } from "../../model/arguments.js";
import { type Advice, check, type Finding } from "../check.js";
import { DEPRECATED_DIRECTIVES, SERVICE_DIRECTIVES, valueForm } from "../directives.js";
import { isOwnMachine } from "../match/match-source.js";
import {
  type Directive,
  inForce,
  invalidCharacter,
  type Policy,
  parsedCsp,
  readSource,
  type Source,
} from "../syntax.js";

import { adviceOn, PLUGINS, warningOn } from "./messages.js";
import { packageSpelling, verdictsOn } from "./verdicts.js";

interface Review {
  /** What is wrong, and what protects little, in the order of the text. */
  readonly findings: readonly Finding[];
  readonly missing: Lint["missing"];
}

/** All findings about a value on its own. A place with an error or a mistake gets no lint besides. */
export function review(text: string, knownDirectives: Iterable<string> = SERVICE_DIRECTIVES): Review {
  const wrong = check(text, knownDirectives);
  const { written, missing } = lint(text);
  const places = new Set(wrong.map(({ start }) => start));
  const findings = [...wrong, ...written.filter(({ start }) => !places.has(start))];
  return { findings: findings.sort((a, b) => a.start - b.start), missing };
}

/** Besides what `check` says, which is about what is wrong. */
export interface Lint {
  /** What stands in the value and protects little or nothing, in the order of the text: warnings. */
  readonly written: readonly Finding[];
  /** What a value with nothing odd in it could have besides. */
  readonly missing: readonly Advice[];
}

/** Longer headers are refused by servers, and some of the package's checks take quadratic time. */
const MAX_CHARS = 65_536;

/** What makes a value a weak one. Where it is several policies, only what all of them are without is missing. */
export function lint(text: string): Lint {
  requireText(text, "A CSP value");
  if (text.length > MAX_CHARS) return { written: [], missing: [] };
  const lints = parsedCsp(text).policies.map((policy) => lintPolicy(policy, text));
  const [first, ...others] = lints.map(({ missing }) => missing);
  const isInAll = ({ code }: Advice) => others.every((each) => each.some((other) => other.code === code));
  return {
    written: lints.flatMap(({ written }) => written).sort((a, b) => a.start - b.start),
    missing: (first ?? []).filter(isInAll),
  };
}

function lintPolicy(policy: Policy, text: string): Lint {
  const obeyed = inForce(policy);
  const isUpgrading = obeyed.has("upgrade-insecure-requests");
  const read = new Map(
    [...obeyed.values()]
      .filter((directive) => isJudged(directive.name) && invalidCharacter(directive, text) === null)
      .map((directive) => [directive.name, { directive, places: placesOf(directive) }]),
  );
  const verdicts = verdictsOn(Array.from(read, ([name, { places }]) => [name, places.keys()]));
  const isOfPlugins = (verdict: Verdict) => read.has("script-src") && isOfDefaults(verdict);
  const weak = verdicts.flatMap((verdict) => {
    const found = read.get(verdict.directive);
    if (found === undefined || isOfPlugins(verdict) || (isUpgrading && isUpgraded(verdict))) return [];
    return warningsOn(verdict, found.directive, found.places);
  });
  const odd = [...read.values()].flatMap(({ directive }) =>
    sourcesOf(directive).flatMap((source) => lintSource(directive.name, source)),
  );
  const isOfScripts = read.has("script-src") || read.has("default-src");
  const plugins = verdicts.some(isOfPlugins) ? [PLUGINS] : [];
  return {
    written: [...weak, ...odd],
    missing: isOfScripts ? [...verdicts.flatMap(adviceOn), ...plugins] : [],
  };
}

/** About what scripts or plugins may be loaded by default. */
function isOfDefaults({ type, directive }: Verdict): boolean {
  return directive === "default-src" && (type === Type.PLAIN_URL_SCHEMES || type === Type.PLAIN_WILDCARD);
}

/** Nothing comes unencrypted then; who embeds a page is not asked for over https:. */
function isUpgraded({ type, directive }: Verdict): boolean {
  return type === Type.SRC_HTTP && directive !== "frame-ancestors";
}

function isJudged(directive: string): boolean {
  return valueForm(directive) === "sources" || DEPRECATED_DIRECTIVES.has(directive);
}

function sourcesOf({ name, sources }: Directive): readonly Source[] {
  return valueForm(name) === "sources" ? sources : [];
}

/** Where a directive has each source, however it is spelt. */
function placesOf({ sources }: Directive): ReadonlyMap<string, readonly Source[]> {
  const places = new Map<string, Source[]>();
  for (const source of sources) {
    const name = packageSpelling(source.text);
    if (name === null) continue;
    const known = places.get(name);
    if (known === undefined) places.set(name, [source]);
    else known.push(source);
  }
  return places;
}

/** A verdict without a source is reported at the directive's name. */
function warningsOn(
  verdict: Verdict,
  { written, start }: Directive,
  places: ReadonlyMap<string, readonly Source[]>,
): readonly Finding[] {
  const name = { text: written, start, end: start + written.length };
  const found = verdict.value === undefined ? [name] : (places.get(verdict.value) ?? []);
  return found.flatMap((place) => warningOn(verdict, place));
}

/** What protects little or nothing in a source of a directive. */
function lintSource(directive: string, { text, start, end }: Source): readonly Finding[] {
  const source = readSource(text);
  const warning = (code: string, message: string): readonly Finding[] => [
    { severity: "warning", code, message, start, end },
  ];
  const isAnySite = source.form === "scheme" || (source.form === "host" && source.host === "*");
  if (directive === "frame-ancestors" && isAnySite) return warning("csp_any_ancestor", anyAncestor(text));
  if (source.form === "nonce") return warning("csp_fixed_nonce", FIXED_NONCE);
  if (source.form !== "host") return [];
  if (source.host !== "127.0.0.1" && looksLikeIpAddress(source.host)) {
    return warning("csp_ip_source", ipAddress(text));
  }
  return isOwnMachine(text) ? warning("csp_own_machine", ownMachine(text)) : [];
}

const FIXED_NONCE =
  "A nonce protects only while nobody can guess it, and this one is the same in every answer: whoever reads one page " +
  "knows it. Allow scripts by their hash or their host.";

function anyAncestor(text: string): string {
  return `\`${text}\` in \`frame-ancestors\` lets anybody's site frame the page, and with \`frame-ancestors\` browsers pass over X-Frame-Options, which may forbid it. Name the sites that may, or write 'none'.`;
}

function ownMachine(text: string): string {
  return `\`${text}\` is the visitor's own machine. Remove it, unless pages are meant to talk to a program there.`;
}

function ipAddress(text: string): string {
  return `By the text of CSP no IP address but 127.0.0.1 matches anything, and browsers differ: \`${text}\` may block what it names. Write a host name.`;
}
