import { MAX_CHARS, plain } from "../safe-text.js";

/**
 * All text from files or the service passes through this file into Markdown. Everything but plain words becomes code:
 * code has no links, mentions, references, images, tags or tables, neither in the parser nor in GitHub's later passes (an
 * escaped `@team` is a mention again by then).
 */
export function code(text: string, maxChars = MAX_CHARS): string {
  const shown = plain(text, maxChars);
  // Markdown has no empty code.
  return span(shown.trim() === "" ? `"${shown}"` : shown);
}

/** Sentences that may quote values: plain words stay words, the rest becomes code. */
export function prose(text: string, maxChars = MAX_CHARS): string {
  return sentence(withExpressions(plain(text, maxChars).trim()));
}

/** Sentences of the program: text between backticks, and flags with their values, become code as well. */
export function message(text: string, maxChars = MAX_CHARS): string {
  const shown = plain(text, maxChars).trim();
  return sentence(
    withExpressions(shown)
      .replace(TICKED, (ticked) => bound(ticked.slice(1, -1)))
      .replace(FLAG, bound)
      .replace(ACCEPTANCE, bound),
  );
}

/** The comment that accepts a warning, to be copied in one piece. */
const ACCEPTANCE = /(?<=^| )# zoneward: accept \w+ until \d{4}-\d\d-\d\d: REASON(?=[.,]?(?: |$))/g;

const TICKED = /(?<=(?:^| )["(]*)`[^` ](?:[^`]*[^` ])?`(?=[").,;:!?]*(?: |$))/g;

/** Some flags take a plain word, such as the name of a guardrail. */
const FLAG = /(?<=(?:^| )["(]*)--(?:(?:allow|fail-on) [\w-]+|[a-z][a-z-]* [A-Z]{2,})(?=[").,;:!?]*(?: |$))/g;

/** Joins several words into one, with characters that no visible text has. */
function bound(text: string): string {
  return `${OPEN}${text.replaceAll(" ", BLANK)}${CLOSE}`;
}

/** Binds each expression after the words that introduce one: it may have blanks, quotes and backticks. */
function withExpressions(text: string): string {
  const [start = "", ...rest] = text.split(INTRODUCTION);
  return [start, ...rest.map(withExpressionFirst)].join(INTRODUCTION);
}

const INTRODUCTION = "that match ";

function withExpressionFirst(text: string): string {
  const end = endOfExpression(text);
  const rest = text.slice(end);
  return end > 0 && /^[).,;:]*(?: |$)/.test(rest) ? `${bound(text.slice(0, end))}${rest}` : text;
}

/** Where the sentence goes on: outside texts and brackets, expressions have none of its punctuation. */
function endOfExpression(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if ("({[".includes(token)) depth++;
    else if (")}]".includes(token)) {
      if (depth === 0) return index;
      depth--;
    } else if (depth === 0 && !token.startsWith('"')) return index;
  }
  return text.length;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[({[]|[)}\]]|[.,;:](?= |$)| except /g;

const OPEN = "\u0001";
const BLANK = "\u0002";
const CLOSE = "\u0003";

function sentence(shown: string): string {
  if (shown === "") return '""';
  const parts: Part[] = [];
  for (const [index, word] of shown.split(" ").entries()) {
    const part = boundPart(word) ?? partOf(word, index === 0);
    const last = parts.at(-1);
    // Neighbouring pieces of code become one.
    if (isOpen(last) && isOpen(part) && last.after + part.before === "")
      parts[parts.length - 1] = { before: last.before, code: `${last.code} ${part.code}`, after: part.after };
    else parts.push(part);
  }
  return parts
    .map(({ before, code, after }) => before + (code === undefined ? "" : span(code)) + after)
    .join(" ");
}

interface Part {
  readonly before: string;
  readonly code?: string;
  readonly after: string;
  /** Whether the code is never joined with its neighbours. */
  readonly isWhole?: boolean;
}

function isOpen(part: Part | undefined): part is Part & { readonly code: string } {
  return part?.code !== undefined && part.isWhole !== true;
}

function boundPart(word: string): Part | null {
  const [, before, inner, after] = BOUND.exec(word) ?? [];
  if (before === undefined || inner === undefined || after === undefined) return null;
  return { before, code: inner.replaceAll(BLANK, " "), after, isWhole: true };
}

const BOUND = new RegExp(`^([^${OPEN}]*)${OPEN}(.*)${CLOSE}([^${CLOSE}]*)$`);

function partOf(word: string, isFirst: boolean): Part {
  if (isWord(word) && !(isFirst && LIST_MARKER.test(word))) return { before: word, after: "" };
  const [, before = "", inner = "", after = ""] = QUOTED.exec(word) ?? [];
  return inner === "" ? { before: "", code: word, after: "" } : { before, code: inner, after };
}

/** Punctuation around code belongs to the sentence. */
const QUOTED = /^(["(]*)(.*?)([").,;:]*)$/;

/** Code inside an HTML tag, where Markdown is not parsed. */
export function codeInHtml(text: string, maxChars = MAX_CHARS): string {
  return `<code>${plain(text, maxChars).replace(/[&<>"]/g, (each) => ENTITIES[each] ?? each)}</code>`;
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A block of code. The lines have to be visible text already. */
export function fence(lines: readonly string[], language = ""): string {
  const ticks = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [`${ticks}${language}`, ...lines, ticks].join("\n");
}

/** Code on one line. A backtick or blank at its ends is padded, since Markdown strips one pair of blanks. */
function span(shown: string): string {
  const ticks = "`".repeat(longestRun(shown) + 1);
  const inner = /^[ `]|[ `]$/.test(shown) && shown.trim() !== "" ? ` ${shown} ` : shown;
  return `${ticks}${inner}${ticks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

/**
 * Whether a word is plain: no address, commit (deadbee1), issue (GH-1) or reference of a tracker (ABC-12). Two blanks in
 * a row make an empty word.
 */
function isWord(word: string): boolean {
  return word === "" || (WORD.test(word) && !/^[("']*(?:www\.|[0-9a-f]{7,}\b)|-\d/i.test(word));
}

/** Letters and numbers with punctuation, the program's arrow, or a percent sign. */
const WORD =
  /^(?:["'(]*[\p{L}\p{N}]+(?:[-'.,][\p{L}\p{N}]+)*…?["')]*[.,;:!?]?["')]*|…[).,;:]*|→|%[),:]{0,2})$/u;

/** Starts a numbered list at the start of a line. */
const LIST_MARKER = /^\d+[.)]/;

/**
 * A folded part of the page. The empty lines end the HTML, so that the body is Markdown.
 *
 * @param summary with text from outside already escaped for HTML
 */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}
