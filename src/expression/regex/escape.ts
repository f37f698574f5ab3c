import { type ByteSet, PERL } from "./byte-set.js";
import { isPatternEnd, type Pattern, peek, skipVerbose, take, takeIf, wrong } from "./pattern.js";
import type { Assertion } from "./tree.js";

/** The meaning of a character or escape. Null: a class or place that needs Unicode tables. */
export type Item =
  | {
      readonly as: "literal";
      readonly code: number;
      /** `\xFF`: with Unicode off, the byte and not the character. */
      readonly isByte: boolean;
    }
  | { readonly as: "class"; readonly set: ByteSet | null }
  | { readonly as: "assertion"; readonly assertion: Assertion | null };

/** A character, or an escape. */
export function readItem(pattern: Pattern): Item {
  return peek(pattern) === "\\" ? readEscape(pattern) : literal(take(pattern).codePointAt(0) ?? 0);
}

function literal(code: number, isByte = false): Item {
  return { as: "literal", code, isByte };
}

function readEscape(pattern: Pattern): Item {
  take(pattern);
  if (isPatternEnd(pattern)) wrong("It ends in a backslash; write `\\\\` for the character.");
  const character = take(pattern);
  if (/[0-9]/.test(character))
    wrong(`\`\\${character}\` refers back to a group, which this engine does not have.`);
  if (/[xuU]/.test(character)) return readHex(pattern, character);
  if (/[pP]/.test(character)) return readProperty(pattern);
  const perl = PERL[character];
  if (perl !== undefined) return { as: "class", set: pattern.flags.isUnicode ? null : perl };
  if (/[AzbB<>]/.test(character)) return readAssertion(pattern, character);
  const control = CONTROLS[character];
  if (control !== undefined) return literal(control);
  if (/^[^A-Za-z\u0080-\u{10ffff}]$/u.test(character)) return literal(character.charCodeAt(0));
  return wrong(`\`\\${character}\` is not a known escape.`);
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function readHex(pattern: Pattern, kind: string): Item {
  skipVerbose(pattern);
  const isBraced = takeIf(pattern, "{");
  const digits = isBraced ? readBraced(pattern) : readDigits(pattern, HEX_DIGITS[kind] ?? 2);
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    wrong(`\`\\${kind}\` names no character with ${digits}.`);
  return literal(code, kind === "x" && !isBraced);
}

function readDigits(pattern: Pattern, count: number): string {
  let digits = "";
  while (digits.length < count) {
    skipVerbose(pattern);
    digits += hexDigit(pattern);
  }
  skipVerbose(pattern);
  return digits;
}

function readBraced(pattern: Pattern): string {
  let digits = "";
  for (skipVerbose(pattern); peek(pattern) !== "}"; skipVerbose(pattern)) digits += hexDigit(pattern);
  take(pattern);
  skipVerbose(pattern);
  return digits === ""
    ? wrong("The braces of an escape are empty; a hexadecimal number belongs there.")
    : digits;
}

function hexDigit(pattern: Pattern): string {
  const digit = take(pattern);
  return /^[0-9a-fA-F]$/.test(digit)
    ? digit
    : wrong("An escape with `\\x` or `\\u` lacks hexadecimal digits.");
}

function readProperty(pattern: Pattern): Item {
  skipVerbose(pattern);
  const name = takeIf(pattern, "{") ? readPropertyName(pattern) : take(pattern);
  if (name === "" || name === "\\") wrong("`\\p` needs the name of a class, such as `\\p{Greek}`.");
  if (!pattern.flags.isUnicode) {
    wrong("`\\p` needs Unicode, which is off here; start the pattern with `(?u)` to turn it on.");
  }
  if (!isUnicodeProperty(name)) wrong(`\`\\p{${name}}\` is not a Unicode character class.`);
  return { as: "class", set: null };
}

function readPropertyName(pattern: Pattern): string {
  const end = pattern.text.indexOf("}", pattern.at);
  if (end === -1) wrong("A `\\p{` is never closed.");
  const name = pattern.text.slice(pattern.at, end);
  pattern.at = end + 1;
  return name;
}

const TEXT_ENDS: Readonly<Record<string, Assertion>> = { A: "text_start", z: "text_end" };

const WORD_EDGES: Readonly<Record<string, Assertion>> = {
  b: "word_edge",
  B: "no_word_edge",
  "<": "word_start",
  ">": "word_end",
};

const NAMED_EDGES: Readonly<Record<string, Assertion>> = {
  start: "word_start",
  end: "word_end",
  "start-half": "word_start_half",
  "end-half": "word_end_half",
};

function readAssertion(pattern: Pattern, character: string): Item {
  const end = TEXT_ENDS[character];
  if (end !== undefined) return { as: "assertion", assertion: end };
  const named = character === "b" ? readNamedEdge(pattern) : null;
  const assertion = named ?? WORD_EDGES[character] ?? null;
  return { as: "assertion", assertion: pattern.flags.isUnicode ? null : assertion };
}

/** The rest of `\b{start}` and the like. A brace with anything but a name is a repetition, as everywhere. */
function readNamedEdge(pattern: Pattern): Assertion | null {
  const before = pattern.at;
  if (!takeIf(pattern, "{")) return null;
  let name = "";
  for (skipVerbose(pattern); /^[A-Za-z-]$/.test(peek(pattern)); skipVerbose(pattern)) name += take(pattern);
  if (name === "") {
    pattern.at = before;
    return null;
  }
  const assertion = takeIf(pattern, "}") && Object.hasOwn(NAMED_EDGES, name) ? NAMED_EDGES[name] : undefined;
  return assertion ?? wrong("After `\\b`, braces may only have start, end, start-half or end-half.");
}

/**
 * Whether Unicode has a class of characters with this name: a category, a script or a property, in the spellings that
 * JavaScript and Rust share. Rust ignores case, spaces and signs in names.
 */
function isUnicodeProperty(name: string): boolean {
  const [property, value] = name.split(/!=|[:=]/, 2);
  if (value !== undefined && property !== undefined)
    return VALUED.has(plain(property)) && value.trim() !== "";
  if (/^(?:any|assigned|ascii)$/.test(plain(name))) return true;
  const titled = name
    .trim()
    .split(/[\s_-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join("_");
  return [name, titled, `Script=${titled}`].some(isKnownToJavaScript);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

const VALUED = new Set([
  ...["gc", "generalcategory", "sc", "script", "scx", "scriptextensions", "age"],
  ...["gcb", "graphemeclusterbreak", "wb", "wordbreak", "sb", "sentencebreak"],
]);

function isKnownToJavaScript(name: string): boolean {
  if (!/^[\w=]+$/.test(name)) return false;
  try {
    return new RegExp(`\\p{${name}}`, "u").source !== "";
  } catch {
    // JavaScript throws for unknown classes.
    return false;
  }
}
