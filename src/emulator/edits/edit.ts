import type { Json, JsonObject } from "../../model/json.js";
import type { Enveloped } from "../answer.js";

/**
 * What somebody else changes in a zone, in terms of the API's own objects. It is carried out as another client would,
 * by calls of the API, so identifiers, versions and times move as they would, and limits hold.
 */
export type Edit =
  | { readonly edit: "settings"; readonly zone: string; readonly set: JsonObject }
  | ({ readonly edit: "policy" | "logpush_job" | "ruleset"; readonly zone: string } & ListEdit)
  /** In the entry point of the phase, which is made where there is none yet. */
  | ({ readonly edit: "rule"; readonly zone: string; readonly phase: string } & ListEdit);

/** Of the objects of a list. */
export type ListEdit =
  /** The body of a request that creates one; of a rule, also with its `position`. */
  | { readonly add: JsonObject }
  /** The fields that get these values, in all objects that fit; the other fields stay. */
  | { readonly set: JsonObject; readonly where?: JsonObject }
  | { readonly remove: true; readonly where?: JsonObject };

/** An edit that was made. */
export interface Edited {
  /** On which side of the request. */
  readonly when: "before" | "after";
  readonly edit: Edit;
  /** None: nothing fitted. */
  readonly calls: readonly EditCall[];
}

/** One call by which an edit was made; one that is refused has changed nothing. */
export interface EditCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly response: Json | null;
}

/** Calls the API as somebody else. */
export type Ask = (method: string, path: string, body: JsonObject | null) => Enveloped;
