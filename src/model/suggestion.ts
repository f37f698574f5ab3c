import type { ImpactEntry } from "./detection.js";
import type { JsonObject } from "./json.js";
import type { Problem, Result } from "./problem.js";

/** What a policy would have to allow so that all that was seen on its pages passes and is not malicious. */
export interface SuggestedValue {
  /** Null: there is no policy yet, and this would be a new one that reports. */
  readonly name: string | null;
  readonly id: string | null;
  /** Whether the value is that of the files, the live one of what they do not declare, or that of a new one. */
  readonly stands: "declared" | "live" | "new";
  /** Of a new one, what a zone says in a file to have it. */
  readonly declare?: JsonObject;
  /**
   * Where the files were asked to have it: the file that has it now, and sources that were left, since only reports ask for
   * them; or why none has it.
   */
  readonly written?: { readonly file: string; readonly left: readonly string[] } | { readonly why: string };
  readonly value: string;
  /** The same where there is nothing to add. */
  readonly proposed: string;
  readonly added: readonly SuggestedSource[];
  readonly refused: readonly RefusedLoad[];
}

/** A source to add, and what asks for it. */
export interface SuggestedSource {
  readonly kind: "script" | "connection";
  readonly source: string;
  /** What is refused without it. */
  readonly loads: readonly AskingLoad[];
}

/** A load that asks for a source. */
export interface AskingLoad extends ImpactEntry {
  /** How many pages of the policy it is known to be on. */
  readonly pages: number;
  /** When the service has seen it first, and last, as it says; null: it does not say, or has not detected it. */
  readonly first_seen: string | null;
  readonly last_seen: string | null;
}

/** A load that nothing is suggested for, and why. */
export interface RefusedLoad extends ImpactEntry {
  readonly why:
    | "malicious"
    | "too_many"
    | "scheme"
    | "insecure"
    | "own_machine"
    | "no_host"
    | "beside_malicious"
    | "url_hash"
    | "no_source";
}

/** What is suggested, zone by zone. */
export interface SuggestReport {
  readonly zones: readonly { readonly zone: string; readonly found: Result<readonly SuggestedValue[]> }[];
  /** What is to be said of the logs. */
  readonly told: readonly Problem[];
}
