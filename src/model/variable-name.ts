/**
 * A name for an environment variable.
 *
 * @param parts such as a zone and an object
 */
export function variableName(parts: readonly string[]): string {
  const words = parts.map((part) => part.toUpperCase().replace(/[^A-Z0-9]+/g, "_")).join("_");
  const name = words.replace(/_+/g, "_").replace(/^_|_$/g, "").slice(0, MAX_CHARS);
  return /^[A-Z]/.test(name) && !KEPT.some((prefix) => `${name}_`.startsWith(prefix)) ? name : `ZONE_${name}`;
}

const MAX_CHARS = 120;

/** A pull request can edit the files, so the files may not read a run's credentials or its runner's variables. */
export const REFUSED_PREFIXES = ["CLOUDFLARE_", "ACTIONS_", "GITHUB_", "RUNNER_", "INPUT_", "NODE_"];

const KEPT = [...REFUSED_PREFIXES, "ZONEWARD_"];
