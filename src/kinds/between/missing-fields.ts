import type { Finding } from "../kind.js";
import { type EntryField, listsFor } from "../logged-fields.js";
import { askedBy, filledLists, isOfRequests, JOBS, LOG_FIELDS } from "./logging.js";
import { type KindPart, type KnownObject, objectsOf } from "./part.js";

/** Jobs that ask for custom log fields of which there are none. */
export function missingFields(parts: readonly KindPart[]): readonly Finding[] {
  const logFields = objectsOf(parts, LOG_FIELDS.kind);
  const jobs = objectsOf(parts, JOBS.kind) ?? [];
  return jobs
    .filter(({ normal }) => isOfRequests(normal))
    .flatMap((job) => {
      const missing = (askedBy(job.normal) ?? []).filter((field) => !isConfigured(field, logFields ?? []));
      // What nobody manages here is nobody's business here.
      const isForeign = job.at === null && logFields === null;
      return missing.length === 0 || isForeign ? [] : [warning(job, missing, logFields !== null)];
    });
}

function isConfigured(field: EntryField, logFields: readonly KnownObject[]): boolean {
  return logFields.some(({ normal }) => filledLists(normal, field).length > 0);
}

function warning({ normal, at }: KnownObject, missing: readonly EntryField[], isManaged: boolean): Finding {
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
