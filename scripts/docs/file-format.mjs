import { code, listed, table } from "./markdown.mjs";
import { rowsOf } from "./schema-rows.mjs";

/** An object whose keys are in another table. */
const OBJECT = { type: "object", properties: {} };

/** The parts of docs/file-format.md that come from the schemas and the kinds. */
export function fileFormatParts({ schema, kinds }) {
  const { zone, ...defs } = schema.$defs;
  return {
    top: keyTable(rowsOf(topOf(schema))),
    zone: keyTable(rowsOf(withoutExamples({ ...zone, properties: bodyOf(zone, kinds) }))).replace(
      listed(sectionsOf(kinds)),
      "sections",
    ),
    kinds: kindSections(kinds, defs).join("\n\n"),
    service: keyTable(rowsOf(schema.properties.service)),
  };
}

/** Without keys that have their own table. */
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

function sectionsOf(kinds) {
  return kinds.flatMap(({ sections }) => sections.map(({ section }) => section));
}

/** Each kind's section has its own table. */
function bodyOf({ properties }, kinds) {
  const sections = sectionsOf(kinds);
  const { unmanaged, ...others } = properties;
  return {
    ...Object.fromEntries(Object.entries(others).filter(([key]) => !sections.includes(key))),
    unmanaged: {
      ...OBJECT,
      description: `${unmanaged.description} See [Undeclared objects](#undeclared-objects).`,
    },
  };
}

function kindSections(kinds, defs) {
  const tables = kinds.map(({ section, name }) => ({
    section,
    rows: sharedOnce(rowsOf(withoutExamples(defs[name]))),
  }));
  return kinds.map((kind, at) => kindSection(kind, tables[at].rows, tables.slice(0, at)));
}

function kindSection(kind, rows, earlier) {
  const { section, sections, schema, at } = kind;
  const [{ named }] = sections;
  const kindOfSection =
    named === undefined ? oneOf(sections, at) : `A list of entries with a unique ${code(named)}.`;
  const told = earlier.map((each) => ({ section: each.section, keys: keysInBoth(rows, each.rows) }));
  const isTold = ({ path }) => told.some(({ keys }) => keys.includes(topKey(path)));
  return [
    `## ${section}`,
    `${schema.description} ${kindOfSection}`,
    keyTable(rows.filter((row) => !isExplained(row) && !isTold(row))),
    [...entryKeys(rows), ...told.flatMap(alike), ...facts(kind, rows)].join("\n"),
    `[Example](examples/${section}.yaml)`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Nested keys that the tables of two sections explain in the same words. */
function keysInBoth(rows, others) {
  const below = (all, key) => JSON.stringify(all.filter(({ path }) => topKey(path) === key));
  const withKeys = rows.filter(({ path }) => path !== topKey(path)).map(({ path }) => topKey(path));
  return [...new Set(withKeys)].filter((key) => below(rows, key) === below(others, key));
}

function topKey(path) {
  return path.replace(/[.[].*/, "");
}

function alike({ section, keys }) {
  return keys.length === 0 ? [] : [`- As in [${code(section)}](#${section}): ${listed(keys)}.`];
}

function entryKeys(rows) {
  const keys = EXPLAINED.filter((key) => rows.some(({ path }) => path === key));
  return keys.length === 0 ? [] : [`- Also: ${listed(keys)}.`];
}

/** Keys that mean the same in each section. The page explains them before the sections. */
const EXPLAINED = ["id", "renamed_from", "ensure", "until"];

function isExplained({ path }) {
  return EXPLAINED.includes(path) || path.endsWith("[].until");
}

/** The page links to a file with examples for each section, so the table needs none. */
function withoutExamples(schema) {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "examples" ? undefined : value)));
}

/** Merges the rows of a key that several lists or maps share. */
function sharedOnce(rows) {
  const inner = ({ path, description }) => `${path.replace(/^.*[\]*]\./, "[].")} ${description}`;
  return rows.filter((row, at) => rows.findIndex((each) => inner(each) === inner(row)) === at);
}

function oneOf([, list], at) {
  if (at.as === "object") return "One object per zone, which always exists.";
  if (list === undefined) return "One object per zone.";
  return `One object per zone, or a list in ${code(list.section)} with a unique ${code(list.named)}.`;
}

function facts(kind, rows) {
  const { at, fields } = kind;
  const always = namesWhere(fields, ({ secret }) => secret === "always");
  const inside = namesWhere(fields, ({ secret }) => secret === "inside");
  const fixed = namesWhere(fields, (field) => field.fixed);
  return [
    ...(at.as !== "object" ? newOne(fields, rows) : []),
    ...(always.length === 0 ? [] : [`- Sensitive, so never shown: ${listed(always)}.`]),
    ...(inside.length === 0 ? [] : [`- May contain \`\${secret:NAME}\`: ${listed(inside)}.`]),
    ...(fixed.length === 0 ? [] : [`- A change replaces the object: ${listed(fixed)}.`]),
  ];
}

function namesWhere(fields, isMeant) {
  return Object.keys(fields).filter((name) => isMeant(fields[name]));
}

function newOne(fields, rows) {
  const required = namesWhere(fields, (field) => field.required);
  const defaults = Object.fromEntries(
    Object.entries(fields).flatMap(([name, { default: value }]) => {
      const usual = typeof value === "function" ? value({}, null) : value;
      return usual === undefined ? [] : [[name, usual]];
    }),
  );
  const isInTable = (key) =>
    rows.some(({ path, description }) => path === key && /Default of /.test(description));
  const gets = Object.entries(defaults)
    .filter(([key]) => !isInTable(key))
    .map(([key, value]) => code(`${key}: ${yamlScalar(value)}`));
  return [
    ...(required.length === 0 ? [] : [`- Required for a new object: ${listed(required)}.`]),
    ...(gets.length === 0 ? [] : [`- Defaults of a new object: ${gets.join(", ")}.`]),
  ];
}

/** Quotes text that YAML would read as something else. */
function yamlScalar(value) {
  return value === "true" || value === "false" ? `"${value}"` : String(value);
}

/** The notes of the page say that on may be written true, and off false. */
const SWITCH = "`on`, `off`, `true`, `false`";

function keyTable(rows) {
  return table(
    ["key", "value", "meaning"],
    rows.map(({ path, type, required, description }) => [
      `${code(path)}${required ? " (required)" : ""}`,
      type.replace(/ or null$| to 9007199254740991/g, "").replace(SWITCH, "`on`, `off`"),
      description,
    ]),
  );
}
