import { createHash } from "node:crypto";
import { type Document, isMap, isScalar, isSeq, type Node, Pair, type Scalar, YAMLMap, YAMLSeq } from "yaml";
import { isShort, newDocument, textOf } from "../config/edit/value-text.js";
import { defaultService } from "../config/schema.js";
import { type Kind, listOf } from "../kinds/kind.js";
import { toldOnce } from "../match/told-once.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { listedBy, RULES } from "../model/unmanaged.js";
import type { Service } from "../model/wanted.js";
import { plain } from "../render/plain.js";
import type { Entry, ExportedZone, Section } from "./read-live.js";

/** What goes into a file beside its zones. */
interface Beside {
  /** Comments at its top. */
  readonly remarks?: readonly string[];
  /** Names that other files have taken; those of this file are added. */
  readonly secrets?: Secrets;
  /** What it says of the service, where that is not what its own zones need. */
  readonly service?: Service;
}

/** Zones as a desired-state file. */
export function fileText(
  zones: readonly ExportedZone[],
  { remarks = [], secrets = new Map(), service = serviceFor(zones) }: Beside = {},
): { readonly text: string; readonly secrets: ReadonlyMap<string, string> } {
  const taken = new Set(secrets.keys());
  const doc = newDocument();
  const body = new YAMLMap();
  for (const zone of zones) body.add(zonePair(doc, zone, secrets));
  const root = rootOf(doc, service);
  root.add(new Pair(doc.createNode("zones"), zones.length === 0 ? doc.createNode({}) : body));
  doc.contents = root;
  const names = [...secrets.keys()].filter((name) => !taken.has(name)).map((name) => `  ${name}`);
  const head = [...remarks, ...(names.length === 0 ? [] : [SECRETS, ...names])];
  const comments = head.map((line) => `#${comment(line)}\n`).join("");
  return { text: marked(`${comments}${textOf(doc)}`), secrets };
}

/** A file of what the zones of other files share, which one file alone may say. Null: nothing. */
export function sharedText(service: Service): string | null {
  if (Object.keys(saidOf(service)).length === 0) return null;
  const doc = newDocument();
  doc.contents = rootOf(doc, service);
  return marked(textOf(doc));
}

function rootOf(doc: Document, service: Service): YAMLMap {
  const root = new YAMLMap();
  root.add(new Pair(doc.createNode("version"), doc.createNode(1)));
  const said = saidOf(service);
  if (Object.keys(said).length > 0) root.add(new Pair(doc.createNode("service"), nodeOf(doc, said, "block")));
  return root;
}

const SECRETS = "Secrets to set in the environment, where the logs go:";

function zonePair(doc: Document, { name, sections }: ExportedZone, secrets: Secrets): Pair {
  const key = doc.createNode(name);
  const bare = sections.filter(({ entries }) => entries.length === 0);
  withNotes(
    key,
    bare.flatMap(({ notes }) => notes),
  );
  const map = new YAMLMap();
  for (const section of sections) {
    if (section.entries.length === 0) continue;
    map.add(sectionPair(doc, section, name, secrets));
  }
  const listing = listingOf(sections);
  if (Object.keys(listing).length > 0)
    map.add(new Pair(doc.createNode("unmanaged"), nodeOf(doc, literal(listing), "block")));
  return new Pair(key, map.items.length === 0 ? doc.createNode({}) : map);
}

/** What is live in the sections that the file has, and it does not declare: known, or every drift would tell of it. */
function listingOf(sections: readonly Section[]): JsonObject {
  const lists = new Map<string, Set<string>>();
  const views = sections.flatMap(({ kind, live, entries, others }) => {
    if (entries.length === 0 || live === null) return [];
    const declared = new Set(entries.map(({ item }) => item));
    const leftOut = live.items.filter((item) => !declared.has(item));
    // Objects by their ids: the name may be another's too, or what is not to be seen.
    const objects = kind
      .unmanaged(leftOut, live.context)
      .filter(({ list, ref }) => list !== RULES || leftOut.some((item) => item.ref.id === ref.id))
      .map(({ list, ref }) => ({ list, ref, name: ref.id }));
    const rules = others.map(({ list, ref }) => ({ list, ref, name: listedBy({ ref }) }));
    return [{ items: live.items, told: [...objects, ...rules] }];
  });
  for (const { list, name } of toldOnce(views, (each) => each).flat())
    if (name !== null) lists.set(list, (lists.get(list) ?? new Set()).add(name));
  return Object.fromEntries([...lists].map(([list, names]) => [list, [...names]]));
}

function sectionPair(doc: Document, section: Section, zone: string, secrets: Secrets): Pair {
  const { kind, name, entries, notes } = section;
  const key = doc.createNode(name);
  const nodeFor = (entry: Entry) => nodeOf(doc, declaredBody(kind, entry, zone, secrets), "block");
  if (!isListIn(section)) {
    withNotes(key, [...notes, ...entries.flatMap((each) => each.notes)]);
    return new Pair(key, entries.map(nodeFor)[0] ?? doc.createNode({}));
  }
  withNotes(key, notes);
  const list = new YAMLSeq();
  for (const entry of entries) {
    const node = nodeFor(entry);
    withNotes(node, entry.notes);
    list.add(node);
  }
  return new Pair(key, list);
}

/** Whether the file has it as a list. */
export function isListIn({ kind, name }: Pick<Section, "kind" | "name">): boolean {
  return name === listOf(kind)?.section;
}

/** A value, short lists below it in one line. */
function nodeOf(doc: Document, value: Json, style: "block" | "by size"): Node {
  const node = doc.createNode(value) as Node; // of a value that is not undefined
  if (isSeq(node) && style === "by size" && isShort(value)) node.flow = true;
  if (isMap<Scalar, Node>(node))
    node.items = node.items.map(({ key }) => {
      const each = (value as JsonObject)[String(key.value)] ?? null; // a map comes from an object
      return new Pair(key, nodeOf(doc, each, "by size"));
    });
  return node;
}

function withNotes(node: Node, notes: readonly string[]): void {
  if (notes.length > 0 && (isScalar(node) || isMap(node))) node.commentBefore = notes.map(comment).join("\n");
}

/** One line, whatever is in it. */
function comment(text: string): string {
  return ` ${plain(text, MAX_NOTE_CHARS)}`;
}

const MAX_NOTE_CHARS = 400;

/** A service that allows all that the zones have. */
export function serviceFor(zones: readonly ExportedZone[]): Service {
  return zones
    .flatMap(({ sections }) =>
      sections.flatMap(({ kind, entries }) => entries.map(({ body }) => ({ kind, body }))),
    )
    .reduce((service, { kind, body }) => kind.allowing?.(body, service) ?? service, defaultService);
}

/** As a file says it: what is not the default. */
function saidOf({ limits, extra_csp_directives: directives }: Service): JsonObject {
  const usual = Object.entries(defaultService.limits);
  const more = Object.entries(limits).filter(
    ([name, value]) => !usual.some(([each, by]) => each === name && equal(by, value)),
  );
  return {
    ...(more.length === 0 ? {} : { limits: Object.fromEntries(more) }),
    ...(directives.length === 0 ? {} : { extra_csp_directives: [...directives] }),
  };
}

/** Names of secrets → what they are, as far as a file has them. */
export type Secrets = Map<string, string>;

/**
 * An object as the file has it: with references to secrets, which are added to those given.
 *
 * @param taken names that others have
 */
export function declaredBody(
  kind: Kind,
  { body, item }: Entry,
  zone: string,
  secrets: Secrets,
  taken: readonly string[] = [],
): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (kind.sensitive[key] !== "always" || typeof value !== "string") return [key, literal(value)];
      const name = secretName([zone, item.ref.key], new Set([...taken, ...secrets.keys()]));
      secrets.set(name, value);
      return [key, `\${secret:${name}}`];
    }),
  );
}

/** A value in which nothing is taken for a reference. */
export function literal(value: Json): Json {
  if (typeof value === "string") return value.replaceAll("${", "$$${");
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
  const words = parts.map((part) => part.toUpperCase().replace(/[^A-Z0-9]+/g, "_")).join("_");
  const name = words.replace(/_+/g, "_").replace(/^_|_$/g, "").slice(0, MAX_CHARS);
  const usable = /^[A-Z]/.test(name) && !KEPT.test(name) ? name : `ZONE_${name}`;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? usable : `${usable}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

const MAX_CHARS = 120;

/** What files may not read: the names of a run's own variables. */
const KEPT = /^(CLOUDFLARE|ACTIONS|GITHUB|RUNNER|INPUT|NODE|ZONEWARD)(_|$)/;

const SCHEMA = "# yaml-language-server: $schema=./node_modules/zoneward/schemas/zoneward.schema.json\n";

/** A text as an export begins: with what tells whether somebody has edited it since. */
function marked(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  return `${SCHEMA}# Made by zoneward export, which writes over this file until somebody edits it (sha256:${digest}).\n${text}`;
}

/** Whether a text is an export, as it was made. */
export function isUneditedExport(text: string): boolean {
  return marked(text.split("\n").slice(2).join("\n")) === text;
}
