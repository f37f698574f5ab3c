import { asText, isList, type Json, type JsonObject } from "../../model/json.js";

/** One parameter of `logpull_options`, which is the query of a URL or a URL with a query. */
export interface Parameter {
  readonly name: string;
  /** The value as written. An unknown value is sent back unchanged. */
  readonly text: string;
  /** Name and value as written. */
  readonly whole: string;
}

export function parametersOf(options: string): readonly Parameter[] {
  return queryOf(options)
    .split("&")
    .filter((whole) => whole !== "")
    .map((whole) => {
      const [name = "", ...rest] = whole.split("=");
      return { name: decode(name), text: rest.join("="), whole };
    });
}

/** Known parameters → fields of the normal form (the service's documentation of output options). */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["fields", "fields"],
  ["timestamps", "timestamps"],
  ["sample", "sample_rate"],
  ["CVE-2021-44228", "CVE-2021-44228"],
]);

/** The prefix of unknown parameters in the normal form. */
const OTHER = "logpull_options.";

/** The parameters of the text as fields of the normal form. Of a repeated name the first counts. */
export function readLogpull(options: string): JsonObject {
  const fields: Record<string, Json> = {};
  for (const { name, text } of parametersOf(options)) fields[fieldOf(name)] ??= readValue(name, text);
  return fields;
}

function fieldOf(name: string): string {
  return FIELDS.get(name) ?? OTHER + name;
}

function readValue(name: string, text: string): Json {
  const value = decode(text);
  switch (name) {
    case "fields":
      return value.split(",").filter((each) => each !== "");
    case "timestamps":
      return value;
    case "sample":
      return value.trim() === "" || Number.isNaN(Number(value)) ? value : Number(value);
    case "CVE-2021-44228":
      return value === "true";
    default:
      return text;
  }
}

/** The text with these fields of the normal form. Existing parameters keep their places; new ones come last. */
export function writeLogpull(options: string, fields: JsonObject): string {
  const before = options.slice(0, options.length - queryOf(options).length);
  const parameters = parametersOf(options);
  const keptTexts = parameters.flatMap(({ name, whole }, index) => {
    const value = fields[fieldOf(name)];
    if (value === undefined) return [whole];
    const isFirst = parameters.findIndex((each) => each.name === name) === index;
    return isFirst ? parameterText(fieldOf(name), value) : [];
  });
  const oldFields = new Set(parameters.map(({ name }) => fieldOf(name)));
  const newTexts = Object.entries(fields).flatMap(([field, value]) =>
    oldFields.has(field) ? [] : parameterText(field, value),
  );
  return before + [...keptTexts, ...newTexts].join("&");
}

/**
 * The known parameters of a live text, and those that the declared text names too. Other parameters, and the URL in
 * front, may hold a secret. Of a repeated name the first counts.
 */
export function shownLogpull(options: string, declaredText = ""): string {
  const names = new Set([...FIELDS.keys(), ...parametersOf(declaredText).map(({ name }) => name)]);
  const shownParameters = parametersOf(options).filter(({ name }) => names.delete(name));
  return shownParameters.map(({ whole }) => whole).join("&");
}

/** An empty list of fields has no parameter, so that the service chooses. */
function parameterText(field: string, value: Json): readonly string[] {
  const text = isList(value) ? value.join(",") : asText(value);
  return isList(value) && text === "" ? [] : [`${nameOf(field)}=${text}`];
}

function nameOf(field: string): string {
  const entry = [...FIELDS].find(([, each]) => each === field);
  return entry?.[0] ?? field.slice(OTHER.length);
}

/** Whether only `logpull_options` can express the field. */
export function isLogpullOnly(field: string): boolean {
  return field.startsWith(OTHER);
}

function queryOf(options: string): string {
  return options.slice(options.indexOf("?") + 1);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
