/** A calendar day in UTC, `2026-12-31`. Days sort as texts. */
export type Day = string;

export const DAY_PATTERN = "^\\d{4}-\\d{2}-\\d{2}$";

/** Whether the day exists: 2026-02-30 does not. */
export function isDay(text: string): boolean {
  if (!new RegExp(DAY_PATTERN).test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** The day of a time in milliseconds since 1970. */
export function dayOf(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The number of days from one day to another; negative: the day is earlier. */
export function daysUntil(day: Day, from: Day): number {
  return Math.round((Date.parse(day) - Date.parse(from)) / DAY_MS);
}

const DAY_MS = 86_400_000;
