import type { DetectedKind } from "./detection.js";
import type { Layer } from "./strength.js";

/** The layers of one object, before and after a plan. */
export interface LayerMove {
  /** The index among the zone's changes; null: the object stays as it is. */
  readonly change: number | null;
  readonly before: readonly Layer[];
  readonly after: readonly Layer[];
  /** What the object does before or after, nobody knows, and the change changes it. */
  readonly isUnknown?: true;
}

/** A script or connection that the service has seen on pages of a zone. */
export interface Detected {
  readonly id: string;
  /** As the service gave it: anything may stand there. */
  readonly url: string;
  /** The pages where it was seen, as far as the service names them: with or without a scheme. */
  readonly pages: readonly string[];
  /** The host where it was seen. */
  readonly host: string | null;
  /** Null: there is nothing to tell by. */
  readonly malicious: boolean | null;
  /** One of the service's own, which it puts into pages itself. */
  readonly own: boolean;
}

export interface Detections {
  readonly scripts: readonly Detected[];
  readonly connections: readonly Detected[];
}

/** A detection to which something happens. */
export interface ImpactEntry {
  readonly id: string;
  readonly url: string;
  readonly malicious: boolean | null;
  /** The first of its pages where it happens; null: no page of it is known. */
  readonly page: string | null;
  readonly own: boolean;
}

/** What can happen to a detection. */
export const HAPPENINGS = ["newly_blocked", "newly_reported", "newly_allowed"] as const;

export type Happening = (typeof HAPPENINGS)[number];

export interface UndecidedEntry extends ImpactEntry {
  /** What it may be. */
  readonly may_be: readonly Happening[];
}

/** What happens to detections of one kind. One that was seen on several pages can be in several of the lists. */
export interface Moved {
  readonly newly_blocked: readonly ImpactEntry[];
  readonly newly_reported: readonly ImpactEntry[];
  readonly newly_allowed: readonly ImpactEntry[];
  readonly undecided: readonly UndecidedEntry[];
}

export interface Impact {
  readonly scripts: Moved;
  readonly connections: Moved;
}

/** Why of some pages nobody knows what they load. */
export const UNSEEN = ["detection_off", "detection_unread", "nothing_seen"] as const;

export type Unseen = (typeof UNSEEN)[number];

/** What a zone's policy changes mean for what runs there today. */
export interface ZoneImpact {
  /** How many detections were tried: none where nothing moves for their kind; null: they could not be read. */
  readonly tried: { readonly scripts: number | null; readonly connections: number | null };
  readonly total: Impact;
  /** By the index of the change: what of the total its own layers bring about. */
  readonly byChange: ReadonlyMap<number, Impact>;
  /** Changes of which nobody knows what they come to, for the loads of these kinds. */
  readonly unseen: ReadonlyMap<number, UnseenLoads>;
}

export interface UnseenLoads {
  readonly why: Unseen;
  readonly kinds: readonly DetectedKind[];
}
