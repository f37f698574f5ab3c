/**
 * When a line was written, in milliseconds since 1970. Log-push jobs write times by their `timestamp_format`: seconds,
 * milliseconds or nanoseconds since then, or RFC 3339; numbers also in quotes. Null: it tells none.
 */
export function timeIn(written: unknown): number | null {
  if (typeof written === "number") return sinceEpoch(written);
  if (typeof written !== "string" || written.length > MOST_CHARS) return null;
  if (/^\d+(\.\d+)?$/.test(written)) return sinceEpoch(Number(written));
  return RFC_3339.test(written) ? plausible(Date.parse(written)) : null;
}

const MOST_CHARS = 40;

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Which unit it is, its size tells: none of the years that matter is plausible in two of them. */
function sinceEpoch(amount: number): number | null {
  for (const perSecond of [1, 1e3, 1e6, 1e9]) {
    const found = plausible((amount / perSecond) * 1000);
    if (found !== null) return found;
  }
  return null;
}

/** No log is older, and none is of the next century: what says so is in another unit, or wrong. */
function plausible(ms: number): number | null {
  return ms >= FIRST_MS && ms < LAST_MS ? Math.floor(ms) : null;
}

const FIRST_MS = Date.UTC(2010, 0);
const LAST_MS = Date.UTC(2100, 0);

/** The first time and the last of those that are told. */
export class Seen {
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  add(ms: number | null): void {
    if (ms === null) return;
    this.#first = Math.min(this.#first, ms);
    this.#last = Math.max(this.#last, ms);
  }

  asText(): { readonly first: string | null; readonly last: string | null } {
    return { first: timeText(this.#first), last: timeText(this.#last) };
  }
}

function timeText(ms: number): string | null {
  return Number.isFinite(ms) ? `${new Date(ms).toISOString().slice(0, 19)}Z` : null;
}
