import { hash } from "node:crypto";
import { type Document, isMap, isScalar, isSeq, type Node, Pair, type Scalar, YAMLMap, YAMLSeq } from "yaml";
import { defaultService } from "../config/schema.js";
import { isShort, newDocument, textOf } from "../config/write-yaml/value-text.js";
import { learntFieldsIn } from "../kinds/expression.js";
import { allowingLengths } from "../kinds/service-limits.js";
import type { Service } from "../model/declared-zone.js";
import { equal, type Json, type JsonObject } from "../model/json.js";
import { plain } from "../render/safe-text.js";
import { type Body, type BodySection, isListIn, type NamedBody } from "./bodies.js";
import type { ExportedZone } from "./read-live.js";

/** The content of a desired-state file. */
export interface FileContent {
  /** Comments at the top of the file. */
  readonly remarks: readonly string[];
  readonly service: Service;
  readonly templates: readonly NamedBody[];
  /** Null: the file has no zones. */
  readonly zones: readonly NamedBody[] | null;
}

export function fileText({ remarks, service, templates, zones }: FileContent): string {
  const doc = newDocument();
  const root = new YAMLMap();
  const add = (key: string, value: Node) => root.add(new Pair(doc.createNode(key), value));
  add("version", doc.createNode(1));
  const serviceBody = serviceBodyOf(service);
  if (Object.keys(serviceBody).length > 0) add("service", nodeOf(doc, serviceBody, "block"));
  if (templates.length > 0) add("templates", bodiesNode(doc, templates));
  if (zones !== null) add("zones", bodiesNode(doc, zones));
  doc.contents = root;
  const names = [...templates, ...(zones ?? [])].flatMap(({ secrets }) => secrets.map((name) => `  ${name}`));
  const head = [...remarks, ...(names.length === 0 ? [] : [SECRETS, ...names])];
  const comments = head.map((line) => `#${comment(line)}\n`).join("");
  return marked(`${comments}${textOf(doc)}`);
}

const SECRETS = "Secrets to set in the environment (log destinations):";

function bodiesNode(doc: Document, bodies: readonly NamedBody[]): Node {
  if (bodies.length === 0) return doc.createNode({}) as Node; // a map is one
  const map = new YAMLMap();
  for (const { name, body } of bodies) {
    const key = doc.createNode(name);
    withNotes(key, body.notes);
    map.add(new Pair(key, bodyNode(doc, body)));
  }
  return map;
}

function bodyNode(doc: Document, { head, sections, unmanaged }: Body): Node {
  const map = new YAMLMap();
  for (const [key, value] of Object.entries(head))
    map.add(new Pair(doc.createNode(key), nodeOf(doc, value, "by size")));
  for (const section of sections) map.add(sectionPair(doc, section));
  if (Object.keys(unmanaged).length > 0) {
    const key = doc.createNode("unmanaged");
    withNotes(key, [ACKNOWLEDGED]);
    map.add(new Pair(key, nodeOf(doc, unmanaged, "block")));
  }
  return map.items.length === 0 ? (doc.createNode({}) as Node) : map; // a map is one
}

const ACKNOWLEDGED =
  "Live objects that this export acknowledges: plan and drift do not count them. Remove each name that should not be here.";

function sectionPair(doc: Document, section: BodySection): Pair {
  const { name, entries, notes } = section;
  const key = doc.createNode(name);
  if (!isListIn(section)) {
    withNotes(key, [...notes, ...entries.flatMap((each) => each.notes)]);
    return new Pair(key, entries.map(({ body }) => nodeOf(doc, body, "block"))[0] ?? doc.createNode({}));
  }
  withNotes(key, notes);
  const list = new YAMLSeq();
  for (const entry of entries) {
    const node = nodeOf(doc, entry.body, "block");
    withNotes(node, entry.notes);
    list.add(node);
  }
  return new Pair(key, list);
}

/** A value as YAML. Short lists in it take one line. */
function nodeOf(doc: Document, value: Json, style: "block" | "by size"): Node {
  const node = doc.createNode(value) as Node; // of a value that is not undefined
  if (isSeq(node) && style === "by size" && isShort(value)) node.flow = true;
  if (isMap<Scalar, Node>(node))
    node.items = node.items.map(({ key }) => {
      const item = (value as JsonObject)[String(key.value)] ?? null; // a map comes from an object
      return new Pair(key, nodeOf(doc, item, "by size"));
    });
  return node;
}

function withNotes(node: Node, notes: readonly string[]): void {
  if (notes.length > 0 && (isScalar(node) || isMap(node))) node.commentBefore = notes.map(comment).join("\n");
}

function comment(text: string): string {
  return ` ${plain(text, MAX_NOTE_CHARS)}`;
}

const MAX_NOTE_CHARS = 400;

/**
 * A service that allows everything that the zones have, also unknown fields of expressions, with types that fit.
 *
 * @param knownService limits that are known already
 */
export function serviceFor(zones: readonly ExportedZone[], knownService: Service): Service {
  const objects = zones.flatMap(({ sections }) =>
    sections.flatMap(({ kind, entries }) => entries.map(({ body }) => ({ kind, body }))),
  );
  const service = objects.reduce((service, { kind, body }) => {
    const long = allowingLengths(kind.fields, body, service);
    return kind.checks?.allowing?.(body, long) ?? long;
  }, knownService);
  const knownFields = knownService.extra_expression_fields;
  return { ...service, extra_expression_fields: { ...knownFields, ...learntFieldsIn(objects, knownFields) } };
}

/** The body of `service:`, without defaults. */
function serviceBodyOf({
  limits,
  custom_log_fields: perList,
  extra_csp_directives: directives,
  extra_expression_fields: fields,
}: Service): JsonObject {
  const defaults: JsonObject = { ...defaultService.limits };
  const more = Object.entries(limits).filter(([name, value]) => !equal(defaults[name], value));
  return {
    ...(more.length === 0 ? {} : { limits: Object.fromEntries(more) }),
    ...(perList === null ? {} : { custom_log_fields: { ...perList } }),
    ...(directives.length === 0 ? {} : { extra_csp_directives: [...directives] }),
    ...(Object.keys(fields).length === 0 ? {} : { extra_expression_fields: fields }),
  };
}

const SCHEMA =
  "# yaml-language-server: $schema=https://raw.githubusercontent.com/zoneward/zoneward/v0.1.0/schemas/zoneward.schema.json\n";

/** A text with the header of an export. Its digest shows whether the file was edited. */
function marked(text: string): string {
  const digest = hash("sha256", text);
  return `${SCHEMA}# Made by zoneward export. The next export overwrites this file, unless you edit it (sha256:${digest}).\n${text}`;
}

export function isUneditedExport(text: string): boolean {
  return marked(text.split("\n").slice(2).join("\n")) === text;
}

export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** Null: the file is for all zones. */
  readonly zone: string | null;
}

/** The file for everything that zones share. No zone has this name, since names of zones have a dot. */
const SHARED = "shared.yaml";

/** A file for each zone, and one for the service and the templates. */
export function folderTexts(
  service: Service,
  templates: readonly NamedBody[],
  zones: readonly NamedBody[],
): readonly NamedText[] {
  const files = zones.map((zone): NamedText => {
    const text = fileText({ remarks: [], service: defaultService, templates: [], zones: [zone] });
    return { name: fileNameOf(zone.name), text, zone: zone.name };
  });
  if (templates.length === 0 && Object.keys(serviceBodyOf(service)).length === 0) return files;
  const shared = fileText({ remarks: [], service, templates, zones: null });
  return [{ name: SHARED, text: shared, zone: null }, ...files];
}

/**
 * The name of a zone's file. Names of zones have lower-case letters, digits, `-`, `_` and dots. So a name with a `+` is
 * no other zone's.
 */
function fileNameOf(zone: string): string {
  if (zone.length > MAX_NAME_CHARS) {
    const digest = hash("sha256", zone).slice(0, 16);
    return `${zone.slice(0, MAX_NAME_CHARS)}+${digest}.yaml`;
  }
  return DEVICE.test(zone) ? `+${zone}.yaml` : `${zone}.yaml`;
}

/** File systems allow 255 bytes. While a file is replaced, its temporary name is longer. */
const MAX_NAME_CHARS = 180;

/** Windows takes these names for devices, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)\./;
