import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { publishedText } from "./published.js";

const text = publishedText("api/openapi.json", "checks against the published OpenAPI document");

/** Whether the published OpenAPI document is available. Without it, the checks below find nothing. */
export const openapiAvailable = text !== null;

/**
 * Compares an answer with the published OpenAPI document.
 *
 * @param path relative to the base, with or without a query: `/zones/ID/page_shield`
 * @param body null if there was none
 * @returns violations; empty if the answer conforms
 */
export function checkResponse(method: string, path: string, status: number, body: Json | null): string[] {
  return findings(method, path, (operation) => {
    const answers = at(operation, "responses");
    const key = [String(status), `${String(status).slice(0, 1)}XX`].find((each) => each in answers.value);
    if (key === undefined) return [`the status ${status} is not documented`];
    const answer = followed(at(answers, key));
    if (!("content" in answer.value)) return body === null ? [] : ["a body, where none is documented"];
    return violations(document.asIs(at(answer, ...jsonSchema)), body);
  });
}

/**
 * Compares a request with the published OpenAPI document. Undocumented fields and query parameters are violations, although
 * the schemas allow them.
 *
 * @param path relative to the base, with the query
 * @param body null if there was none
 * @returns violations; empty if the request conforms
 */
export function checkRequest(method: string, path: string, body: Json | null): string[] {
  return findings(method, path, (operation) => [
    ...parameterViolations(operation, path),
    ...bodyViolations(operation, body),
  ]);
}

const jsonSchema = ["content", "application/json", "schema"];

/** An object of the document, and its path of keys. */
interface Place {
  readonly value: JsonObject;
  readonly keys: readonly string[];
}

function findings(method: string, path: string, check: (operation: Place) => readonly string[]): string[] {
  if (!openapiAvailable) return [];
  const operation = operationOf(method, path);
  const found = operation === null ? ["the document has no such operation"] : check(operation);
  return found.map((each) => `${method} ${path}: ${each}`);
}

function operationOf(method: string, path: string): Place | null {
  const paths = at(document.top, "paths");
  const template = Object.keys(paths.value).find((each) => pathParameters(each, path) !== null);
  if (template === undefined) return null;
  const methods = at(paths, template);
  return method.toLowerCase() in methods.value ? at(methods, method.toLowerCase()) : null;
}

type Parameter = readonly [where: string, name: string, value: string];

/** null: the path does not match the template. */
function pathParameters(template: string, path: string): readonly Parameter[] | null {
  const names = template.split("/");
  const segments = (path.split("?")[0] ?? "").split("/");
  const isParameter = (name: string) => name.startsWith("{");
  if (names.length !== segments.length) return null;
  if (names.some((name, index) => !isParameter(name) && name !== segments[index])) return null;
  return names.flatMap((name, index) =>
    isParameter(name) ? [["path", name.slice(1, -1), segments[index] ?? ""] as const] : [],
  );
}

function parameterViolations(operation: Place, path: string): readonly string[] {
  const template = operation.keys[1] ?? "";
  const query = [...new URLSearchParams(path.split("?")[1] ?? "")];
  const given = [
    ...(pathParameters(template, path) ?? []),
    ...query.map(([name, value]): Parameter => ["query", name, value]),
  ];
  const declared = isList(operation.value.parameters) ? operation.value.parameters : [];
  return given.flatMap(([where, name, value]) => {
    const index = declared.findIndex((each) => isObject(each) && each.in === where && each.name === name);
    if (index === -1) return [`the ${where} parameter ${name} is not documented`];
    return violations(document.fromText(at(operation, "parameters", String(index), "schema")), {
      [name]: value,
    });
  });
}

function bodyViolations(operation: Place, body: Json | null): readonly string[] {
  if (!("requestBody" in operation.value)) return body === null ? [] : ["a body, where none is documented"];
  const declared = followed(at(operation, "requestBody"));
  if (body === null) return declared.value.required === true ? ["a body is required"] : [];
  return violations(document.closed(at(declared, ...jsonSchema)), body);
}

function violations(validate: ValidateFunction, value: Json): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, keyword, params }) => {
    const detail = keyword === "unevaluatedProperties" ? `: ${params.unevaluatedProperty}` : "";
    return `${instancePath || "the body"} ${message ?? keyword}${detail}`;
  });
}

/** Resolves references of responses and request bodies. The validator resolves those of schemas. */
function followed(place: Place): Place {
  const { $ref } = place.value;
  return typeof $ref === "string" ? at(document.top, ...$ref.split("/").slice(1)) : place;
}

function at(place: Place, ...keys: readonly string[]): Place {
  const value = keys.reduce<Json | undefined>(member, place.value);
  if (!isObject(value))
    throw new Error(`the OpenAPI document has no object at ${[...place.keys, ...keys].join(" > ")}`);
  return { value, keys: [...place.keys, ...keys] };
}

function member(value: Json | undefined, key: string): Json | undefined {
  if (isList(value)) return value[Number(key)];
  return isObject(value) ? value[key] : undefined;
}

function readDocument() {
  const value: Json = text === null ? {} : amended(JSON.parse(text), "");
  const top: Place = { value: isObject(value) ? value : {}, keys: [] };
  return {
    top,
    asIs: validators(top, {}, (schema) => schema),
    /** For requests: forbids fields that are undocumented or only in answers. */
    closed: validators(written(top), {}, (schema) => ({ ...schema, unevaluatedProperties: false })),
    /** For parameters, which are text: an object with one parameter. */
    fromText: validators(top, { coerceTypes: true }, (schema) => ({ additionalProperties: schema })),
  };
}

/** Validators of schemas in the document, each compiled once. */
function validators(top: Place, options: Options, around: (schema: JsonObject) => JsonObject) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, formats, ...options });
  ajv.addSchema(top.value, "openapi");
  const compiled = new Map<string, ValidateFunction>();
  return ({ keys }: Place): ValidateFunction => {
    const $ref = `openapi#/${keys.map((key) => encodeURIComponent(key.replaceAll("/", "~1"))).join("/")}`;
    const validate = compiled.get($ref) ?? ajv.compile(around({ $ref }));
    compiled.set($ref, validate);
    return validate;
  };
}

const formats = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  hostname: /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i,
  uri: (text: string) => URL.canParse(text),
  "uri-reference": (text: string) => URL.canParse(text, "https://example.com"),
  float: true,
} as const;

/**
 * The document as JSON Schema, which has no `nullable`, and corrected where the service is known to differ; `name` is the
 * key of the value.
 */
function amended(value: Json, name: string): Json {
  if (isList(value)) return value.map((each) => amended(each, ""));
  if (!isObject(value)) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, amended(each, key)]));
  const amend = amendments.get(name) ?? ((same: JsonObject) => same);
  return withNull(amend(schema));
}

function withNull(schema: JsonObject): JsonObject {
  if (schema.nullable !== true || typeof schema.type !== "string") return schema;
  const values = isList(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...values, type: [schema.type, "null"] };
}

/** The document for requests: read-only fields are neither required nor allowed. */
function written(top: Place): Place {
  const value = withoutReadOnly(top.value, top);
  return isObject(value) ? { ...top, value } : top;
}

function withoutReadOnly(value: Json, top: Place): Json {
  if (isList(value)) return value.map((each) => withoutReadOnly(each, top));
  if (!isObject(value)) return value;
  const schema = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutReadOnly(each, top)]),
  );
  const { properties, required } = value;
  if (!isObject(properties)) return schema;
  const forbidden = Object.keys(properties).filter((name) => isReadOnly(properties[name], top));
  return {
    ...schema,
    properties: {
      ...(isObject(schema.properties) ? schema.properties : {}),
      ...Object.fromEntries(forbidden.map((name) => [name, false])),
    },
    ...(isList(required) ? { required: required.filter((name) => !forbidden.includes(String(name))) } : {}),
  };
}

function isReadOnly(schema: Json | undefined, top: Place): boolean {
  if (!isObject(schema)) return false;
  const { readOnly, allOf, $ref } = schema;
  if (readOnly === true) return true;
  if (typeof $ref === "string") return isReadOnly(at(top, ...$ref.split("/").slice(1)).value, top);
  return isList(allOf) && allOf.some((each) => isReadOnly(each, top));
}

const amendments: ReadonlyMap<string, (schema: JsonObject) => JsonObject> = new Map([
  // Users see errors without a code.
  ["page-shield_messages", withoutCode],
  ["zones_messages", withoutCode],
  ["logpush_messages", withoutCode],
  // Users see `"messages": null` in failures.
  ["page-shield_api-response-common-failure", withNullMessages],
  // The official TypeScript SDK has one more action.
  [
    "page-shield_policy-action",
    (schema) => ({ ...schema, enum: ["allow", "log", "add_reporting_directives"] }),
  ],
  // The document's own default and examples use the empty kind, which its enum lacks.
  ["logpush_kind", (schema) => ({ ...schema, enum: ["", "edge"] })],
  // The value is text for people, not a time as the document says.
  ["logpush_error_message", ({ format: _, ...schema }) => schema],
  // The descriptions say that 0 switches these limits off.
  ["logpush_max_upload_bytes", withZero],
  ["logpush_max_upload_interval_seconds", withZero],
  ["logpush_max_upload_records", withZero],
  ["logpush_output_options", withNewerOutputOptions],
  // The inline schemas for creating and updating a job.
  ["schema", withNewerJobFields],
  // Names of actions such as `managed_challenge` have an underscore.
  ["rulesets_RuleAction", (schema) => ({ ...schema, pattern: "^[a-z_]+$" })],
  // The documentation shows rules of managed rulesets without an expression.
  ["rulesets_ResponseRule", (schema) => withRequired(schema, ["id", "action", "ref", "enabled"])],
  // The documentation creates a ruleset without rules, and in the official TypeScript SDK they are optional.
  ["rulesets_CreateRuleset", withoutRequiredRules],
  ["result", withoutRulesetsRules],
  ["position", withOneForm],
  // The document requires a body to delete a log-push job. The official TypeScript SDK sends none.
  ["delete", ({ requestBody: _, ...operation }) => operation],
]);

function withoutCode(schema: JsonObject): JsonObject {
  return { ...schema, items: { ...(isObject(schema.items) ? schema.items : {}), required: ["message"] } };
}

function withNullMessages(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const messages = { anyOf: [{ type: "null" }, properties.messages ?? {}] };
  return { ...schema, properties: { ...properties, messages } };
}

function withZero(schema: JsonObject): JsonObject {
  return { anyOf: [{ enum: [0, null] }, schema] };
}

/** The document misspells one name. The official TypeScript SDK has one more option and two more timestamp formats. */
function withNewerOutputOptions(schema: JsonObject): JsonObject {
  const { "CVE-2021-4428": redaction = {}, ...properties } = isObject(schema.properties)
    ? schema.properties
    : {};
  const newer = {
    "CVE-2021-44228": redaction,
    merge_subrequests: { type: ["boolean", "null"] },
    timestamp_format: { enum: ["unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns"] },
  };
  return { ...schema, properties: { ...properties, ...newer } };
}

/** The official TypeScript SDK has two more fields in both, and allows a job's name to be updated. */
function withNewerJobFields(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (!("ownership_challenge" in properties && "logpull_options" in properties)) return schema;
  const newer = {
    name: { $ref: "#/components/schemas/logpush_name" },
    filter: { type: ["string", "null"] },
    filter_attack_traffic: { type: "boolean" },
  };
  return { ...schema, properties: { ...properties, ...newer } };
}

/** `required` of the last part of an `allOf`. */
function withRequired(schema: JsonObject, required: readonly string[]): JsonObject {
  const parts = isList(schema.allOf) ? schema.allOf : [];
  const last = parts.at(-1);
  return { ...schema, allOf: [...parts.slice(0, -1), { ...(isObject(last) ? last : {}), required }] };
}

function withoutRequiredRules(body: JsonObject): JsonObject {
  const content = isObject(body.content) ? body.content : {};
  const media = content["application/json"];
  const schema = isObject(media) && isObject(media.schema) ? media.schema : {};
  const amendedSchema = withRequired(schema, ["name", "kind", "phase"]);
  return { ...body, content: { "application/json": { schema: amendedSchema } } };
}

/** Users see that a ruleset without rules lacks the field, and that the answer to a dry run has no result. */
function withoutRulesetsRules(schema: JsonObject): JsonObject {
  const [first] = isList(schema.allOf) ? schema.allOf : [];
  if (!isObject(first) || first.$ref !== "#/components/schemas/rulesets_Ruleset") return schema;
  return { anyOf: [{ type: "null" }, withRequired(schema, ["name", "kind", "phase"])] };
}

/** The document's three forms of a position lack `required`, so every position would match all of them. */
function withOneForm(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema;
  if (!isList(oneOf)) return schema;
  const names = { enum: ["before", "after", "index"] };
  return { ...rest, anyOf: oneOf, minProperties: 1, maxProperties: 1, propertyNames: names };
}

// Last, because it uses the functions above.
const document = readDocument();
