import { type ByteSet, tableOf } from "./byte-set.js";
import { sizeOf } from "./size.js";
import type { Assertion, Regex } from "./tree.js";

/** A regular expression as steps that refer to each other by number. */
export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

export type Step =
  /** `of` has 1 for each byte that goes on. */
  | { readonly as: "byte"; readonly of: Uint8Array; readonly next: number }
  | { readonly as: "either"; readonly next: readonly number[] }
  | { readonly as: "assert"; readonly what: Assertion; readonly next: number }
  | { readonly as: "found" };

/** The one step that has nothing after it. */
export const FOUND = 0;

/** Null for one that has too many steps, or of which something is not known. */
export function programOf(regex: Regex, mostSteps: number): Program | null {
  if (!isKnown(regex) || sizeOf(regex) > mostSteps) return null;
  const building: Building = { steps: [{ as: "found" }], tables: new Map() };
  const start = stepsOf(regex, FOUND, building);
  return { steps: building.steps, start };
}

function isKnown(regex: Regex): boolean {
  switch (regex.as) {
    case "unknown":
      return false;
    case "sequence":
    case "choice":
      return regex.items.every(isKnown);
    case "repeat":
      return isKnown(regex.item);
    default:
      return true;
  }
}

interface Building {
  readonly steps: Step[];
  readonly tables: Map<ByteSet, Uint8Array>;
}

/** Built from the end, so that each step knows what comes after it. */
function stepsOf(regex: Regex, next: number, building: Building): number {
  switch (regex.as) {
    case "byte":
      return add(building, { as: "byte", of: tableIn(building, regex.of), next });
    case "assert":
      return add(building, { as: "assert", what: regex.what, next });
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
      throw new Error("What is not known cannot be compiled.");
  }
}

function repeatSteps({ item, min, max }: Regex & { as: "repeat" }, next: number, building: Building): number {
  let at = next;
  if (max === null) {
    at = either(building, [next]);
    building.steps[at] = { as: "either", next: [next, stepsOf(item, at, building)] };
  }
  for (let more = min; max !== null && more < max; more += 1) {
    at = either(building, [next, stepsOf(item, at, building)]);
  }
  for (let needed = 0; needed < min; needed += 1) at = stepsOf(item, at, building);
  return at;
}

function either(building: Building, next: readonly number[]): number {
  return add(building, { as: "either", next });
}

function add({ steps }: Building, step: Step): number {
  return steps.push(step) - 1;
}

function tableIn({ tables }: Building, set: ByteSet): Uint8Array {
  const table = tables.get(set) ?? tableOf(set);
  tables.set(set, table);
  return table;
}
