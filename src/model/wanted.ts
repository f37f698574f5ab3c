import type { Path } from "./item.js";
import type { Json, JsonObject } from "./json.js";
import type { Span } from "./problem.js";
import type { Listing } from "./unmanaged.js";
import type { WrittenTest } from "./zone-tests.js";

/** What this service's plan and version allow; the file's `service` over the defaults. */
export interface Service {
  readonly limits: {
    /** Policies of a zone, unmanaged ones included. Absent: the service does not say, and neither does the file. */
    readonly policies?: number;
    /** Log-push jobs of a zone, unmanaged ones included. */
    readonly logpush_jobs: number;
    /** Characters of a policy's CSP value. */
    readonly policy_value_chars: number;
    /** Characters of a filter expression. */
    readonly expression_chars: number;
    /** Custom log fields of a zone, in all lists together. */
    readonly custom_log_fields: number;
    /** A script with an integrity score below this is malicious. */
    readonly malicious_score_below: number;
  };
  /** For accounts with the newer limit: custom log fields per list. Null: only the limit for all lists together. */
  readonly custom_log_fields: { readonly per_list: number } | null;
  /** CSP directives that the service has learnt since this version. */
  readonly extra_csp_directives: readonly string[];
  /** Fields of expressions that the service has learnt since this version, with their types: `Array<Bytes>`. */
  readonly extra_expression_fields: { readonly [name: string]: string };
}

/** One zone as its file and the templates that it extends say it should be. */
export interface WantedZone {
  /** Lower case, punycode, no trailing dot. */
  readonly name: string;
  readonly id: string | null;
  readonly accountId: string | null;
  /** The merged body: section key → section. An absent section is not managed. */
  readonly sections: JsonObject;
  /** Sections whose unmanaged live objects are deleted. */
  readonly prune: readonly string[];
  /** Sections that the zone's plan at the service may not include. */
  readonly optional: readonly string[];
  /** What is live, no file declares, and is known. */
  readonly unmanaged: Listing;
  /** Of the zone and of all that it extends. Absent: there are none. */
  readonly tests?: readonly WrittenTest[];
  /**
   * Where a path of the merged body was written: in the zone's own body, a template, or the defaults.
   *
   * @param offset into the text at the path: a UTF-16 index
   */
  locate(path: Path, part?: "key" | "value", offset?: number): Span | null;
  /** Whether a text of it may come from outside the files: of most zones none does, and plans ask of every text. */
  readonly isFromOutside: boolean;
  /** How the text at a path of the merged body came from outside the files; null: it is written out. */
  interpolated(path: Path): Interpolation | null;
}

/** What is known of a text with a `${…}` in it. */
export interface Interpolation {
  /** As its file has it: what its zone is called is resolved, what comes from outside is not. */
  readonly written: string;
  /** Whether a `${secret:…}` is among them. */
  readonly isSecret: boolean;
  /** The NAME, where the whole text is one `${secret:NAME}`. */
  readonly name: string | null;
  /** Whether what it says stands in the files all the same: as a default that was taken, or as `vars`. */
  readonly isInFile: boolean;
  /** Names of secrets that are not set: the text has their references in place of their values. */
  readonly unset: readonly string[];
}

/** A declared object with its path inside the merged body. */
export interface Declared {
  readonly path: Path;
  readonly body: JsonObject;
}

/** A JSON Schema (draft 2020-12), as data. */
export type Schema = { readonly [keyword: string]: Json | Schema };
