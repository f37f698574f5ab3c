import type { SealedObject } from "../../model/sealed.js";
import type { Finding } from "../kind.js";
import { ENTRY_FIELDS, type EntryField, type FieldList } from "../logged-fields.js";
import { askedBy, filledLists, isOfRequests, JOBS, LOG_FIELDS } from "./logging.js";
import { type KindPart, type KnownObject, objectsOf } from "./part.js";

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
    idle.flatMap((field) => filledLists(object.normal, field).map((list) => warning(object, list, field))),
  );
}

function isOn({ enabled }: SealedObject): boolean {
  return enabled !== false;
}

function warning({ at }: KnownObject, list: FieldList, field: EntryField): Finding {
  return {
    path: [...(at ?? [LOG_FIELDS.section]), list],
    severity: "warning",
    code: "custom_fields_unused",
    summary: "Custom log fields that no job logs",
    detail: `No enabled log-push job of the dataset http_requests has ${field} among its fields, so what ${list} names is not logged. Add ${field} to the fields of a job, or empty ${list}.`,
  };
}
