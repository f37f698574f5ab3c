import type { Kind } from "../kinds/kind.js";
import type { Problem } from "../model/problem.js";
import type { Declared } from "../model/wanted.js";
import type { OpenZone } from "./desired.js";
import { pathIn } from "./layers.js";

type Body = Pick<OpenZone, "layers" | "merged" | "locate" | "outside">;

/** What a declared object may not be meant to say. */
export function objectWarnings(kind: Kind, declared: Declared, body: Body): readonly Problem[] {
  return [...idleBesideAbsent(kind, declared, body), ...writtenOut(kind, declared, body)];
}

/**
 * What stands beside `ensure: absent`, or is stronger than the template that has it: somebody may have meant the object
 * to exist. That a template declares what a zone removes is how removing works.
 */
function idleBesideAbsent(kind: Kind, { path, body: object }: Declared, body: Body): readonly Problem[] {
  if (object.ensure !== "absent") return [];
  const depthOf = (key: string) =>
    body.layers.findLastIndex((layer) => pathIn(layer, body.merged, [...path, key]) !== null);
  const idle = ownedKeys(kind, object).filter((key) => depthOf(key) >= depthOf("ensure"));
  if (idle.length === 0) return [];
  const detail = `With ensure: absent the object is removed, and what is said beside it has no effect: ${idle.join(", ")}. Remove the one or the other; what a template says is removed by ensure: null.`;
  const at = body.locate([...path, "ensure"], "key");
  return [{ code: "beside_absent", severity: "warning", summary: "Keys without effect", detail, at }];
}

/** Keys that say how the object should be, and not which it is. */
function ownedKeys(kind: Kind, object: Declared["body"]): readonly string[] {
  const fixed = Object.keys(kind.want({}, null));
  const named = kind.shape.as === "list" ? [kind.shape.named] : [];
  return Object.entries(object).flatMap(([key, value]) => {
    const fields = Object.keys(kind.want({ [key]: value }, null));
    return fields.some((field) => !fixed.includes(field) && !named.includes(field)) ? [key] : [];
  });
}

/** A secret that everybody sees who sees the file. */
function writtenOut(kind: Kind, { path, body: object }: Declared, body: Body): readonly Problem[] {
  const keys = Object.keys(kind.sensitive).filter((key) => kind.sensitive[key] === "always");
  return keys.flatMap((key): readonly Problem[] => {
    const outside = body.outside([...path, key]);
    if (typeof object[key] !== "string" || (outside !== null && !outside.isDefault)) return [];
    const detail = `${key} may hold a secret, and here it is written out for all who can read the file. Put it into the environment and write \${secret:NAME}.`;
    const at = body.locate([...path, key], "key");
    return [{ code: "secret_in_file", severity: "warning", summary: "A secret in the file", detail, at }];
  });
}
