import type { ErrorObject, ValidateFunction } from "ajv";
import { kinds } from "../kinds/index.js";
import { listOf, sectionsOf } from "../kinds/kind.js";
import { isCredentialName } from "../model/credential-names.js";
import { quoted } from "../model/cut.js";
import { DAY_PATTERN } from "../model/day.js";
import { suggest } from "../model/did-you-mean.js";
import { firstOfEach } from "../model/group-by.js";
import { ALWAYS } from "../model/guardrails.js";
import { oddBlankIn } from "../model/invisible-characters.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { pathAt, valueAt } from "./place.js";
import { isSensitiveKey, mentionsSensitiveKey, sensitiveTextsIn } from "./redact.js";
import type { SourceFile } from "./source.js";

/** Checks a value against the published schema. Values with unreadable parts are skipped. */
export function checkShape(source: SourceFile, value: Json, validate: ValidateFunction): readonly Problem[] {
  if (validate(value)) return [];
  const foreign = foreignFile(value, validate.errors ?? []);
  if (foreign !== null) return [{ ...foreign, at: source.span([], "value") }];
  const sensitive = new Set(sensitiveTextsIn(value));
  return withMissingKeys(dropEchoes(withoutEffectsOfIndentation(value, validate.errors ?? [])))
    .filter(({ instancePath }) => !source.unread.has(instancePath))
    .map((error) => toProblem(source, value, error, sensitive));
}

/** The problem of a file of another program, whose keys are all unknown. Null: some keys may be meant. */
function foreignFile(value: Json, errors: readonly ErrorObject[]): Problem | null {
  if (!isObject(value) || value.version === 1) return null;
  const keys = Object.keys(value).filter(tellsApart);
  const unknown = errors.filter(
    ({ keyword, instancePath }) => keyword === "additionalProperties" && instancePath === "",
  );
  const [first] = unknown;
  const isMeant = (error: ErrorObject) =>
    suggest(unknownIn(error), knownIn(error)) !== null || homeOf(unknownIn(error), []) !== null;
  if (keys.length < MOST_STRAY_KEYS || unknown.length < keys.length || unknown.some(isMeant)) return null;
  const known = first === undefined ? [] : knownIn(first).filter(tellsApart);
  const detail = `It has none of the keys ${known.join(", ")}. Name another file.`;
  return problem("foreign_file", "Not a zoneward file", detail);
}

/** Whether other programs do not use the key too. */
function tellsApart(key: string): boolean {
  return key !== "version" && key !== "$schema";
}

/** With fewer unknown keys, each is reported by itself. */
const MOST_STRAY_KEYS = 2;

/**
 * Content that is not indented stands beside its key. The first such key of each sort is the error: the later ones, their
 * content, and the keys left without a value have the same cause.
 */
function withoutEffectsOfIndentation(value: Json, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const zones = isObject(value) && isObject(value.zones) ? value.zones : {};
  const sections = Object.keys(zones).filter((key) => SECTIONS.has(key));
  const adviceOn = (error: ErrorObject) =>
    error.keyword === "additionalProperties" && error.instancePath === ""
      ? homeOf(unknownIn(error), [])
      : null;
  const strays = errors.filter((error) => adviceOn(error) !== null);
  if (strays.length + sections.length === 0) return errors;
  const firsts = firstOfEach(strays, adviceOn);
  return errors.filter((error) => {
    const path = pathAt(value, error.instancePath);
    if (path[0] !== "zones") return firsts.includes(error) || !strays.includes(error);
    const isInSection = sections.some((section) => section === path[1]);
    const isEmpty = path.length < 3 && valueAt(value, path) === null;
    return !isInSection && !isEmpty;
  });
}

/**
 * The schema of a removable key is `anyOf` a schema and null: only the errors of the first branch are useful. A
 * missing key next to a misspelt one is the same mistake.
 */
function dropEchoes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const misspelt = new Set(
    errors.flatMap((error) => {
      if (error.keyword !== "additionalProperties") return [];
      const meant = meantKey(unknownIn(error), knownIn(error));
      return meant === null ? [] : [`${error.instancePath} ${meant}`];
    }),
  );
  return errors.filter(
    ({ keyword, schemaPath, instancePath, params }) =>
      !["anyOf", "if", "propertyNames"].includes(keyword) &&
      !/\/anyOf\/1\/type$/.test(schemaPath) &&
      !(keyword === "required" && misspelt.has(`${instancePath} ${String(params.missingProperty)}`)),
  );
}

/** One error for all missing keys of a map. */
function withMissingKeys(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const missing = new Map<string, string[]>();
  return errors.filter(({ keyword, instancePath, params }) => {
    if (keyword !== "required") return true;
    const keys = missing.get(instancePath) ?? [];
    missing.set(instancePath, keys);
    keys.push(String(params.missingProperty));
    params.missing = keys;
    return keys.length === 1;
  });
}

function unknownIn({ params }: ErrorObject): string {
  return String(params.additionalProperty);
}

/** The keys that are allowed where an unknown key stands. */
function knownIn({ parentSchema }: ErrorObject): readonly string[] {
  return Object.keys(isObject(parentSchema?.properties) ? parentSchema.properties : {});
}

function toProblem(
  source: SourceFile,
  root: Json,
  error: ErrorObject,
  sensitive: ReadonlySet<string>,
): Problem {
  const path = pathAt(root, error.instancePath);
  const value = valueAt(root, path);
  const isSecret =
    source.outside.get(pointerOf(path))?.isSecret === true ||
    path.some(isSensitiveKey) ||
    (typeof value === "string" && (mentionsSensitiveKey(value) || sensitive.has(value)));
  const { code, summary, detail, at } = explain(error, path, isSecret ? hidden(value) : value);
  const blank = typeof value === "string" && !isSecret ? oddBlankIn(value) : null;
  const more =
    blank === null ? "" : ` ${blank} stands in it. YAML does not treat it as a space: use a normal space.`;
  return problem(code, summary, detail + more, source.span(at.path, at.part));
}

/** A placeholder of the same type as a sensitive value. */
function hidden(value: Json | undefined): Json | undefined {
  if (typeof value === "string") return value.trim() === "" ? "" : "(sensitive)";
  if (isList(value)) return [];
  return isObject(value) ? {} : value;
}

interface Explanation {
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
  readonly at: { readonly path: Path; readonly part: "key" | "value" };
}

function explain(error: ErrorObject, path: Path, value: Json | undefined): Explanation {
  const place = { path, part: "value" } as const;
  const name = nameOf(path);
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case "additionalProperties":
      return unknownKey(unknownIn(error), path, knownIn(error), value);
    case "required": {
      const keys = wordsOf(params.missing).map((key) => JSON.stringify(key));
      const named = joined(keys, "and");
      const advice = keys.length > 1 ? "Add them." : named === '"version"' ? "Write version: 1." : "Add it.";
      const detail = `${name} needs ${named}. ${advice}`;
      return {
        code: "missing_key",
        summary: `Missing key${keys.length > 1 ? "s" : ""} ${named}`,
        detail,
        at: place,
      };
    }
    case "const":
      return wrongConstant(name, value, String(params.allowedValue), place);
    case "enum":
      return (
        otherGuardrail(name, value, path) ??
        wrongChoice(name, value, wordsOf(params.allowedValues), place, hintFor(path, value))
      );
    case "type":
      return wrongType(name, value, params.type, place, error.parentSchema ?? {});
    case "pattern":
      if (error.propertyName !== undefined) return wrongName(error.propertyName, path);
      return wrongValue(`${name} ${patternAdvice(value, String(params.pattern), error.parentSchema)}`, place);
    case "minimum":
      return wrongValue(`${name} is ${shown(value)}. It must be ${String(params.limit)} or more.`, place);
    case "maximum":
      return wrongValue(`${name} is ${shown(value)}. It must be ${String(params.limit)} or less.`, place);
    case "minItems":
    case "minProperties":
      return wrongValue(`${name} is empty. Name at least one, or remove the key.`, place);
    default:
      return wrongValue(`${name} ${error.message ?? "is not allowed"}.`, place);
  }
}

/** Keys of other tools or of the API, and the keys here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["name", "description"],
  ...kinds.flatMap(({ section, service }) =>
    (service.otherNames ?? []).map((name) => [name, section] as const),
  ),
  ["hsts", "security_header"],
  ["sensitivity", "score_threshold"],
  ["destination", "destination_conf"],
]);

function meantKey(key: string, allowed: readonly string[]): string | null {
  const other = OTHER_NAMES.get(key) ?? "";
  return allowed.includes(other) ? other : suggest(key, allowed);
}

function unknownKey(key: string, path: Path, allowed: readonly string[], map: Json | undefined): Explanation {
  const close = meantKey(key, allowed);
  // $schema is for editors, so it is not suggested.
  const listed = allowed.filter((knownKey) => !knownKey.startsWith("$")).join(", ");
  const near =
    close === null
      ? `Keys here: ${listed}.${allowed.includes("other") ? ` Put any other setting under other: other: { ${key}: … }.` : ""}`
      : OTHER_NAMES.get(key) === close
        ? `Write ${close}, not ${key}.`
        : `Did you mean ${quoted(close)}?`;
  const mayBeCredential = isCredentialName(key, "parameter") && !allowed.some((each) => each.includes(key));
  const advice =
    besideSection(key, map) ??
    homeOf(key, path) ??
    (close === null && mayBeCredential ? NO_CREDENTIALS : near);
  return {
    code: "unknown_key",
    summary: `Unknown key ${quoted(key)}`,
    detail: `${nameOf(path)} has no such key. ${advice}`,
    at: { path: [...path, key], part: "key" },
  };
}

/** Advice for a key that stands beside its section, which is empty. Null: it is no such key. */
function besideSection(key: string, map: Json | undefined): string | null {
  const empty = kinds.find(
    ({ section, fields }) => isObject(map) && map[section] === null && Object.hasOwn(fields, key),
  );
  return empty === undefined ? null : `Indent it to stand under ${empty.section}.`;
}

/** Where a key belongs that stands in another place. Null: unknown. */
function homeOf(key: string, path: Path): string | null {
  if (path.length === 0) return key.includes(".") ? ZONE_OUT_OF_PLACE : outOfPlace(key);
  const kind = kinds.find((each) => sectionsOf(each).some((section) => path.includes(section)));
  if (kind?.fields[`extra.${key}`] !== undefined) return `Put it under extra: extra: { ${key}: … }.`;
  return kind === undefined && TOP.has(key) ? "Move it to the top of the file, beside zones." : null;
}

const TOP = new Set(["defaults", "guardrails", "service", "templates", "version", "zones"]);

const NO_CREDENTIALS =
  "Remove it: credentials come only from the environment, as CLOUDFLARE_API_TOKEN. If it was a real one, replace it, since the file's history keeps it.";

const ZONE_OUT_OF_PLACE = "Zones belong under zones. Indent it, and everything below it.";

/** Advice for a section of a zone that stands at the top of a file. Null: the key is no section. */
export function outOfPlace(key: string): string | null {
  return SECTIONS.has(key)
    ? "It is a section of a zone. Indent it, and everything below it, to stand under the zone's name."
    : null;
}

const SECTIONS = new Set(kinds.flatMap(sectionsOf));

function wrongName(key: string, path: Path): Explanation {
  const at = { path: [...path, key], part: "key" } as const;
  const rule = path.includes("vars")
    ? "letters, digits and underscores, and no digit first"
    : "words of letters, digits and underscores, with dots between them";
  return wrongValue(`${quoted(key)} is not a valid name here. Use ${rule}.`, at);
}

function wrongConstant(
  name: string,
  value: Json | undefined,
  allowed: string,
  at: Explanation["at"],
): Explanation {
  if (value === null)
    return { ...noValue(at.path), detail: `${name} has no value. Write ${name}: ${allowed}.` };
  return wrongValue(
    `${name} is ${shown(value)}. It must be ${allowed}${value === allowed ? ", without quotes" : ""}.`,
    at,
  );
}

function wrongChoice(
  name: string,
  value: Json | undefined,
  allowed: readonly string[],
  at: Explanation["at"],
  hint: string | null,
): Explanation {
  if (value === null) return noValue(at.path);
  const close = allowed.length > 1 ? meantBy(value, allowed) : null;
  const advice = hint ?? (close === null ? null : `Did you mean ${quoted(close)}?`);
  const isVersion = typeof value === "number" && allowed.every((word) => /^\d+\.\d+$/.test(word));
  if (isVersion)
    return wrongValue(
      `${name} is ${shown(value)}. It must be ${alternatives(allowed.map(quoted))}, in quotes.`,
      at,
    );
  const must = `It must be ${alternatives(allowed)}.`;
  return wrongValue(`${name} is ${shown(value)}. ${advice === null ? must : `${advice} ${must}`}`, at);
}

/** A similar word, or else the only word around the value, or the only number in it: `PL2` for `2`, `1.2` for `TLSv1.2`. */
function meantBy(value: Json | undefined, allowed: readonly string[]): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const text = String(value).trim().toLowerCase();
  const [containing = null, ...more] = allowed.filter(
    (word) => text !== "" && (word.toLowerCase().includes(text) || (/\d/.test(word) && text.includes(word))),
  );
  return suggest(text, allowed) ?? (more.length === 0 ? containing : null);
}

/** The kind's hint for a word that people write and the service does not know. */
function hintFor(path: Path, value: Json | undefined): string | null {
  const key = path.at(-1);
  if (typeof value !== "string" || typeof key !== "string") return null;
  const hints = kinds.find(({ section }) => path.includes(section))?.fields[key]?.hints ?? {};
  const word = value.toLowerCase();
  return Object.hasOwn(hints, word) ? (hints[word] ?? null) : null;
}

/** A guardrail that always refuses, so it cannot be listed. */
function otherGuardrail(name: string, value: Json | undefined, path: Path): Explanation | null {
  if (path.at(-2) !== "forbid") return null;
  const at = { path, part: "value" } as const;
  if (!ALWAYS.some((guardrail) => guardrail === value)) return null;
  return wrongValue(`${name} is ${shown(value)}. Remove it: this guardrail always holds.`, at);
}

/** The values as words, without the null that removes a key. */
function wordsOf(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((word) => word !== null).map(String) : [];
}

function alternatives(words: readonly string[]): string {
  return joined(words, "or");
}

function joined(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1) ?? ""}`;
}

function wrongValue(detail: string, at: Explanation["at"]): Explanation {
  const summary = `Invalid value for ${subjectOf(at.path)}`;
  return { code: "wrong_value", summary, detail, at };
}

const TYPE_NAMES: { readonly [type: string]: string } = {
  string: "a string",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "a map",
  array: "a list",
};

function wrongType(
  name: string,
  value: Json | undefined,
  type: unknown,
  at: Explanation["at"],
  schema: NonNullable<ErrorObject["parentSchema"]>,
): Explanation {
  if (value === null) return noValue(at.path);
  const types = wordsOf(Array.isArray(type) ? type : [type]).filter((name) => name !== "null");
  const words = wordsIn(schema);
  if (words !== null) {
    const detail = `${name} is ${shown(value, types)}. It must be ${choicesText(words, schema)}.`;
    return { code: "wrong_type", summary: `Wrong type for ${subjectOf(at.path)}`, detail, at };
  }
  const expected = alternatives(types.map((name) => TYPE_NAMES[name] ?? name));
  const unit = types[0] === "integer" && /second/i.test(String(schema.description)) ? SECONDS : "";
  const advice =
    exampleFor(at.path) ?? formOf(at.path, value, types, schema) ?? typeAdvice(at.path, value, types);
  const must = formOfNumber(value, types, schema) ?? `It must be ${expected}${unit}.${advice}`;
  const detail = `${name} is ${shown(value, types)}. ${must}`;
  return { code: "wrong_type", summary: `Wrong type for ${subjectOf(at.path)}`, detail, at };
}

const SECONDS = " of seconds, such as 60";

/** How to write a word that stands for a list or a map. */
function formOf(
  path: Path,
  value: Json | undefined,
  types: readonly string[],
  { properties, examples }: NonNullable<ErrorObject["parentSchema"]>,
): string | null {
  const key = path.at(-1);
  if (typeof key !== "string" || typeof value !== "string" || value === "(sensitive)") return null;
  const isKeyword = isList(examples) && examples.flat().includes(`'${value}'`);
  const word = isKeyword ? `'${value}'` : value;
  if (types[0] === "array" && /^[^\s,:]+$/.test(word)) return ` Write [${JSON.stringify(word)}].`;
  const [first] = Object.keys(isObject(properties) ? properties : {});
  if (types.at(-1) !== "object" || first === undefined || /^[\w-]+:./.test(value)) return null;
  const form = isList(examples) ? JSON.stringify(examples[0]).slice(1, -1) : `${first}: …`;
  return ` Write ${key}: { ${form.replaceAll('"', "").replaceAll(/:(?=\S)/g, ": ")} }.`;
}

/** A key written with nothing after it. */
export function noValue(path: Path, background = "An absent key is not managed."): Explanation {
  const advice = typeof path.at(-1) === "number" ? "remove the item." : `remove the key. ${background}`;
  const detail = `${nameOf(path)} has no value. Give it one, or ${advice}`;
  return { code: "no_value", summary: `No value for ${subjectOf(path)}`, detail, at: { path, part: "key" } };
}

/** Other tools use lists of named things, so an example shows the map. */
function exampleFor(path: Path): string | null {
  if (path.length !== 1) return null;
  switch (path[0]) {
    case "zones":
      return " Write each zone under its name: zones: { shop.example.com: { settings: { enabled: true } } }.";
    case "templates":
      return " Write each template under its name: templates: { shop: { extends: [base] } }.";
    default:
      return null;
  }
}

function typeAdvice(path: Path, value: Json | undefined, types: readonly string[]): string {
  const key = kinds.map(listOf).find((list) => list?.section === path.at(-1))?.named;
  if (takesOnlyText(types) && (typeof value === "number" || typeof value === "boolean"))
    return " Put it in quotes.";
  if (types.includes("string") && isObject(value)) return colonAdvice(value);
  if (types.includes("object") && typeof value === "string" && /^[\w-]+:\S/.test(value))
    return ' Add the space that is missing after ":".';
  if (types.includes("boolean") && typeof value === "string" && /^(true|false)$/i.test(value)) {
    return ` Write ${value.toLowerCase()} without quotes. A value from the environment is always a string.`;
  }
  if (types.includes("boolean") && typeof value === "string" && /^(yes|no|on|off)$/i.test(value)) {
    return ` Write ${/^(yes|on)$/i.test(value) ? "true" : "false"}.`;
  }
  if (types.includes("integer") && typeof value === "string" && /^\d+$/.test(value))
    return " Remove the quotes.";
  if (types.includes("number") && typeof value === "string") return shareAdvice(value);
  if (!types.includes("array")) return "";
  return isObject(value) && key !== undefined
    ? ` Begin each item with "- ${key}: ".`
    : ' Write one item per line, each after "- ".';
}

/** The form of a text, for a number that would be refused in quotes too. Null: quotes help. */
function formOfNumber(
  value: Json | undefined,
  types: readonly string[],
  { pattern }: NonNullable<ErrorObject["parentSchema"]>,
): string | null {
  // YAML may have changed the digits of other numbers.
  if (!takesOnlyText(types) || !Number.isSafeInteger(value)) return null;
  const advice = PATTERNS.get(String(pattern));
  return advice === undefined || new RegExp(String(pattern)).test(String(value)) ? null : advice;
}

function shareAdvice(text: string): string {
  const [, percent] = /^(\d+(?:\.\d+)?) ?%$/.exec(text) ?? [];
  if (percent !== undefined) return ` Write ${Number(percent) / 100} for ${percent} %.`;
  return /^\d*\.?\d+$/.test(text) ? " Remove the quotes." : "";
}

/** Where the schema also allows whole numbers, a number may be meant. */
function takesOnlyText(types: readonly string[]): boolean {
  return types.includes("string") && !types.includes("integer");
}

/** Between brackets `data:` is a key without a value. */
function colonAdvice(map: JsonObject): string {
  const [[key, value] = ["", ""], ...more] = Object.entries(map);
  return value === null && more.length === 0 ? ` Put ${quoted(`${key}:`)} in quotes.` : "";
}

function patternAdvice(
  value: Json | undefined,
  pattern: string,
  schema: ErrorObject["parentSchema"],
): string {
  if (typeof value === "string" && value.trim() === "") return "must not be empty.";
  const words = wordsIn({ pattern });
  if (words === null) return `is ${shown(value)}. ${PATTERNS.get(pattern) ?? String(schema?.description)}`;
  const close = meantBy(value, words);
  const guess = close === null ? "" : ` Did you mean ${quoted(close)}?`;
  return `is ${shown(value)}.${guess} It must be ${choicesText(words, schema ?? {})}.`;
}

/** The words that a pattern lists. Null: it lists none. */
function wordsIn({ pattern }: NonNullable<ErrorObject["parentSchema"]>): readonly string[] | null {
  return /^\^\(?([a-z|]+)\)?\$$/.exec(String(pattern))?.[1]?.split("|") ?? null;
}

/** `first, last or a map with before or after` */
function choicesText(words: readonly string[], schema: NonNullable<ErrorObject["parentSchema"]>): string {
  const types = wordsOf(isList(schema.type) ? schema.type : []).filter(
    (type) => type !== "string" && type !== "null",
  );
  const keys = Object.keys(isObject(schema.properties) ? schema.properties : {});
  const others = types.map((type) =>
    type === "object" && keys.length > 0 ? `a map with ${alternatives(keys)}` : (TYPE_NAMES[type] ?? type),
  );
  return alternatives([...words, ...others]);
}

/** What a pattern of the schema asks for. The descriptions there say what a key is for. */
const PATTERNS: ReadonlyMap<string, string> = new Map([
  [DAY_PATTERN, "It must be a date such as 2026-12-31."],
  ["^[0-9a-fA-F]{32}$", "It must have 32 hexadecimal digits."],
  ["^[1-9][0-9]{0,15}$", "It must be a whole number from 1."],
  ["^[a-z][a-z-]*$", "Use lowercase letters and hyphens."],
  ["^[a-zA-Z0-9_-]{1,256}$", "Use letters, digits, hyphens and underscores."],
  ["^\\w+$", "Use letters, digits and underscores."],
  ["^https?://", "It must begin with https:// or http://."],
  ["^/", "It must begin with /."],
]);

/** A name inside a sentence. */
function subjectOf(path: Path): string {
  return nameOf(path).replace(/^(?:The|Item)/, (word) => word.toLowerCase());
}

function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "The file";
  if (typeof last === "number") return `Item ${last + 1} of ${nameOf(path.slice(0, -1))}`;
  return /^[\w.-]{1,80}$/.test(last) ? last : quoted(last);
}

/** A value for a sentence. YAML may have changed the digits of a number that should be text, so they are not shown. */
function shown(value: Json | undefined, types: readonly string[] = []): string {
  if (isList(value)) return "a list";
  if (isObject(value)) return "a map";
  if (typeof value === "number" && takesOnlyText(types)) return "a number";
  return typeof value === "string" ? quoted(value) : JSON.stringify(value ?? null);
}
