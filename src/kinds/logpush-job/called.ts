import { isList, isObject, type JsonObject } from "../../model/json.js";
import { logpushJob } from "./index.js";

/** A job that a zone's files declare, with what the service is asked about its destination. */
export interface NamedJob {
  readonly index: number;
  readonly dataset: string;
  /** As the files say it; null: they do not. */
  readonly destination: string | null;
  readonly token: string | null;
}

/** Where jobs of a zone are declared. */
export const JOBS_SECTION: string = logpushJob.section;

/** What the calls about destinations need (the published OpenAPI document). */
export const JOBS_PERMISSION: string = logpushJob.service.permissions.write;

/** The jobs of that name in a zone's merged body; of an id where a job has no name. */
export function jobsNamed(sections: JsonObject, name: string): readonly NamedJob[] {
  const list = sections[JOBS_SECTION];
  if (!isList(list)) return [];
  return list.flatMap((job, index): readonly NamedJob[] => {
    if (!isObject(job) || job.ensure === "absent") return [];
    const hasName = job.name === name || (job.name === undefined && String(job.id) === name);
    if (!hasName) return [];
    const { dataset, destination_conf: destination, ownership_challenge: token } = job;
    return [
      {
        index,
        dataset: typeof dataset === "string" ? dataset : "",
        destination: typeof destination === "string" ? destination : null,
        token: typeof token === "string" ? token : null,
      },
    ];
  });
}
