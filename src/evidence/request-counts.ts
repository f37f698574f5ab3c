import { type Answer, asking, type Untold } from "../expression/evaluate/asking.js";
import type { Request } from "../expression/evaluate/evaluate.js";
import type { Expression } from "../expression/tree.js";
import { fieldsOf } from "../expression/visit.js";
import { cutEnd } from "../model/cut.js";
import type { JsonObject } from "../model/json.js";
import type { LinesByPath, MatchedLines, UndecidedLines, UntoldField } from "../model/request-lines.js";
import { type Loggable, loggable, pathIn, requestIn } from "./request-line.js";

/**
 * Asks expressions of lines, one line after the other.
 *
 * @param trees all that will be asked
 * @param given what is known of each request, whatever its line says
 */
export function askingLines(
  trees: readonly Expression[],
  given: Request = {},
): (line: JsonObject) => (tree: Expression) => Answer {
  const fields = [...new Set(trees.flatMap((tree) => fieldsOf(tree).map(({ name }) => name)))];
  const ask = asking();
  return (line) => ask({ ...requestIn(line, fields), ...given });
}

/** How many more paths can be told apart. */
export interface Room {
  left: number;
}

/** Lines, counted by what their paths begin with as long as there is room, and else together. */
export class PathCounts {
  #lines = 0;
  readonly #counts = new Map<string, number>();

  constructor(private readonly room: Room) {}

  add(line: JsonObject): void {
    this.#lines += 1;
    const path = pathIn(line);
    const start = path === null ? null : startOf(path);
    const known = start === null ? 0 : (this.#counts.get(start) ?? 0);
    if (start === null || (known === 0 && this.room.left <= 0)) return;
    if (known === 0) this.room.left -= 1;
    // A part of a text keeps all of it in memory: what is kept is a text of its own.
    this.#counts.set(known === 0 ? [...start].join("") : start, known + 1);
  }

  get counts(): LinesByPath {
    const paths = [...this.#counts].map(([path, lines]) => ({ path, lines }));
    paths.sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1));
    const told = paths.slice(0, MOST_TOLD);
    const lines = told.reduce((sum, each) => sum + each.lines, 0);
    return { lines: this.#lines, paths: told, other_paths: this.#lines - lines };
  }
}

/** As many paths as are told of one count. The others are counted together. */
const MOST_TOLD = 20;

/** `/api/*` of all that is below it; a path of one segment as it is. Where a segment is long, its beginning. */
function startOf(path: string): string {
  const end = path.indexOf("/", 1);
  const segment = end === -1 ? path : path.slice(0, end);
  if (segment.length > MAX_CHARS) return `${cutEnd(segment, MAX_CHARS).slice(0, -1)}*`;
  return end === -1 ? segment : `${segment}/*`;
}

const MAX_CHARS = 80;

/** Lines of which an expression leaves open whether it matches, with what they do not tell. */
export class UndecidedCounts {
  #lines = 0;
  readonly #fields = new Map<Untold, Lacking>();

  add(untold: readonly Untold[], line: JsonObject): void {
    this.#lines += 1;
    for (const each of untold) {
      const found = this.#fields.get(each) ?? lackingOf(each);
      found.lines += 1;
      for (const those of found.logged?.by ?? [])
        if (!those.some((name) => Object.hasOwn(line, name))) found.lacks.add(those[0] ?? "");
      if (found.lines === 1) this.#fields.set(each, found);
    }
  }

  get counts(): UndecidedLines {
    const untold = [...this.#fields].map(([each, { lines, logged, lacks }]): UntoldField => {
      const field = textOf(each);
      if (logged === null) return { field, lines };
      const custom = logged.custom === undefined ? {} : { custom_log_field: logged.custom };
      return { field, lines, log_fields: [...lacks], ...custom };
    });
    untold.sort((a, b) => b.lines - a.lines || (a.field < b.field ? -1 : 1));
    return { lines: this.#lines, untold };
  }
}

/** Something that lines do not tell. */
interface Lacking {
  lines: number;
  readonly logged: Loggable | null;
  /** Log fields that some of the lines do not have. */
  readonly lacks: Set<string>;
}

function lackingOf(untold: Untold): Lacking {
  const logged = untold.as === "field" ? loggable(untold.name, untold.key) : null;
  return { lines: 0, logged, lacks: new Set() };
}

/** As an expression has it. */
function textOf(untold: Untold): string {
  if (untold.as === "list") return `$${untold.name}`;
  if (untold.as === "unknown") return untold.name;
  return untold.key === null ? untold.name : `${untold.name}[${JSON.stringify(untold.key)}]`;
}

/** What lines of requests answer about one expression. */
export class MatchCounts {
  #lines = 0;
  readonly #asked: ReturnType<typeof askingLines>;
  readonly #matches: PathCounts;
  readonly #others: PathCounts;
  readonly #undecided = new UndecidedCounts();

  /** @param given what is known of each request, whatever its line says */
  constructor(
    private readonly tree: Expression,
    given: Request,
  ) {
    const room = { left: MOST_PATHS };
    this.#asked = askingLines([tree], given);
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

/** So many beginnings of paths are counted apart. */
const MOST_PATHS = 20_000;
