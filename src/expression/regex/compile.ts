import { type Budget, isSpent, spend } from "../budget.js";
import type { Bytes } from "../tree.js";
import { fromBytes } from "../value.js";
import { type ByteSet, tableOf } from "./byte-set.js";
import { readRegex } from "./read.js";
import { loosen } from "./repeat.js";
import { type Assertion, type Regex, representative, sizeOf } from "./tree.js";

/** A regular expression as steps that refer to each other by number. */
export interface Compiled {
  readonly steps: readonly Step[];
  readonly start: number;
  readonly groups: ByteGroups;
}

/**
 * A pattern ready for searching. Null: invalid, too large or partly unknown.
 *
 * @param isLoose ignores the bounds of long repetitions, so it matches more texts
 */
export function compiledPattern(pattern: Bytes, budget: Budget, isLoose = false): Compiled | null {
  if (isSpent(budget)) return null;
  const program = cachedProgram(pattern, isLoose);
  // The cost is the same with or without the cache: answers must not depend on earlier questions.
  return spend(budget, (program?.steps.length ?? pattern.length) * STEP_WORK) ? program : null;
}

const STEP_WORK = 20;

function cachedProgram(pattern: Bytes, isLoose: boolean): Compiled | null {
  const key = `${isLoose} ${pattern}`;
  const cached = memory.get(key);
  if (cached !== undefined) return cached;
  if (memory.size === MOST_REMEMBERED) memory.clear();
  const program = compile(pattern, isLoose);
  memory.set(key, program);
  return program;
}

const MOST_REMEMBERED = 64;
const memory = new Map<string, Compiled | null>();

function compile(pattern: Bytes, isLoose: boolean): Compiled | null {
  const text = fromBytes(pattern);
  const parsed = text === null ? null : readRegex(text);
  if (parsed?.ok !== true) return null;
  const regex = isLoose ? loosen(parsed.regex) : parsed.regex;
  if (sizeOf(regex) > MOST_STEPS) return null;
  const building: Building = { steps: [{ as: "found" }], tables: new Map(), isUnknown: false };
  const start = stepsOf(regex, FOUND, building);
  const { steps, isUnknown } = building;
  return isUnknown ? null : { steps, start, groups: byteGroups(steps) };
}

const MOST_STEPS = 10_000;

type Step =
  /** `of` has 1 for each byte that continues. */
  | { readonly as: "byte"; readonly of: Uint8Array; readonly next: number }
  | { readonly as: "either"; readonly next: readonly number[] }
  | { readonly as: "assert"; readonly assertion: Assertion; readonly next: number }
  | { readonly as: "found" };

/** The one step without a next step. */
export const FOUND = 0;

interface Building {
  readonly steps: Step[];
  readonly tables: Map<ByteSet, Uint8Array>;
  /** Whether the meaning of a part is unknown. */
  isUnknown: boolean;
}

/** Built from the end, so that each step knows the next one. */
function stepsOf(regex: Regex, next: number, building: Building): number {
  switch (regex.as) {
    case "byte":
      return append(building, { as: "byte", of: tableIn(building, regex.of), next });
    case "assert":
      return append(building, { as: "assert", assertion: regex.assertion, next });
    case "sequence":
      return regex.items.reduceRight((after, item) => stepsOf(item, after, building), next);
    case "choice":
      return either(
        building,
        regex.items.map((item) => stepsOf(item, next, building)),
      );
    case "repeat":
      return repeatSteps(regex, next, building);
    case "unknown":
      building.isUnknown = true;
      return next;
  }
}

function repeatSteps({ item, min, max }: Regex & { as: "repeat" }, next: number, building: Building): number {
  let at = next;
  if (max === null) {
    at = either(building, [next]);
    building.steps[at] = { as: "either", next: [next, stepsOf(item, at, building)] };
  }
  for (let count = min; max !== null && count < max; count += 1) {
    at = either(building, [next, stepsOf(item, at, building)]);
  }
  for (let needed = 0; needed < min; needed += 1) at = stepsOf(item, at, building);
  return at;
}

function either(building: Building, next: readonly number[]): number {
  return append(building, { as: "either", next });
}

function append({ steps }: Building, step: Step): number {
  return steps.push(step) - 1;
}

function tableIn({ tables }: Building, set: ByteSet): Uint8Array {
  const table = tables.get(set) ?? tableOf(set);
  tables.set(set, table);
  return table;
}

/** Groups of bytes that no step of a program distinguishes. */
export interface ByteGroups {
  /** The group of each byte. */
  readonly of: Uint8Array;
  /** The representative of a byte for the assertions after it. */
  readonly represent: (byte: number) => number;
}

function byteGroups(steps: readonly Step[]): ByteGroups {
  const represent = steps.some(looksAround) ? representative : () => 0;
  const tables = [...new Set(steps.flatMap((step) => (step.as === "byte" ? [step.of] : [])))];
  const numbers = new Map<string, number>();
  const of = Uint8Array.from({ length: 256 }, (_, byte) => {
    const key = `${represent(byte)} ${tables.map((table) => table[byte]).join("")}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
  return { of, represent };
}

/** Whether a step needs to know more of its place than the start or end of the text. */
function looksAround(step: Step): boolean {
  return step.as === "assert" && step.assertion !== "text_start" && step.assertion !== "text_end";
}
