import type { JsonObject } from "../../../model/json.js";
import { FIELDS_OF_DATASETS } from "../../../model/log-datasets.js";
import { type Answer, apiError, failure, result } from "../../answer.js";
import { type Call, inZone, type Route, type Zone } from "../resource.js";
import { logpushOf } from "./state.js";

export const jobsOfDataset: Route = inZone("GET", "/logpush/datasets/{dataset_id}/jobs", listJobs);

/** The list does not depend on what can be done with jobs. */
export const fieldsOfDataset: Route = inZone("GET", "/logpush/datasets/{dataset_id}/fields", listFields);

function listJobs(zone: Zone, call: Call): Answer {
  const jobs = [...logpushOf(zone).jobs.values()];
  return result(jobs.filter((job) => job.dataset === call.parameters.get("dataset_id")));
}

function listFields(zone: Zone, call: Call): Answer {
  const dataset = call.parameters.get("dataset_id") ?? "";
  const fields = logpushOf(zone).fields.get(dataset) ?? FIELDS_OF_DATASETS.get(dataset);
  if (fields === undefined) return failure(400, apiError("unknown dataset"));
  const described = fields.map((name) => [name, `what the service logs as ${name}`] as const);
  return result(Object.fromEntries(described) satisfies JsonObject);
}
