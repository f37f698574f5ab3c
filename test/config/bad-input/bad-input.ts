import type { Problem } from "../../../src/model/problem.js";

/** Invalid files, and the problems reported for them. */
export interface BadInput {
  /** The mistake, as in "reports a missing version". */
  readonly name: string;
  readonly files: { readonly [name: string]: string | Uint8Array };
  /** The values of `-c`, by default the names of the files. */
  readonly config?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** `FILE:LINE:COLUMN [warning] CODE [POINTER]` for each problem, with its detail on the next line. */
  readonly problems: string;
}

export function linesOf(problems: readonly Problem[]): string {
  return problems.map((each) => `${headOf(each)}\n  ${each.detail}\n`).join("");
}

function headOf({ severity, code, at }: Problem): string {
  const place = at === null ? "-" : `${at.file}:${at.line}:${at.column}`;
  return [place, ...(severity === "error" ? [] : [severity]), code, at?.pointer ?? ""].join(" ").trimEnd();
}
