import type { Item } from "../../model/item.js";
import { asText, type JsonObject, pick } from "../../model/json.js";
import { LOGPUSH } from "../../model/permissions.js";
import type { SealedObject } from "../../model/sealed.js";
import type { LogWriter } from "../../model/zone-tests.js";
import { readFlag } from "../fields.js";
import { listIn } from "../keys.js";
import type { Kind } from "../kind.js";
import { checkJob, checkOptionsLeft, checkProof } from "./check.js";
import { configOf } from "./config.js";
import { asks } from "./dataset.js";
import { declaredExtra, liveExtra } from "./extra-fields.js";
import { fields, SAME_NAMED } from "./fields.js";
import { failing } from "./health.js";
import { declaredOptions, liveOptions } from "./options.js";
import { logpushJobSchema } from "./schema.js";
import { strengthOf, undeclaredFields, unmanagedJob } from "./strength.js";
import { toWire } from "./wire.js";

/** Jobs that push a zone's logs to a destination. A zone may have several, identified by name and then dataset. */
export const logpushJob: Kind = {
  name: "logpush_job",
  ...listIn("logpush_jobs", { named: "name", within: "dataset" }),
  depends: { area: "logs" },
  schema: logpushJobSchema,
  fields,
  service: { included: { as: "log-push jobs" }, permissions: LOGPUSH, dashboard: "analytics/logs" },
  at: { as: "collection", path: ["logpush", "jobs"], mayBeUnlisted: true, most: "logpush_jobs" },

  checks: { declared: checkJob, whole: checkOptionsLeft, sent: checkProof, asked: asks },
  normalOf,
  toDesired,
  toConfig: configOf,
  toWire,
  kept: {
    undeclared: (items, _, declared = []) => [
      ...items.map(unmanagedJob),
      ...declared.flatMap(undeclaredFields),
    ],
    oddities: failing,
  },
  dimensions: strengthOf,
  touches: { logs: writing },
};

function normalOf(raw: JsonObject): JsonObject {
  return {
    // Names are optional in the service's schema.
    name: typeof raw.name === "string" ? raw.name : "",
    dataset: raw.dataset ?? "http_requests",
    // New jobs are off by default (the published OpenAPI document). Null: the state of a live job is unknown.
    enabled: readFlag(raw.enabled ?? null),
    destination_conf: raw.destination_conf ?? null,
    ...liveOptions(raw),
    ...liveExtra(raw),
  };
}

/** The logs of one job. Filter null: the requests that the job leaves out are unknown. */
function writing(normal: SealedObject): LogWriter {
  const {
    name,
    dataset,
    enabled,
    "extra.filter": filter = "",
    "extra.filter_attack_traffic": other,
  } = normal;
  const isKnown = enabled === true && typeof filter === "string" && (other ?? false) === false;
  return {
    name: asText(name ?? ""),
    dataset: asText(dataset ?? ""),
    isOff: enabled === false,
    filter: isKnown ? filter : null,
  };
}

function toDesired(declared: JsonObject, live: Item | null): SealedObject {
  return { ...pick(declared, SAME_NAMED), ...declaredOptions(declared, live), ...declaredExtra(declared) };
}
