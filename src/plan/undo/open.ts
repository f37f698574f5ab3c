import { hasSensitive } from "../../kinds/sensitive.js";
import { harmless } from "../../match/harmless.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Past } from "./past.js";
import type { Undoing } from "./undoing.js";

/** Fields of the normal form that may be secret, each with its name in the object as the service has it. */
export type Hidden = ReadonlyMap<string, string>;

/** What the journal does not say of an object, or could not have said. */
export function hiddenIn(undoing: Undoing, { before, afters }: Past, live: JsonObject | null): Hidden {
  const { kind } = undoing;
  if (!hasSensitive(kind)) return new Map();
  const journaled = [before, ...afters].filter((raw) => raw !== null);
  const raws = [...journaled, live].filter((raw) => raw !== null);
  const fields = new Set(raws.flatMap((raw) => Object.keys(normalOf(undoing, raw))));
  const hidden = Object.entries(kind.sensitive).flatMap(([key, where]) => {
    if (where === "always") return [[key, key] as const];
    return [...fields].flatMap((field) => {
      const name = field.startsWith(`${key}.`) ? field.slice(key.length + 1) : null;
      if (name === null) return [];
      const isMarked = journaled.some((raw) => isMark(raw[name]));
      const isSaid = where.plain.includes(name) && journaled.some((raw) => Boolean(raw[name]));
      return (where.kept.includes(name) || isSaid) && !isMarked ? [] : [[field, name] as const];
    });
  });
  return new Map(hidden);
}

/** A reference, or what stands where something is not said. */
export function isMark(value: Json | undefined): boolean {
  return isObject(value) && ("$secret" in value || "$sensitive" in value);
}

/** An object in the normal form without what is hidden. */
export function openNormal(undoing: Undoing, hidden: Hidden, raw: JsonObject): SealedObject {
  const shown = Object.entries(normalOf(undoing, raw)).filter(([field]) => !hidden.has(field));
  const normal = Object.fromEntries(shown);
  const ref = { kind: undoing.kind.name, key: "", id: null };
  return harmless({ ref, normal, raw, owns: "nothing", at: null }).normal;
}

/** An object as the service has it without what is hidden. */
export function openRaw(hidden: Hidden, raw: JsonObject): JsonObject {
  const names = new Set(hidden.values());
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !names.has(name)));
}

function normalOf({ kind, live, reading }: Undoing, raw: JsonObject): SealedObject {
  return kind.normalOf(raw, live.around, reading) ?? {};
}
