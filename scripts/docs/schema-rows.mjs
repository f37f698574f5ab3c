import { code, escaped, listed } from "./markdown.mjs";

/**
 * The keys of an object's schema and of the objects inside it: `payload_logging.public_key`, `rules.*.action`,
 * `changes[].zone`. Targets of `$ref` are left out, because they have their own tables.
 *
 * @param defs the possible targets of `$ref`, with their descriptions
 */
export function rowsOf(schema, defs = {}, path = "") {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const row = {
      path: `${path}${key}`,
      type: typeOf(property, defs),
      required: required.includes(key),
      description: textOf(
        property.description === undefined ? { ...defs[refOf(property)], ...property } : property,
      ),
    };
    return [row, ...inside(property, defs, row.path)];
  });
}

function inside(schema, defs, path) {
  if (schema.anyOf !== undefined) return distinct(schema.anyOf.flatMap((each) => inside(each, defs, path)));
  if (schema.properties !== undefined) return rowsOf(schema, defs, `${path}.`);
  if (schema.items !== undefined) return inside(schema.items, defs, `${path}[]`);
  if (typeof schema.additionalProperties === "object")
    return inside(schema.additionalProperties, defs, `${path}.*`);
  return [];
}

/** Merges the rows of a key that several shapes share. */
function distinct(rows) {
  const types = (path) => [...new Set(rows.filter((row) => row.path === path).map(({ type }) => type))];
  return rows
    .filter(({ path }, at) => rows.findIndex((row) => row.path === path) === at)
    .map((row) => ({
      ...row,
      type: types(row.path).join(" or "),
      required: rows.every((each) => each.path !== row.path || each.required),
    }));
}

function textOf({ description = "", default: byDefault, examples = [] }) {
  const said = description === "" ? [] : [escaped(description)];
  const otherwise = byDefault === undefined ? [] : [`Default: ${code(String(byDefault))}.`];
  const forExample = examples.length === 0 ? [] : [`Example: ${examples.map(written).join(" or ")}.`];
  return [...said, ...otherwise, ...forExample].join(" ");
}

function written(example) {
  return code(typeof example === "string" ? example : JSON.stringify(example));
}

function refOf({ $ref = "" }) {
  return /^#\/\$defs\/(.+)$/.exec($ref)?.[1];
}

/** The possible values, in words. */
function typeOf(schema, defs) {
  const name = refOf(schema);
  if (name !== undefined)
    return defs[name]?.properties === undefined
      ? typeOf(defs[name] ?? { type: "object", properties: {} }, defs)
      : `[${name}](#${name})`;
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return listed(schema.enum.filter((each) => each !== null).map(String));
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((each) => typeOf(each, defs)))].join(" or ");
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => named(type, schema, defs)).join(" or ");
}

function named(type, schema, defs) {
  if (type === "string") return "string";
  if (type === "integer" || type === "number") return numberOf(type, schema);
  if (type === "array") return `list of ${plural(typeOf(schema.items ?? {}, defs))}`;
  if (type === "object") return schema.properties === undefined ? "map" : "object";
  return type === "any" ? "any value" : type;
}

function numberOf(type, { minimum, maximum }) {
  if (minimum === undefined) return type;
  return maximum === undefined ? `${type} from ${minimum}` : `${type} from ${minimum} to ${maximum}`;
}

function plural(type) {
  return type.replace(/\b(string|object|map)\b(?![^[]*\])/g, "$1s").replace(/\binteger\b/, "integers");
}
