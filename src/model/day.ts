/** A day of the calendar as files write it: `2026-12-31`, in UTC. As texts, days are in order. */
export type Day = string;

export const DAY_PATTERN = "^\\d{4}-\\d{2}-\\d{2}$";

/** Whether there is such a day: 2026-02-30 is none. */
export function isDay(text: string): boolean {
  if (!new RegExp(DAY_PATTERN).test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** The day of a time in milliseconds since 1970. */
export function dayOf(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10);
}

/** How many days it is from one day to another; less than 0 where that is before it. */
export function daysUntil(day: Day, from: Day): number {
  return Math.round((Date.parse(day) - Date.parse(from)) / DAY_MS);
}

const DAY_MS = 86_400_000;
