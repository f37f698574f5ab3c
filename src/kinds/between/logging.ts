import type { SealedObject } from "../../model/sealed.js";
import { ENTRY_FIELDS, type EntryField, type FieldList, listsFor } from "../logged-fields.js";

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
