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
  readonly as: Source;
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
  const read = files.map((file) => {
    const parsed = parsedFile(file);
    return { text: file.text, value: parsed.ok ? parsed.value.value : null };
  });
  const vars = varsIn(read.map(({ value }) => value));
  const found = read.flatMap(({ text, value }) => {
    if (!text.includes("${") && !text.includes("\\")) return [];
    // As it is written, in comments and in what cannot be parsed too, and without the escapes of YAML that may hide it.
    const texts = new Set([text, ...textsWithin(value)]);
    const written = [...texts].flatMap((each) => [...each.matchAll(SECRET)].map(([, name = ""]) => name));
    const names = [...new Set(written)].flatMap((name) => namesMeant(name, vars, environment));
    return [...named(names, "secret"), ...named(wholeVariables(value, vars), "env")];
  });
  const shown = listedIn(environment, LISTS.env) ?? [];
  const listed = (listedIn(environment, LISTS.secret) ?? []).filter((name) => !shown.includes(name));
  return [...found, ...named(listed, "secret")];
}

/** The texts with a reference in them, at any depth. What an alias stands for is looked at once. */
function textsWithin(value: Json): ReadonlySet<string> {
  const seen = new Set<Json>();
  const texts = new Set<string>();
  const visit = (each: Json): void => {
    if (typeof each === "string" && each.includes("${")) texts.add(each);
    if (typeof each !== "object" || each === null || seen.has(each)) return;
    seen.add(each);
    for (const inner of Object.values(each)) visit(inner);
  };
  visit(value);
  return texts;
}

function named(names: readonly string[], as: Source): readonly SecretVariable[] {
  return [...new Set(names)].map((name) => ({ name, as }));
}

/** As it is written, with the `${…}` in it. What the name can mean is looked for among all that its parts can. */
export const MAX_NAME_CHARS = 200;

/** A name, which may have `${…}` in it. */
const SECRET = /\$\{secret:((?:[A-Za-z0-9_]|\$\{[^{}]*\})+)/g;

/** What `vars` can stand for in any zone, as the files write it: name → texts. */
type WrittenVars = ReadonlyMap<string, readonly string[]>;

function varsIn(values: readonly Json[]): WrittenVars {
  const found = values.flatMap(mapsOfVars).flatMap((vars) => Object.entries(vars));
  return new Map(
    [...groupBy(found, ([name]) => name)].map(([name, entries]) => [
      name,
      [...new Set(entries.flatMap(([, value]) => varText(value) ?? []))],
    ]),
  );
}

function mapsOfVars(file: Json): readonly JsonObject[] {
  if (!isObject(file)) return [];
  const named = [file.templates, file.zones].flatMap((each) => (isObject(each) ? Object.values(each) : []));
  return [file.defaults ?? null, ...named].flatMap((body) =>
    isObject(body) && isObject(body.vars) ? [body.vars] : [],
  );
}

/** The variables of the environment that a name with `${…}` in it can mean. */
function namesMeant(written: string, vars: WrittenVars, environment: Environment): readonly string[] {
  if (!written.includes("${")) return [written];
  if (written.length > MAX_NAME_CHARS) return [];
  const parts = written.split(/(\$\{[^{}]*\})/).map((part): readonly string[] => {
    const name = VAR.exec(part.slice(2, -1))?.[1];
    if (name === undefined) return [part];
    return (vars.get(name) ?? []).map((text) => fromEnvironment(text, environment));
  });
  return Object.keys(environment).filter((name) => isMadeOf(name, parts));
}

function fromEnvironment(text: string, environment: Environment): string {
  return text.replace(REFERENCE, (reference, inner: string | undefined) => {
    const [, source, name = "", fallback] = NAMED.exec(inner ?? "") ?? [];
    const value = source === "env" && Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value || (fallback ?? reference);
  });
}

/** Whether a text is one choice of each part after the other. */
function isMadeOf(text: string, parts: readonly (readonly string[])[]): boolean {
  let ends: readonly number[] = [0];
  for (const choices of parts) {
    const next = ends.flatMap((end) =>
      choices.flatMap((each) => (text.startsWith(each, end) ? [end + each.length] : [])),
    );
    ends = [...new Set(next)];
  }
  return ends.includes(text.length);
}

/** The variables that are all there is of a destination, or of what proves one; also by way of `vars`. */
function wholeVariables(value: Json, vars: WrittenVars): readonly string[] {
  if (isList(value)) return value.flatMap((each) => wholeVariables(each, vars));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    if (!(isSensitiveKey(key) && typeof each === "string")) return wholeVariables(each, vars);
    const asked = [...each.matchAll(REFERENCE)].flatMap(([, inner = ""]) => VAR.exec(inner)?.[1] ?? []);
    const given = asked.flatMap((name) => vars.get(name) ?? []);
    const whole = WHOLE.exec(each)?.[1];
    return [...(whole === undefined ? [] : [whole]), ...given.flatMap(variablesIn)];
  });
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
