import { groupBy } from "../model/group-by.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { NAMED, REFERENCE } from "../model/reference.js";
import type { FileText } from "./files.js";
import { sensitiveTextsIn } from "./redact.js";
import { parsedFile } from "./source.js";
import { VAR, varText } from "./zone-vars.js";

/** The environment of the process, or of a test. */
export type Environment = { readonly [name: string]: string | undefined };

/**
 * Variables that list the names that files may read with `${env:…}` and `${secret:…}`. A list that is not set allows
 * every name. For compatibility, ZONEWARD_VARS alone limits both.
 */
export const LISTS = { env: "ZONEWARD_VARS", secret: "ZONEWARD_SECRETS" } as const;

/** How a file refers to a variable. */
export type Source = keyof typeof LISTS;

/** The names on a list. Undefined: the environment does not set the list. */
export function listedIn(environment: Environment, list: string): readonly string[] | undefined {
  return environment[list]?.split(",").map((name) => name.trim());
}

/** A variable whose value is never shown. */
export interface SecretVariable {
  readonly name: string;
  /** How the files refer to it. `env` is secret where it is the whole value of a sensitive field. */
  readonly source: Source;
}

/**
 * The variables with secret values: each `${secret:NAME}` in whatever spelling and place, each variable that is a
 * whole destination, and each that the environment lists as a secret only. A name with `vars` in it stands for every
 * name that it can become in any zone.
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
    // The raw text has comments and unparsable parts. The parsed texts have YAML's escapes resolved.
    const texts = new Set([text, ...textsWithin(value)]);
    const written = [...texts].flatMap((text) => [...text.matchAll(SECRET)].map(([, name = ""]) => name));
    return [
      ...secretsNamed(namesMeant([...new Set(written)], vars, environment), "secret"),
      ...secretsNamed(wholeVariables(value, vars), "env"),
    ];
  });
  const shown = listedIn(environment, LISTS.env) ?? [];
  const listed = (listedIn(environment, LISTS.secret) ?? []).filter((name) => !shown.includes(name));
  return [...variables, ...secretsNamed(listed, "secret")];
}

/** The texts with a reference, at any depth. The value of an alias is searched once. */
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

function secretsNamed(names: readonly string[], source: Source): readonly SecretVariable[] {
  return [...new Set(names)].map((name) => ({ name, source }));
}

/** Limits the search for the names that a name with `${…}` in it can become. */
export const MAX_NAME_CHARS = 200;

/** A name, which may have `${…}` in it. */
const SECRET = /\$\{secret:((?:[A-Za-z0-9_]|\$\{[^{}]*\})+)/g;

/** The values that one of `vars` can have in any zone. */
interface VarValues {
  readonly texts: ReadonlySet<string>;
  /** Environment variables that the texts refer to. */
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
  const bodies = [file.templates, file.zones].flatMap((bodies) =>
    isObject(bodies) ? Object.values(bodies) : [],
  );
  return [file.defaults ?? null, ...bodies].flatMap((body) =>
    isObject(body) && isObject(body.vars) ? [body.vars] : [],
  );
}

/** The variables that names refer to. A name with `${…}` in it refers to every variable whose name it can become. */
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

/** With more such names, as in a hostile file, every variable counts as secret. */
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

/** Whether a text can be built by choosing one text of each part, in order. */
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

/** The variables that are a whole destination or ownership proof, directly or through `vars`. */
function wholeVariables(value: Json, vars: ReadonlyMap<string, VarValues>): readonly string[] {
  const texts = new Set(sensitiveTextsIn(value));
  const whole = [...texts].flatMap((text) => WHOLE.exec(text)?.[1] ?? []);
  const varNames = [...texts].flatMap((text) =>
    [...text.matchAll(REFERENCE)].flatMap(([, inner = ""]) => VAR.exec(inner)?.[1] ?? []),
  );
  return [...whole, ...[...new Set(varNames)].flatMap((name) => vars.get(name)?.variables ?? [])];
}

function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inner = ""]) => NAMED.exec(inner)?.[2] ?? []);
}

const WHOLE = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$/;

/** Shorter values are words that any text may have. */
const LEAST_CHARS = 6;

/** The values of variables, without values that are too short to recognize in other text. */
export function secretValues(
  variables: readonly SecretVariable[],
  environment: Environment,
): readonly string[] {
  const values = variables.map(
    ({ name }) => (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? "",
  );
  return values.filter((value) => value.trim().length >= LEAST_CHARS);
}
