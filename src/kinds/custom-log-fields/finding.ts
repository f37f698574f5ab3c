import type { Path } from "../../model/item.js";
import type { Finding } from "../kind.js";

export function finding(path: Path, code: string, summary: string, detail: string): Finding {
  return { path, severity: "error", code, summary, detail };
}
