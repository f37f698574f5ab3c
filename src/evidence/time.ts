/**
 * When a line was written, in milliseconds since 1970. Logpush jobs write times by their `timestamp_format`: RFC 3339,
 * or seconds, milliseconds or nanoseconds since 1970, possibly in quotes. Null: no usable time.
 */
export function timeIn(value: unknown): number | null {
  if (typeof value === "number") return sinceEpoch(value);
  if (typeof value !== "string" || value.length > MOST_CHARS) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return sinceEpoch(Number(value));
  return RFC_3339.test(value) ? plausible(Date.parse(value)) : null;
}

const MOST_CHARS = 40;

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The size of the number tells its unit: no plausible year is ambiguous. */
function sinceEpoch(amount: number): number | null {
  for (const perSecond of [1, 1e3, 1e6, 1e9]) {
    const ms = plausible((amount / perSecond) * 1000);
    if (ms !== null) return ms;
  }
  return null;
}

/** Logs are from 2010 to 2099. Any other time has another unit or is wrong. */
function plausible(ms: number): number | null {
  return ms >= FIRST_MS && ms < LAST_MS ? Math.floor(ms) : null;
}

const FIRST_MS = Date.UTC(2010, 0);
const LAST_MS = Date.UTC(2100, 0);

/** The first and the last of several times. */
export class TimeSpan {
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
