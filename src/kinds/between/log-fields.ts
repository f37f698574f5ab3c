import type { Item } from "../../model/item.js";
import type { SealedObject } from "../../model/sealed.js";
import { itemsOf, type ZoneState } from "../../model/zone-state.js";
import { type Finding, warningAt } from "../kind.js";
import {
  ENTRY_FIELDS,
  type EntryField,
  type FieldList,
  listsFor,
  requestedEntryFields,
} from "../logged-fields.js";

const LOG_FIELDS = { kind: "custom_log_fields", section: "custom_log_fields" } as const;
const JOBS = { kind: "logpush_job", section: "logpush_jobs" } as const;

/** Whether custom log fields affect a job. The service's default dataset is that of HTTP requests. */
function isOfRequests({ dataset }: SealedObject): boolean {
  return (dataset ?? "http_requests") === "http_requests";
}

/** The non-empty lists that fill this field of a log entry. */
function filledLists(logFields: SealedObject, field: EntryField): readonly FieldList[] {
  return listsFor(field).filter((list) => {
    const value = logFields[list];
    return Array.isArray(value) && value.length > 0;
  });
}

/** Sections that are missing from a zone's state, because they could not be planned, or were not read. */
export type Missing = ReadonlyMap<string, "not planned" | "not read">;

/** Warns of jobs that request custom log fields although none are set. */
export function missingFields(state: ZoneState, missingSections: Missing): readonly Finding[] {
  const why = missingSections.get(LOG_FIELDS.section);
  if (why === "not read") return [];
  const logFields = state.objects.get(LOG_FIELDS.kind)?.items ?? null;
  return itemsOf(state, JOBS.kind)
    .filter(({ normal }) => isOfRequests(normal))
    .flatMap((job) => {
      const missing = (requestedEntryFields(job.normal) ?? []).filter(
        (field) => !isConfigured(field, logFields ?? []),
      );
      // If jobs and log fields are both unmanaged, the files cannot fix this.
      const isForeign = job.at === null && logFields === null;
      return missing.length === 0 || isForeign
        ? []
        : [missingWarning(job, missing, logFields === null ? (why ?? "not managed") : "managed")];
    });
}

function isConfigured(field: EntryField, logFields: readonly Item[]): boolean {
  return logFields.some(({ normal }) => filledLists(normal, field).length > 0);
}

function missingWarning(
  { normal, at }: Item,
  missing: readonly EntryField[],
  state: "managed" | "not managed" | "not planned",
): Finding {
  const job = `The job ${JSON.stringify(normal.name ?? "")} logs ${missing.join(" and ")}`;
  const lists = missing.map((field) => listsFor(field).join(" or ")).join("; ");
  const only = "which has only custom log fields";
  const detail = {
    managed: `${job}, and ${LOG_FIELDS.section} names nothing for it. Add names to ${lists}, or remove ${missing.join(" and ")} from the job.`,
    "not managed": `${job}, ${only}, and the files do not manage ${LOG_FIELDS.section}. Declare them (${lists}), or check that they are set elsewhere.`,
    "not planned": `${job}, ${only}, and ${LOG_FIELDS.section} could not be planned, so its content is unknown. Fix the error of ${LOG_FIELDS.section} first.`,
  }[state];
  return warningAt(
    at === null ? [JOBS.section] : [...at, "fields"],
    "custom_fields_missing",
    `No custom log fields for ${missing.join(" and ")}`,
    detail,
  );
}

/** Warns of custom log fields that no job logs. Skipped if jobs are unmanaged, or the fields of a job are unknown. */
export function unusedFields(state: ZoneState): readonly Finding[] {
  if (!state.objects.has(JOBS.kind)) return [];
  const jobs = itemsOf(state, JOBS.kind).filter(
    ({ normal }) => isOfRequests(normal) && normal.enabled !== false,
  );
  const requested = jobs.map(({ normal }) => requestedEntryFields(normal));
  if (requested.includes(null)) return [];
  const used = new Set(requested.flatMap((entryFields) => entryFields ?? []));
  const idle = ENTRY_FIELDS.filter((field) => !used.has(field));
  return itemsOf(state, LOG_FIELDS.kind).flatMap((object) =>
    idle.flatMap((field) =>
      filledLists(object.normal, field).map((list) => unusedWarning(object, list, field)),
    ),
  );
}

function unusedWarning({ at }: Item, list: FieldList, field: EntryField): Finding {
  return warningAt(
    [...(at ?? [LOG_FIELDS.section]), list],
    "custom_fields_unused",
    `${list} not in any log-push job`,
    `No enabled job of the dataset http_requests has ${field} in its fields. Add ${field} to the fields of a job, or empty ${list}.`,
  );
}
