import { isList, isObject, type JsonObject } from "../../model/json.js";
import { needsProof } from "./check.js";
import { logpushJob } from "./index.js";

/** A declared job, with the values that the service needs to check its destination. */
export interface NamedJob {
  readonly index: number;
  readonly dataset: string;
  /** Null: not declared. */
  readonly destination: string | null;
  readonly token: string | null;
  /** Whether the service requires an ownership proof of this destination, and none is declared. */
  readonly lacksProof: boolean;
}

/** The section that declares jobs. */
export const JOBS_SECTION: string = logpushJob.section;

/** The permission for calls about destinations (the published OpenAPI document). */
export const JOBS_PERMISSION: string = logpushJob.service.permissions.write;

/** The jobs of this name in a zone's merged body. A job without a name goes by its id. */
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
        lacksProof: token === undefined && typeof destination === "string" && needsProof(destination),
      },
    ];
  });
}
