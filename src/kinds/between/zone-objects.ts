import { cut } from "../../model/cut.js";
import type { Path } from "../../model/item.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { ENTRY_FIELDS, type EntryField, type FieldList, listsFor } from "../logged-fields.js";

/** The objects of one kind in a zone, as they are or would be; kinds that the zone does not manage are not among them. */
export interface KindPart {
  readonly kind: string;
  readonly objects: readonly KnownObject[];
  /** All that are live, those that are deleted included; null: only the files are known. */
  readonly live: readonly SealedObject[] | null;
}

export interface KnownObject {
  readonly normal: SealedObject;
  /** null: it is live, and no file declares it. */
  readonly at: Path | null;
  /** As it is live; null: it is not, or that is not known. */
  readonly was: SealedObject | null;
}

/** Null: the zone does not manage the kind. */
export function objectsOf(parts: readonly KindPart[], kind: string): readonly KnownObject[] | null {
  return parts.find((part) => part.kind === kind)?.objects ?? null;
}

export const POLICIES = { kind: "policy", section: "policies" } as const;

/** Whether a policy is in force and blocks what it does not allow. */
export function isBlocking({ enabled, action }: SealedObject): boolean {
  return enabled === true && action === "allow";
}

/** Whether a policy is in force and says what it would block. */
export function isReporting({ enabled, action }: SealedObject): boolean {
  return enabled === true && action === "log";
}

/** A policy's name as it stands in a sentence. */
export function nameOf({ normal }: Pick<KnownObject, "normal">): string {
  return JSON.stringify(cut(asText(normal.description ?? ""), MAX_CHARS));
}

const MAX_CHARS = 80;

export const LOG_FIELDS = { kind: "custom_log_fields", section: "custom_log_fields" } as const;
export const JOBS = { kind: "logpush_job", section: "logpush_jobs" } as const;

/** Whether custom log fields mean something for a job. The dataset of HTTP requests is the service's default. */
export function isOfRequests({ dataset }: SealedObject): boolean {
  return (dataset ?? "http_requests") === "http_requests";
}

/** The fields for custom log fields that a job asks for; null: what it asks for is not known. */
export function askedBy({ fields }: SealedObject): readonly EntryField[] | null {
  if (!Array.isArray(fields)) return null;
  return ENTRY_FIELDS.filter((field) => fields.includes(field));
}

/** The lists with something in them that is logged in this field. */
export function filledLists(logFields: SealedObject, field: EntryField): readonly FieldList[] {
  return listsFor(field).filter((list) => {
    const value = logFields[list];
    return Array.isArray(value) && value.length > 0;
  });
}
