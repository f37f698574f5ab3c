import { looksLikeIpAddress } from "csp_evaluator/dist/checks/security_checks.js";
import { Severity, Type, type Finding as Verdict } from "csp_evaluator/dist/finding.js";
import { requireText } from "../model/arguments.js";
import { type Advice, check, type Finding } from "./check.js";
import { DEPRECATED_DIRECTIVES, SERVICE_DIRECTIVES, valueForm } from "./directives.js";
import { isOwnMachine } from "./match/match-source.js";
import {
  type Directive,
  inForce,
  invalidCharacter,
  type Policy,
  parsedCsp,
  readSource,
  type Source,
} from "./syntax.js";
import { packageSpelling, verdictsOn, wholeDomain } from "./verdicts.js";

interface Review {
  /** Mistakes and weak spots, in the order of the text. */
  readonly findings: readonly Finding[];
  readonly missing: Lint["missing"];
}

/** All findings about a value. A place with a mistake gets no warning about weakness. */
export function review(text: string, knownDirectives: Iterable<string> = SERVICE_DIRECTIVES): Review {
  const mistakes = check(text, knownDirectives);
  const { written, missing } = lint(text);
  const places = new Set(mistakes.map(({ start }) => start));
  const findings = [...mistakes, ...written.filter(({ start }) => !places.has(start))];
  return { findings: findings.sort((a, b) => a.start - b.start), missing };
}

/** Weaknesses, in addition to the mistakes that `check` finds. */
export interface Lint {
  /** Weak spots in the value, as warnings in the order of the text. */
  readonly written: readonly Finding[];
  /** Protection that a value without mistakes could add. */
  readonly missing: readonly Advice[];
}

/** Servers refuse longer headers, and some checks of the package take quadratic time. */
const MAX_CHARS = 65_536;

/** The weaknesses of a value. If it has several policies, only protection that all of them lack is missing. */
export function lint(text: string): Lint {
  requireText(text, "A CSP value");
  if (text.length > MAX_CHARS) return { written: [], missing: [] };
  const lints = parsedCsp(text).policies.map((policy) => lintPolicy(policy, text));
  const [first, ...rest] = lints.map(({ missing }) => missing);
  const isInAll = ({ code }: Advice) => rest.every((each) => each.some((other) => other.code === code));
  return {
    written: lints.flatMap(({ written }) => written).sort((a, b) => a.start - b.start),
    missing: (first ?? []).filter(isInAll),
  };
}

function lintPolicy(policy: Policy, text: string): Lint {
  const directives = inForce(policy);
  const isUpgrading = directives.has("upgrade-insecure-requests");
  const judged = new Map(
    [...directives.values()]
      .filter((directive) => isJudged(directive.name) && invalidCharacter(directive, text) === null)
      .map((directive) => [directive.name, { directive, places: placesOf(directive) }]),
  );
  const verdicts = verdictsOn(Array.from(judged, ([name, { places }]) => [name, places.keys()]));
  const isOfPlugins = (verdict: Verdict) => judged.has("script-src") && isOfDefaults(verdict);
  const weak = verdicts.flatMap((verdict) => {
    const entry = judged.get(verdict.directive);
    if (entry === undefined || isOfPlugins(verdict) || (isUpgrading && isUpgraded(verdict))) return [];
    return warningsOn(verdict, entry.directive, entry.places);
  });
  const sourceFindings = [...judged.values()].flatMap(({ directive }) =>
    sourcesOf(directive).flatMap((source) => lintSource(directive.name, source)),
  );
  const isOfScripts = judged.has("script-src") || judged.has("default-src");
  const plugins = verdicts.some(isOfPlugins) ? [PLUGINS] : [];
  return {
    written: [...weak, ...sourceFindings],
    missing: isOfScripts ? [...verdicts.flatMap(adviceOn), ...plugins] : [],
  };
}

/** A verdict about scripts or plugins allowed by default. */
function isOfDefaults({ type, directive }: Verdict): boolean {
  return directive === "default-src" && (type === Type.PLAIN_URL_SCHEMES || type === Type.PLAIN_WILDCARD);
}

/** With the upgrade, nothing is loaded unencrypted. An embedding page is not upgraded. */
function isUpgraded({ type, directive }: Verdict): boolean {
  return type === Type.SRC_HTTP && directive !== "frame-ancestors";
}

function isJudged(directive: string): boolean {
  return valueForm(directive) === "sources" || DEPRECATED_DIRECTIVES.has(directive);
}

function sourcesOf({ name, sources }: Directive): readonly Source[] {
  return valueForm(name) === "sources" ? sources : [];
}

/** The places of each source in a directive, whatever its spelling. */
function placesOf({ sources }: Directive): ReadonlyMap<string, readonly Source[]> {
  const places = new Map<string, Source[]>();
  for (const source of sources) {
    const name = packageSpelling(source.text);
    if (name === null) continue;
    const list = places.get(name);
    if (list === undefined) places.set(name, [source]);
    else list.push(source);
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
  const targets = verdict.value === undefined ? [name] : (places.get(verdict.value) ?? []);
  return targets.flatMap((place) => warningOn(verdict, place));
}

/** Weak spots in one source of a directive. */
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
  "This nonce is the same in every answer, so anyone can read it from a page and use it. Allow scripts by their hash or " +
  "their host.";

function anyAncestor(text: string): string {
  return `\`${text}\` lets any site frame the page. Name the sites that may, or write 'none'. With \`frame-ancestors\`, browsers ignore X-Frame-Options.`;
}

function ownMachine(text: string): string {
  return `\`${text}\` is the visitor's own machine. Remove it, unless your pages talk to a program there.`;
}

function ipAddress(text: string): string {
  return `CSP matches no IP address but 127.0.0.1, and browsers differ, so \`${text}\` may match nothing. Write a host name.`;
}

/** The warning for a verdict, in this program's words. None if a sensible policy gets the same verdict. */
function warningOn(verdict: Verdict, { text, start, end }: Source): readonly Finding[] {
  const warning = WARNINGS.get(verdict.type);
  const message = warning?.message(text, verdict) ?? null;
  if (warning === undefined || message === null) return [];
  return [{ severity: "warning", code: warning.code, message, start, end }];
}

interface Warning {
  readonly code: string;
  message(text: string, verdict: Verdict): string | null;
}

const WARNINGS: ReadonlyMap<Type, Warning> = new Map([
  [
    Type.SCRIPT_UNSAFE_INLINE,
    {
      code: "csp_unsafe_inline",
      message: (text) =>
        `\`${text}\` runs every script that an attacker injects into the page. Move inline scripts into files, or ` +
        "allow each by its hash.",
    },
  ],
  [
    Type.SCRIPT_UNSAFE_HASHES,
    {
      code: "csp_unsafe_hashes",
      message: (text) =>
        `\`${text}\` lets scripts with these hashes run as event handlers, wherever an attacker puts them. Move the ` +
        "handlers into files.",
    },
  ],
  [
    Type.SCRIPT_UNSAFE_EVAL,
    {
      code: "csp_unsafe_eval",
      message: (text) => `\`${text}\` lets scripts run text as code. Remove it if the pages work without it.`,
    },
  ],
  [
    Type.PLAIN_URL_SCHEMES,
    {
      code: "csp_plain_scheme",
      message: (text, { directive }) =>
        /^data:$/i.test(text)
          ? `\`${text}\` in \`${directive}\` allows any content that an attacker writes into a URL. Remove it.`
          : everyHost(text, directive),
    },
  ],
  [
    Type.PLAIN_WILDCARD,
    { code: "csp_wildcard", message: (text, { directive }) => everyHost(text, directive) },
  ],
  [
    Type.SCRIPT_ALLOWLIST_BYPASS,
    {
      code: "csp_bypass_host",
      message: (text, { severity, description }) =>
        severity === Severity.HIGH
          ? `\`${text}\` ${servesText(text)} ${waysAround(description)}, with which attackers can run their own scripts. ` +
            (isFile(text) ? "Remove it if the pages work without it." : ONLY_FILES)
          : null,
    },
  ],
  [
    Type.SRC_HTTP,
    {
      code: "csp_http_source",
      message: (text) =>
        isOwnMachine(text)
          ? null
          : `\`${text}\` also allows unencrypted loads, which anyone on the network path can change. Write https://.`,
    },
  ],
  [
    Type.DEPRECATED_DIRECTIVE,
    {
      code: "csp_deprecated_directive",
      message: (text) => `Browsers do not support \`${text}\`. Remove it.`,
    },
  ],
  [
    Type.MISSING_SEMICOLON,
    {
      code: "csp_missing_semicolon",
      message: (text) =>
        `Browsers read the directive name \`${text}\` as a source here. Put a \`;\` before it.`,
    },
  ],
  [
    Type.STRICT_DYNAMIC_NOT_STANDALONE,
    {
      code: "csp_strict_dynamic_alone",
      message: (text) =>
        `Without a hash or a nonce beside it, \`${text}\` blocks every script. Add the hashes of the scripts that ` +
        "load the others, or remove 'strict-dynamic'.",
    },
  ],
] satisfies [Type, Warning][]);

function everyHost(text: string, directive: string): string {
  const domain = wholeDomain(text);
  const hosts = domain === null ? "every host" : `every host under ${domain}, where anyone can get one`;
  return `\`${text}\` in \`${directive}\` allows ${hosts}. Name only the hosts that you need.`;
}

/** Whether the source names a single file and so cannot be narrowed. */
function isFile(text: string): boolean {
  const source = readSource(text);
  return source.form === "host" && source.path !== "" && !source.path.endsWith("/");
}

/** Under a wildcard, not every host serves it. */
function servesText(text: string): string {
  const source = readSource(text);
  return source.form === "host" && source.host.startsWith("*.") ? "includes a host that serves" : "serves";
}

const ONLY_FILES = "Allow only the files that you need, each with its path.";

function waysAround(description: string): string {
  const isAngular = description.includes("Angular");
  if (!description.includes("JSONP")) return "AngularJS";
  return isAngular ? "JSONP and AngularJS" : "JSONP";
}

/** The advice for a verdict about a missing part. */
function adviceOn({ type, directive }: Verdict): readonly Advice[] {
  if (type === Type.STRICT_DYNAMIC) return [STRICT_DYNAMIC];
  const message = MISSING_DIRECTIVES.get(directive);
  if (type !== Type.MISSING_DIRECTIVES || message === undefined) return [];
  return [{ code: `csp_no_${directive.replaceAll("-", "_")}`, message }];
}

/** Used where only plugins fall back to a weak `default-src`. */
const PLUGINS: Advice = {
  code: "csp_no_object_src",
  message:
    "Without `object-src`, plugins fall back to `default-src`, which allows them from anywhere. Add `object-src 'none'`.",
};

const STRICT_DYNAMIC: Advice = {
  code: "csp_no_strict_dynamic",
  message:
    "Attackers can often get around a list of hosts with other content from these hosts. Use hashes with " +
    "'strict-dynamic' instead, to trust single scripts and what they load.",
};

const MISSING_DIRECTIVES: ReadonlyMap<string, string> = new Map([
  [
    "object-src",
    "Without `object-src` or `default-src`, plugins from every host may run, and they can run scripts. Add " +
      "`object-src 'none'`.",
  ],
  [
    "base-uri",
    "Without `base-uri`, an injected base element changes the host of every relative URL, also of scripts that a " +
      "nonce or a hash allows. Add `base-uri 'none'`.",
  ],
]);
