import { kinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import type { Problem, Span } from "../model/problem.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import type { Former } from "./former.js";

/** Fields that the base has and the files no longer do: nothing is sent for them. */
export function releasedFields(
  kind: Kind,
  counterparts: readonly (readonly [now: Declared, then: Declared])[],
  former: Former,
  zone: WantedZone,
): readonly Problem[] {
  return counterparts.flatMap(([now, then]) => releasedOf(kind, then, now, former, zone));
}

function releasedOf(
  kind: Kind,
  then: Declared,
  now: Declared,
  former: Former,
  zone: WantedZone,
): readonly Problem[] {
  if (then.body.ensure === "absent" || now.body.ensure === "absent") return [];
  const kept = Object.keys(kind.want(now.body, null));
  const fields = Object.keys(kind.want(then.body, null)).filter((field) => !kept.includes(field));
  if (fields.length === 0) return [];
  const { section, shape } = kind;
  const name = shape.as === "one" ? section : `${section} ${JSON.stringify(now.body[shape.named])}`;
  const places = fields.map((field) => {
    const at = former.zone?.locate([...then.path, ...field.split(".")], "key") ?? null;
    return at === null ? field : `${field} (${placeOf(at)})`;
  });
  return [noLongerManaged(`${places.join(", ")} of ${name}`, zone.name, zone.locate(now.path, "key"))];
}

/** Sections that the base has and the files no longer do. */
export function releasedSections(former: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const gone = kinds.filter(({ section }) => section in former.sections && !(section in zone.sections));
  return gone.map(({ section }) => {
    const was = former.locate([section], "key");
    const what = was === null ? section : `${section} (${placeOf(was)})`;
    return noLongerManaged(what, zone.name, at);
  });
}

/** @param what with the lines of the base that are gone */
export function noLongerManaged(what: string, zone: string, at: Span | null): Problem {
  return {
    code: "no_longer_managed",
    severity: "warning",
    summary: "No longer managed",
    detail: `${zone}: the files no longer have ${what}. What is live stays as it is, and no change of it is noticed any more. To remove it, declare that it is to be gone.`,
    at,
  };
}

/** A place in the base, which is not where the files are now. */
export function placeOf({ file, line }: Span): string {
  return `${file}:${line} in the base`;
}
