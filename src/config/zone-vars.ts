import { quoted } from "../model/cut.js";
import { didYouMean } from "../model/did-you-mean.js";
import { isList, isObject, type Json, partsOf } from "../model/json.js";

/** The values of `${zone}` and of `${vars.NAME}` for a zone. */
export interface ZoneNames {
  readonly zone: string;
  /** Null: the text is itself one of the vars, which cannot refer to each other. */
  readonly vars: ReadonlyMap<string, string> | null;
}

/** Why a reference cannot be used. */
export interface Refusal {
  readonly code:
    | "bad_reference"
    | "missing_variable"
    | "misplaced_secret"
    | "refused_variable"
    | typeof UNKNOWN_VAR;
  readonly detail: string;
}

/** The inside of a reference to one of `vars`. */
export const VAR = /^vars\.([A-Za-z_][A-Za-z0-9_]*)$/;

/** Matches texts that may refer to their zone. Escaped references match too. */
const MAY_NAME_ZONE = /\$\{(?:zone\}|vars\.)/;

/** Whether a body, as written, may differ between zones. */
export function namesItsZone(body: Json): boolean {
  return typeof body === "string" ? MAY_NAME_ZONE.test(body) : partsOf(body).some(namesItsZone);
}

/** The value of a reference, given the text between its braces. Null: it is no reference to the zone. */
export function zoneReference(inner: string, names: ZoneNames | null): string | Refusal | null {
  const name = VAR.exec(inner)?.[1];
  if (inner !== "zone" && name === undefined) return null;
  if (names === null) return OF_NO_ZONE;
  if (name === undefined) return names.zone;
  if (names.vars === null) return OF_ANOTHER;
  return names.vars.get(name) ?? unknownVar(name, names.zone, names.vars.keys());
}

const OF_NO_ZONE: Refusal = {
  code: "bad_reference",
  detail: `This value is the same for all zones. Use \${zone} and \${vars.NAME} only in zones, templates and defaults.`,
};

const OF_ANOTHER: Refusal = {
  code: "bad_reference",
  detail: `A var cannot contain another var. Use \${zone} or \${env:NAME}, or write the value out.`,
};

export const UNKNOWN_VAR = "unknown_var";

function unknownVar(name: string, zone: string, names: Iterable<string>): Refusal {
  const advice = didYouMean(name, names, `Add it: vars: { ${name}: … }.`, (near) => `\${vars.${near}}`);
  return {
    code: UNKNOWN_VAR,
    detail: `${zone}, its templates and the defaults have no var ${quoted(name)}. ${advice}`,
  };
}

/** The merged `vars` of a zone as texts. Numbers and booleans are written as in YAML. */
export function varTexts(vars: Json): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(isObject(vars) ? vars : {}).flatMap(([name, value]) => {
      const text = varText(value);
      return text === null ? [] : [[name, text] as const];
    }),
  );
}

export function varText(value: Json): string | null {
  return value === null || isObject(value) || isList(value) ? null : String(value);
}
