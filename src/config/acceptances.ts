import { CST, type Document, isMap, isScalar, isSeq, Lexer, type Node } from "yaml";
import { kinds } from "../kinds/index.js";
import { listOf } from "../kinds/kind.js";
import type { Acceptance } from "../model/acceptance.js";
import { cutEnd, quoted } from "../model/cut.js";
import { isDay } from "../model/day.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import { lastIndexWhere } from "../model/last-index-where.js";
import { type Problem, problem, type Span } from "../model/problem.js";
import { childOf, lineStarts, type PlaceOf, pathAt } from "./place.js";

export interface Acceptances {
  readonly accepted: readonly Acceptance[];
  readonly problems: readonly Problem[];
}

const NONE: Acceptances = { accepted: [], problems: [] };

const MENTION = /\bzoneward\b(?:\s*:)?\s*accept\b/;

/** The start of a comment for this program. Other comments are ignored. */
const MARK = new RegExp(`^#+\\s*${MENTION.source}`);

const WHOLE = /^#+\s*zoneward:\s*accept\s+([a-z][a-z0-9_]*)\s+until\s+(\S+?)\s*:\s+(\S.*)$/;

/** The acceptances in the comments of a file, and their errors. */
export function acceptancesIn(doc: Document.Parsed, text: string, value: Json, at: PlaceOf): Acceptances {
  // A quick test. Most files have no acceptance, though many name this program in the URL of their schema.
  if (!MENTION.test(text)) return NONE;
  const comments = commentsIn(text, MARK);
  if (comments.length === 0) return NONE;
  const starts = lineStarts(text);
  const lineOf = (offset: number) => lastIndexWhere(starts, (start) => start <= offset);
  const entries = entriesByLine(doc, lineOf);
  const accepted: Acceptance[] = [];
  const problems: Problem[] = [];
  for (const comment of comments) {
    const place = at(comment.offset, "");
    const terms = readAcceptance(comment.text);
    const path = entries.get(lineOf(comment.subject));
    if (typeof terms === "string") problems.push(badAcceptance(terms, place));
    else if (path === undefined) problems.push(badAcceptance(NO_ENTRY, place));
    else accepted.push({ ...terms, at: { ...place, pointer: pointerOf(path) }, entry: byNames(value, path) });
  }
  return { accepted, problems };
}

const NO_ENTRY = "Put it above the entry that the warning is about, or at the end of the entry's line.";

/** Reads an acceptance. A string is the error. */
function readAcceptance(text: string): Pick<Acceptance, "code" | "until" | "reason"> | string {
  const [, code = "", until = "", reason = ""] = WHOLE.exec(text.trimEnd()) ?? [];
  if (code === "")
    return "Write # zoneward: accept CODE until 2026-12-31: REASON, with the code of the warning, the last day and the reason.";
  if (!isDay(until)) return `${quoted(until)} is not a date. Write it as 2026-12-31.`;
  return { code, until, reason: cutEnd(reason, MAX_REASON_CHARS) };
}

const MAX_REASON_CHARS = 300;

function badAcceptance(why: string, at: Span): Problem {
  const detail = `This comment accepts no warning. ${why}`;
  return problem("bad_acceptance", "Invalid acceptance", detail, at);
}

interface Comment {
  readonly text: string;
  readonly offset: number;
  /** The offset of the text that the comment is about: text before the comment on its line, or else the next text. */
  readonly subject: number;
}

/** The comments that begin with a mark. Texts that look like comments are skipped. */
function commentsIn(text: string, mark: RegExp): readonly Comment[] {
  const comments: Comment[] = [];
  /** Comments on a line of their own: the next text is their subject. */
  let above: Pick<Comment, "text" | "offset">[] = [];
  let offset = 0;
  let isText = false;
  /** Whether the line has text so far. */
  let isBeside = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === CST.SCALAR) isText = true;
    if (lexeme === CST.SCALAR || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) continue;
    if (!isText && lexeme.startsWith("#")) {
      const isMeant = mark.test(lexeme);
      if (isMeant && isBeside) comments.push({ text: lexeme, offset, subject: offset });
      else if (isMeant) above.push({ text: lexeme, offset });
    } else if (isText || lexeme.trim() !== "") {
      for (const comment of above) comments.push({ ...comment, subject: offset });
      above = [];
      isBeside = true;
    }
    if (lexeme.endsWith("\n")) isBeside = false;
    isText = false;
    offset += lexeme.length;
  }
  return [...comments, ...above.map((comment) => ({ ...comment, subject: comment.offset }))];
}

/** Identifies an entry by names, independent of the order in its lists. */
export function entryAt(value: Json, pointer: string): string {
  return byNames(value, pathAt(value, pointer));
}

/** A path that identifies the items of lists by name, and by index where they have none. */
function byNames(value: Json, path: Path): string {
  const steps: Json[] = [];
  let within = value;
  for (const step of path) {
    const inner = childOf(within, step) ?? null;
    steps.push(isList(within) ? (namesOf(inner) ?? step) : step);
    within = inner;
  }
  return JSON.stringify(steps);
}

function namesOf(item: Json): Json | null {
  if (isList(item)) return null;
  if (!isObject(item)) return [item];
  const names = NAMES.map((key) => item[key] ?? null);
  return names.every((name) => name === null) ? null : names;
}

/** Keys that identify an item of a list. */
const NAMES: readonly string[] = [
  ...new Set([
    "id",
    "name",
    ...kinds.flatMap((kind) => {
      const list = listOf(kind);
      return list === null ? [] : [list.named, ...(list.within === undefined ? [] : [list.within])];
    }),
  ]),
];

/** The outermost entry that begins on each line: a key with its value, or an item of a list. */
function entriesByLine(doc: Document.Parsed, lineOf: (offset: number) => number): ReadonlyMap<number, Path> {
  const paths = new Map<number, Path>();
  const see = (node: Node | null, path: Path) => {
    const start = node?.range?.[0];
    if (start === undefined) return;
    const line = lineOf(start);
    if (!paths.has(line)) paths.set(line, path);
  };
  const visit = (node: unknown, path: Path): void => {
    if (isSeq<Node | null>(node))
      for (const [index, item] of node.items.entries()) {
        see(item, [...path, index]);
        visit(item, [...path, index]);
      }
    if (!isMap<Node | null, Node | null>(node)) return;
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const inner = [...path, String(key.value)];
      see(key, inner);
      visit(value, inner);
    }
  };
  visit(doc.contents, []);
  return paths;
}
