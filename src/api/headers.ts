import type { IncomingHttpHeaders } from "node:http";

/** Empty: there is none. One that came several times is a list. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  return [headers[name] ?? ""].flat().join(", ").trim();
}

/**
 * How long until the date that a header has, by the service's clock, where it tells it: the one here may be off.
 * Negative: it is past. Null: it is not a date.
 */
export function untilMs(headers: IncomingHttpHeaders, name: string, nowMs: number): number | null {
  const then = httpDateMs(headerText(headers, name), nowMs);
  return then === null ? null : then - (httpDateMs(headerText(headers, "date"), nowMs) ?? nowMs);
}

/** The three forms of a date in HTTP (RFC 9110, section 5.6.7); all of them are in UTC, also the one that does not say so. */
const FORMS = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Milliseconds since 1970; null: not a date in HTTP's form.
 *
 * @param nowMs where a year of two digits is looked for
 */
export function httpDateMs(text: string, nowMs: number): number | null {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const { day = "", month = "", year = "", time = "" } = parts;
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  const date = [fullYear(year, nowMs), MONTHS.indexOf(month), Number(day)] as const;
  const dayMs = Date.UTC(...date);
  // A leap second is one.
  const exists = new Date(dayMs).getUTCMonth() === date[1] && hours < 24 && minutes < 60 && seconds <= 60;
  return exists ? dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000 : null;
}

/** Of two digits that would be more than fifty years ahead, the year in the past is meant. */
function fullYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
}

/** What an answer says of a limit of the service: for so long, no more than these requests remain. */
export interface Countdown {
  readonly remaining: number;
  readonly forMs: number;
}

/** Whoever counts down for longer than a day means something else. */
const LONGEST_MS = 86_400_000;

/** Seconds are whole, and what was cut off from them may be nearly one more. */
const ROUNDED_OFF_MS = 1000;

/**
 * Documented are `x-ratelimit-remaining` with a date in `x-ratelimit-reset`, and a newer `ratelimit` list in which
 * `r` is what remains and `t` the seconds. What is not complete, or makes no sense, says nothing.
 */
export function countdownsIn(headers: IncomingHttpHeaders, nowMs: number): readonly Countdown[] {
  const listed = headerText(headers, "ratelimit")
    .split(",", 20)
    .map((item) => ({ remaining: parameter(item, "r"), untilMs: parameter(item, "t") * 1000 }));
  const remaining = whole(headerText(headers, "x-ratelimit-remaining"));
  const all = [...listed, { remaining, untilMs: untilMs(headers, "x-ratelimit-reset", nowMs) ?? Number.NaN }];
  return all.flatMap((each) =>
    !Number.isNaN(each.remaining) && each.untilMs >= 0 && each.untilMs <= LONGEST_MS
      ? [{ remaining: Math.max(0, each.remaining), forMs: each.untilMs + ROUNDED_OFF_MS }]
      : [],
  );
}

function parameter(item: string, name: "r" | "t"): number {
  const [, value = ""] =
    item
      .split(";")
      .map((each) => each.trim().split("=", 2))
      .find(([key]) => key === name) ?? [];
  return whole(value);
}

/** NaN: it is not a whole number. */
function whole(text: string): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
