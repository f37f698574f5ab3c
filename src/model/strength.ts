import type { JsonObject } from "./json.js";

/** A CSP that applies somewhere. Every layer blocks (or reports) on its own: a page under two gets both. */
export interface Layer {
  readonly mode: "enforce" | "report";
  /** The filter expression of the requests it applies to. */
  readonly where: string;
  readonly csp: string;
}

/** How strongly an object protects in one dimension, as data that can be compared. */
export type Strength =
  | Rank
  | Ranks
  | Overridden
  | Members
  /** The requests that a filter expression matches: the more, the stronger. */
  | { readonly as: "scope"; readonly of: string }
  | Skips
  | Layers
  | Places
  /** Unknown strength: it may be anything, also nothing. Two with the same `is` are equal. */
  | { readonly as: "unknown"; readonly is: string; readonly why: string }
  | Opaque;

/** What makes requests go past protection: the fewer requests and the less of it, the stronger. */
export interface Skips {
  readonly as: "skips";
  /** The filter expression of the requests. */
  readonly where: string;
  /** What they go past, by name: all of it, or parts of it. */
  readonly past: { readonly [name: string]: "all" | readonly string[] };
  /** Whether they go past all that has no entry in `past`. */
  readonly others: boolean;
  /** All that in words. */
  readonly is: string;
}

/** What can only be told to be the same or another. */
export interface Opaque {
  readonly as: "opaque";
  readonly is: string;
  /** The same for people, where `is` only tells it apart. */
  readonly words?: string;
  /** It counts only where it becomes another one: nothing is stopped by it. */
  readonly stopsNothing?: true;
  /** What a new object with it does is unknown. */
  readonly isDoubtful?: true;
}

/** What each of several named things does. */
export interface Ranks {
  readonly as: "ranks";
  readonly of: { readonly [name: string]: Does };
  /** What those do that are not in `of`. What is in neither is unknown. */
  readonly others?: ReadonlyMap<string, Does>;
}

export type Does = Rank | Opaque | "off";

/** Rules of which each does something by itself, and what is said over that. */
export interface Overridden {
  readonly as: "overridden";
  /** Of all rules; of those with a tag, of which the last one counts; and of single ones, which counts most. */
  readonly whole: Override;
  readonly tags: readonly (readonly [tag: string, said: Override])[];
  readonly rules: { readonly [id: string]: Override };
  /** What the rules do by themselves, by their ids; null: it is not known. */
  readonly own: { readonly [id: string]: OwnRule } | null;
  /** What those do by themselves that are not in `own`. Absent: it may be anything. */
  readonly unlisted?: Doing;
  /** The value of what does most. What is off does 0. */
  readonly most: number;
}

/** What a rule does while it runs. Null: it may be anything up to the most, and is the same wherever it is called the same. */
export interface Doing {
  readonly value: number | null;
  readonly is: string;
}

/** What is not said of a rule is as it is without it. Enabled null: it may be either. */
export interface Override {
  readonly enabled?: boolean | null;
  readonly does?: Doing;
}

export interface OwnRule extends Required<Override> {
  /** In words, to be read after `rule`. */
  readonly name: string;
  readonly tags: readonly string[];
}

export interface Layers {
  readonly as: "layers";
  readonly layers: readonly Layer[];
  /** What else the object does, of which can only be told whether it is the same, and why not more. */
  readonly beside?: { readonly is: string; readonly why: string };
  /** Of what they do, what counts: all that protects, or what is blocked. An upgrade that comes blocks nothing. */
  readonly counts?: "protection" | "blocking";
}

/** Where something is sent. Places cannot be ranked: who reads there is not known. */
export interface Places {
  readonly as: "places";
  /** What is sent: `records`. */
  readonly sends: string;
  readonly of: readonly Place[];
  /** Nothing is sent while the object is switched off. It keeps its places. `unknown`: it may be. Absent: it is on. */
  readonly isOff?: true | "unknown";
}

export interface Place {
  /** Another one for another place. It is never shown: a secret may be in it. */
  readonly id: string;
  /** The place in words. */
  readonly is: string;
  /** The files do not say the place of an object that they declare, or say it since this change. */
  readonly isUndeclared?: true;
}

export interface Rank {
  readonly as: "rank";
  readonly value: number;
  /** Where it depends on more than the thing itself what it comes to: the least. The value is the most then. */
  readonly least?: number;
  /** The rank in words, where people know it by them. */
  readonly is?: string;
  /** What is ranked, to be said before the rank. */
  readonly called?: string;
  /** What it means that it gets stronger, or weaker. */
  readonly means?: { readonly stronger: string; readonly weaker: string };
  /** It says how something is done that another dimension is about: it comes and goes with that. */
  readonly isDetail?: true;
}

export interface Members {
  readonly as: "set";
  readonly stronger: "more" | "fewer";
  readonly of: readonly string[];
  /** What happens to members that come, and to those that go: `switched on`, `switched off`. */
  readonly said?: { readonly come: string; readonly go: string };
  /** What all members are of: said where the set comes, or goes, with its object. */
  readonly from?: string;
  /** What is said first where the first members come, or the last ones go. */
  readonly switched?: { readonly on: string; readonly off: string };
  /** How many rules a member stands for, where that is known. */
  readonly rules?: ReadonlyMap<string, number>;
  /** Members that may be part of each other: where some come and others go, the sum is not known. */
  readonly vague?: readonly string[];
  /** The member that has all others in it. */
  readonly whole?: string;
  /** Why a member that comes may be none after all. */
  readonly doubt?: string;
  readonly isDetail?: true;
}

/** The dimension of the service itself, which all protection in the zone rests on: whether it is switched on. */
export const SERVICE = "service";

export type Dimensions = { readonly [dimension: string]: Strength };

/** What a change does to one dimension. No shift is made for a dimension that stays as it is. */
export interface Shift {
  readonly dimension: string;
  /** `neutral`: it does nothing to protection, for what the reason says. */
  readonly way: "stronger" | "weaker" | "mixed" | "unknown" | "neutral";
  readonly why: string;
  /** Of what gets weaker, where there is such a thing. */
  readonly witness: Witness | null;
}

/** One thing that was stopped, or covered, before a change and is not after it. */
export type Witness =
  /** Something that a page loads: refused before (or reported, by what only reports). */
  | {
      readonly as: "load";
      readonly kind: "script" | "connection";
      readonly page: string;
      readonly url: string;
    }
  /** A request by the fields that count: those not named may be anything. */
  | { readonly as: "request"; readonly request: JsonObject };

/** What keeps an object from taking effect. */
export type Hindrance =
  /** It is switched off. */
  | { readonly as: "off" }
  /** A rule in front of it makes requests skip it. */
  | {
      readonly as: "skip";
      readonly by: string;
      /** The rule's id at the service. */
      readonly id: string;
      /** The filter expressions of the requests that go past, and of those that the object is for. */
      readonly where: string;
      readonly scope: string;
      /** `all` of what the object does for them, or `some`: also where that is not known. */
      readonly of: "all" | "some";
      /** What the rule is called that stands in another list: `custom rule`. Absent: it stands in the object's own. */
      readonly called?: string;
      /** Absent: it surely makes them skip that. */
      readonly isSure?: boolean;
    };

/** The sum of an object's shifts, in the words of plan documents. */
export type Effect = "strengthens" | "weakens" | "mixed" | "neutral" | "unknown";
