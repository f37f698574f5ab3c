import { readFile } from "node:fs/promises";
import { code, fenced, listed, table } from "./markdown.mjs";
import { rowsOf } from "./schema-rows.mjs";

/** Its keys stand in another table. */
const OBJECT = { type: "object", properties: {} };

/** The parts of docs/file-format.md that the schemas and the kinds say. */
export async function fileFormatParts({ schema, kinds, guardrails }) {
  const { zone, ...defs } = schema.$defs;
  return {
    top: keyTable(rowsOf(topOf(schema))),
    zone: keyTable(rowsOf({ ...zone, properties: bodyOf(zone, kinds) })),
    kinds: (await Promise.all(kinds.map((kind) => kindSection(kind, defs[kind.name])))).join("\n\n"),
    guardrails: keyTable(rowsOf(guardrails)),
    service: keyTable(rowsOf(schema.properties.service)),
  };
}

/** Without what has a table of its own. */
function topOf({ properties, required }) {
  const { guardrails, service, ...rest } = properties;
  const { title: _, ...brief } = guardrails;
  return {
    required,
    properties: {
      ...rest,
      zones: { type: "object", description: `${rest.zones.description} See [A zone](#a-zone).` },
      templates: {
        type: "object",
        description: `${rest.templates.description} See [Templates](#templates).`,
      },
      guardrails: { ...OBJECT, description: `${brief.description} See [Guardrails](#guardrails).` },
      service: { ...OBJECT, description: `${service.description} See [Service](#service).` },
    },
  };
}

/** The kinds' sections have tables of their own. */
function bodyOf({ properties }, kinds) {
  const sections = new Map(kinds.map((kind) => [kind.section, kind]));
  const lists = new Map(kinds.flatMap((kind) => (kind.shape.each ? [[kind.shape.each.section, kind]] : [])));
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => {
      const several = lists.get(key);
      if (several !== undefined) {
        const { named } = several.shape.each;
        const description = `The same, several of them, each with its ${named}. See [${several.section}](#${several.section}).`;
        return [key, { type: "array", items: OBJECT, description }];
      }
      const kind = sections.get(key);
      if (kind === undefined) return [key, property];
      const shape = kind.shape.named === undefined ? OBJECT : { type: "array", items: OBJECT };
      return [key, { ...shape, description: `See [${key}](#${key}).` }];
    }),
  );
}

async function kindSection(kind, schema) {
  const { section, shape, schema: own } = kind;
  const example = await exampleOf(section);
  const kindOfSection =
    shape.named === undefined
      ? oneOf(shape)
      : `A list; ${code(shape.named)} is the name of each entry, unique within the zone.`;
  return [
    `## ${section}`,
    `${own.description} ${kindOfSection}`,
    keyTable(rowsOf(schema)),
    facts(kind).join("\n"),
    fenced("yaml", example),
  ].join("\n\n");
}

function oneOf({ each }) {
  if (each === undefined) return "One object a zone.";
  return `One object a zone; several stand in ${code(each.section)}, a list in which ${code(each.named)} is the name of each entry. The one is the same as a list of one.`;
}

async function exampleOf(section) {
  const file = `docs/examples/${section}.yaml`;
  return await readFile(file, "utf8").catch(() => {
    throw new Error(`Each section has an example: write ${file}.`);
  });
}

function facts(kind) {
  const { at, fields, service, shape } = kind;
  const always = namesWhere(fields, ({ secret }) => secret === "always");
  const inside = namesWhere(fields, ({ secret }) => secret === "inside");
  return [
    ...(at.as !== "object"
      ? [newOne(fields, shape)]
      : ["- It is always there: nothing creates or deletes it."]),
    ...(always.length === 0 ? [] : [`- Sensitive, never shown: ${listed(always)}.`]),
    ...(inside.length === 0 ? [] : [`- May hold a \`\${secret:NAME}\`: ${listed(inside)}.`]),
    ...namesWhere(fields, ({ fixed }) => fixed).map(
      (field) =>
        `- ${code(field)} cannot change in place: another object takes the place of the live one, which is deleted when that is there.`,
    ),
    ...Object.entries(fields).flatMap(([name, { aliases = [] }]) =>
      aliases.map((alias) => `- ${code(alias)} is accepted as ${code(name)}.`),
    ),
    `- Permission groups of the API token: ${permissionText(service.permissions)}.`,
  ];
}

function namesWhere(fields, isMeant) {
  return Object.keys(fields).filter((name) => isMeant(fields[name]));
}

function newOne(fields, shape) {
  const required = namesWhere(fields, (field) => field.required);
  const defaults = Object.fromEntries(
    Object.entries(fields).flatMap(([name, { default: value }]) => {
      const usual = typeof value === "function" ? value({}, null) : value;
      return usual === undefined ? [] : [[name, usual]];
    }),
  );
  const needs = required.length === 0 ? "" : ` needs ${listed(required)}`;
  const gets = Object.entries(defaults).map(([key, value]) => code(`${key}: ${yamlScalar(value)}`));
  const has =
    gets.length === 0
      ? ""
      : `${needs === "" ? "" : ", and"} gets ${gets.join(", ")} where the file says nothing`;
  const what = needs + has === "" ? " needs nothing more" : needs + has;
  return `- A new ${shape.named === undefined ? "one" : "entry"}${what}.`;
}

/** Text that YAML would read as something else stands in quotes. */
function yamlScalar(value) {
  return value === "true" || value === "false" ? `"${value}"` : String(value);
}

function permissionText({ read, write, account }) {
  const both = read === write ? `${read} to read and write` : `${read} to read, ${write} to write`;
  return account === undefined ? both : `${both}, ${account} to read the account's rulesets`;
}

function keyTable(rows) {
  return table(
    ["key", "value", "meaning"],
    rows.map(({ path, type, required, description }) => [
      `${code(path)}${required ? " (required)" : ""}`,
      type.replace(/ or null$/, ""),
      description,
    ]),
  );
}
