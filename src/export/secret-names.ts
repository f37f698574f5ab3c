/**
 * A name for a secret, which no other one has.
 *
 * @param parts what it is about: a zone, an object
 */
export function secretName(parts: readonly string[], taken: ReadonlySet<string>): string {
  const words = parts.map((part) => part.toUpperCase().replace(/[^A-Z0-9]+/g, "_")).join("_");
  const name = words.replace(/_+/g, "_").replace(/^_|_$/g, "").slice(0, MAX_CHARS);
  const usable = /^[A-Z]/.test(name) && !KEPT.test(name) ? name : `ZONE_${name}`;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? usable : `${usable}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

const MAX_CHARS = 120;

/** What files may not read: the names of a run's own variables. */
const KEPT = /^(CLOUDFLARE|ACTIONS|GITHUB|RUNNER|INPUT|NODE|ZONEWARD)(_|$)/;
