import type { LayerMove, ZoneImpact } from "./detection.js";
import type { Guardrail } from "./guardrails.js";
import type { Item, Origins, Ref, UnsetField } from "./item.js";
import type { Json, JsonObject } from "./json.js";
import { areAll, type Problem, type Span } from "./problem.js";
import type { Late, Sealed, SealedObject } from "./sealed.js";
import type { Sentences } from "./sentence.js";
import type { Shift } from "./strength.js";
import type { Unmanaged } from "./unmanaged.js";
import type { ZoneState } from "./zone-state.js";
import type { TestResult } from "./zone-tests.js";

/**
 * The change of one part of a field that is a set of sets, such as a CSP value: sources per directive. A field that is
 * a single set has one part without a name.
 */
export interface PartChange {
  readonly part: string;
  readonly change: "added" | "removed" | "changed";
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface FieldChange {
  readonly path: string;
  /** null: absent. */
  readonly before: Sealed;
  readonly after: Sealed;
  /** The base's value, if files and live state both changed. Absent: they did not, or the field is sensitive. */
  readonly base?: Sealed;
  /** For fields that are sets. */
  readonly parts?: readonly PartChange[];
  /** For sensitive values: the references in the files. */
  readonly written?: { readonly before: string | null; readonly after: string };
  /** The place of the field's key in the files. Absent: no key sets it, or the whole object is new. */
  readonly at?: Span;
}

export type Action = "create" | "update" | "delete";

/** The difference in one object. */
export interface Change {
  /** Its index among the zone's changes. */
  readonly index: number;
  readonly ref: Ref;
  readonly action: Action;
  /** For an update: the live object cannot change in place, so it is deleted for a new one. */
  readonly replaces: boolean;
  /** The live state already has the change of the files, so there is no call. The change is relative to the base. */
  readonly takenOver?: true;
  /** The saved plan that is being applied made the change itself. Only with `takenOver`. */
  readonly applied?: true;
  /** null: absent. If taken over, the base's object. */
  readonly before: Item | null;
  /** The base's object. Null: absent. Absent: no base, or taken over. */
  readonly inBase?: Item | null;
  /** null: deleted. */
  readonly after: Item | null;
  /** The key before a rename. */
  readonly was: string | null;
  readonly fields: readonly FieldChange[];
  readonly shifts: readonly Shift[];
  /** The change's effect on blocking alone, for objects that block visitors or loads. */
  readonly blocking: readonly Shift[];
  readonly origins: Origins;
  /** New destinations, in words. */
  readonly redirects: readonly string[];
  /** The change made outside the files, from base to live state; null: none, or unknown. */
  readonly drift: Pick<Change, "shifts" | "redirects"> | null;
  /** The entry in the files that causes the change. */
  readonly at: Span | null;
  /** The base's entry, if the object is deleted because the files dropped it. */
  readonly removed: Span | null;
}

export type Method = "POST" | "PUT" | "PATCH" | "DELETE";

/** Recognises an object that was created after the zone was planned. */
export interface FindCreated {
  readonly list: string;
  readonly where: JsonObject;
  /** Ids in the list before. */
  readonly known: readonly string[];
}

/** One call, fully determined: the code that sends it decides nothing. */
export interface Step {
  /** From 1, within its zone. A plan document numbers the steps of all zones, in file order. */
  readonly n: number;
  readonly method: Method;
  /** Segments after the base address; a `Late` is an id from an earlier step of the zone. */
  readonly path: readonly (string | Late)[];
  readonly body: Sealed | null;
  /**
   * Top-level fields of the body with references to secrets. Text elsewhere that looks like a reference came from the
   * service and is sent unchanged.
   */
  readonly secretFields: readonly string[];
  /** Indices into the zone's changes. */
  readonly changes: readonly number[];
  /** Steps that must come first, for reasons other than strength. */
  readonly needs: readonly number[];
  /** The objects after the call; null: deleted. */
  readonly effects: readonly { readonly ref: Ref; readonly item: Item | null }[];
  /** How to check whether a POST with a lost answer took effect; null: impossible or not needed. */
  readonly findCreated: FindCreated | null;
  /**
   * For a call that repeats other people's values, in a list or in a rule: it is sent only while a reading has these
   * fields. A list is read before every attempt, a rule before a repetition. Null: no such call.
   */
  readonly precondition: { readonly read: string; readonly fields: JsonObject } | null;
}

/** A live object in the plan's read set. If it changes, the plan is stale. */
export interface Seen {
  readonly ref: Ref;
  /** null: absent. */
  readonly state: SealedObject | null;
}

/** A guardrail that refuses a zone's plan. */
export interface Breach {
  readonly guardrail: Guardrail;
  readonly message: string | Sentences;
  /** How to pass it; empty if it is lifted. */
  readonly advice: string | Sentences;
  /** Indices into the zone's changes; empty: about no change in particular. */
  readonly changes: readonly number[];
}

/** Values from outside the files, and sensitive values, as the files write them. */
export interface Written {
  /** The showable ones. */
  readonly texts: readonly {
    readonly kind: string;
    readonly key: string;
    readonly path: string;
    readonly text: string;
  }[];
  /** Covers all of them, showable or not. */
  readonly digest: string;
}

/** A declared section that is not planned: it could not be read, or the live state does not fit. */
export interface SectionNotPlanned {
  readonly section: string;
  /** The key of a single object that is left out and stays as it is. Absent: the whole section. */
  readonly object?: string;
  /** Why. The zone's problems include these. */
  readonly problems: readonly Problem[];
}

/** `logpush_jobs`, or `logpush_jobs "siem"` for one object. An object that is all of its section has the section's name. */
export function notPlannedName({ section, object }: Omit<SectionNotPlanned, "problems">): string {
  return object === undefined || object === section ? section : `${section} ${JSON.stringify(object)}`;
}

/**
 * The errors of whole sections that could be planned before, which explain why the plan has other sections now.
 *
 * @param before names of what could not be planned before
 */
export function unreadSince(
  before: readonly string[],
  { notPlanned }: Pick<ZonePlan, "notPlanned">,
): readonly Problem[] {
  return notPlanned
    .filter((each) => each.object === undefined && !before.includes(notPlannedName(each)))
    .flatMap(({ problems }) => problems)
    .filter(({ severity }) => severity === "error");
}

/** Code of a refusal: the zone's Cloudflare plan does not include it. */
export const NOT_ENTITLED = "not_entitled";

/** Code of a refusal: the zone already has as many as its Cloudflare plan includes. */
export const QUOTA_FULL = "quota_full";

/** Whether the zone's Cloudflare plan excludes the section, so that nothing can be live in it. */
export function isNotIncluded({ problems }: SectionNotPlanned): boolean {
  return areAll(problems, NOT_ENTITLED);
}

export interface ZonePlan {
  readonly zone: string;
  readonly place: {
    readonly id: string;
    /** Absent: in neither the files nor the zone list. */
    readonly accountId?: string;
  };
  /** The plan of the whole saved plan, when only some of its objects are applied. */
  readonly whole?: ZonePlan;
  readonly counts: {
    /** Declared objects without a difference. */
    readonly unchanged: number;
    readonly requests: number;
  };
  readonly changes: readonly Change[];
  readonly steps: readonly Step[];
  /** In the order of kinds. Nothing is sent for them. */
  readonly notPlanned: readonly SectionNotPlanned[];
  readonly live: PlannedFrom;
  readonly meaning: PlanMeaning;
  readonly secrets: PlanSecrets;
  readonly problems: readonly Problem[];
  /** `sha256:…` of the zone id, the steps, `live.seen`, `secrets.written`, and the sections that are not planned. */
  readonly digest: string;
}

/** Facts about the live zone besides its changes. */
export interface PlannedFrom {
  /** The read set. */
  readonly seen: readonly Seen[];
  /** Undeclared live objects in managed sections, which stay. */
  readonly unmanaged: readonly Unmanaged[];
  /** Sections that the base manages and the files do not, with live objects, or maybe. */
  readonly letGo: readonly string[];
  /** Kinds that the service does not list: a created object cannot be read back. */
  readonly unlisted: readonly string[];
  /** The changed objects as the service gave them, without possible secrets, for the journal. */
  readonly journaled: readonly { readonly ref: Ref; readonly raw: JsonObject }[];
}

/** The plan's effect on the zone's protection. */
export interface PlanMeaning {
  /** All objects' layers, if a change moves one of them; otherwise empty. */
  readonly moves: readonly LayerMove[];
  /** Null: no layer moves, or impact was not requested. */
  readonly impact: ZoneImpact | null;
  readonly breaches: readonly Breach[];
  /** Results of the zone's tests on the state after the plan. Absent: no tests, or they were not run. */
  readonly tests?: readonly TestResult[];
  /**
   * The zone before, in the base, and after. `before` has no secrets of the files. Absent: nothing is sent, and the
   * zone has no tests.
   */
  readonly states?: { readonly before: ZoneState; readonly inBase?: ZoneState; readonly after: ZoneState };
}

/** Values from outside the files, and sensitive values. */
export interface PlanSecrets {
  /** The values behind references to secrets in the steps. Used only in the bodies that are sent. */
  readonly values: ReadonlyMap<string, Json>;
  /** Fields that cannot be compared, as their secrets are not set. */
  readonly unset: readonly (UnsetField & { readonly ref: Ref })[];
  /** The files' text where the steps have a value from outside; null: none. */
  readonly written: Written | null;
}

/** A zone that could not be planned. */
export interface ZoneFailure {
  readonly zone: string;
  readonly zoneId: string | null;
  readonly requests: number;
  readonly problems: readonly Problem[];
}
