import { canonicalName } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { entryName, type Kind } from "../kinds/kind.js";
import { withoutDay } from "../kinds/until.js";
import { quoted } from "../model/cut.js";
import { type Day, daysUntil, isDay } from "../model/day.js";
import type { Declared } from "../model/declared-zone.js";
import type { Path } from "../model/item.js";
import { asText, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { note, type Problem, problem, warning } from "../model/problem.js";
import { entriesIn, type OpenZone } from "./zone.js";

/** How many days before the end the warning begins. */
const SOON_DAYS = 7;

/**
 * Reports ends that have passed or are near. `until` is the day from which the files may not have the entry.
 *
 * @param severity of a passed end: with an error, nothing is planned
 */
export function endedIn(zone: OpenZone, today: Day, severity: "error" | "warning"): readonly Problem[] {
  return datedIn(zone.sections).flatMap((entry) => endProblems(entry, today, severity, zone));
}

/**
 * Reports ends that the change moves. The service does not know the end, so no call shows it, and an exception could
 * stay for longer, or for good.
 *
 * @param before the zone in the base
 */
export function movedEnds(zone: OpenZone, before: OpenZone): readonly Problem[] {
  if (datedIn(zone.sections).length === 0 && datedIn(before.sections).length === 0) return [];
  const ends = new Map(
    datableIn(before.sections).flatMap((entry) =>
      namesOf(entry).map((name) => [name, endOf(entry)] as const),
    ),
  );
  return datableIn(zone.sections).flatMap((entry) => {
    const name = [...namesOf(entry), ...formerNamesOf(entry)].find((key) => ends.has(key));
    const [old, now] = [ends.get(name ?? ""), endOf(entry)];
    return name === undefined || old === undefined || old === now ? [] : [movedEnd(old, now, entry, zone)];
  });
}

function movedEnd(oldEnd: string, newEnd: string, datable: Datable, zone: OpenZone): Problem {
  const at = zone.locate(newEnd === NO_END ? datable.path : [...datable.path, "until"]);
  const end = `The end of ${quoted(nameOf(datable))} moves: ${oldEnd} → ${newEnd}.`;
  if (newEnd < oldEnd)
    return note(
      "until_changed",
      "End date moved earlier",
      `${end} The service does not know this date, so the plan has no call for it.`,
      at,
    );
  return warning(
    "until_extended",
    "End date moved later",
    `${end} Check that it should stay. The service does not know this date, so the plan has no call for it.`,
    at,
  );
}

/** An object, or an entry of one of its lists, either of which may have an end. */
interface Datable {
  readonly kind: Kind;
  readonly object: Declared;
  readonly path: Path;
  /** The entry of a list, or the body of the object. */
  readonly entry: Json;
}

/** Objects and entries that have an end. */
function datedIn(sections: JsonObject): readonly Datable[] {
  return datableIn(sections).filter(({ entry }) => hasEnd(entry));
}

function datableIn(sections: JsonObject): readonly Datable[] {
  return kinds.flatMap((kind) =>
    entriesIn(kind, sections)
      .filter(({ body }) => body.ensure !== "absent")
      .flatMap((object) => {
        const { path, body } = object;
        const inside = Object.entries(body).flatMap(([key, list]) =>
          isList(list)
            ? list.map((entry, index) => ({ kind, object, path: [...path, key, index], entry }))
            : [],
        );
        return [{ kind, object, path, entry: body }, ...inside];
      }),
  );
}

function hasEnd(entry: Json): boolean {
  return isObject(entry) && typeof entry.until === "string";
}

/** Sorts after all days. */
const NO_END = "never";

function endOf({ entry }: Datable): string {
  return isObject(entry) && typeof entry.until === "string" ? entry.until : NO_END;
}

function nameOf({ object, path, entry }: Datable): string {
  return asText(entry === object.body ? (object.body.description ?? path.join(".")) : withoutDay(entry));
}

/** Keys that match an object or entry before and after the change. */
function namesOf(datable: Datable): readonly string[] {
  const { id } = datable.object.body;
  const name = entryName(datable.kind, datable.object);
  const pinned = id === undefined ? [] : [nameIn({ id: asText(id) }, datable)];
  return name === "" ? pinned : [...pinned, nameIn({ name: canonicalName(name) }, datable)];
}

function formerNamesOf(datable: Datable): readonly string[] {
  const { renamed_from: former } = datable.object.body;
  return typeof former === "string" ? [nameIn({ name: canonicalName(former) }, datable)] : [];
}

/** The key of an entry also has its list and its content without the end. */
function nameIn(called: { readonly [by: string]: string }, { kind, object, path, entry }: Datable): string {
  const inside = entry === object.body ? [] : [path[object.path.length] ?? "", withoutDay(entry)];
  return JSON.stringify([kind.name, called, ...inside]);
}

function endProblems(
  entry: Datable,
  today: Day,
  severity: "error" | "warning",
  zone: OpenZone,
): readonly Problem[] {
  const until = endOf(entry);
  const at = () => zone.locate([...entry.path, "until"]);
  if (!isDay(until)) {
    const detail = `${quoted(until)} is not a date. Write it as 2026-12-31.`;
    return [problem("bad_day", "Invalid date", detail, at())];
  }
  const days = daysUntil(until, today);
  if (days > SOON_DAYS) return [];
  const advice = "Remove it, or set a later date.";
  if (days <= 0) {
    const detail = `${quoted(nameOf(entry))} ended on ${until}; today is ${today}. ${advice}`;
    return [{ code: "expired", severity, summary: `Expired on ${until}`, detail, at: at() }];
  }
  const detail = `${quoted(nameOf(entry))} ends ${days === 1 ? "tomorrow" : `in ${days} days`}. From then on, validate and plan refuse the files. ${advice}`;
  return [warning("expires_soon", `Expires on ${until}`, detail, at())];
}
