import type { ImpactEntry } from "./detection.js";
import type { JsonObject } from "./json.js";
import type { Problem, Result } from "./problem.js";

/** A value for a policy that allows everything seen on its pages that is not malicious. */
export interface SuggestedValue {
  /** Null: a new policy that reports. */
  readonly name: string | null;
  readonly id: string | null;
  /** Whether the value comes from the files, from an undeclared live policy, or is new. */
  readonly stands: "declared" | "live" | "new";
  /** For a new policy: its declaration in a zone's file. */
  readonly declare?: JsonObject;
  /**
   * With `--write`: the changed file, and sources that were left out because only reports ask for them; or why no file
   * was changed.
   */
  readonly written?: { readonly file: string; readonly left: readonly string[] } | { readonly why: string };
  readonly value: string;
  /** Equal to `value` if nothing has to be added. */
  readonly proposed: string;
  readonly added: readonly SuggestedSource[];
  readonly refused: readonly RefusedLoad[];
}

/** A source to add, and the loads that need it. */
export interface SuggestedSource {
  readonly kind: "script" | "connection";
  readonly source: string;
  /** The loads that are refused without it. */
  readonly loads: readonly AskingLoad[];
}

/** A load that needs a source. */
export interface AskingLoad extends ImpactEntry {
  /** The number of the policy's pages known to load it. */
  readonly pages: number;
  /** First and last detection by the service; null: unknown, or not detected. */
  readonly first_seen: string | null;
  readonly last_seen: string | null;
}

/** A load without a suggestion, and why. */
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

/** The suggestions of all zones. */
export interface SuggestReport {
  readonly zones: readonly { readonly zone: string; readonly found: Result<readonly SuggestedValue[]> }[];
  /** Problems with the logs. */
  readonly told: readonly Problem[];
}
