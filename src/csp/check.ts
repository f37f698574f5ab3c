import { suggest } from "../model/suggest.js";
import { checkSources } from "./check-sources.js";
import { valueForm } from "./directives.js";
import type { Finding } from "./finding.js";
import { foreignCharacter } from "./foreign-character.js";
import { inForce } from "./in-force.js";
import { type Directive, type Policy, parse } from "./parse.js";

/**
 * What is wrong with a value, in the order of the text. Known directives are those that the service takes, in
 * lower case.
 */
export function check(text: string, knownDirectives: ReadonlySet<string>): readonly Finding[] {
  const [policy, ...others] = parse(text).policies;
  if (policy === undefined) return [empty(text), ...comma(text)];
  const policies = [policy, ...others.map((other) => withoutStray(other, knownDirectives))];
  return [...comma(text), ...policies.flatMap((each) => checkPolicy(each, text, knownDirectives))].sort(
    (a, b) => a.start - b.start,
  );
}

function empty(text: string): Finding {
  const message = "The value has no directive. Write at least one, such as `script-src 'self'`.";
  return { severity: "error", code: "csp_empty", message, start: 0, end: text.length };
}

/** One finding however many commas there are: who separates sources with commas does it throughout. */
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
    const isRepeated = first.get(directive.name) !== directive;
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
  const foreign = foreignCharacter(directive, text);
  if (foreign !== null) return [dropped(foreign)];
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
function dropped({ start, character }: NonNullable<ReturnType<typeof foreignCharacter>>): Finding {
  const [what, instead] = describe(character);
  const message = `Browsers drop the whole directive: it has the ${what}. ${instead}`;
  return { severity: "error", code: "csp_not_ascii", message, start, end: start + character.length };
}

function describe(character: string): readonly [what: string, instead: string] {
  const point = character.codePointAt(0) ?? 0;
  const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  if (point >= 0x2018 && point <= 0x201f) {
    return [`curly quote ${character} (${code})`, "Write keywords with straight single quotes: 'self'."];
  }
  if (/\p{White_Space}/u.test(character)) return [`unusual space ${code}`, "Write a plain space."];
  if (/\p{Cc}/u.test(character)) return [`control character ${code}`, "Remove it."];
  return [
    `non-ASCII character ${code}`,
    "Write host names in punycode (xn--…) and paths percent-encoded, and remove anything else.",
  ];
}

function unknown(directive: Directive, known: ReadonlySet<string>): Finding {
  const meant = suggest(directive.name, known);
  const advice = meant === null ? `It knows ${[...known].sort().join(", ")}.` : `Did you mean \`${meant}\`?`;
  const message = `The service does not know the directive \`${directive.written}\`. ${advice}`;
  return about(directive, "error", "csp_unknown_directive", message);
}

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
