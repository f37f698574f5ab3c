import { type Kind, listOf } from "../kinds/kind.js";
import { undeclaredAmong } from "../kinds/undeclared-fields.js";
import { reportOnce } from "../match/report-once.js";
import type { Item } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { escaped } from "../model/reference.js";
import { listedBy, RULES, type UnmanagedObject } from "../model/unmanaged.js";
import { variableName } from "../model/variable-name.js";
import type { Entry, ExportedZone, Section } from "./read-live.js";

/** The body of a zone or a template, before it is YAML. */
export interface Body {
  /** The keys before its sections: `extends`, `vars`. */
  readonly head: JsonObject;
  readonly sections: readonly BodySection[];
  /** Undeclared objects that are listed as known: list → names. */
  readonly unmanaged: JsonObject;
  /** Comments at its name. */
  readonly notes: readonly string[];
}

export interface BodySection {
  readonly kind: Kind;
  readonly name: string;
  /** A single entry, unless the section is a list. */
  readonly entries: readonly BodyEntry[];
  readonly notes: readonly string[];
}

/** An entry with references. Other text is escaped. */
export interface BodyEntry {
  readonly body: JsonObject;
  readonly notes: readonly string[];
}

export interface NamedBody {
  readonly name: string;
  readonly body: Body;
  /** Names of the secrets that it needs. */
  readonly secrets: readonly string[];
}

/** The bodies of zones, with the secrets that they refer to. */
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

/** The `unmanaged` key of a zone: list → names. */
function listingOf(sections: readonly Section[]): JsonObject {
  const lists = new Map<string, Set<string>>();
  for (const { list, name } of acknowledgedIn(sections))
    if (name !== null) lists.set(list, (lists.get(list) ?? new Set()).add(name));
  return Object.fromEntries([...lists].map(([list, names]) => [list, [...names]]));
}

interface Acknowledged extends Pick<UnmanagedObject, "list" | "ref" | "effect"> {
  readonly name: string | null;
}

/**
 * Undeclared objects in the declared sections, and undeclared fields of declared objects. They are listed as known, or
 * every drift would report them.
 */
export function acknowledgedIn(sections: readonly Section[]): readonly Acknowledged[] {
  const views = sections.flatMap(({ kind, live, entries, foreign }) => {
    if (entries.length === 0 || live === null) return [];
    const exported = new Set(entries.map(({ item }) => item));
    const leftOut = live.items.filter((item) => !exported.has(item));
    const isLeftOut = ({ ref }: UnmanagedObject) => leftOut.some((item) => item.ref.id === ref.id);
    // Objects are listed by id: a name may not be unique, or may hold a secret. That of a declared one is for all its fields.
    const objects = undeclaredAmong(kind, leftOut, entries.map(asDeclared(kind)), live.context)
      .filter((each) => each.fields !== undefined || each.list !== RULES || isLeftOut(each))
      .map(({ list, ref, effect, fields }) => {
        const name = fields === undefined ? ref.id : listedBy({ ref });
        return { list, ref, effect, name };
      });
    const rules = foreign.map(({ list, ref, effect }) => ({ list, ref, effect, name: listedBy({ ref }) }));
    return [{ items: live.items, reported: [...objects, ...rules] }];
  });
  return reportOnce(views, (each) => each).flat();
}

/** The live object as a plan of the exported file sees it. */
function asDeclared(kind: Kind) {
  return ({ item, body }: Entry): Item => {
    const desired = kind.toDesired(body, item);
    return { ...item, normal: { ...item.normal, ...desired }, owns: Object.keys(desired) };
  };
}

/** Whether the section is a list in the file. */
export function isListIn({ kind, name }: Pick<Section, "kind" | "name">): boolean {
  return name === listOf(kind)?.section;
}

/** Names of secrets → their values, for the secrets of the file. */
export type Secrets = Map<string, string>;

/**
 * The body of an object in the file. Secrets become references, and are added to `secrets`.
 *
 * @param taken names of other secrets
 * @param secretFields fields that are secret here, besides those that always are
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
  // A reference is a text, so other secret values are left out.
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

/** Escapes references in a value. */
export function literal(value: Json): Json {
  if (typeof value === "string") return escaped(value);
  if (isList(value)) return value.map(literal);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}

/**
 * A new name for a secret.
 *
 * @param parts what the secret is for: a zone, an object
 */
function secretName(parts: readonly string[], taken: ReadonlySet<string>): string {
  const usable = variableName(parts);
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? usable : `${usable}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** The prefix of the names of a zone's secrets. */
export function siteOf(zone: string): string {
  return variableName([zone]);
}
