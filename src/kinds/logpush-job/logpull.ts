import { asText, isList, type Json, type JsonObject } from "../../model/json.js";

/** One parameter of a `logpull_options` text, which is the query of a URL, or the URL with it. */
export interface Parameter {
  readonly name: string;
  /** Its value as it is written: what is not understood goes back as it came. */
  readonly text: string;
  /** Name and value as they are written. */
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

/** Parameters that mean something here → fields of the normal form (the service's documentation of output options). */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["fields", "fields"],
  ["timestamps", "timestamps"],
  ["sample", "sample_rate"],
  ["CVE-2021-44228", "CVE-2021-44228"],
]);

/** Other parameters, as fields of the normal form. */
const OTHER = "logpull_options.";

/** What a `logpull_options` text says, as fields of the normal form. Of a name given twice the first counts. */
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

/** The text with these fields of the normal form: in their places where it has them, the others at its end. */
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
 * Of a live text what is known, and what another text names too: any other parameter may hold a secret, and so may the
 * URL in front. Of a name given twice the first counts.
 */
export function shownLogpull(options: string, declaredText = ""): string {
  const names = new Set([...FIELDS.keys(), ...parametersOf(declaredText).map(({ name }) => name)]);
  const shownParameters = parametersOf(options).filter(({ name }) => names.delete(name));
  return shownParameters.map(({ whole }) => whole).join("&");
}

/** No names of fields are no parameter: the service chooses. */
function parameterText(field: string, value: Json): readonly string[] {
  const text = isList(value) ? value.join(",") : asText(value);
  return isList(value) && text === "" ? [] : [`${nameOf(field)}=${text}`];
}

function nameOf(field: string): string {
  const entry = [...FIELDS].find(([, each]) => each === field);
  return entry?.[0] ?? field.slice(OTHER.length);
}

/** Whether only this text can say it. */
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
