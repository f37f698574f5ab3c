import { type Budget, isSpent, spend } from "../budget.js";
import { fromBytes } from "../bytes.js";
import type { Bytes } from "../tree.js";
import { type ByteGroups, byteGroups } from "./byte-groups.js";
import { type Program, programOf } from "./program.js";
import { readRegex } from "./read.js";
import { loosened } from "./repeat.js";
import { type StepSet, setOf } from "./step-set.js";

/** A program with what can be told of its steps before any text is seen. */
export interface Compiled extends Program {
  readonly groups: ByteGroups;
  /** By group of bytes, the steps that take these; made when first needed. */
  readonly taking: StepSet[];
  readonly asserting: StepSet;
  /** All steps that wait for a byte or a place. */
  readonly waiting: StepSet;
}

/**
 * A pattern ready to be searched for; null for one that is wrong, too large or not known in full.
 *
 * @param isLoose without the bounds of long repetitions: it is found in more texts then
 */
export function compiled(pattern: Bytes, budget: Budget, isLoose = false): Compiled | null {
  if (isSpent(budget)) return null;
  const program = remembered(pattern, isLoose);
  // Remembered or not, it counts the same: no answer shall depend on what was asked before.
  return spend(budget, (program?.steps.length ?? pattern.length) * STEP_WORK) ? program : null;
}

const STEP_WORK = 20;

function remembered(pattern: Bytes, isLoose: boolean): Compiled | null {
  const key = `${isLoose} ${pattern}`;
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size === MOST_REMEMBERED) memory.clear();
  const program = compile(pattern, isLoose);
  memory.set(key, program);
  return program;
}

const MOST_REMEMBERED = 64;
const memory = new Map<string, Compiled | null>();

function compile(pattern: Bytes, isLoose: boolean): Compiled | null {
  const text = fromBytes(pattern);
  const read = text === null ? null : readRegex(text);
  const program =
    read?.ok === true ? programOf(isLoose ? loosened(read.regex) : read.regex, MOST_STEPS) : null;
  if (program === null) return null;
  const { steps } = program;
  return {
    ...program,
    groups: byteGroups(steps),
    taking: [],
    asserting: setOf(steps.length, (step) => steps[step]?.as === "assert"),
    waiting: setOf(steps.length, (step) => steps[step]?.as !== "either"),
  };
}

const MOST_STEPS = 10_000;
