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

/** Each kind's section has its own table. */
function bodyOf({ properties }, kinds) {
  const sections = kinds.flatMap(({ section, shape }) => [section, shape.each?.section]);
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !sections.includes(key)));
}

async function kindSection(kind, schema) {
  const { section, shape, schema: own } = kind;
  const example = await exampleOf(section);
  const kindOfSection =
    shape.named === undefined ? oneOf(shape) : `A list of entries with a unique ${code(shape.named)}.`;
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
  return `One object a zone, or a list in ${code(each.section)} with a unique ${code(each.named)}.`;
}

async function exampleOf(section) {
  const file = `docs/examples/${section}.yaml`;
  return await readFile(file, "utf8").catch(() => {
    throw new Error(`Each section has an example: write ${file}.`);
  });
}

function facts(kind) {
  const { at, fields, service } = kind;
  const always = namesWhere(fields, ({ secret }) => secret === "always");
  const inside = namesWhere(fields, ({ secret }) => secret === "inside");
  const fixed = namesWhere(fields, (field) => field.fixed);
  return [
    ...(at.as !== "object" ? newOne(fields) : ["- The object always exists: it is only updated."]),
    ...(always.length === 0 ? [] : [`- Sensitive, so never shown: ${listed(always)}.`]),
    ...(inside.length === 0 ? [] : [`- May contain \`\${secret:NAME}\`: ${listed(inside)}.`]),
    ...(fixed.length === 0 ? [] : [`- A change replaces the object: ${listed(fixed)}.`]),
    ...Object.entries(fields).flatMap(([name, { aliases = [] }]) =>
      aliases.map((alias) => `- ${code(alias)} is an alias of ${code(name)}.`),
    ),
    `- API token: ${permissionText(service.permissions)}.`,
  ];
}

function namesWhere(fields, isMeant) {
  return Object.keys(fields).filter((name) => isMeant(fields[name]));
}

function newOne(fields) {
  const required = namesWhere(fields, (field) => field.required);
  const defaults = Object.fromEntries(
    Object.entries(fields).flatMap(([name, { default: value }]) => {
      const usual = typeof value === "function" ? value({}, null) : value;
      return usual === undefined ? [] : [[name, usual]];
    }),
  );
  const gets = Object.entries(defaults).map(([key, value]) => code(`${key}: ${yamlScalar(value)}`));
  return [
    ...(required.length === 0 ? [] : [`- Required for a new object: ${listed(required)}.`]),
    ...(gets.length === 0 ? [] : [`- Defaults of a new object: ${gets.join(", ")}.`]),
  ];
}

/** Text that YAML would read as something else stands in quotes. */
function yamlScalar(value) {
  return value === "true" || value === "false" ? `"${value}"` : String(value);
}

function permissionText({ read, write, account }) {
  const both = read === write ? `${read} to read and write` : `${read} to plan, ${write} to apply`;
  return account === undefined ? both : `${both}, ${account} for the account's rulesets`;
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
