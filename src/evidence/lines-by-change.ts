import type { Answer, Missing } from "../expression/evaluate/asking.js";
import { readExpression } from "../expression/parse/parse.js";
import type { Expression } from "../expression/tree.js";
import type { JsonObject } from "../model/json.js";
import { type MovedLines, mapSides, type RequestMove, type Sides } from "../model/request-lines.js";
import { LimitCounts } from "./limited-lines.js";
import { lineEvaluator, PathCounts, type Room, UndecidedCounts } from "./line-counts.js";

/** Counts the effect of changes on the requests of one zone, line by line. */
export class ZoneLines {
  #lines = 0;
  readonly #asked: ReturnType<typeof lineEvaluator>;
  readonly #moves: readonly MoveCounts[];

  /**
   * @param room for the paths of all changes; other zones may share it
   * @param times for the times of all requests that rate limits count
   */
  constructor(moves: readonly RequestMove[], room: Room, times: Room) {
    this.#moves = moves.map((move) => new MoveCounts(move, room, times));
    this.#asked = lineEvaluator(this.#moves.flatMap(({ trees }) => trees));
  }

  add(line: JsonObject): void {
    this.#lines += 1;
    if (this.#moves.length === 0) return;
    const ask = this.#asked(line);
    for (const move of this.#moves) move.add(line, ask);
  }

  /** By the index of the change. */
  get counts(): ReadonlyMap<number, MovedLines> {
    return new Map(this.#moves.map((each) => [each.change, each.countsOf(this.#lines)]));
  }
}

/** The requests of one side: those of an expression, or none. Null: an invalid expression with unknown matches. */
type Side = Expression | "none" | null;

class MoveCounts {
  readonly change: number;
  readonly trees: readonly Expression[];
  readonly #sides: readonly [Side, Side];
  #before = 0;
  #after = 0;
  readonly #more: PathCounts;
  readonly #fewer: PathCounts;
  readonly #kept: PathCounts;
  readonly #undecided = new UndecidedCounts();
  readonly #limits: Sides<LimitCounts>;

  constructor(
    private readonly move: RequestMove,
    room: Room,
    times: Room,
  ) {
    this.change = move.change;
    this.#sides = [sideOf(move.before), sideOf(move.after)];
    this.#limits = mapSides(move.limits ?? {}, (limit) => new LimitCounts(limit, times));
    this.trees = [
      ...this.#sides.flatMap((side) => (side === null || side === "none" ? [] : [side])),
      ...Object.values(this.#limits).flatMap(({ trees }) => trees),
    ];
    this.#more = new PathCounts(room);
    this.#fewer = new PathCounts(room);
    this.#kept = new PathCounts(room);
  }

  add(line: JsonObject, ask: (tree: Expression) => Answer): void {
    const [before, after] = this.#sides.map((side) => answerOf(side, ask));
    if (before === true) this.#before += 1;
    if (after === true) this.#after += 1;
    for (const each of Object.values(this.#limits)) each.add(line, ask);
    const missing = [before, after].filter((each) => typeof each === "object");
    if (missing.length > 0) this.#undecided.add([...new Set(missing.flat())], line);
    else if (before !== after) (after === true ? this.#more : this.#fewer).add(line);
    else if (after === true && this.move.becomes !== null) this.#kept.add(line);
  }

  countsOf(lines: number): MovedLines {
    const { does, becomes } = this.move;
    return {
      does,
      lines,
      before: this.#before,
      after: this.#after,
      ...(becomes === null ? {} : { becomes }),
      more: this.#more.counts,
      fewer: this.#fewer.counts,
      ...(becomes === null ? {} : { kept: this.#kept.counts }),
      ...(this.move.limits === undefined ? {} : { limited: mapSides(this.#limits, ({ counts }) => counts) }),
      undecided: this.#undecided.counts,
    };
  }
}

function sideOf(where: string | null): Side {
  if (where === null) return "none";
  const parsed = readExpression(where);
  return parsed.ok ? parsed.tree : null;
}

function answerOf(side: Side, ask: (tree: Expression) => Answer): Answer {
  if (side === "none") return false;
  return side === null ? NOTHING_MISSING : ask(side);
}

const NOTHING_MISSING: readonly Missing[] = [];
