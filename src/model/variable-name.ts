/**
 * A name for an environment variable.
 *
 * @param parts such as a zone and an object
 */
export function variableName(parts: readonly string[]): string {
  const words = parts.map((part) => part.toUpperCase().replace(/[^A-Z0-9]+/g, "_")).join("_");
  const name = words.replace(/_+/g, "_").replace(/^_|_$/g, "").slice(0, MAX_CHARS);
  return /^[A-Z]/.test(name) && !KEPT.test(name) ? name : `ZONE_${name}`;
}

const MAX_CHARS = 120;

/** Prefixes of the run's own variables, which files may not read. */
const KEPT = /^(CLOUDFLARE|ACTIONS|GITHUB|RUNNER|INPUT|NODE|ZONEWARD)(_|$)/;
