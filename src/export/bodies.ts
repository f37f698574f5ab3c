import { type Kind, listOf } from "../kinds/kind.js";
import { toldOnce } from "../match/told-once.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { escaped } from "../model/reference.js";
import { listedBy, RULES, type UnmanagedObject } from "../model/unmanaged.js";
import { variableName } from "../model/variable-name.js";
import type { Entry, ExportedZone, Section } from "./read-live.js";

/** A zone or a template as a file has it, before it is text. */
export interface Body {
  /** What it says before its sections: `extends`, `vars`. */
  readonly head: JsonObject;
  readonly sections: readonly BodySection[];
  /** What is live, not declared and known: list → names. */
  readonly unmanaged: JsonObject;
  /** Comments at its name, in sentences. */
  readonly notes: readonly string[];
}

export interface BodySection {
  readonly kind: Kind;
  readonly name: string;
  /** One, unless it is a list. */
  readonly entries: readonly BodyEntry[];
  readonly notes: readonly string[];
}

/** References are in it, and all else is escaped. */
export interface BodyEntry {
  readonly body: JsonObject;
  readonly notes: readonly string[];
}

export interface NamedBody {
  readonly name: string;
  readonly body: Body;
  /** Names of the secrets that it takes. */
  readonly secrets: readonly string[];
}

/** Zones as files declare them, with what the secrets are that they name. */
export function bodiesOf(zones: readonly ExportedZone[]): {
  readonly bodies: readonly NamedBody[];
  readonly secrets: Secrets;
} {
  const secrets: Secrets = new Map();
  const bodies = zones.map((zone): NamedBody => {
    const before = secrets.size;
    const body = bodyOf(zone, secrets);
    return { name: zone.name, body, secrets: [...secrets.keys()].slice(before) };
  });
  return { bodies, secrets };
}

function bodyOf({ name, sections }: ExportedZone, secrets: Secrets): Body {
  const emptySections = sections.filter(({ entries }) => entries.length === 0);
  return {
    head: {},
    sections: sections.flatMap((section): readonly BodySection[] => {
      const { kind, entries, notes } = section;
      if (entries.length === 0) return [];
      const declared = entries.map((entry) => ({
        body: declaredBody(kind, entry, name, secrets),
        notes: entry.notes,
      }));
      return [{ kind, name: section.name, entries: declared, notes }];
    }),
    unmanaged: literal(listingOf(sections)) as JsonObject, // a map stays one
    notes: emptySections.flatMap(({ notes }) => notes),
  };
}

/** The same as the file lists it: list → names. */
function listingOf(sections: readonly Section[]): JsonObject {
  const lists = new Map<string, Set<string>>();
  for (const { list, name } of acknowledgedIn(sections))
    if (name !== null) lists.set(list, (lists.get(list) ?? new Set()).add(name));
  return Object.fromEntries([...lists].map(([list, names]) => [list, [...names]]));
}

interface Acknowledged extends Pick<UnmanagedObject, "list" | "ref" | "effect"> {
  readonly name: string | null;
}

/** What is live in the sections that the file has, and it does not declare: known, or every drift would tell of it. */
export function acknowledgedIn(sections: readonly Section[]): readonly Acknowledged[] {
  const views = sections.flatMap(({ kind, live, entries, foreign }) => {
    if (entries.length === 0 || live === null) return [];
    const declared = new Set(entries.map(({ item }) => item));
    const leftOut = live.items.filter((item) => !declared.has(item));
    // Objects by their ids: the name may be another's too, or what is not to be seen.
    const objects = (kind.kept?.does?.(leftOut, live.context) ?? [])
      .filter(({ list, ref }) => list !== RULES || leftOut.some((item) => item.ref.id === ref.id))
      .map(({ list, ref, effect }) => ({ list, ref, effect, name: ref.id }));
    const rules = foreign.map(({ list, ref, effect }) => ({ list, ref, effect, name: listedBy({ ref }) }));
    return [{ items: live.items, told: [...objects, ...rules] }];
  });
  return toldOnce(views, (each) => each).flat();
}

/** Whether the file has it as a list. */
export function isListIn({ kind, name }: Pick<Section, "kind" | "name">): boolean {
  return name === listOf(kind)?.section;
}

/** Names of secrets → what they are, as far as a file has them. */
export type Secrets = Map<string, string>;

/**
 * An object as the file has it: with references to secrets, which are added to those given.
 *
 * @param taken names that others have
 * @param secretFields fields that are secrets beside those that always are
 */
export function declaredBody(
  kind: Kind,
  { body, item }: Pick<Entry, "body" | "item">,
  zone: string,
  secrets: Secrets,
  taken: readonly string[] = [],
  secretFields: ReadonlySet<string> = new Set(),
): JsonObject {
  const referenceTo = (value: string, ...parts: readonly string[]) => {
    const name = secretName([zone, item.ref.key, ...parts], new Set([...taken, ...secrets.keys()]));
    secrets.set(name, value);
    return `\${secret:${name}}`;
  };
  // Only a text can be a reference: what is none is left out.
  const inside = (key: string, value: JsonObject) =>
    Object.entries(value).flatMap(([inner, innerValue]): (readonly [string, Json])[] => {
      if (!secretFields.has(`${key}.${inner}`)) return [[inner, literal(innerValue)]];
      return typeof innerValue === "string" ? [[inner, referenceTo(innerValue, inner)]] : [];
    });
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const isAlways = kind.fields[key]?.secret === "always";
      if (isAlways && typeof value === "string") return [key, referenceTo(value)];
      return [key, isObject(value) ? Object.fromEntries(inside(key, value)) : literal(value)];
    }),
  );
}

/** A value in which nothing is taken for a reference. */
export function literal(value: Json): Json {
  if (typeof value === "string") return escaped(value);
  if (isList(value)) return value.map(literal);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}

/**
 * A name for a secret, which no other one has.
 *
 * @param parts what it is about: a zone, an object
 */
function secretName(parts: readonly string[], taken: ReadonlySet<string>): string {
  const usable = variableName(parts);
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? usable : `${usable}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** What names of secrets that are a zone's begin with. */
export function siteOf(zone: string): string {
  return variableName([zone]);
}
