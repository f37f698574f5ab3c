import type { Json, JsonObject } from "../../../model/json.js";
import { FIELDS_OF_DATASETS } from "../../../model/log-datasets.js";
import { LOGPUSH } from "../../../model/permissions.js";
import { type Answer, apiError, failure, result } from "../../answer.js";
import type { Dialect } from "../../dialect.js";
import { entitlementsOf } from "../../plans.js";
import {
  type Call,
  editingList,
  inZone,
  noSuchRoute,
  type Resource,
  type Route,
  type World,
  type Zone,
} from "../resource.js";
import { destinationErrors, destinations } from "./destinations.js";
import { creationErrors, updateErrors, withoutNulls } from "./fields.js";
import { defaultDataset, jobOf, type LogpushJob, settled } from "./job.js";
import { changeLogpush, holding, jobsOut, type LogpushSeed, logpushOf } from "./state.js";

const jobs = "/logpush/jobs";

/** Available in every dialect. */
const fieldsOfDataset: Route = inZone("GET", "/logpush/datasets/{dataset_id}/fields", listFields);

export const logpush: Resource<LogpushSeed> = {
  holding,
  routes: [
    inZone("POST", jobs, create),
    fieldsOfDataset,
    ...beyondCreation([
      inZone("GET", jobs, list),
      inZone("GET", `${jobs}/{job_id}`, onJob(read)),
      inZone("PUT", `${jobs}/{job_id}`, onJob(update)),
      inZone("DELETE", `${jobs}/{job_id}`, onJob(remove)),
      ...destinations,
    ]),
  ],
  permissions: LOGPUSH,
  edits: { logpush_job: editingList(jobs) },
};

/** Whether jobs can only be created: the examples document no other operation on a job. */
const creationOnly: { readonly [dialect in Dialect]: boolean } = { service: false, interface: true };

/** If jobs can only be created, the list's path exists for POST alone, and the other paths do not exist. */
function beyondCreation(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    answer(call, world) {
      if (!(world.logpushCreationOnly ?? creationOnly[world.dialect])) return route.answer(call, world);
      if (!route.path.endsWith(jobs)) return noSuchRoute(call.path);
      return failure(405, apiError(`${route.method} is not allowed for ${call.path}`));
    },
  }));
}

/** Never paged, and without `result_info` in the published OpenAPI document. */
function list(zone: Zone): Answer {
  return result(jobsOut(logpushOf(zone)));
}

/** Two jobs may share a name or a destination. */
function create(zone: Zone, call: Call, world: World): Answer {
  const errors = creationErrors(call.body, logpushOf(zone).creationChecks);
  if (errors.length > 0) return failure(400, ...errors);
  const refused = destinationErrors(call.body, null, zone);
  if (refused.length > 0) return failure(400, ...refused);
  const { logpushJobs: limit } = entitlementsOf(zone.plan) ?? { logpushJobs: world.logpushJobLimit };
  if (limit !== null && logpushOf(zone).jobs.size >= limit) return tooMany(call.body.dataset);
  const destination_conf = String(call.body.destination_conf);
  const fields = settled(call.body, world.logpushOutputFilled);
  const { jobs, newId } = logpushOf(zone);
  const id = newId((each) => jobs.has(each));
  return keep(zone, jobOf(id, { ...fields, destination_conf }));
}

/** Users see the same text without any entitlement to jobs. */
function tooMany(dataset: Json | undefined): Answer {
  const scope = `for ${dataset ?? defaultDataset} dataset`;
  return failure(
    403,
    apiError(`creating a new job (${scope}) is not allowed: exceeded max jobs allowed`, 1004),
  );
}

/** Absent fields stay, except inside of `output_options`. */
function update(job: LogpushJob, zone: Zone, call: Call, world: World): Answer {
  const errors = updateErrors(call.body, job);
  if (errors.length > 0) return failure(400, ...errors);
  const refused = destinationErrors(call.body, job.destination_conf, zone);
  if (refused.length > 0) return failure(400, ...refused);
  const fields = settled(withoutNulls(call.body), world.logpushOutputFilled);
  return keep(zone, jobOf(job.id, { ...job, ...fields }));
}

function keep(zone: Zone, job: LogpushJob): Answer {
  changeLogpush(zone, { jobs: new Map(logpushOf(zone).jobs).set(job.id, job) });
  return result(job);
}

function read(job: LogpushJob): Answer {
  return result(job);
}

function remove(job: LogpushJob, zone: Zone): Answer {
  const jobs = [...logpushOf(zone).jobs].filter(([id]) => id !== job.id);
  changeLogpush(zone, { jobs: new Map(jobs) });
  return result({ id: job.id });
}

function onJob(answer: (job: LogpushJob, zone: Zone, call: Call, world: World) => Answer) {
  return (zone: Zone, call: Call, world: World): Answer => {
    const id = call.parameters.get("job_id") ?? "";
    const job = /^[1-9]\d*$/.test(id) ? logpushOf(zone).jobs.get(Number(id)) : undefined;
    return job === undefined ? failure(404, apiError("job not found")) : answer(job, zone, call, world);
  };
}

function listFields(zone: Zone, call: Call): Answer {
  const dataset = call.parameters.get("dataset_id") ?? "";
  const fields = logpushOf(zone).fields.get(dataset) ?? FIELDS_OF_DATASETS.get(dataset);
  if (fields === undefined) return failure(400, apiError("unknown dataset"));
  const described = fields.map((name) => [name, `what the service logs as ${name}`] as const);
  return result(Object.fromEntries(described) satisfies JsonObject);
}
