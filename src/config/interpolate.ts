import { kinds } from "../kinds/index.js";
import { listOf, sectionsOf } from "../kinds/kind.js";
import { quoted } from "../model/cut.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Problem, Span } from "../model/problem.js";
import { NAMED, REFERENCE } from "../model/reference.js";
import type { Interpolation } from "../model/wanted.js";
import type { FileText } from "./files.js";
import { lastIndexWhere } from "./place.js";
import { isSensitiveKey } from "./redact.js";
import { parseSource, type SourceFile } from "./source.js";

/** The process's environment, or what a test puts in its place. */
export type Environment = { readonly [name: string]: string | undefined };

/** A pull request can edit the files, so what a run's credentials and its runner know is out of their reach. */
const REFUSED_PREFIXES = ["CLOUDFLARE_", "ACTIONS_", "GITHUB_", "RUNNER_", "INPUT_", "NODE_"];
const REFUSED_WORDS = ["TOKEN", "SECRET", "PASSWORD", "KEY"];

/**
 * Where the environment sets these, they are the whole lists of names that files may read, each in its own way. Before
 * there were two, the one was for both: it stays so where the other is not set.
 */
const LISTS = { env: "ZONEWARD_VARS", secret: "ZONEWARD_SECRETS" } as const;

/** What became of a file's value. */
interface InterpolatedValue {
  readonly value: Json;
  readonly problems: readonly Problem[];
  /** The texts that had a `${…}`, by JSON pointer. */
  readonly outside: ReadonlyMap<string, Interpolation>;
  /** An offset into a filled text as one into the text that was declared. */
  declaredOffset(path: Path, offset: number): number;
}

/**
 * Fills in `${env:NAME}`, `${secret:NAME}` and either with `:-default` in every text of a file's value. A key cannot
 * have one. Of a secret that is not set, or is empty, as CI gives one that it does not have, the reference stays.
 *
 * @param secrets variables whose values are secret, whatever this file makes of them
 */
export function interpolate(
  value: Json,
  environment: Environment,
  span: SourceFile["span"],
  purpose: Purpose,
  secrets: readonly SecretVariable[] = [],
): InterpolatedValue {
  const problems: Problem[] = [];
  const outside = new Map<string, Interpolation>();
  const replacements = new Map<string, Replacement[]>();
  const report = ({ code, detail }: Refusal, at: Span): void => {
    problems.push({ code, severity: "error", summary: "A value from outside cannot be used", detail, at });
  };
  const variables = listedIn(environment, LISTS.env);
  const allowed = { env: variables, secret: listedIn(environment, LISTS.secret) ?? variables };
  const visit = (each: Json, path: Path): Json => {
    if (typeof each === "string") return each.includes("${") ? fill(each, path) : each;
    if (isList(each)) return each.map((item, index) => visit(item, [...path, index]));
    if (!isObject(each)) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, item]) => {
        const below = [...path, key];
        if (key.includes("${")) report(IN_KEY, span(below, "key"));
        return [key, visit(item, below)];
      }),
    );
  };
  const fill = (text: string, path: Path): string => {
    const place = { mayBeSecret: mayHoldSecret(path), isAlwaysSecret: isAlwaysSecret(path) };
    const context = { environment, allowed, secrets, purpose, ...place };
    const pointer = pointerOf(path);
    const own: Replacement[] = [];
    replacements.set(pointer, own);
    return text.replace(
      REFERENCE,
      (reference: string, inner: string | undefined, brace: string | undefined, at: number) => {
        const read = inner === undefined ? "${" : brace === "}" ? readReference(inner, context) : UNCLOSED;
        if (typeof read === "object") {
          report(read, span(path, "value", at));
          return reference;
        }
        own.push(replacementAfter(own.at(-1), at, reference, read));
        if (inner !== undefined) note(outside, pointer, inner, read, reference === text);
        return read;
      },
    );
  };
  return {
    value: visit(value, []),
    problems,
    outside,
    declaredOffset: (path, offset) => declaredOffset(replacements.get(pointerOf(path)) ?? [], offset),
  };
}

function listedIn(environment: Environment, list: string): readonly string[] | undefined {
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
 * or as a whole destination, and those that the environment lists as secrets and not as variables too.
 */
export function secretVariables(
  files: readonly FileText[],
  environment: Environment,
): readonly SecretVariable[] {
  const found = files.flatMap(({ file, text }) => {
    // Escapes of YAML may hide what it is.
    const parsed = /\\|\$\{env:/.test(text) ? parseSource(file, text) : null;
    const value = parsed?.ok === true ? parsed.value.value : null;
    const written = [...`${text}\n${JSON.stringify(value)}`.matchAll(SECRET)].map(([, name = ""]) => name);
    return [...named(written, "secret"), ...named(wholeVariables(value), "env")];
  });
  const shown = listedIn(environment, LISTS.env) ?? [];
  const listed = (listedIn(environment, LISTS.secret) ?? []).filter((name) => !shown.includes(name));
  return [...found, ...named(listed, "secret")];
}

function named(names: readonly string[], as: Source): readonly SecretVariable[] {
  return [...new Set(names)].map((name) => ({ name, as }));
}

const SECRET = /\$\{secret:([A-Za-z_][A-Za-z0-9_]*)/g;

/** The variables that are all there is of a destination, or of what proves one. */
function wholeVariables(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(wholeVariables);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const [, name] = (isSensitiveKey(key) && typeof each === "string" && WHOLE.exec(each)) || [];
    return name === undefined ? wholeVariables(each) : [name];
  });
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

function note(
  outside: Map<string, Interpolation>,
  pointer: string,
  inner: string,
  read: string,
  isWhole: boolean,
): void {
  const [, source, name = "", fallback] = NAMED.exec(inner) ?? [];
  const isSecret = source === "secret";
  const known = outside.get(pointer);
  outside.set(pointer, {
    isSecret: isSecret || known?.isSecret === true,
    name: isSecret && isWhole && fallback === undefined ? name : null,
    isDefault: known?.isDefault === true || (fallback !== undefined && fallback !== "" && read === fallback),
    unset: [...(known?.unset ?? []), ...(isSecret && read === unfilled("secret", name) ? [name] : [])],
  });
}

const kindsBySection = new Map(
  kinds.flatMap((kind) => sectionsOf(kind).map((section) => [section, kind] as const)),
);

/** Whether a path of a file leads into a field that may hold a secret, in a zone's body, a template or the defaults. */
function mayHoldSecret(path: Path): boolean {
  const [section, ...rest] = path.slice(path[0] === "defaults" ? 1 : 2);
  const kind = kindsBySection.get(String(section));
  const isList = kind !== undefined && listOf(kind)?.section === section;
  const [key, inner] = isList ? rest.slice(1) : rest;
  const sensitive = new Map(Object.entries(kind?.sensitive ?? {}));
  const where = sensitive.get(String(key));
  if (where === undefined || where === "always") return where !== undefined;
  return !where.insideBut.includes(String(inner));
}

/** Whether the value at a path of a file is never shown, wherever it comes from. */
function isAlwaysSecret(path: Path): boolean {
  return mayHoldSecret(path) && isSensitiveKey(path.at(-1) ?? "");
}

/** The keys of such fields, for a sentence. */
function secretPlaces(): string {
  const places = kinds.flatMap(({ sensitive }) =>
    Object.entries(sensitive).map(([key, where]) =>
      where === "always" ? key : `${key} (but not its ${where.insideBut.join(" and ")})`,
    ),
  );
  return `${places.slice(0, -1).join(", ")} and ${places.at(-1)}`;
}

interface Refusal {
  readonly code: string;
  readonly detail: string;
}

const IN_KEY: Refusal = {
  code: "bad_reference",
  detail: `Only a value can have a \${…}, a key cannot. Write the key out.`,
};

const UNCLOSED: Refusal = {
  code: "bad_reference",
  detail: `A \${ has no } after it. Close it, or write $\${ for the two characters themselves.`,
};

type Source = keyof typeof LISTS;

/** What a reference is read with. */
interface ReferenceContext {
  readonly environment: Environment;
  readonly allowed: Readonly<Record<Source, readonly string[] | undefined>>;
  readonly secrets: readonly SecretVariable[];
  readonly purpose: Purpose;
  readonly mayBeSecret: boolean;
  readonly isAlwaysSecret: boolean;
}

function readReference(inner: string, context: ReferenceContext): string | Refusal {
  const [, written, name, fallback] = NAMED.exec(inner) ?? [];
  if (written === undefined || name === undefined) {
    const what = context.mayBeSecret ? "A ${…} here" : quoted(`\${${inner}}`);
    const detail = `${what} is neither \${env:NAME} nor \${secret:NAME}, with or without :-default before the brace. For the characters themselves write $\${.`;
    return { code: "bad_reference", detail };
  }
  if (fallback?.includes("${")) {
    const detail = `A default cannot hold another \${…}. Write the default out.`;
    return { code: "bad_reference", detail };
  }
  const source = written === "secret" ? "secret" : "env";
  const value = Object.hasOwn(context.environment, name) ? context.environment[name] : undefined;
  const refusal =
    refuse(source, name, context) ?? (source === "env" ? refuseValue(name, value, context) : null);
  if (refusal !== null) return refusal;
  // As in shells, `:-` also stands in for a variable that is set and empty.
  const isEmpty = value === undefined || value === "";
  if (fallback !== undefined && isEmpty) return fallback;
  if (value !== undefined && !(isEmpty && source === "secret")) return value;
  if (source === "secret" || context.purpose === "base") return unfilled(source, name);
  const detail = `The environment has no ${name}. Set it, or give a default: \${env:${name}:-default}.`;
  return { code: "missing_variable", detail };
}

/** What stands in a text for a value that is not there. */
function unfilled(source: Source, name: string): string {
  return `\${${source}:${name}}`;
}

function refuse(source: Source, name: string, context: ReferenceContext): Refusal | null {
  const { allowed, mayBeSecret } = context;
  const upper = name.toUpperCase();
  const prefix = REFUSED_PREFIXES.find((each) => upper.startsWith(each));
  if (prefix !== undefined) {
    return {
      code: "refused_variable",
      detail: `Files may not read ${prefix}* variables. Use another name than ${name}.`,
    };
  }
  if (source === "secret" && !mayBeSecret) {
    const detail = `\${secret:${name}} stands where no secret belongs: only ${secretPlaces()} may hold one. Use \${env:…} for what may be shown.`;
    return { code: "misplaced_secret", detail };
  }
  const word = source === "secret" ? undefined : REFUSED_WORDS.find((each) => upper.includes(each));
  if (word !== undefined) {
    const detail = `\${env:…} shows its value in plans, so it refuses names with ${word}. ${mayBeSecret ? `Write \${secret:${name}} here.` : `Use another name than ${name}.`}`;
    return { code: "refused_variable", detail };
  }
  if (source === "env" && isKnownSecret(name, context)) {
    const detail = `${name} is a secret: the files, or those before the change, have it as \${secret:${name}} or as a whole destination, or ${LISTS.secret} lists it, and \${env:…} would show its value. ${mayBeSecret ? `Write \${secret:${name}} here.` : `Use another name than ${name}.`}`;
    return { code: "refused_variable", detail };
  }
  const list = allowed[source];
  if (list === undefined || list.includes(name)) return null;
  const isForBoth = source === "secret" && context.environment[LISTS.secret] === undefined;
  const why = isForBoth
    ? `${LISTS.secret} is not set, so ${LISTS.env} is the list of secrets too, and it does not list ${name}. Set ${LISTS.secret} to all names of secrets`
    : `${LISTS[source]} does not list ${name}. Add it there`;
  return { code: "refused_variable", detail: `${why}, or use a name that is listed.` };
}

/** A secret of the base is one for the files too. Not the other way round: the base is not shown. */
function isKnownSecret(name: string, context: ReferenceContext): boolean {
  // Where names are told apart by their letter case, somebody may rely on it; where they are not, an attacker does.
  return barred(context).some((each) => each.name.toUpperCase() === name.toUpperCase());
}

/** A destination may be a variable where nothing of it is shown. */
function barred({ secrets, purpose, isAlwaysSecret }: ReferenceContext): readonly SecretVariable[] {
  if (purpose === "base") return [];
  return isAlwaysSecret ? secrets.filter((each) => each.as === "secret") : secrets;
}

/** A secret may also be had under another name. */
function refuseValue(name: string, value: string | undefined, context: ReferenceContext): Refusal | null {
  if (value === undefined) return null;
  if (!secretValues(barred(context), context.environment).some((each) => value.includes(each))) return null;
  const detail = `The value of ${name} has a secret in it that the files, or those before the change, name with \${secret:…} or have as a destination, and \${env:…} would show it. Use another name than ${name}.`;
  return { code: "refused_variable", detail };
}

/** A part of a text that something else was put in place of. */
interface Replacement {
  /** In the text as it was declared. */
  readonly start: number;
  readonly end: number;
  /** In the text as it is then. */
  readonly filledStart: number;
  readonly filledEnd: number;
}

/** What is filled in at an offset of the declared text, after what was filled in before. */
function replacementAfter(
  before: Replacement | undefined,
  start: number,
  declared: string,
  filled: string,
): Replacement {
  const filledStart = start + (before === undefined ? 0 : before.filledEnd - before.end);
  return { start, end: start + declared.length, filledStart, filledEnd: filledStart + filled.length };
}

/** An offset into the filled text as one into the declared text: what was filled in has the place of its reference. */
function declaredOffset(replacements: readonly Replacement[], offset: number): number {
  const last = replacements[lastIndexWhere(replacements, ({ filledStart }) => filledStart <= offset)];
  if (last === undefined || offset < last.filledStart) return offset;
  return offset < last.filledEnd ? last.start : last.end + offset - last.filledEnd;
}

/**
 * What the desired state is read for. `check`: what the live state could tell is judged by the files alone. `base`: as it
 * was before a change; no variable that it took from the environment need be set any more.
 */
export type Purpose = "check" | "plan" | "base";
