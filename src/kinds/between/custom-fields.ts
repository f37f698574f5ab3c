import type { SealedObject } from "../../model/sealed.js";
import type { Finding } from "../kind.js";
import { ENTRY_FIELDS, type EntryField, type FieldList, listsFor } from "../logged-fields.js";
import {
  askedBy,
  filledLists,
  isOfRequests,
  JOBS,
  type KindPart,
  type KnownObject,
  LOG_FIELDS,
  objectsOf,
} from "./zone-objects.js";

/** Jobs that ask for custom log fields of which there are none. */
export function missingFields(parts: readonly KindPart[]): readonly Finding[] {
  const logFields = objectsOf(parts, LOG_FIELDS.kind);
  const jobs = objectsOf(parts, JOBS.kind) ?? [];
  return jobs
    .filter(({ normal }) => isOfRequests(normal))
    .flatMap((job) => {
      const missing = (askedBy(job.normal) ?? []).filter((field) => !isConfigured(field, logFields ?? []));
      // Both are unmanaged: there is nothing to warn of.
      const isForeign = job.at === null && logFields === null;
      return missing.length === 0 || isForeign ? [] : [missingWarning(job, missing, logFields !== null)];
    });
}

function isConfigured(field: EntryField, logFields: readonly KnownObject[]): boolean {
  return logFields.some(({ normal }) => filledLists(normal, field).length > 0);
}

function missingWarning(
  { normal, at }: KnownObject,
  missing: readonly EntryField[],
  isManaged: boolean,
): Finding {
  const job = `The job ${JSON.stringify(normal.name ?? "")} asks for ${missing.join(" and ")}`;
  const lists = missing.map((field) => listsFor(field).join(" or ")).join("; ");
  const detail = isManaged
    ? `${job}, and ${LOG_FIELDS.section} names nothing to log there. Name it in ${lists}, or remove ${missing.join(" and ")} from the job.`
    : `${job}, where only what is configured as custom log fields is logged, and this file does not manage ${LOG_FIELDS.section}. Declare them (${lists}), or see that they are configured elsewhere.`;
  return {
    path: at === null ? [JOBS.section] : [...at, "fields"],
    severity: "warning",
    code: "custom_fields_missing",
    summary: "A job asks for custom log fields that are not there",
    detail,
  };
}

/** Custom log fields that no job logs. Where jobs are not managed, or what one asks for is not known, nothing is said. */
export function unusedFields(parts: readonly KindPart[]): readonly Finding[] {
  const logFields = objectsOf(parts, LOG_FIELDS.kind) ?? [];
  const jobs =
    objectsOf(parts, JOBS.kind)?.filter(({ normal }) => isOfRequests(normal) && isOn(normal)) ?? null;
  const asked = jobs?.map(({ normal }) => askedBy(normal)) ?? [null];
  if (asked.includes(null)) return [];
  const used = new Set(asked.flatMap((each) => each ?? []));
  const idle = ENTRY_FIELDS.filter((field) => !used.has(field));
  return logFields.flatMap((object) =>
    idle.flatMap((field) =>
      filledLists(object.normal, field).map((list) => unusedWarning(object, list, field)),
    ),
  );
}

function isOn({ enabled }: SealedObject): boolean {
  return enabled !== false;
}

function unusedWarning({ at }: KnownObject, list: FieldList, field: EntryField): Finding {
  return {
    path: [...(at ?? [LOG_FIELDS.section]), list],
    severity: "warning",
    code: "custom_fields_unused",
    summary: "Custom log fields that no job logs",
    detail: `No enabled log-push job of the dataset http_requests has ${field} among its fields, so what ${list} names is not logged. Add ${field} to the fields of a job, or empty ${list}.`,
  };
}
