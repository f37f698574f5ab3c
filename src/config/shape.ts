import type { ErrorObject } from "ajv";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import { validate } from "./generated/desired-state.validate.js";
import type { SourceFile } from "./source.js";

/** What is wrong with the shape of a file, by the published schema. */
export function checkShape(source: SourceFile, value: Json): readonly Problem[] {
  if (validate(value)) return [];
  return dropEchoes(validate.errors ?? []).map((error) => toProblem(source, value, error));
}

/** A key that may be absent or removed is `anyOf` a schema and null: only the first branch's errors tell something. */
function dropEchoes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors.filter((error) => error.keyword !== "anyOf" && !/\/anyOf\/1\/type$/.test(error.schemaPath));
}

function toProblem(source: SourceFile, root: Json, error: ErrorObject): Problem {
  const path = pathOf(error.instancePath, root);
  const { code, summary, detail, at } = explain(error, path, valueAt(root, path));
  return { code, summary, detail, severity: "error", at: source.span(at.path, at.part) };
}

interface Explanation {
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
  readonly at: { readonly path: Path; readonly part: "key" | "value" };
}

function explain(error: ErrorObject, path: Path, value: Json | undefined): Explanation {
  const here = { path, part: "value" } as const;
  const name = nameOf(path);
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case "additionalProperties": {
      const key = String(params.additionalProperty);
      return unknownKey(key, path, Object.keys(isObject(error.parentSchema?.properties) ? error.parentSchema.properties : {}));
    }
    case "required": {
      const key = String(params.missingProperty);
      const detail = `${path.length === 0 ? "The file" : name} needs ${JSON.stringify(key)}. ${key === "version" ? "Write version: 1." : "Add it."}`;
      return { code: "missing_key", summary: "A key is missing", detail, at: here };
    }
    case "const":
      return wrongValue(name, value, [error.params.allowedValue as Json], here); // the schema's constants are JSON
    case "enum":
      return wrongValue(name, value, (error.params.allowedValues as readonly Json[]).filter((each) => each !== null), here); // as above
    case "type":
      return wrongType(name, value, params.type, here);
    case "pattern":
      return { code: "wrong_value", summary: "The value cannot be used", detail: patternAdvice(name, value), at: here };
    default:
      return {
        code: "wrong_value",
        summary: "The value cannot be used",
        detail: `${name} ${error.message ?? "is not allowed"}.`,
        at: here,
      };
  }
}

function unknownKey(key: string, path: Path, known: readonly string[]): Explanation {
  const close = suggest(key, known);
  const advice = close === null ? `Known here: ${known.join(", ")}.` : `Did you mean ${JSON.stringify(close)}?`;
  const detail = `${JSON.stringify(key)} is not known here. ${advice}`;
  return { code: "unknown_key", summary: "An unknown key", detail, at: { path: [...path, key], part: "key" } };
}

function wrongValue(name: string, value: Json | undefined, allowed: readonly Json[], at: Explanation["at"]): Explanation {
  const words = allowed.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const close = typeof value === "string" ? suggest(value, words) : null;
  const advice = close === null ? "" : ` Did you mean ${JSON.stringify(close)}?`;
  const detail = `${name} is ${shown(value)}; it can be ${words.join(", ")}.${advice}`;
  return { code: "wrong_value", summary: "The value cannot be used", detail, at };
}

const TYPE_NAMES: { readonly [type: string]: string } = {
  string: "text",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "a map",
  array: "a list",
};

function wrongType(name: string, value: Json | undefined, type: unknown, at: Explanation["at"]): Explanation {
  if (value === null) return noValue(at.path);
  const types = (Array.isArray(type) ? type.map(String) : [String(type)]).filter((each) => each !== "null");
  const expected = types.map((each) => TYPE_NAMES[each] ?? each).join(" or ");
  const detail = `${name} is ${shown(value)}; it must be ${expected}.${typeAdvice(value, types)}`;
  return { code: "wrong_type", summary: "A value of the wrong type", detail, at };
}

/** A key written with nothing after it. */
export function noValue(path: Path): Explanation {
  const detail = `${nameOf(path)} has no value. Give it one, or remove the key: a key that is absent is not managed.`;
  return { code: "no_value", summary: "A key without a value", detail, at: { path, part: "key" } };
}

function typeAdvice(value: Json | undefined, types: readonly string[]): string {
  if (types.includes("string") && (typeof value === "number" || typeof value === "boolean")) return " Put it in quotes.";
  if (types.includes("boolean") && typeof value === "string" && /^(true|false)$/i.test(value)) return " Remove the quotes.";
  if (types.includes("boolean") && typeof value === "string" && /^(yes|no|on|off)$/i.test(value)) {
    return " YAML 1.2 reads only true and false as such.";
  }
  if (types.includes("array")) return ' Write one item a line, each after "- ".';
  return "";
}

function patternAdvice(name: string, value: Json | undefined): string {
  const blank = typeof value === "string" && value.trim() === "";
  return blank ? `${name} is empty. Give it a text.` : `${name} is ${shown(value)}, which is not of the form that belongs here.`;
}

function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "The file";
  return typeof last === "number" ? `Item ${last + 1} of ${String(path.at(-2))}` : last;
}

function shown(value: Json | undefined): string {
  if (isList(value)) return "a list";
  if (isObject(value)) return "a map";
  const text = JSON.stringify(value ?? null);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function pathOf(pointer: string, root: Json): Path {
  let value: Json | undefined = root;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => {
      const step = isList(value) ? Number(part) : part;
      value = childOf(value, step);
      return step;
    });
}

function valueAt(root: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(childOf, root);
}

function childOf(value: Json | undefined, step: string | number): Json | undefined {
  if (isList(value)) return value[Number(step)];
  return isObject(value) ? value[String(step)] : undefined;
}
