import { seenAs } from "./assertion.js";
import type { Step } from "./program.js";

/** Groups of bytes that no step of a program tells from each other. */
export interface ByteGroups {
  /** The group of each byte. */
  readonly of: Uint8Array;
  /** What assertions have to know of a byte that went before. */
  readonly see: (byte: number) => number;
}

export function byteGroups(steps: readonly Step[]): ByteGroups {
  const see = steps.some(looksAround) ? seenAs : () => 0;
  const tables = [...new Set(steps.flatMap((step) => (step.as === "byte" ? [step.of] : [])))];
  const numbers = new Map<string, number>();
  const of = Uint8Array.from({ length: 256 }, (_, byte) => {
    const key = `${see(byte)} ${tables.map((table) => table[byte]).join("")}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
  return { of, see };
}

/** Whether a step needs to know more of the place than whether the text starts or ends there. */
function looksAround(step: Step): boolean {
  return step.as === "assert" && step.what !== "text_start" && step.what !== "text_end";
}
