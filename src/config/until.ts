import { kinds } from "../kinds/index.js";
import { quoted } from "../model/cut.js";
import { type Day, daysUntil, isDay } from "../model/day.js";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import { entriesIn, type OpenZone } from "./zone.js";

/** How many days before the day it is told that it comes. */
const SOON_DAYS = 7;

/**
 * What of a zone has an end: `until` is the day from which the files may not have it any more.
 *
 * @param as what it is to have come to its end: an error keeps the zones from being planned
 */
export function endedIn(zone: OpenZone, today: Day, as: "error" | "warning"): readonly Problem[] {
  return kinds.flatMap((kind) =>
    entriesIn(kind, zone.sections)
      .filter(({ body }) => body.ensure !== "absent")
      .flatMap(({ path, body }) => untilsIn(body, path))
      .flatMap(({ path, until, name }) => toldOf(until, name, today, as, zone, path)),
  );
}

interface Until {
  readonly path: Path;
  readonly until: string;
  /** Of what. */
  readonly name: string;
}

/** Of the object itself, and of entries of its lists. */
function untilsIn(body: { readonly [key: string]: Json }, path: Path): readonly Until[] {
  const own = untilOf(body, path, body.description ?? path.join("."));
  const inside = Object.entries(body).flatMap(([key, list]) =>
    isList(list)
      ? list.flatMap((entry, index) =>
          isObject(entry) ? untilOf(entry, [...path, key, index], entry.id ?? entry.tag ?? key) : [],
        )
      : [],
  );
  return [...own, ...inside];
}

function untilOf({ until }: { readonly [key: string]: Json }, path: Path, name: Json): readonly Until[] {
  return typeof until === "string" ? [{ path: [...path, "until"], until, name: String(name) }] : [];
}

function toldOf(
  until: string,
  name: string,
  today: Day,
  as: "error" | "warning",
  zone: OpenZone,
  path: Path,
): readonly Problem[] {
  const at = () => zone.locate(path);
  if (!isDay(until)) {
    const detail = `${quoted(until)} is no day. Write it as 2026-12-31.`;
    return [{ code: "bad_day", severity: "error", summary: "Not a day", detail, at: at() }];
  }
  const days = daysUntil(until, today);
  if (days > SOON_DAYS) return [];
  const advice = "Remove it, or decide on a later day.";
  if (days <= 0) {
    const detail = `${quoted(name)} was to be there until ${until}, and today is ${today}. ${advice}`;
    return [{ code: "expired", severity: as, summary: "Its time is over", detail, at: at() }];
  }
  const detail = `${quoted(name)} is to be there until ${until}: ${days === 1 ? "tomorrow" : `in ${days} days`} validate and plan refuse the files with it. ${advice}`;
  return [{ code: "expires_soon", severity: "warning", summary: "Its time is soon over", detail, at: at() }];
}
