import { MAX_CHARS, plain } from "../plain.js";

/**
 * Everything from files or the service goes through here into Markdown. It becomes code wherever it could be anything but
 * words: in code there are no links, mentions, references to issues or commits, images, tags or tables, neither for the
 * parser nor for what GitHub does to the page afterwards (an escaped `@team` is a mention again by then).
 */
export function code(text: string, maxChars = MAX_CHARS): string {
  const shown = plain(text, maxChars);
  // There is no code without anything in it.
  return span(shown.trim() === "" ? `"${shown}"` : shown);
}

/** Sentences in which values are quoted: plain words stay words, all else becomes code. */
export function prose(text: string, maxChars = MAX_CHARS): string {
  return sentence(plain(text, maxChars).trim());
}

/** The same of what the program says itself: there, what is between backticks is code, and a flag with its value too. */
export function message(text: string, maxChars = MAX_CHARS): string {
  const shown = plain(text, maxChars).trim();
  return sentence(shown.replace(TICKED, (ticked) => bound(ticked.slice(1, -1))).replace(FLAG, bound));
}

const TICKED = /(?<=(?:^| )["(]*)`[^` ](?:[^`]*[^` ])?`(?=[").,;:!?]*(?: |$))/g;

/** The names that some flags take are words like others. */
const FLAG = /(?<=(?:^| )["(]*)--(?:(?:allow|fail-on) [\w-]+|[a-z][a-z-]* [A-Z]{2,})(?=[").,;:!?]*(?: |$))/g;

/** What belongs together as one word, by characters that no visible text has. */
function bound(text: string): string {
  return `${OPEN}${text.replaceAll(" ", BLANK)}${CLOSE}`;
}

const OPEN = "\u0001";
const BLANK = "\u0002";
const CLOSE = "\u0003";

function sentence(shown: string): string {
  if (shown === "") return '""';
  const parts: Part[] = [];
  for (const [index, word] of shown.split(" ").entries()) {
    const part = boundPart(word) ?? partOf(word, index === 0);
    const last = parts.at(-1);
    // What belongs together is one piece of code.
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
  /** Whether the code ends where it ends, whatever stands beside it. */
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

/** Signs around what is code are those of the sentence. */
const QUOTED = /^(["(]*)(.*?)([").,;:]*)$/;

/** Inside of a tag's line, where there is no Markdown. */
export function codeInHtml(text: string, maxChars = MAX_CHARS): string {
  return `<code>${plain(text, maxChars).replace(/[&<>"]/g, (each) => ENTITIES[each] ?? each)}</code>`;
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Lines that are harmless on a terminal, as a block of code. */
export function fence(lines: readonly string[], language = ""): string {
  const ticks = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [`${ticks}${language}`, ...lines, ticks].join("\n");
}

/** Code on one line. What it begins and ends with must not run into its own marks; blanks there are taken off by pairs. */
function span(shown: string): string {
  const ticks = "`".repeat(longestRun(shown) + 1);
  const inner = /^[ `]|[ `]$/.test(shown) && shown.trim() !== "" ? ` ${shown} ` : shown;
  return `${ticks}${inner}${ticks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

/** A word that is nothing else (between two blanks is the empty one): also no address, commit (deadbee1), issue (GH-1) or reference of a tracker (ABC-12). */
function isWord(word: string): boolean {
  return word === "" || (WORD.test(word) && !/^[("']*(?:www\.|[0-9a-f]{7,}\b)|-\d/i.test(word));
}

/** Letters and numbers with few signs around, or the program's own arrow, or what is so many per cent. */
const WORD = /^(?:["'(]*[\p{L}\p{N}]+(?:[-'.,][\p{L}\p{N}]+)*["')]*[.,;:!?]?["')]*|→|%[),:]{0,2})$/u;

/** At the start of a line. */
const LIST_MARKER = /^\d+[.)]/;

/**
 * What shows when somebody opens it. The empty lines end what is HTML, so that the body is Markdown.
 *
 * @param summary in which all from outside is escaped for HTML
 */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}
