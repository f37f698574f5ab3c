import type { Path } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Problem, Span } from "../model/problem.js";
import { quoted } from "./quoted.js";
import type { SourceFile } from "./source.js";

/** The process's environment, or what a test puts in its place. */
export type Environment = { readonly [name: string]: string | undefined };

/** A pull request can edit the files, so what a run's credentials and its runner know is out of their reach. */
const REFUSED_PREFIXES = ["CLOUDFLARE_", "ACTIONS_", "GITHUB_", "RUNNER_", "INPUT_", "NODE_"];
const REFUSED_WORDS = ["TOKEN", "SECRET", "PASSWORD", "KEY"];

/** Where the environment sets this, it is the whole list of names that files may read. */
const ALLOWED_NAMES = "ZONEWARD_VARS";

/** `${…}` up to its brace; `$${` is a literal `${`. */
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAMED = /^(env|secret):([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Fills in `${env:NAME}` and `${env:NAME:-default}` in every text of a file's value. A key cannot have one. */
export function interpolate(
  value: Json,
  environment: Environment,
  span: SourceFile["span"],
): { readonly value: Json; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const report = ({ code, detail }: Refusal, at: Span): void => {
    problems.push({ code, severity: "error", summary: "A value from outside cannot be used", detail, at });
  };
  const allowed = environment[ALLOWED_NAMES]?.split(",").map((name) => name.trim());
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
  const fill = (text: string, path: Path): string =>
    text.replace(REFERENCE, (reference: string, inner: string | undefined, brace: string | undefined) => {
      if (inner === undefined) return "${";
      const read = brace === "}" ? readReference(inner, environment, allowed) : UNCLOSED;
      if (typeof read === "string") return read;
      report(read, span(path));
      return reference;
    });
  return { value: visit(value, []), problems };
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

function readReference(
  inner: string,
  environment: Environment,
  allowed: readonly string[] | undefined,
): string | Refusal {
  const [, source, name, fallback] = NAMED.exec(inner) ?? [];
  if (source === undefined || name === undefined) {
    const detail = `${quoted(`\${${inner}}`)} is neither \${env:NAME} nor \${env:NAME:-default}. For the characters themselves write $\${.`;
    return { code: "bad_reference", detail };
  }
  if (fallback?.includes("${")) {
    const detail = `A default cannot hold another \${…}. Write the default out.`;
    return { code: "bad_reference", detail };
  }
  const refusal = refuse(source, name, allowed);
  if (refusal !== null) return refusal;
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  // As in shells, `:-` also stands in for a variable that is set and empty.
  if (fallback !== undefined && (value === undefined || value === "")) return fallback;
  if (value !== undefined) return value;
  const detail = `The environment has no ${name}. Set it, or give a default: \${${source}:${name}:-default}.`;
  return { code: "missing_variable", detail };
}

function refuse(source: string, name: string, allowed: readonly string[] | undefined): Refusal | null {
  const upper = name.toUpperCase();
  const prefix = REFUSED_PREFIXES.find((each) => upper.startsWith(each));
  if (prefix !== undefined) {
    return {
      code: "refused_variable",
      detail: `Files may not read ${prefix}* variables. Use another name than ${name}.`,
    };
  }
  if (source === "secret") {
    const detail = `\${secret:${name}} stands where no secret belongs: no field of this version's sections holds one. Use \${env:…} for what may be shown.`;
    return { code: "misplaced_secret", detail };
  }
  const word = REFUSED_WORDS.find((each) => upper.includes(each));
  if (word !== undefined) {
    const detail = `\${env:…} shows its value in plans, so it refuses names with ${word}. Use another name than ${name}.`;
    return { code: "refused_variable", detail };
  }
  if (allowed === undefined || allowed.includes(name)) return null;
  return {
    code: "refused_variable",
    detail: `${ALLOWED_NAMES} does not list ${name}. Add it there, or use a name that is listed.`,
  };
}
