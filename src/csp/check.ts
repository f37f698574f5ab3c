import { blankName, codePointText } from "../model/invisible-characters.js";
import type { Problem } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import { canonicalSource } from "./diff.js";
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

/** Something odd about a value. Offsets are UTF-16 indices into it; `end` is exclusive. */
export interface Finding {
  readonly severity: Problem["severity"];
  readonly code: string;
  /** What is wrong and what to do, in full sentences. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** What a value could have, and does not. */
export interface Advice {
  readonly code: string;
  /** What that would be good for, in full sentences. */
  readonly message: string;
}

/** What a finding means for its value, as a fixed text. */
export function summaryOf({ severity }: Finding): string {
  return severity === "error" ? "The CSP value cannot be used" : "The CSP value may not do what it is for";
}

/**
 * What is wrong with a value, in the order of the text. Known directives are those that the service takes, in
 * lower case.
 */
export function check(
  text: string,
  knownDirectives: Iterable<string> = SERVICE_DIRECTIVES,
): readonly Finding[] {
  const known = knownDirectives instanceof Set ? knownDirectives : new Set(knownDirectives);
  const [policy, ...others] = parsedCsp(text).policies;
  if (policy === undefined) return [empty(text), ...comma(text)];
  const policies = [policy, ...others.map((other) => withoutStray(other, known))];
  return [...comma(text), ...policies.flatMap((each) => checkPolicy(each, text, known))].sort(
    (a, b) => a.start - b.start,
  );
}

function empty(text: string): Finding {
  const message = "The value has no directive. Write at least one, such as `script-src 'self'`.";
  return { severity: "error", code: "csp_empty", message, start: 0, end: text.length };
}

/** One finding for all commas: a file that separates sources with commas does so throughout. */
function comma(text: string): Finding[] {
  const start = text.indexOf(",");
  if (start === -1) return [];
  const message =
    "A comma starts a second policy, and browsers read what follows it as a directive. Separate sources with " +
    "spaces and directives with `;`, and write a comma inside a URL as %2C.";
  return [{ severity: "error", code: "csp_comma", message, start, end: start + 1 }];
}

/** What follows a comma is most often a source: the comma is the mistake, not an unknown directive. */
function withoutStray(policy: Policy, known: ReadonlySet<string>): Policy {
  const [stray, ...rest] = policy.directives;
  return stray === undefined || known.has(stray.name) ? policy : { directives: rest };
}

function checkPolicy(policy: Policy, text: string, known: ReadonlySet<string>): readonly Finding[] {
  const first = inForce(policy);
  return policy.directives.flatMap((directive) => {
    const isRepeated = first.get(directive.name) !== directive && !isComment(directive.name);
    return [...(isRepeated ? [repeated(directive)] : []), ...checkDirective(directive, text, known)];
  });
}

function repeated(directive: Directive): Finding {
  const message =
    `\`${directive.name}\` is given twice: browsers use the first and ignore this one. ` +
    "Put all of its sources into one directive.";
  return about(directive, "error", "csp_repeated_directive", message);
}

function checkDirective(directive: Directive, text: string, known: ReadonlySet<string>): readonly Finding[] {
  const foreign = invalidCharacter(directive, text);
  if (foreign !== null) return [dropped(directive, foreign)];
  if (!known.has(directive.name)) return [unknown(directive, known)];
  switch (valueForm(directive.name)) {
    case "nothing":
      return needlessValue(directive);
    case "sources":
      return directive.sources.length === 0 ? [noSources(directive)] : checkSources(directive);
    case "other":
      return [];
  }
}

/** Chromium reads no later directive of that name in its place: the page is then not protected at all. */
function dropped(
  { written }: Directive,
  { start, character }: NonNullable<ReturnType<typeof invalidCharacter>>,
): Finding {
  const [what, instead] = describe(character);
  const name = written.includes(character) ? "this directive" : `\`${written}\``;
  const message = `Browsers drop all of ${name}: it has the ${what}. ${instead}`;
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

function unknown(directive: Directive, known: ReadonlySet<string>): Finding {
  const { name, written } = directive;
  if (isComment(name)) return about(directive, "error", "csp_comment", comment(written));
  const [, before = "", after] = /^([a-z-]+)(['"*].*)$/i.exec(written) ?? [];
  if (after !== undefined && known.has(lowerAscii(before))) {
    const message = `A blank is missing: write \`${before} ${after}\`.`;
    return about(directive, "error", "csp_missing_blank", message);
  }
  const meant = suggest(name, known);
  const advice = meant === null ? UNKNOWN : `Did you mean \`${meant}\`?`;
  const message = `The service does not know the directive \`${written}\`. ${advice}`;
  return about(directive, "error", "csp_unknown_directive", message);
}

function comment(mark: string): string {
  return (
    `CSP has no comments: everything from \`${mark}\` up to the next \`;\` is one directive, which the service does ` +
    "not know. Write comments outside of the value."
  );
}

const UNKNOWN = "Remove it, or name it in service.extra_csp_directives if the service has learnt it.";

function needlessValue(directive: Directive): Finding[] {
  const first = directive.sources[0];
  if (first === undefined) return [];
  const message = `\`${directive.name}\` takes no value. Remove what follows it, or put a \`;\` before it.`;
  return [{ severity: "error", code: "csp_needless_value", message, start: first.start, end: directive.end }];
}

function noSources(directive: Directive): Finding {
  const message =
    `\`${directive.name}\` has no sources, which means the same as 'none': nothing is allowed. ` +
    "Write 'none' if that is what you want.";
  return about(directive, "warning", "csp_no_sources", message);
}

/** A finding at the directive's name. */
function about(directive: Directive, severity: Finding["severity"], code: string, message: string): Finding {
  const { start, written } = directive;
  return { severity, code, message, start, end: start + written.length };
}

/** What is odd about the sources of a directive that takes sources. */
function checkSources(directive: Directive): readonly Finding[] {
  const hasOthers = directive.sources.some((source) => !isNone(source));
  return directive.sources.flatMap((source) => {
    if (hasOthers && isNone(source)) return [ignoredNone(source)];
    const meant = unquotedKeyword(source.text);
    if (directive.name === "frame-ancestors" && !canEmbed(meant ?? source.text))
      return [notAnAncestor(source)];
    return meant === null ? mistaken(source) : [unquoted(source, meant)];
  });
}

function isNone(source: Source): boolean {
  return canonicalSource(source.text) === "'none'";
}

function ignoredNone({ start, end }: Source): Finding {
  const message =
    "'none' counts only when it stands alone: beside other sources browsers ignore it. Remove it, or the others.";
  return { severity: "warning", code: "csp_ignored_none", message, start, end };
}

/** The keyword, nonce or hash that a token would be if it stood in single quotes. */
function unquotedKeyword(text: string): string | null {
  const { form } = readSource(text);
  if (form !== "host" && form !== "odd") return null;
  const bare = /^["'`]?([a-z0-9+/=_-]+)["'`]?$/i.exec(text)?.[1] ?? "";
  const quoted = canonicalSource(`'${bare}'`);
  return readSource(quoted).form === "odd" ? null : quoted;
}

/** CSP3's grammar of `frame-ancestors`; the service's documentation has the same. */
function canEmbed(text: string): boolean {
  const { form } = readSource(text);
  return form === "scheme" || form === "host" || ["'self'", "'none'"].includes(canonicalSource(text));
}

function notAnAncestor({ text, start, end }: Source): Finding {
  const message = `\`frame-ancestors\` takes only 'none', 'self', schemes and hosts. Remove \`${text}\`.`;
  return { severity: "error", code: "csp_frame_ancestors", message, start, end };
}

function unquoted({ text, start, end }: Source, meant: string): Finding {
  const read = readSource(text).form === "host" ? `read \`${text}\` as a host name` : `ignore \`${text}\``;
  const message = `Without its single quotes browsers ${read}. Write ${meant}, which as an item of a YAML list is "${meant}".`;
  return { severity: "warning", code: "csp_unquoted_keyword", message, start, end };
}

function mistaken({ text, start, end }: Source): readonly Finding[] {
  const mistake = mistakeIn(text);
  return mistake === null ? [] : [{ severity: "warning", ...mistake, start, end }];
}
