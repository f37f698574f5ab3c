import type { Problem } from "../../../src/model/problem.js";

/** Files that are wrong, and all that is said about them. */
export interface BadInput {
  /** What is true of files, and not of these. */
  readonly name: string;
  readonly files: { readonly [name: string]: string | Uint8Array };
  /** As `-c` has them; the files' names where absent. */
  readonly config?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** `FILE:LINE:COLUMN [warning] CODE [POINTER]`, and below each its detail. */
  readonly problems: string;
}

export function linesOf(problems: readonly Problem[]): string {
  return problems.map((each) => `${headOf(each)}\n  ${each.detail}\n`).join("");
}

function headOf({ severity, code, at }: Problem): string {
  const place = at === null ? "-" : `${at.file}:${at.line}:${at.column}`;
  return [place, ...(severity === "error" ? [] : [severity]), code, at?.pointer ?? ""].join(" ").trimEnd();
}
