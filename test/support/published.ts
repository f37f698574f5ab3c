import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The text of a published description of the service, which is no part of this repository.
 *
 * @param checks what is skipped without it, for the message that says so
 * @returns null where it is not at hand
 */
export function publishedText(name: "openapi.json" | "interface.md", checks: string): string | null {
  const file = fileURLToPath(new URL(`../../../shared/api/${name}`, import.meta.url));
  if (existsSync(file)) return readFileSync(file, "utf8");
  console.warn(`SKIPPED: ${checks}; there is no ${file}`);
  return null;
}
