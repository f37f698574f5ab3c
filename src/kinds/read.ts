import { cut } from "../model/cut.js";
import type { Declared } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import { isObject, type Json, type JsonObject, pick } from "../model/json.js";
import { areAll, failed, ok, type Problem, type Result } from "../model/problem.js";
import { exactId, notAnId, type ReadApi, sameIdAgain } from "../model/read-api.js";
import { namesWith, valuesOf } from "./fields.js";
import { type At, type Kind, type Live, nameField, type ZoneReader } from "./kind.js";
import { unexpected } from "./phase.js";
import { oddField } from "./same-names.js";

/** All live objects of a kind in a zone. A failed read is a problem, never an absent object. */
export async function readLive(
  kind: Kind,
  zone: ZoneReader,
  declared: readonly Declared[],
  former: readonly Declared[] = [],
): Promise<Result<Live>> {
  const { at } = kind;
  switch (at.as) {
    case "object":
      return at.reads?.live(zone, declared, former) ?? readObject(kind, at.path, zone);
    case "collection":
      return at.reads?.live(zone, declared, former) ?? readCollection(kind, at, zone);
    case "rules":
      return at.reads.live(zone, declared, former);
  }
}

/** The live objects of a kind, for a file that declares nothing yet. */
export async function readForExport(kind: Kind, zone: ZoneReader): Promise<Result<Live>> {
  return kind.at.reads?.forExport(zone) ?? readLive(kind, zone, []);
}

/** The service answers null for an object in which nothing was ever set. */
async function readObject(
  kind: Kind,
  below: readonly string[],
  { api, zoneId }: ZoneReader,
): Promise<Result<Live>> {
  const path = pathOf(zoneId, below);
  const answer = await api.get(path);
  if (!answer.ok) return answer;
  const alwaysShown = namesWith(kind.fields, "shown");
  const raw = answer.value ?? pick(valuesOf(kind.fields, "unset"), alwaysShown);
  const isShown = isObject(raw) && alwaysShown.every((field) => (raw[field] ?? null) !== null);
  const item = isShown ? itemOf(kind, raw, null) : null;
  if (item === null)
    return failed(
      unexpected(nounOf(kind), `GET ${path} answered with something other than a ${nounOf(kind)}`),
    );
  return ok({ items: [answer.value === null ? { ...item, raw: {} } : item], context: null });
}

async function readCollection(
  kind: Kind,
  { path: below, mayBeUnlisted }: At & { readonly as: "collection" },
  { api, zoneId }: ZoneReader,
): Promise<Result<Live>> {
  const path = pathOf(zoneId, below);
  const answer = await api.list(path);
  if (!answer.ok && mayBeUnlisted === true && (await isUnlisted(answer.problems, api, zoneId)))
    return ok({ items: [], context: null, unlisted: true });
  if (!answer.ok) return answer;
  return itemsOf(kind, answer.value, `GET ${path} listed`);
}

/** An unreadable object fails the read: skipping it would make it look absent. */
export function itemsOf(kind: Kind, raws: readonly Json[], source: string): Result<Live<null>> {
  const refuse = (wrong: string) => failed(unexpected(nounOf(kind), `${source} ${wrong}`));
  // By the published schema, a list may contain null in place of an object.
  const present = raws.filter((each) => each !== null);
  const objects = present.filter(isObject);
  if (objects.length < present.length) return refuse(`something other than a ${nounOf(kind)}`);
  const items: Item[] = [];
  for (const raw of objects) {
    const id = exactId(raw.id);
    if (id === null) return refuse(`${nameOf(kind, raw)} with ${notAnId(raw.id)}`);
    const item = itemOf(kind, raw, id);
    const odd = () => cut(oddField(kind.fields, raw) ?? "fields of an unknown form", MAX_CHARS);
    if (item === null) return refuse(`${nameOf(kind, raw)}, ${id}, with ${odd()}`);
    items.push(item);
  }
  const twin = sameIdAgain(objects, ({ id }) => exactId(id));
  if (twin === null) return ok({ items, context: null });
  return refuse(`two objects with the id ${exactId(twin.id)}; the second is ${nameOf(kind, twin)}`);
}

function itemOf(kind: Kind, raw: JsonObject, id: string | null): Item | null {
  const normal = kind.normalOf(raw, null, []);
  if (normal === null) return null;
  const named = nameField(kind);
  const name = named === null ? kind.name : normal[named];
  const isNamed = typeof name === "string" && name !== "";
  // Where a name is optional, an object without one is identified by its id.
  const key = isNamed ? name : isNameRequired(kind) ? "" : (id ?? "");
  return { ref: { kind: kind.name, key, id }, normal, raw, owns: "nothing", at: null };
}

/**
 * Whether the service has no list of these objects: the published interface can create jobs but not list them. A
 * missing path may also mean a missing zone, in which case the zone's settings are missing too.
 */
async function isUnlisted(problems: readonly Problem[], api: ReadApi, zoneId: string): Promise<boolean> {
  if (areAll(problems, "method_not_allowed")) return true;
  if (!areAll(problems, ...ABSENT)) return false;
  const settings = await api.get(pathOf(zoneId, ["page_shield"]));
  return settings.ok || !areAll(settings.problems, ...ABSENT);
}

const ABSENT = ["not_found", "no_route"];

function pathOf(zoneId: string, below: readonly string[]): string {
  return `/zones/${[zoneId, ...below].join("/")}`;
}

function isNameRequired(kind: Kind): boolean {
  const { required = null } = kind.schema;
  return Array.isArray(required) && required.includes(nameField(kind));
}

function nounOf({ name }: Pick<Kind, "name">): string {
  return name.replaceAll("_", " ");
}

function nameOf(kind: Pick<Kind, "name" | "sections" | "fields">, raw: JsonObject): string {
  const name = raw[nameField(kind) ?? ""];
  return typeof name === "string"
    ? `the ${nounOf(kind)} ${cut(JSON.stringify(name), MAX_CHARS)}`
    : `a ${nounOf(kind)}`;
}

const MAX_CHARS = 100;
