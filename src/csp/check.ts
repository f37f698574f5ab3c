import { suggest } from "../model/did-you-mean.js";
import { blankName, codePointText } from "../model/invisible-characters.js";
import type { Problem } from "../model/problem.js";
import { type Titles, titleOf } from "../model/title.js";
import { canonicalSource } from "./canonical.js";
import { SERVICE_DIRECTIVES, valueForm } from "./directives.js";
import { isComment, mistakeIn } from "./mistakes.js";
import {
  type Directive,
  inForce,
  invalidCharacter,
  lowerAscii,
  type Policy,
  parsedCsp,
  readSource,
  type Source,
} from "./syntax.js";

/** A finding in a value. Offsets are UTF-16 indices into the value; `end` is exclusive. */
export interface Finding {
  readonly severity: Problem["severity"];
  readonly code: string;
  /** The mistake and the fix, in full sentences. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** Something that a value lacks. */
export interface Advice {
  readonly code: string;
  /** The benefit, in full sentences. */
  readonly message: string;
}

/** A summary of a finding that names the part of the value. */
export function summaryOf({ code, start, end }: Finding, text: string): string {
  return titleOf(TITLES, code, "Suspicious CSP value …", text.slice(start, end));
}

const TITLES: Titles = {
  csp_any_ancestor: "Anyone may frame the page: …",
  csp_bad_hash: "Invalid CSP hash …",
  csp_bad_port: "Invalid port in CSP source …",
  csp_bypass_host: "CSP bypass possible through …",
  csp_comma: "Comma in CSP value",
  csp_comment: "Comment in CSP value …",
  csp_deprecated_directive: "Deprecated CSP directive …",
  csp_empty: "Empty CSP value",
  csp_eval_hash: "Browsers differ about …",
  csp_fixed_nonce: "Fixed nonce in CSP …",
  csp_frame_ancestors: "Source not allowed in frame-ancestors: …",
  csp_http_source: "Unencrypted CSP source …",
  csp_ignored_none: "Ignored in CSP: …",
  csp_ignored_source: "Invalid CSP source …",
  csp_ip_source: "IP address as CSP source …",
  csp_missing_blank: "Missing space in CSP value …",
  csp_missing_colon: "Missing colon in CSP source …",
  csp_missing_semicolon: "Missing semicolon before …",
  csp_needless_value: "Needless value in CSP: …",
  csp_no_keyword: "Unknown CSP keyword …",
  csp_no_sources: "CSP directive without sources: …",
  csp_not_ascii: "Unusable character in CSP value",
  csp_own_machine: "CSP source is the visitor's machine: …",
  csp_plain_scheme: "CSP source too broad: …",
  csp_repeated_directive: "Duplicate CSP directive …",
  csp_star_in_path: "Star in the path of …",
  csp_strict_dynamic_alone: "'strict-dynamic' blocks every script: …",
  csp_unknown_directive: "Unknown CSP directive …",
  csp_unknown_keyword: "Unknown CSP keyword …",
  csp_unknown_scheme: "Unknown scheme in CSP source …",
  csp_unquoted_keyword: "Missing quotes around …",
  csp_unsafe_eval: "CSP gives little protection: …",
  csp_unsafe_hashes: "CSP gives little protection: …",
  csp_unsafe_inline: "CSP gives little protection: …",
  csp_url_hash: "Browsers differ about …",
  csp_wildcard: "CSP source too broad: …",
};

/** The mistakes in a value, in text order. The known directives are those that the service accepts, in lower case. */
export function check(
  text: string,
  knownDirectives: Iterable<string> = SERVICE_DIRECTIVES,
): readonly Finding[] {
  const names = knownDirectives instanceof Set ? knownDirectives : new Set(knownDirectives);
  const [policy, ...otherPolicies] = parsedCsp(text).policies;
  if (policy === undefined) return [noDirective(text), ...commaFindings(text)];
  const policies = [policy, ...otherPolicies.map((each) => withoutStray(each, names))];
  return [...commaFindings(text), ...policies.flatMap((each) => checkPolicy(each, text, names))].sort(
    (a, b) => a.start - b.start,
  );
}

function noDirective(text: string): Finding {
  const message = "The value has no directive. Write at least one, such as `script-src 'self'`.";
  return { severity: "error", code: "csp_empty", message, start: 0, end: text.length };
}

/** One finding for all commas: a file that separates sources with commas does so throughout. */
function commaFindings(text: string): Finding[] {
  const start = text.indexOf(",");
  if (start === -1) return [];
  const message =
    "Separate sources with spaces and directives with `;`, and write a comma inside a URL as %2C. A comma starts a " +
    "second policy, and browsers read the next word as a directive.";
  return [{ severity: "error", code: "csp_comma", message, start, end: start + 1 }];
}

/** The word after a comma is usually a source. The comma is the mistake then, and not an unknown directive. */
function withoutStray(policy: Policy, names: ReadonlySet<string>): Policy {
  const [stray, ...directives] = policy.directives;
  return stray === undefined || names.has(stray.name) ? policy : { directives: directives };
}

function checkPolicy(policy: Policy, text: string, names: ReadonlySet<string>): readonly Finding[] {
  const first = inForce(policy);
  return policy.directives.flatMap((directive) => {
    const isRepeated = first.get(directive.name) !== directive && !isComment(directive.name);
    return [...(isRepeated ? [repeatedDirective(directive)] : []), ...checkDirective(directive, text, names)];
  });
}

function repeatedDirective(directive: Directive): Finding {
  const message =
    `Browsers use the first \`${directive.name}\` and ignore this one. ` +
    "Put all sources into one directive.";
  return atName(directive, "error", "csp_repeated_directive", message);
}

function checkDirective(directive: Directive, text: string, names: ReadonlySet<string>): readonly Finding[] {
  const foreign = invalidCharacter(directive, text);
  if (foreign !== null) return [droppedDirective(directive, foreign)];
  if (!names.has(directive.name)) return [unknownDirective(directive, names)];
  switch (valueForm(directive.name)) {
    case "nothing":
      return needlessValue(directive);
    case "sources":
      return directive.sources.length === 0 ? [noSources(directive)] : checkSources(directive);
    case "other":
      return [];
  }
}

/** Chromium uses no later directive of the same name instead, so the page is not protected at all. */
function droppedDirective(
  { written }: Directive,
  { start, character }: NonNullable<ReturnType<typeof invalidCharacter>>,
): Finding {
  const [nature, advice] = describe(character);
  const name = written.includes(character) ? "this directive" : `\`${written}\``;
  const message = `Browsers drop all of ${name} because of the ${nature}. ${advice}`;
  return { severity: "error", code: "csp_not_ascii", message, start, end: start + character.length };
}

function describe(character: string): readonly [what: string, instead: string] {
  const point = character.codePointAt(0) ?? 0;
  const code = codePointText(character);
  if (point >= 0x2018 && point <= 0x201f) {
    return [`curly quote ${character} (${code})`, "Write keywords with straight single quotes: 'self'."];
  }
  if (character === BYTE_ORDER_MARK) {
    return [`byte-order mark ${code}`, "Some editors put it unseen at the start of a file. Remove it."];
  }
  if (/\p{Pd}/u.test(character)) return [`unusual dash ${character} (${code})`, "Write a plain hyphen (-)."];
  if (/\p{Cf}/u.test(character)) return [`invisible character ${code}`, "Remove it."];
  if (/\p{White_Space}/u.test(character)) {
    return [`${blankName(character) ?? "unusual space"} ${code}`, "Write a plain space."];
  }
  if (/\p{Cc}/u.test(character)) return [`control character ${code}`, "Remove it."];
  return [
    `non-ASCII character ${code}`,
    "Write host names in punycode (xn--…) and paths percent-encoded, and remove anything else.",
  ];
}

const BYTE_ORDER_MARK = "\ufeff";

function unknownDirective(directive: Directive, names: ReadonlySet<string>): Finding {
  const { name, written } = directive;
  if (isComment(name)) return atName(directive, "error", "csp_comment", comment(written));
  const [, before = "", after] = /^([a-z-]+)(['"*].*)$/i.exec(written) ?? [];
  if (after !== undefined && names.has(lowerAscii(before))) {
    const message = `No space separates the directive from its source. Write \`${before} ${after}\`.`;
    return atName(directive, "error", "csp_missing_blank", message);
  }
  const [, bare = "", sign] = /^([a-z-]+)([:=])$/i.exec(written) ?? [];
  if (sign !== undefined && names.has(lowerAscii(bare))) {
    const message = `A directive has no \`${sign}\`. Write \`${bare}\`, then a space and its sources.`;
    return atName(directive, "error", "csp_unknown_directive", message);
  }
  const correction = suggest(name, names);
  if (correction === null && /[:./]/.test(name))
    return atName(directive, "error", "csp_unknown_directive", NO_DIRECTIVE);
  const advice = correction === null ? UNKNOWN : `Did you mean \`${correction}\`?`;
  const message = `The service does not know the directive \`${written}\`. ${advice}`;
  return atName(directive, "error", "csp_unknown_directive", message);
}

function comment(mark: string): string {
  return (
    "CSP has no comments. Move the comment outside of the value. Everything from " +
    `\`${mark}\` to the next \`;\` is read as one unknown directive.`
  );
}

const NO_DIRECTIVE =
  "A CSP value starts with a directive, such as `script-src`. Write one here, without the name of the header.";

const UNKNOWN = "Remove it. If Cloudflare accepts it by now, add it to service.extra_csp_directives.";

function needlessValue(directive: Directive): Finding[] {
  const first = directive.sources[0];
  if (first === undefined) return [];
  const message = `\`${directive.name}\` takes no value. Remove the text after it, or put a \`;\` before that text.`;
  return [{ severity: "error", code: "csp_needless_value", message, start: first.start, end: directive.end }];
}

function noSources(directive: Directive): Finding {
  const message =
    `\`${directive.name}\` has no sources and so allows nothing. ` +
    "Write 'none' to say so, or add sources.";
  return atName(directive, "warning", "csp_no_sources", message);
}

/** A finding at the directive's name. */
function atName(directive: Directive, severity: Finding["severity"], code: string, message: string): Finding {
  const { start, written } = directive;
  return { severity, code, message, start, end: start + written.length };
}

/** The mistakes in the sources of a directive. */
function checkSources(directive: Directive): readonly Finding[] {
  const hasOthers = directive.sources.some((source) => !isNone(source));
  return directive.sources.flatMap((source) => {
    if (hasOthers && isNone(source)) return [ignoredNone(source)];
    const correction = unquotedKeyword(source.text);
    if (directive.name === "frame-ancestors" && !canEmbed(correction ?? source.text))
      return [notAnAncestor(source)];
    return correction === null ? mistakes(source) : [missingQuotes(source, correction)];
  });
}

function isNone(source: Source): boolean {
  return canonicalSource(source.text) === "'none'";
}

function ignoredNone({ start, end }: Source): Finding {
  const message = "Browsers ignore 'none' beside other sources. Remove 'none', or remove the other sources.";
  return { severity: "warning", code: "csp_ignored_none", message, start, end };
}

/** The keyword, nonce or hash that a token would be in single quotes. */
function unquotedKeyword(text: string): string | null {
  const { form } = readSource(text);
  if (form !== "host" && form !== "odd") return null;
  const bare = /^["'`]?([a-z0-9+/=_-]+)["'`]?$/i.exec(text)?.[1] ?? "";
  const quoted = canonicalSource(`'${bare}'`);
  return readSource(quoted).form === "odd" ? null : quoted;
}

/** CSP3's grammar of `frame-ancestors`, which the service's documentation repeats. */
function canEmbed(text: string): boolean {
  const { form } = readSource(text);
  return form === "scheme" || form === "host" || ["'self'", "'none'"].includes(canonicalSource(text));
}

function notAnAncestor({ text, start, end }: Source): Finding {
  const message = `\`frame-ancestors\` takes only 'none', 'self', schemes and hosts. Remove \`${text}\`.`;
  return { severity: "error", code: "csp_frame_ancestors", message, start, end };
}

function missingQuotes({ text, start, end }: Source, correction: string): Finding {
  const reading = readSource(text).form === "host" ? `read \`${text}\` as a host name` : `ignore \`${text}\``;
  const message = `Without single quotes, browsers ${reading}. Write ${correction}, and in a YAML list "${correction}".`;
  return { severity: "error", code: "csp_unquoted_keyword", message, start, end };
}

function mistakes({ text, start, end }: Source): readonly Finding[] {
  const mistake = mistakeIn(text);
  return mistake === null ? [] : [{ severity: "warning", ...mistake, start, end }];
}
