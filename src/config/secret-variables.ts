import { groupBy } from "../model/group-by.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { NAMED, REFERENCE } from "../model/reference.js";
import type { FileText } from "./files.js";
import { isSensitiveKey } from "./redact.js";
import { parsedFile } from "./source.js";
import { VAR, varText } from "./zone-names.js";

/** The process's environment, or what a test puts in its place. */
export type Environment = { readonly [name: string]: string | undefined };

/**
 * Where the environment sets these, they are the whole lists of names that files may read, each in its own way. Before
 * there were two, the one was for both: it stays so where the other is not set.
 */
export const LISTS = { env: "ZONEWARD_VARS", secret: "ZONEWARD_SECRETS" } as const;

/** How a file has a variable. */
export type Source = keyof typeof LISTS;

/** The names that one of these lists; undefined: the environment does not set it. */
export function listedIn(environment: Environment, list: string): readonly string[] | undefined {
  return environment[list]?.split(",").map((name) => name.trim());
}

/** A variable whose value is never shown. */
export interface SecretVariable {
  readonly name: string;
  /** How the files have it: a variable is one as the whole of a value that is sensitive wherever it comes from. */
  readonly source: Source;
}

/**
 * The variables whose values are secret: those that the texts have as `${secret:NAME}`, in whatever spelling and place,
 * or as a whole destination, and those that the environment lists as secrets and not as variables too. Of a name that is
 * made of `vars`, each that it can be in any zone.
 */
export function secretVariables(
  files: readonly FileText[],
  environment: Environment,
): readonly SecretVariable[] {
  const parsedFiles = files.map((file) => {
    const parsed = parsedFile(file);
    return { text: file.text, value: parsed.ok ? parsed.value.value : null };
  });
  const vars = varsIn(
    parsedFiles.map(({ value }) => value),
    environment,
  );
  const variables = parsedFiles.flatMap(({ text, value }) => {
    if (!text.includes("${") && !text.includes("\\")) return [];
    // As it is written, in comments and in what cannot be parsed too, and without the escapes of YAML that may hide it.
    const texts = new Set([text, ...textsWithin(value)]);
    const written = [...texts].flatMap((content) =>
      [...content.matchAll(SECRET)].map(([, name = ""]) => name),
    );
    return [
      ...named(namesMeant([...new Set(written)], vars, environment), "secret"),
      ...named(wholeVariables(value, vars), "env"),
    ];
  });
  const shown = listedIn(environment, LISTS.env) ?? [];
  const listed = (listedIn(environment, LISTS.secret) ?? []).filter((name) => !shown.includes(name));
  return [...variables, ...named(listed, "secret")];
}

/** The texts with a reference in them, at any depth. What an alias stands for is looked at once. */
function textsWithin(value: Json): ReadonlySet<string> {
  const seen = new Set<Json>();
  const texts = new Set<string>();
  const visit = (part: Json): void => {
    if (typeof part === "string" && part.includes("${")) texts.add(part);
    if (typeof part !== "object" || part === null || seen.has(part)) return;
    seen.add(part);
    for (const inner of Object.values(part)) visit(inner);
  };
  visit(value);
  return texts;
}

function named(names: readonly string[], source: Source): readonly SecretVariable[] {
  return [...new Set(names)].map((name) => ({ name, source }));
}

/** As it is written, with the `${…}` in it. What the name can mean is looked for among all that its parts can. */
export const MAX_NAME_CHARS = 200;

/** A name, which may have `${…}` in it. */
const SECRET = /\$\{secret:((?:[A-Za-z0-9_]|\$\{[^{}]*\})+)/g;

/** What one of `vars` can be in any zone. */
interface VarValues {
  readonly texts: ReadonlySet<string>;
  /** Variables of the environment that the texts are made of. */
  readonly variables: readonly string[];
}

function varsIn(values: readonly Json[], environment: Environment): ReadonlyMap<string, VarValues> {
  const varEntries = values.flatMap(mapsOfVars).flatMap((vars) => Object.entries(vars));
  return new Map(
    [...groupBy(varEntries, ([name]) => name)].map(([name, entries]) => {
      const written = [...new Set(entries.flatMap(([, value]) => varText(value) ?? []))];
      const texts = new Set(written.map((text) => fromEnvironment(text, environment)));
      return [name, { texts, variables: [...new Set(written.flatMap(variablesIn))] }];
    }),
  );
}

function mapsOfVars(file: Json): readonly JsonObject[] {
  if (!isObject(file)) return [];
  const namedBodies = [file.templates, file.zones].flatMap((bodies) =>
    isObject(bodies) ? Object.values(bodies) : [],
  );
  return [file.defaults ?? null, ...namedBodies].flatMap((body) =>
    isObject(body) && isObject(body.vars) ? [body.vars] : [],
  );
}

/** The variables that names mean: of one with `${…}` in it, each of the environment's that it can be. */
function namesMeant(
  written: readonly string[],
  vars: ReadonlyMap<string, VarValues>,
  environment: Environment,
): readonly string[] {
  const plain = written.filter((name) => !name.includes("${"));
  const made = written.filter((name) => name.includes("${") && name.length <= MAX_NAME_CHARS);
  if (made.length === 0) return plain;
  const all = Object.keys(environment);
  if (made.length > MAX_MADE_NAMES) return [...plain, ...all];
  const parts = made.map((name) => partsOf(name, vars));
  return [...plain, ...all.filter((name) => parts.some((nameParts) => isMadeOf(name, nameParts)))];
}

/** Of more, which only a hostile file has, nobody looks what each can mean: it may be any variable. */
const MAX_MADE_NAMES = 1_000;

function partsOf(written: string, vars: ReadonlyMap<string, VarValues>): readonly ReadonlySet<string>[] {
  return written.split(/(\$\{[^{}]*\})/).map((part) => {
    const name = VAR.exec(part.slice(2, -1))?.[1];
    return name === undefined ? new Set([part]) : (vars.get(name)?.texts ?? new Set());
  });
}

function fromEnvironment(text: string, environment: Environment): string {
  return text.replace(REFERENCE, (reference, inner: string | undefined) => {
    const [, source, name = "", fallback] = NAMED.exec(inner ?? "") ?? [];
    const value = source === "env" && Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value || (fallback ?? reference);
  });
}

/** Whether a text is one choice of each part after the other. */
function isMadeOf(text: string, parts: readonly ReadonlySet<string>[]): boolean {
  let ends: ReadonlySet<number> = new Set([0]);
  for (const choices of parts) {
    const next = new Set<number>();
    for (const start of ends) {
      for (let end = start; end <= text.length; end++) if (choices.has(text.slice(start, end))) next.add(end);
    }
    ends = next;
  }
  return ends.has(text.length);
}

/** The variables that are all there is of a destination, or of what proves one; also by way of `vars`. */
function wholeVariables(value: Json, vars: ReadonlyMap<string, VarValues>): readonly string[] {
  const texts = new Set(sensitiveTexts(value));
  const whole = [...texts].flatMap((text) => WHOLE.exec(text)?.[1] ?? []);
  const varNames = [...texts].flatMap((text) =>
    [...text.matchAll(REFERENCE)].flatMap(([, inner = ""]) => VAR.exec(inner)?.[1] ?? []),
  );
  return [...whole, ...[...new Set(varNames)].flatMap((name) => vars.get(name)?.variables ?? [])];
}

function sensitiveTexts(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(sensitiveTexts);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    isSensitiveKey(key) && typeof item === "string" ? [item] : sensitiveTexts(item),
  );
}

function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inner = ""]) => NAMED.exec(inner)?.[2] ?? []);
}

const WHOLE = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$/;

/** Shorter values are words that any text may have. */
const LEAST_CHARS = 6;

/** What these variables stand for, as far as it can be told from other text. */
export function secretValues(
  variables: readonly SecretVariable[],
  environment: Environment,
): readonly string[] {
  const values = variables.map(
    ({ name }) => (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? "",
  );
  return values.filter((value) => value.trim().length >= LEAST_CHARS);
}
