import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "../../src/model/json.js";

/** What describes the service, and the verdicts of a browser and of the real engine. None is part of this repository. */
type Published =
  | "api/openapi.json"
  | "api/interface.md"
  | `data/csp/${"truth" | "csp-hash-padding" | "csp-vertical-tab"}.jsonl`
  | `data/expression/${"valid" | "invalid" | "equivalence" | "eval"}.jsonl`
  | `data/expression/${"fields" | "functions" | "requests"}.json`;

/**
 * The text of one of them.
 *
 * @param checks what is skipped without it, for the message that says so
 * @returns null where it is not at hand
 */
export function publishedText(name: Published, checks: string): string | null {
  const file = fileURLToPath(new URL(`../../../shared/${name}`, import.meta.url));
  if (existsSync(file)) return readFileSync(file, "utf8");
  console.warn(`SKIPPED: ${checks}; there is no ${file}`);
  return null;
}

/** The values of one that has a JSON value a line; none where it is not at hand. */
export function publishedLines(name: Published, checks: string): readonly Json[] {
  const text = publishedText(name, checks) ?? "";
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}
