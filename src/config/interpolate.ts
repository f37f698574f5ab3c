import { type Fields, nameInside, secretKeys } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { listOf, sectionsOf } from "../kinds/kind.js";
import { credentialWordIn } from "../model/credential-names.js";
import { quoted } from "../model/cut.js";
import type { Interpolation } from "../model/declared-zone.js";
import { suggest } from "../model/did-you-mean.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import { lastIndexWhere } from "../model/last-index-where.js";
import { hasCredentialByLook } from "../model/looks-secret.js";
import { type Problem, problem, type Span } from "../model/problem.js";
import { escaped, NAMED, REFERENCE } from "../model/reference.js";
import { REFUSED_PREFIXES } from "../model/variable-name.js";
import { isSensitiveKey } from "./redact.js";
import {
  type Environment,
  LISTS,
  listedIn,
  MAX_NAME_CHARS,
  type SecretVariable,
  type Source,
  secretValues,
} from "./secret-variables.js";
import type { SourceFile } from "./source.js";
import { type Refusal, UNKNOWN_VAR, VAR, type ZoneNames, zoneReference } from "./zone-vars.js";

/** The environment and the limits that references in texts are replaced with. */
export interface Filling {
  readonly environment: Environment;
  readonly purpose: Purpose;
  /** Names and values that `${env:…}` must not show. They come from all files. */
  readonly barred: Barred;
  readonly room: Room;
}

/**
 * Far more than any fleet needs: 10,000 zones with 10 policies each. A few hostile lines can ask for more than the
 * machine has memory, or for minutes of its time.
 */
export const MAX_ZONE_CHARS = 50_000_000;

/** The cost of one reference, as a number of characters. */
export const REFERENCE_CHARS = 100;

/** The cost of one value in a zone, as a number of characters. */
export const VALUE_CHARS = 20;

/** The characters that the zones of all files may still take, with templates merged and references filled in. */
export class Room {
  #left = MAX_ZONE_CHARS;
  #full: Span | null = null;

  /** The place at which the limit was passed. */
  get full(): Span | null {
    return this.#full;
  }

  /** Takes so many characters. False: the limit is passed. */
  take(chars: number, at: () => Span): boolean {
    this.#left -= chars;
    if (this.#left < 0) this.#full ??= at();
    return this.#left >= 0;
  }
}

/** A value with its references replaced. */
interface InterpolatedValue {
  readonly value: Json;
  readonly problems: readonly Problem[];
  /** The texts that had a `${…}`, by JSON pointer. */
  readonly outside: ReadonlyMap<string, Interpolation>;
  /** Names of the `vars` that the value refers to. */
  readonly usedVars: ReadonlySet<string>;
  /** Converts an offset in a filled text to the offset in the declared text. */
  declaredOffset(path: Path, offset: number): number;
}

/**
 * Replaces the references in every text of a value: `${env:NAME}` and `${secret:NAME}`, either with `:-default`. For
 * a value of one zone, also `${zone}` and `${vars.NAME}`. Keys cannot have references. The reference to a secret that
 * is unset or empty stays as it is: CI passes an empty text for a secret that it does not have.
 *
 * @param at where the value stands in its file
 * @param zone null: the value belongs to no zone
 */
export function interpolate(
  value: Json,
  at: Path,
  filling: Filling,
  zone: ZoneNames | null,
  span: SourceFile["span"],
): InterpolatedValue {
  const problems: Problem[] = [];
  const outside = new Map<string, Interpolation>();
  const usedVars = new Set<string>();
  const replacements = new Map<string, Replacement[]>();
  const report = ({ code, detail }: Refusal, place: Span, inner = ""): void => {
    problems.push(problem(code, summaryOf(code, inner), detail, place));
  };
  const { environment, room } = filling;
  const variables = listedIn(environment, LISTS.env);
  const allowed = { env: variables, secret: listedIn(environment, LISTS.secret) ?? variables };
  // A value without references stays the same object, so zones share the objects of their templates.
  const visit = (part: Json, path: Path): Json => {
    if (typeof part === "string") return part.includes("${") ? fill(part, path) : part;
    if (!hasRoom(part, path)) return part;
    if (isList(part)) {
      const items = part.map((item, index) => visit(item, [...path, index]));
      return items.some((item, index) => item !== part[index]) ? items : part;
    }
    if (!isObject(part)) return part;
    const entries = Object.entries(part).map(([key, item]) => {
      const below = [...path, key];
      if (key.includes("${")) report(IN_KEY, span(below, "key"));
      return [key, visit(item, below)] as const;
    });
    return entries.some(([key, item]) => item !== part[key]) ? Object.fromEntries(entries) : part;
  };
  const hasRoom = (part: Json, path: Path): boolean => {
    if (zone === null || typeof part !== "object" || part === null) return true;
    return room.take(VALUE_CHARS * Object.keys(part).length, () => span(path, "value"));
  };
  const fill = (text: string, path: Path): string => {
    const place = { mayBeSecret: mayHoldSecret(path), isAlwaysSecret: isAlwaysSecret(path) };
    const context = { ...filling, allowed, zone, usedVars, ...place };
    const pointer = pointerOf(path);
    const at = () => span(path, "value");
    const fieldReplacements: Replacement[] = [];
    const references: TextReference[] = [];
    let written = "";
    let literal = "";
    let end = 0;
    replacements.set(pointer, fieldReplacements);
    if (!room.take(text.length, at)) return text;
    const filled = text.replace(
      REFERENCE,
      (reference: string, inner: string | undefined, brace: string | undefined, offset: number) => {
        const result =
          inner === undefined ? ESCAPED : brace === "}" ? readReference(inner, context) : UNCLOSED;
        if ("code" in result) {
          report(result, span(path, "value", offset), inner);
          return reference;
        }
        if (!room.take(REFERENCE_CHARS + result.value.length, at)) return reference;
        fieldReplacements.push(replacementAfter(fieldReplacements.at(-1), offset, reference, result.value));
        literal += text.slice(end, offset);
        if (result.source === null) literal += result.value;
        else {
          written += literalBefore(literal) + result.written;
          literal = "";
        }
        end = offset + reference.length;
        if (inner !== undefined) references.push({ ...result, isWhole: reference === text });
        return result.value;
      },
    );
    if (references.length > 0)
      outside.set(pointer, interpolationOf(references, written + escaped(literal + text.slice(end))));
    return filled;
  };
  return {
    value: visit(value, at),
    problems,
    outside,
    usedVars,
    declaredOffset: (path, offset) => declaredOffset(replacements.get(pointerOf(path)) ?? [], offset),
  };
}

/** Names the variable, but never a default: it may be a secret. */
function summaryOf(code: Refusal["code"], inner: string): string {
  const [, source, name] = NAMED.exec(inner) ?? [];
  const named = name === undefined ? (VAR.exec(inner)?.[1] ?? null) : `\${${source}:${name}}`;
  return `${SUMMARIES[code]}${named === null ? "" : ` ${named}`}`;
}

const SUMMARIES: { readonly [code in Refusal["code"]]: string } = {
  bad_reference: "Invalid reference",
  missing_variable: "Unset variable",
  misplaced_secret: "No secret allowed here:",
  refused_variable: "Refused variable",
  [UNKNOWN_VAR]: "Unknown var",
};

/** One reference and its value. */
interface Reading {
  readonly value: string;
  /** The reference with each `${vars.…}` in its name resolved. Empty where the value comes from the files themselves. */
  readonly written: string;
  /** Null: the value comes from the files themselves. */
  readonly source: Source | null;
  readonly name: string;
  /** Whether the value is the default that the file gives. */
  readonly isDefault: boolean;
  readonly isUnset: boolean;
}

interface TextReference extends Reading {
  /** Whether the text has nothing but this reference. */
  readonly isWhole: boolean;
}

/**
 * The literal text before a reference. A `$` at its end, which a value of `vars` can have, would make the reference
 * look escaped. So the `$` is written in a form that no file can have.
 */
function literalBefore(text: string): string {
  return escaped(text).replace(/\$$/, () => `\${"$"}`);
}

function interpolationOf(parts: readonly TextReference[], written: string): Interpolation {
  const secrets = parts.filter(({ source }) => source === "secret");
  const whole = secrets.find(({ isWhole, written }) => isWhole && !written.includes(":-"));
  return {
    written,
    isSecret: secrets.length > 0,
    name: whole?.name ?? null,
    isInFile: parts.some(({ isDefault }) => isDefault) || parts.every(({ source }) => source === null),
    unset: secrets.filter(({ isUnset }) => isUnset).map(({ name }) => name),
  };
}

const kindsBySection = new Map(
  kinds.flatMap((kind) => sectionsOf(kind).map((section) => [section, kind] as const)),
);

/** Whether a path leads into a field that may hold a secret, in a zone's body, a template or the defaults. */
function mayHoldSecret(path: Path): boolean {
  const [section, ...rest] = path.slice(path[0] === "defaults" ? 1 : 2);
  const kind = kindsBySection.get(String(section));
  const isList = kind !== undefined && listOf(kind)?.section === section;
  const [key, inner] = isList ? rest.slice(1) : rest;
  const secret = kind?.fields[String(key)]?.secret;
  return secret === "inside" ? kind?.fields[`${key}.${inner}`]?.secret !== "apart" : secret === "always";
}

/** Whether the value at a path of a file is never shown, whatever its source. */
function isAlwaysSecret(path: Path): boolean {
  return mayHoldSecret(path) && isSensitiveKey(path.at(-1) ?? "");
}

/** The keys of the fields that may hold a secret, for a sentence. */
function secretPlaces(): string {
  const places = kinds.flatMap(({ fields }) => [
    ...secretKeys(fields, "always"),
    ...secretKeys(fields, "inside").map(
      (key) => `${key} (but not its ${namesApart(fields, key).join(" and ")})`,
    ),
  ]);
  return `${places.slice(0, -1).join(", ")} and ${places.at(-1)}`;
}

function namesApart(fields: Fields, key: string): readonly string[] {
  return secretKeys(fields, "apart").flatMap((field) => nameInside(key, field) ?? []);
}

const IN_KEY: Refusal = {
  code: "bad_reference",
  detail: `A key cannot have a \${…}. Write the key out.`,
};

const UNCLOSED: Refusal = {
  code: "bad_reference",
  detail: `No } closes this \${. Add it, or write $\${ for the two characters themselves.`,
};

/** A value that comes from the files themselves. */
function ownText(value: string): Reading {
  return { value, written: "", source: null, name: "", isDefault: false, isUnset: false };
}

const ESCAPED = ownText("${");

interface ReferenceContext extends Filling {
  readonly allowed: Readonly<Record<Source, readonly string[] | undefined>>;
  readonly zone: ZoneNames | null;
  /** Collects the names of the `vars` that references name. */
  readonly usedVars: Set<string>;
  readonly mayBeSecret: boolean;
  readonly isAlwaysSecret: boolean;
}

function readReference(inner: string, context: ReferenceContext): Reading | Refusal {
  const reference = zoneReference(inner, context.zone);
  if (reference !== null) {
    if (typeof reference === "object") return reference;
    noteVar(inner, context);
    return ownText(reference);
  }
  const named = withNames(inner, context);
  return typeof named === "string" ? readOutside(named, context) : named;
}

function noteVar(inner: string, { usedVars }: ReferenceContext): void {
  const name = VAR.exec(inner)?.[1];
  if (name !== undefined) usedVars.add(name);
}

/** Resolves each `${vars.NAME}` in the name of a secret. */
function withNames(inner: string, context: ReferenceContext): string | Refusal {
  const [before = "", ...fallback] = inner.split(":-");
  if (!before.includes("${")) return inner;
  if (!before.startsWith("secret:")) return OTHER_NAME;
  if (before.length > MAX_NAME_CHARS) return LONG_NAME;
  const parts = before.split(/(\$\{[^{}]*\})/);
  const resolved = parts.map((part): string | Refusal => {
    if (!part.startsWith("${")) return part;
    const name = part.slice(2, -1);
    noteVar(name, context);
    return zoneReference(name, context.zone) ?? OTHER_NAME;
  });
  const refusal = resolved.find((part) => typeof part === "object");
  if (refusal !== undefined) return refusal;
  const whole = resolved.join("");
  if (!/^secret:[A-Za-z_][A-Za-z0-9_]*$/.test(whole)) return noName(whole.slice("secret:".length));
  return [whole, ...fallback].join(":-");
}

const OTHER_NAME: Refusal = {
  code: "bad_reference",
  detail: `Write the name out. Only the name of a \${secret:…} can contain a reference, and only \${vars.NAME}, as in \${secret:LOGS_\${vars.SITE}}.`,
};

const LONG_NAME: Refusal = {
  code: "bad_reference",
  detail: `The name of this secret has more than ${MAX_NAME_CHARS} characters. Use fewer \${vars.NAME} in it.`,
};

function noName(name: string): Refusal {
  return {
    code: "bad_reference",
    detail: `In this zone the name of the secret is ${quoted(name)}. Give its vars values of letters, digits and _, with no digit first.`,
  };
}

function readOutside(inner: string, context: ReferenceContext): Reading | Refusal {
  const [, written, name, fallback] = NAMED.exec(inner) ?? [];
  if (written === undefined || name === undefined) {
    const subject = context.mayBeSecret ? "This ${…}" : quoted(`\${${inner}}`);
    const detail = `${subject} has no meaning here. ${referenceMeant(inner, context)} For the characters themselves, write $\${.`;
    return { code: "bad_reference", detail };
  }
  if (fallback?.includes("${")) {
    const detail = `A default cannot contain another \${…}. Write the default out.`;
    return { code: "bad_reference", detail };
  }
  const source = written === "secret" ? "secret" : "env";
  const value = Object.hasOwn(context.environment, name) ? context.environment[name] : undefined;
  const refusal =
    refuse(source, name, context) ?? (source === "env" ? refuseValue(name, value, context) : null);
  const reading = { written: `\${${inner}}`, source, name, isDefault: false, isUnset: false } as const;
  // The base may be older than this refusal. Its value is unknown then.
  if (refusal?.code === "refused_variable" && context.purpose === "base")
    return { ...reading, value: `\${${source}:${name}}`, isUnset: true };
  if (refusal !== null) return refusal;
  // As in shells, `:-` also stands in for a variable that is set and empty.
  const isEmpty = value === undefined || value === "";
  if (fallback !== undefined && isEmpty) return { ...reading, value: fallback, isDefault: fallback !== "" };
  if (value !== undefined && !(isEmpty && source === "secret")) return { ...reading, value };
  if (source === "secret" || context.purpose === "base")
    return { ...reading, value: `\${${source}:${name}}`, isUnset: true };
  const detail = `The environment has no ${name}. Set it, or give a default: \${env:${name}:-default}.`;
  return { code: "missing_variable", detail };
}

function refuse(source: Source, name: string, context: ReferenceContext): Refusal | null {
  const { allowed, mayBeSecret } = context;
  const upper = name.toUpperCase();
  const prefix = REFUSED_PREFIXES.find((refused) => upper.startsWith(refused));
  if (prefix !== undefined) {
    return {
      code: "refused_variable",
      detail: `Remove the reference: files may not read ${prefix}* variables.`,
    };
  }
  if (source === "secret" && !mayBeSecret) {
    const detail = `Plans show this value. If they may, write \${env:${name}}. Only ${secretPlaces()} may hold a secret.`;
    return { code: "misplaced_secret", detail };
  }
  const instead = mayBeSecret ? `Write \${secret:${name}} here.` : "Remove the reference.";
  const word = source === "secret" ? null : credentialWordIn(name, "variable");
  if (word !== null) {
    const detail = `\${env:…} shows its value in plans, so names with ${word.replaceAll("-", "_").toUpperCase()} are refused. ${instead}${mayBeSecret ? "" : ` If the value is not secret, rename the variable ${name}.`}`;
    return { code: "refused_variable", detail };
  }
  if (source === "env" && isKnownSecret(name, context)) {
    const detail = `${name} is a secret, and \${env:…} would show it in plans. ${instead} A variable is a secret if the files now or before the change use it as \${secret:${name}} or as a whole destination, or if ${LISTS.secret} lists it.`;
    return { code: "refused_variable", detail };
  }
  const list = allowed[source];
  if (list === undefined || list.includes(name)) return null;
  const isForBoth = source === "secret" && context.environment[LISTS.secret] === undefined;
  const why = isForBoth
    ? `${LISTS.env} does not list ${name}, and also lists the secrets while ${LISTS.secret} is not set. Set ${LISTS.secret} to the names of all secrets`
    : `${LISTS[source]} does not list ${name}. Add it there`;
  return { code: "refused_variable", detail: `${why}, or use a listed name.` };
}

/** The spelling of a reference that the author probably means. */
function referenceMeant(inner: string, { mayBeSecret }: ReferenceContext): string {
  if (suggest(inner, ["zone"]) !== null) return `Did you mean \${zone}?`;
  if (/^[A-Za-z_]\w*$/.test(inner))
    return mayBeSecret
      ? `Write \${secret:NAME} for a secret, or \${env:NAME} for another variable.`
      : `Write \${env:${inner}} for a variable, or \${secret:${inner}} where a secret is allowed.`;
  return `Write \${zone}, \${vars.NAME}, \${env:NAME} or \${secret:NAME}; the last two may have a default: \${env:NAME:-default}.`;
}

/** A secret of the base is a secret for the files too, but not the other way round: the base is not shown. */
function isKnownSecret(name: string, context: ReferenceContext): boolean {
  // Some systems ignore the case of variable names. On those, an attacker could use another case.
  return barredAt(context).names.has(name.toUpperCase());
}

/** Names and values that `${env:…}` must not show. */
interface Barred {
  readonly anywhere: Names;
  /** For fields whose values are never shown. A destination there may come from a variable. */
  readonly unshown: Names;
}

interface Names {
  /** In upper case. */
  readonly names: ReadonlySet<string>;
  readonly values: readonly string[];
}

/** @param secrets variables whose values are secret */
export function barredBy(secrets: readonly SecretVariable[], environment: Environment): Barred {
  const namesOf = (variables: readonly SecretVariable[]): Names => ({
    names: new Set(variables.map(({ name }) => name.toUpperCase())),
    values: [...new Set(secretValues(variables, environment))],
  });
  return {
    anywhere: namesOf(secrets),
    unshown: namesOf(secrets.filter(({ source }) => source === "secret")),
  };
}

function barredAt({ barred, purpose, isAlwaysSecret }: ReferenceContext): Names {
  if (purpose === "base") return NOTHING_BARRED;
  return isAlwaysSecret ? barred.unshown : barred.anywhere;
}

const NOTHING_BARRED: Names = { names: new Set(), values: [] };

/** Another variable may hold the same secret, and any variable may hold a credential. */
function refuseValue(name: string, value: string | undefined, context: ReferenceContext): Refusal | null {
  if (value === undefined) return null;
  if (barredAt(context).values.some((secret) => value.includes(secret))) {
    const detail = `The value of ${name} contains a secret of these files or of those before the change, and \${env:…} would show it in plans. Give ${name} a value without the secret.`;
    return { code: "refused_variable", detail };
  }
  // The values of these fields are never shown.
  if (context.isAlwaysSecret || !hasCredentialByLook(value)) return null;
  const detail = `The value of ${name} looks like a credential, and \${env:…} would show it in plans. ${context.mayBeSecret ? `Write \${secret:${name}} here.` : `Give ${name} a value without one.`}`;
  return { code: "refused_variable", detail };
}

/** A part of a text that was replaced. */
interface Replacement {
  /** Offsets in the declared text. */
  readonly start: number;
  readonly end: number;
  /** Offsets in the filled text. */
  readonly filledStart: number;
  readonly filledEnd: number;
}

/** The replacement at an offset of the declared text, given the one before it. */
function replacementAfter(
  before: Replacement | undefined,
  start: number,
  declared: string,
  filled: string,
): Replacement {
  const filledStart = start + (before === undefined ? 0 : before.filledEnd - before.end);
  return { start, end: start + declared.length, filledStart, filledEnd: filledStart + filled.length };
}

/** Converts an offset in the filled text to one in the declared text. A filled-in value maps to its reference. */
function declaredOffset(replacements: readonly Replacement[], offset: number): number {
  const last = replacements[lastIndexWhere(replacements, ({ filledStart }) => filledStart <= offset)];
  if (last === undefined || offset < last.filledStart) return offset;
  return offset < last.filledEnd ? last.start : last.end + offset - last.filledEnd;
}

/**
 * Why the desired state is read. `check`: without live state, so the checks use the files alone. `base`: the state
 * before a change, whose environment variables need not be set any more.
 */
export type Purpose = "check" | "plan" | "base";
