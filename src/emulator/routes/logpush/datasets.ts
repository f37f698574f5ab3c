import { type Answer, apiError, failure, result } from "../../answer.js";
import { datasetFields } from "../../parts/logpush/datasets.js";
import type { Zone } from "../../store.js";
import { type Call, inZone, type Route } from "../route.js";

export const datasets: readonly Route[] = [
  inZone("GET", "/logpush/datasets/{dataset_id}/jobs", listJobs),
  inZone("GET", "/logpush/datasets/{dataset_id}/fields", listFields),
];

function listJobs(zone: Zone, call: Call): Answer {
  const jobs = [...zone.logpush.jobs.values()];
  return result(jobs.filter((job) => job.dataset === call.parameters.get("dataset_id")));
}

function listFields(_: Zone, call: Call): Answer {
  const fields = datasetFields.get(call.parameters.get("dataset_id") ?? "");
  return fields === undefined ? failure(400, apiError("unknown dataset")) : result(fields);
}
