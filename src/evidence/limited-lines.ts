import type { Answer } from "../expression/evaluate/asking.js";
import { readExpression } from "../expression/parse/parse.js";
import type { Expression } from "../expression/tree.js";
import { PartialMap } from "../expression/value.js";
import { isObject, isTexts, type Json, type JsonObject } from "../model/json.js";
import { COLO, type LimitedLines, type RequestLimit } from "../model/request-lines.js";
import type { Room } from "./line-counts.js";
import { requestIn } from "./request-line.js";
import { timeIn } from "./time.js";

/** Counts the requests of one zone that a rate limit would have limited, counted in a sliding window. */
export class LimitCounts {
  readonly trees: readonly Expression[];
  readonly #expression: Expression | null;
  readonly #counting: Expression | null;
  readonly #characteristics: readonly (readonly [name: string, field: string, key: string | null])[];
  /** By the values of the characteristics. A number is a time with two flags. */
  readonly #times = new Map<string, number[]>();
  readonly #had = new Set<string>();
  readonly #lacked = new Set<string>();
  #timed = 0;
  #untimed = 0;
  #undecided = 0;
  #isFull = false;

  /** @param room for the times of all limits */
  constructor(
    private readonly limit: RequestLimit,
    private readonly room: Room,
  ) {
    this.#expression = treeOf(limit.expression);
    this.#counting = treeOf(limit.counting_expression);
    this.trees = [this.#expression, this.#counting].filter((each) => each !== null);
    this.#characteristics = limit.characteristics.map((name) => {
      const [, field = name, key = null] = /^([\w.]+)(?:\["([^"\\]*)"\])?$/.exec(name) ?? [];
      return [name, field, key];
    });
  }

  add(line: JsonObject, ask: (tree: Expression) => Answer): void {
    const [acts, counts] = [this.#expression, this.#counting].map((tree) => tree !== null && ask(tree));
    if (acts === false && counts === false) return;
    const time = timeIn(line.EdgeStartTimestamp);
    if (time === null) this.#untimed += 1;
    else if (typeof acts === "object" || typeof counts === "object") this.#undecided += 1;
    else this.#note(line, time * FLAGS + (acts === true ? ACTS : 0) + (counts === true ? COUNTS : 0));
  }

  #note(line: JsonObject, time: number): void {
    this.#timed += 1;
    if (this.#isFull) return;
    const values = this.#characteristics.map(([name, field, key]) => {
      const value = valueIn(line, field, key);
      (value === undefined ? this.#lacked : this.#had).add(name);
      return value ?? null;
    });
    const group = JSON.stringify(values);
    const times = this.#times.get(group) ?? [];
    this.room.left -= times.length === 0 ? Math.ceil(group.length / CHARS) : 1;
    if (this.room.left < 0) {
      this.#isFull = true;
      this.#times.clear();
      return;
    }
    times.push(time);
    this.#times.set(group, times);
  }

  get counts(): LimitedLines {
    const names = this.#characteristics.map(([name]) => name);
    const isAny = this.#timed > 0;
    const facts = {
      by: isAny ? names.filter((name) => this.#had.has(name)) : names,
      not_logged: names.filter((name) => this.#lacked.has(name)),
    };
    const unknown = this.#whyUnknown(facts.by.length);
    if (unknown !== null) return { lines: null, unknown, ...facts };
    const lines = [...this.#times.values()].reduce((sum, times) => sum + limitedOf(times, this.limit), 0);
    if (facts.not_logged.length > 0) return { lines, bound: "at_most", ...facts };
    return { lines, ...(this.#undecided + this.#untimed > 0 ? { bound: "at_least" } : {}), ...facts };
  }

  #whyUnknown(characteristics: number): Required<LimitedLines>["unknown"] | null {
    if (this.limit.unknown !== null) return this.limit.unknown;
    if (this.#expression === null || this.#counting === null) return "undecided";
    if (this.#isFull) return "too_many";
    if (this.#timed === 0 && this.#untimed > 0) return "no_time";
    if (this.#timed === 0 && this.#undecided > 0) return "undecided";
    if (characteristics === 0) return "not_logged";
    // More requests share a counter than at the service, and some requests are not counted.
    return this.#lacked.size > 0 && this.#undecided + this.#untimed > 0 ? "undecided" : null;
  }
}

const [ACTS, COUNTS, FLAGS] = [1, 2, 4];

/** A new counter takes as much room as a request for every so many characters of its values. */
const CHARS = 64;

function treeOf(text: string): Expression | null {
  const parsed = readExpression(text);
  return parsed.ok ? parsed.tree : null;
}

/** Undefined: the line does not have the value. */
function valueIn(line: JsonObject, field: string, key: string | null): Counted | undefined {
  if (field === COLO) return countedAs(line.EdgeColoID ?? line.EdgeColoCode);
  const value = requestIn(line, [field])[field];
  if (key === null) return countedAs(value);
  const entries = value instanceof PartialMap ? value.entries : value;
  return isObject(entries as JsonObject) ? countedAs((entries as JsonObject)[key]) : undefined;
}

/** A value that requests are counted by. Some jobs write numbers as texts. */
type Counted = string | readonly string[];

/** Log lines may be forged. A request has no other values, and these may be nested deeply. */
function countedAs(value: unknown): Counted | undefined {
  if (isTexts(value as Json)) return value as readonly string[];
  return ["string", "number", "bigint", "boolean"].includes(typeof value) ? String(value) : undefined;
}

/** The requests of one counter that are beyond the count of their period, or within the timeout of such a request. */
function limitedOf(times: readonly number[], { requests, period, timeout }: RequestLimit): number {
  const window: number[] = [];
  let [start, until, limited] = [0, Number.NEGATIVE_INFINITY, 0];
  for (const each of times.toSorted((a, b) => a - b)) {
    const time = Math.floor(each / FLAGS);
    while (start < window.length && (window[start] ?? 0) <= time - period * 1000) start += 1;
    const isOver = window.length - start >= requests;
    if ((each & ACTS) !== 0 && (isOver || time < until)) {
      limited += 1;
      if (isOver) until = Math.max(until, time + timeout * 1000);
    }
    if ((each & COUNTS) !== 0) window.push(time);
  }
  return limited;
}
