import type { LayerMove, ZoneImpact } from "./detection.js";
import type { Guardrail } from "./guardrails.js";
import type { Item, Origins, Ref, UnsetField } from "./item.js";
import type { Json, JsonObject } from "./json.js";
import type { Problem, Span } from "./problem.js";
import type { Late, Sealed, SealedObject } from "./sealed.js";
import type { Sentences } from "./sentence.js";
import type { Shift } from "./strength.js";
import type { Unmanaged } from "./unmanaged.js";
import type { ZoneState } from "./zone-state.js";
import type { TestResult } from "./zone-tests.js";

/**
 * What one part of a field that is a set of sets (a CSP value: sources per directive) gains and loses. A field that is one
 * set has one part, with no name.
 */
export interface PartChange {
  readonly part: string;
  readonly change: "added" | "removed" | "changed";
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface FieldChange {
  readonly path: string;
  /** null: the field is not there. */
  readonly before: Sealed;
  readonly after: Sealed;
  /** What it was before it was changed in the files and outside them. Absent: it was not, or it is sensitive. */
  readonly base?: Sealed;
  /** Present for fields whose meaning is a set per part. */
  readonly parts?: readonly PartChange[];
  /** Present for sensitive values: their references as the files have them. */
  readonly written?: { readonly before: string | null; readonly after: string };
  /** The key in the files that says the field; absent where none does, and where the object as a whole is new. */
  readonly at?: Span;
}

export type Action = "create" | "update" | "delete";

/** What is different about one object. */
export interface Change {
  readonly ref: Ref;
  readonly action: Action;
  /** Of an update: the live object, with its id, is deleted for a new one, since it cannot change in place. */
  readonly replaces: boolean;
  /** What the files change is live already: there is no call. All of it is from the base to the files. */
  readonly takenOver?: true;
  /** The object before the change; null: it is not there. Of one that is taken over, as the base has it. */
  readonly before: Item | null;
  /** As the base has it. Null: it does not. Absent: there is no base, or it is taken over. */
  readonly past?: Item | null;
  /** The object after it; null: it is gone. */
  readonly after: Item | null;
  /** The key before a rename. */
  readonly was: string | null;
  readonly fields: readonly FieldChange[];
  readonly shifts: readonly Shift[];
  /** Of what blocks visitors or page loads, what the change does to that alone. */
  readonly blocking: readonly Shift[];
  readonly origins: Origins;
  /** What goes to where it did not go before, in words. */
  readonly redirects: readonly string[];
  /** What was done outside the files, from what the base says to what is live; null: nothing, or it is not known. */
  readonly drift: Pick<Change, "shifts" | "redirects"> | null;
  /** The entry in the files that causes the change. */
  readonly at: Span | null;
  /** The entry of the base that the files no longer have, where that is why the object goes. */
  readonly removed: Span | null;
}

export type Method = "POST" | "PUT" | "PATCH" | "DELETE";

/** An object like this stands in that list, and did not when the zone was planned. */
export interface FindCreated {
  readonly list: string;
  readonly where: JsonObject;
  /** Ids of what was in the list before. */
  readonly known: readonly string[];
}

/** One call. It says everything that the code that sends it has to know: nothing is decided later. */
export interface Step {
  /** From 1, within its zone; a plan document numbers the steps of all zones through, in file order. */
  readonly n: number;
  readonly method: Method;
  /** Segments after the base address; a `Late` is the id made by an earlier step of the zone. */
  readonly path: readonly (string | Late)[];
  readonly body: Sealed | null;
  /**
   * Top-level fields of the body whose references stand for secrets. What looks like a reference elsewhere in it came
   * from the service and is sent back as it is.
   */
  readonly secretFields: readonly string[];
  /** Indices into the zone's changes. */
  readonly changes: readonly number[];
  /** Steps that must be done before; strength is not one of the reasons. */
  readonly needs: readonly number[];
  /** What is true of these objects once the call has taken effect; null: the object is gone. */
  readonly effects: readonly { readonly ref: Ref; readonly item: Item | null }[];
  /** How to see whether a POST whose answer was lost took effect; null: there is no way, or no need. */
  readonly findCreated: FindCreated | null;
  /**
   * A call that carries over what others have, in a list or in a rule of it, is sent only while what is read there has these
   * fields: of a list right before each time, of a rule before it is sent again. Null: no such call.
   */
  readonly precondition: { readonly read: string; readonly fields: JsonObject } | null;
}

/** A live object that the plan rests on, as it was read; the plan is stale when it has changed. */
export interface Seen {
  readonly ref: Ref;
  /** null: it was not there. */
  readonly state: SealedObject | null;
}

/** A guardrail that says no to applying a zone's plan. */
export interface Breach {
  readonly guardrail: Guardrail;
  readonly message: string | Sentences;
  /** How to get past it: nothing to say where it is lifted. */
  readonly advice: string | Sentences;
  /** Indices into the zone's changes: those that it is about, none where it is about no change in particular. */
  readonly changes: readonly number[];
}

/** Values that take something from outside the files, and sensitive ones, as the files have them. */
export interface Written {
  /** What can be shown of them. */
  readonly texts: readonly {
    readonly kind: string;
    readonly key: string;
    readonly path: string;
    readonly text: string;
  }[];
  /** Of all of them, what cannot be shown included. */
  readonly digest: string;
}

/** A section that the files have and the plan does not: it could not be read, or what is live does not fit it. */
export interface SectionNotPlanned {
  readonly section: string;
  /** The key of the one object of it that is left out, which stays as it is live. Absent: all of the section is. */
  readonly object?: string;
  /** Why. They are among the zone's. */
  readonly problems: readonly Problem[];
}

/** `logpush_jobs`, or `logpush_jobs "siem"` of one object. */
export function notPlannedName({ section, object }: Omit<SectionNotPlanned, "problems">): string {
  return object === undefined ? section : `${section} ${JSON.stringify(object)}`;
}

/** The zone's plan at the service does not include it. */
export const NOT_ENTITLED = "not_entitled";

/** The zone has as many as its plan at the service includes. */
export const QUOTA_FULL = "quota_full";

/** Whether nothing can be live in it, since the zone's plan at the service does not include it. */
export function isNotIncluded({ problems }: SectionNotPlanned): boolean {
  return problems.every(({ code }) => code === NOT_ENTITLED);
}

/** What is to happen to one zone. */
export interface ZonePlan {
  readonly zone: string;
  readonly place: {
    readonly id: string;
    /** Absent: neither the files nor the zone list have said it. */
    readonly accountId?: string;
  };
  /** The plan of all that a saved plan is about, where only some objects of it are meant. */
  readonly whole?: ZonePlan;
  readonly counts: {
    readonly create: number;
    readonly update: number;
    readonly delete: number;
    readonly unchanged: number;
    readonly requests: number;
  };
  readonly changes: readonly Change[];
  readonly steps: readonly Step[];
  /** In the kinds' order. Nothing is sent for them. */
  readonly notPlanned: readonly SectionNotPlanned[];
  readonly live: PlannedFrom;
  readonly meaning: PlanMeaning;
  readonly secrets: PlanSecrets;
  readonly problems: readonly Problem[];
  /** `sha256:…` of the zone id, the steps, `live.seen`, `secrets.written`, and which sections are not planned. */
  readonly digest: string;
}

/** What a plan knows of the live zone beside its changes. */
export interface PlannedFrom {
  /** The objects that the plan rests on. */
  readonly seen: readonly Seen[];
  /** What is live in managed sections, no file declares, and stays. */
  readonly unmanaged: readonly Unmanaged[];
  /** Sections that the base manages and the files do not, and in which something is live, or may be. */
  readonly letGo: readonly string[];
  /** Kinds whose live objects the service does not show: what was created cannot be read back. */
  readonly unlisted: readonly string[];
  /** The objects that change, as the service gave them, without what may be a secret: what a journal keeps. */
  readonly journaled: readonly { readonly ref: Ref; readonly raw: JsonObject }[];
}

/** What a plan does to the protection of a zone. */
export interface PlanMeaning {
  /** What happens to the layers of all its objects, where some change moves one; else nothing is here. */
  readonly moves: readonly LayerMove[];
  /** Null: no layer moves, or impact was not asked for. */
  readonly impact: ZoneImpact | null;
  readonly breaches: readonly Breach[];
  /** The results of the zone's tests on the state after the plan. Absent: there are none, or none were run. */
  readonly tests?: readonly TestResult[];
  /**
   * The zone before and after, and as the base has it; nothing before has what is secret in the files. Absent: nothing is
   * sent, and the files have no tests for the zone.
   */
  readonly states?: { readonly before: ZoneState; readonly past?: ZoneState; readonly after: ZoneState };
}

/** The values of a plan that come from outside the files, and the sensitive ones. */
export interface PlanSecrets {
  /** What the references to secrets in the steps stand for. It goes nowhere but into the bodies that are sent. */
  readonly values: ReadonlyMap<string, Json>;
  /** Fields of declared objects that cannot be compared: their secrets are not set. */
  readonly unset: readonly (UnsetField & { readonly ref: Ref })[];
  /** What the files have written where the steps have something else; null: nothing of the kind. */
  readonly written: Written | null;
}

/** A plan, and what the service has to say before it can be shown. */
export interface DraftedPlan {
  readonly plan: ZonePlan;
  /** Problems that repeat what the service says, as it says it: not to be shown before secrets are taken out. */
  readonly retold: readonly Problem[];
  readonly asked: readonly AskedOfZone[];
}

/** What the service knows better than the files' own check, of one declared object. */
export interface AskedOfZone {
  /** That of its kind. */
  readonly section: string;
  /** Of the problems that are about it. */
  readonly code: string;
  /** Where the files name what is known to be good. */
  known(): readonly Span[];
  /** Null: nothing is to be asked. */
  readonly question: {
    /** What to read, after the path of the zone. */
    readonly below: string;
    /** Where the files name what the answer decides about. */
    about(): readonly Span[];
    /** What the answer says against the files. Null: it is not what was asked for. */
    judge(answer: Json): readonly Problem[] | null;
  } | null;
}

/** A zone that could not be planned. */
export interface ZoneFailure {
  readonly zone: string;
  readonly zoneId: string | null;
  readonly requests: number;
  readonly problems: readonly Problem[];
}
