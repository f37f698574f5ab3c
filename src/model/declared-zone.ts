import type { Path } from "./item.js";
import { equal, type Json, type JsonObject } from "./json.js";
import type { Span } from "./problem.js";
import type { Listing } from "./unmanaged.js";
import type { WrittenTest } from "./zone-tests.js";

/** The limits of the service: the file's `service` over the defaults. */
export interface Service {
  readonly limits: {
    /** Policies per zone, undeclared ones included. Absent: unknown. */
    readonly policies?: number;
    /** Log-push jobs per zone, undeclared ones included. */
    readonly logpush_jobs: number;
    /** Characters of a policy's CSP value. */
    readonly policy_value_chars: number;
    /** Characters of a filter expression. */
    readonly expression_chars: number;
    /** Custom log fields per zone, in all lists together. */
    readonly custom_log_fields: number;
    /** A script with an integrity score below this is malicious. */
    readonly malicious_score_below: number;
  };
  /** For accounts with the newer limit: custom log fields per list. Null: only the limit for all lists together. */
  readonly custom_log_fields: { readonly per_list: number } | null;
  /** CSP directives that the service gained after this version. */
  readonly extra_csp_directives: readonly string[];
  /** Expression fields that the service gained after this version, with their types: `Array<Bytes>`. */
  readonly extra_expression_fields: { readonly [name: string]: string };
}

/** The desired state of one zone, from its file and its templates. */
export interface WantedZone {
  /** Lower case, punycode, no trailing dot. */
  readonly name: string;
  readonly id: string | null;
  readonly accountId: string | null;
  /** The merged body: section key → section. An absent section is not managed. */
  readonly sections: JsonObject;
  /** Sections whose undeclared live objects are deleted. */
  readonly prune: readonly string[];
  /** Sections that the zone's Cloudflare plan may not include. */
  readonly optional: readonly string[];
  /** Acknowledged undeclared objects. */
  readonly unmanaged: Listing;
  /** Tests of the zone and its templates. Absent: none. */
  readonly tests?: readonly WrittenTest[];
  /**
   * Where a path of the merged body was written: in the zone, a template, or the defaults.
   *
   * @param offset into the text at the path, in UTF-16 units
   */
  locate(path: Path, part?: "key" | "value", offset?: number): Span | null;
  /** Whether any text may come from outside the files. Mostly not, and plans ask for every text. */
  readonly isFromOutside: boolean;
  /** The origin of the text at a path outside the files; null: a literal text. */
  interpolated(path: Path): Interpolation | null;
}

/** A zone that is in no file. */
export const NOWHERE: WantedZone = {
  name: "",
  id: null,
  accountId: null,
  sections: {},
  prune: [],
  optional: [],
  unmanaged: {},
  locate: () => null,
  isFromOutside: false,
  interpolated: () => null,
};

/** A text with a `${…}` in it. */
export interface Interpolation {
  /** The text in the file, with zone names resolved and outside values unresolved. */
  readonly written: string;
  /** Whether it has a `${secret:…}`. */
  readonly isSecret: boolean;
  /** NAME, if the whole text is one `${secret:NAME}`. */
  readonly name: string | null;
  /** Whether the value is in the files all the same, as a default or in `vars`. */
  readonly isInFile: boolean;
  /** Names of secrets that are not set. The text has their references instead. */
  readonly unset: readonly string[];
}

/** A declared object with its path inside the merged body. */
export interface Declared {
  readonly path: Path;
  readonly body: JsonObject;
}

/** The entry at this place of a zone's body. */
export function entryAt(declared: readonly Declared[], path: Path | null | undefined): Declared | undefined {
  return declared.find((each) => equal(each.path, path));
}

/** A JSON Schema (draft 2020-12). */
export type Schema = { readonly [keyword: string]: Json | Schema };
