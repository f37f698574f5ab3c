import type { JsonObject } from "./json.js";

/** A CSP on some pages. Layers block or report independently: a page under two of them gets both. */
export interface Layer {
  readonly mode: "enforce" | "report";
  /** The filter expression of its requests. */
  readonly where: string;
  readonly csp: string;
}

/** How strongly an object protects in one dimension, as data that can be compared. */
export type Strength =
  | Rank
  | Ranks
  | Overridden
  | Members
  /** The requests that a filter expression matches; more requests are stronger. */
  | { readonly as: "scope"; readonly of: string }
  | Skips
  | Layers
  | Destinations
  /** Unknown, possibly none. Values with the same `is` are equal. */
  | { readonly as: "unknown"; readonly is: string; readonly why: string }
  | Opaque;

/** Requests that skip protection: fewer requests and less protection skipped are stronger. */
export interface Skips {
  readonly as: "skips";
  /** The filter expression of the requests. */
  readonly where: string;
  /** The skipped protection by name, as a whole or in parts. */
  readonly past: { readonly [name: string]: "all" | readonly string[] };
  /** Whether protection without an entry in `past` is skipped too. */
  readonly others: boolean;
  /** A description. */
  readonly is: string;
}

/** Can only be compared for equality. */
export interface Opaque {
  readonly as: "opaque";
  readonly is: string;
  /** A description, if `is` is only an identifier. */
  readonly words?: string;
  /** Only its changes count: it stops nothing by itself. */
  readonly stopsNothing?: true;
  /** The effect of a new object with it is unknown. */
  readonly isDoubtful?: true;
}

/** One strength for each of several named things. */
export interface Ranks {
  readonly as: "ranks";
  readonly of: { readonly [name: string]: Does };
  /** The strength of names that are not in `of`. A name in neither is unknown. */
  readonly others?: ReadonlyMap<string, Does>;
}

export type Does = Rank | Opaque | "off";

/** Rules with defaults, and overrides of those. */
export interface Overridden {
  readonly as: "overridden";
  /** Overrides: for all rules, then for tags, of which the last counts, then for single rules, which count most. */
  readonly whole: Override;
  readonly tags: readonly (readonly [tag: string, override: Override])[];
  readonly rules: { readonly [id: string]: Override };
  /** The rules' defaults by id; null: unknown. */
  readonly own: { readonly [id: string]: OwnRule } | null;
  /** The default of rules not in `own`. Absent: unknown. */
  readonly unlisted?: Doing;
  /** The value of the strongest action. A disabled rule has 0. */
  readonly most: number;
}

/** A rule's action while enabled. Null value: unknown, up to the strongest; actions with the same `is` are equal. */
export interface Doing {
  readonly value: number | null;
  readonly is: string;
}

/** Absent members are not overridden. Enabled null: unknown. */
export interface Override {
  readonly enabled?: boolean | null;
  readonly does?: Doing;
}

export interface OwnRule extends Required<Override> {
  /** A description to follow the word `rule`. */
  readonly name: string;
  readonly tags: readonly string[];
}

export interface Layers {
  readonly as: "layers";
  readonly layers: readonly Layer[];
  /** A further effect that can only be compared for equality, and why. */
  readonly beside?: { readonly is: string; readonly why: string };
  /** What counts: all protection, or only blocking. A new upgrade blocks nothing. */
  readonly counts?: "protection" | "blocking";
}

/** Destinations of data. They cannot be ranked, as their readers are unknown. */
export interface Destinations {
  readonly as: "places";
  /** The data: `records`. */
  readonly sends: string;
  readonly of: readonly Destination[];
  /** Whether the object is disabled and sends nothing, but keeps its places. Absent: enabled. */
  readonly isOff?: true | "unknown";
}

export interface Destination {
  /** Identifies the place. Never shown, as it may contain a secret. */
  readonly id: string;
  /** A description. */
  readonly is: string;
  /** The place of a declared object is not in the files, or only since this change. */
  readonly isUndeclared?: true;
}

export interface Rank {
  readonly as: "rank";
  readonly value: number;
  /** The lower bound, if the rank depends on something else. `value` is then the upper bound. */
  readonly least?: number;
  /** The rank's name. */
  readonly is?: string;
  /** The name of the ranked thing, said before the rank. */
  readonly called?: string;
  /** What a stronger or weaker rank means. */
  readonly means?: { readonly stronger: string; readonly weaker: string };
  /** A detail of another dimension: it appears and disappears with that dimension. */
  readonly isDetail?: true;
}

export interface Members {
  readonly as: "set";
  readonly stronger: "more" | "fewer";
  readonly of: readonly string[];
  /** Words for new members and for dropped ones: `switched on`, `switched off`. */
  readonly words?: { readonly come: string; readonly go: string };
  /** The origin of all members, said when the set appears or disappears with its object. */
  readonly from?: string;
  /** Words for the first member that appears, or the last one that disappears. */
  readonly switched?: { readonly on: string; readonly off: string };
  /** The number of rules behind a member, if known. */
  readonly rules?: ReadonlyMap<string, number>;
  /** Members that may overlap: if some appear and others disappear, the sum is unknown. */
  readonly vague?: readonly string[];
  /** The member that includes all others. */
  readonly whole?: string;
  /** Why a new member may have no effect. */
  readonly doubt?: string;
  readonly isDetail?: true;
}

/** The dimension of the service itself, which all protection in the zone depends on: on or off. */
export const SERVICE = "service";

export type Dimensions = { readonly [dimension: string]: Strength };

/** The effect of a change on one dimension. Unchanged dimensions have no shift. */
export interface Shift {
  readonly dimension: string;
  /** `neutral`: no effect on protection; `why` tells the reason. */
  readonly way: "stronger" | "weaker" | "mixed" | "unknown" | "neutral";
  readonly why: string;
  /** The parts of `why`, if there are several, each of the same way. */
  readonly facts?: readonly string[];
  /** Shows what gets weaker, if there is an example. */
  readonly witness: Witness | null;
}

/** A load or request that was stopped or covered before a change, and is not afterwards. */
export type Witness =
  /** A load that was refused before, or reported by a reporting policy. */
  | {
      readonly as: "load";
      readonly kind: "script" | "connection";
      readonly page: string;
      readonly url: string;
    }
  /** A request by its relevant fields; other fields may have any value. */
  | { readonly as: "request"; readonly request: JsonObject };

/** Why an object does not take effect. */
export type Hindrance =
  | { readonly as: "off" }
  /** An earlier rule lets requests skip it. */
  | {
      readonly as: "skip";
      readonly by: string;
      /** The rule's id at the service. Null: the rule is declared and new. */
      readonly id: string | null;
      /** The filter expressions of the skipping requests, and of the object's requests. */
      readonly where: string;
      readonly scope: string;
      /** Whether the requests skip all of the object, or some; unknown counts as some. */
      readonly of: "all" | "some";
      /** The kind of a rule in another list: `custom rule`. Absent: in the object's own list. */
      readonly called?: string;
      /** Absent: certain. */
      readonly isSure?: boolean;
    };

/** The sum of an object's shifts, as in plan documents. */
export type Effect = "strengthens" | "weakens" | "mixed" | "neutral" | "unknown";
