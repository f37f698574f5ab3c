import type { Path } from "../model/item.js";
import type { Finding } from "./kind.js";

/** What is wrong at a path of a declared object. */
export function error(path: Path, code: string, summary: string, detail: string): Finding {
  return { path, severity: "error", code, summary, detail };
}
