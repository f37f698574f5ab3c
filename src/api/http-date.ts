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
