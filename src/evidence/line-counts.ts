import { type Answer, evaluator, type Missing } from "../expression/evaluate/asking.js";
import type { Request } from "../expression/evaluate/evaluate.js";
import type { Expression } from "../expression/tree.js";
import { fieldsOf } from "../expression/visit.js";
import { cutEnd } from "../model/cut.js";
import type { JsonObject } from "../model/json.js";
import type { LinesByPath, MatchedLines, UndecidedLines, UntoldField } from "../model/request-lines.js";
import { type Loggable, loggable, pathIn, requestIn } from "./request-line.js";

/**
 * Evaluates expressions on log lines.
 *
 * @param trees all expressions that will be asked
 * @param fixedFields fields that every request has, whatever its line says
 */
export function lineEvaluator(
  trees: readonly Expression[],
  fixedFields: Request = {},
): (line: JsonObject) => (tree: Expression) => Answer {
  const fields = [...new Set(trees.flatMap((tree) => fieldsOf(tree).map(({ name }) => name)))];
  const ask = evaluator();
  return (line) => {
    const askLine = ask({ ...requestIn(line, fields), ...fixedFields });
    return (tree) => askLine(tree).answer;
  };
}

/** The number of further paths that can be counted separately. */
export interface Room {
  left: number;
}

/** Lines counted by the start of their path while there is room, then together. */
export class PathCounts {
  #lines = 0;
  readonly #counts = new Map<string, number>();

  constructor(private readonly room: Room) {}

  add(line: JsonObject): void {
    this.#lines += 1;
    const path = pathIn(line);
    const start = path === null ? null : startOf(path);
    const count = start === null ? 0 : (this.#counts.get(start) ?? 0);
    if (start === null || (count === 0 && this.room.left <= 0)) return;
    if (count === 0) this.room.left -= 1;
    // A substring keeps its whole source text in memory, so the text is copied.
    this.#counts.set(count === 0 ? [...start].join("") : start, count + 1);
  }

  get counts(): LinesByPath {
    const paths = [...this.#counts].map(([path, lines]) => ({ path, lines }));
    paths.sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1));
    const shown = paths.slice(0, MOST_SHOWN);
    const lines = shown.reduce((sum, each) => sum + each.lines, 0);
    return { lines: this.#lines, paths: shown, other_paths: this.#lines - lines };
  }
}

/** The number of paths shown for one count. The rest are counted together. */
const MOST_SHOWN = 20;

/** `/api/*` for everything below; a path of one segment as it is. A long segment is cut. */
function startOf(path: string): string {
  const end = path.indexOf("/", 1);
  const segment = end === -1 ? path : path.slice(0, end);
  if (segment.length > MAX_CHARS) return `${cutEnd(segment, MAX_CHARS).slice(0, -1)}*`;
  return end === -1 ? segment : `${segment}/*`;
}

const MAX_CHARS = 80;

/** Lines on which an expression is undecided, counted by the missing fields and lists. */
export class UndecidedCounts {
  #lines = 0;
  readonly #fields = new Map<Missing, InputGap>();

  add(missing: readonly Missing[], line: JsonObject): void {
    this.#lines += 1;
    for (const input of missing) {
      const gap = this.#fields.get(input) ?? gapOf(input);
      gap.lines += 1;
      for (const alternatives of gap.logged?.by ?? [])
        if (!alternatives.some((name) => Object.hasOwn(line, name))) gap.lacks.add(alternatives[0] ?? "");
      if (gap.lines === 1) this.#fields.set(input, gap);
    }
  }

  get counts(): UndecidedLines {
    const untold = [...this.#fields].map(([input, { lines, logged, lacks }]): UntoldField => {
      const field = textOf(input);
      if (logged === null) return { field, lines };
      const custom = logged.custom === undefined ? {} : { custom_log_field: logged.custom };
      return { field, lines, log_fields: [...lacks], ...custom };
    });
    untold.sort((a, b) => b.lines - a.lines || (a.field < b.field ? -1 : 1));
    return { lines: this.#lines, untold };
  }
}

/** A field or list that is missing in some lines. */
interface InputGap {
  lines: number;
  readonly logged: Loggable | null;
  /** Log fields that some of the lines lack. */
  readonly lacks: Set<string>;
}

function gapOf(input: Missing): InputGap {
  const logged = input.as === "field" ? loggable(input.name, input.key) : null;
  return { lines: 0, logged, lacks: new Set() };
}

/** As expressions write it. */
function textOf(input: Missing): string {
  if (input.as === "list") return `$${input.name}`;
  if (input.as === "unknown") return input.name;
  return input.key === null ? input.name : `${input.name}[${JSON.stringify(input.key)}]`;
}

/** Counts the lines that match one expression. */
export class MatchCounts {
  #lines = 0;
  readonly #asked: ReturnType<typeof lineEvaluator>;
  readonly #matches: PathCounts;
  readonly #others: PathCounts;
  readonly #undecided = new UndecidedCounts();

  /** @param fixedFields fields that every request has, whatever its line says */
  constructor(
    private readonly tree: Expression,
    fixedFields: Request,
  ) {
    const room = { left: MOST_PATHS };
    this.#asked = lineEvaluator([tree], fixedFields);
    this.#matches = new PathCounts(room);
    this.#others = new PathCounts(room);
  }

  add(line: JsonObject): void {
    this.#lines += 1;
    const answer = this.#asked(line)(this.tree);
    if (typeof answer === "object") this.#undecided.add(answer, line);
    else (answer ? this.#matches : this.#others).add(line);
  }

  get counts(): MatchedLines {
    return {
      lines: this.#lines,
      matches: this.#matches.counts,
      does_not_match: this.#others.counts,
      undecided: this.#undecided.counts,
    };
  }
}

/** The number of path starts that are counted separately. */
const MOST_PATHS = 20_000;
