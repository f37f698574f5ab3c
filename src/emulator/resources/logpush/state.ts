import type { Json, JsonObject } from "../../../model/json.js";
import {
  type Checks,
  checkBoolean,
  checkCount,
  checkListOf,
  checkObjects,
  checkText,
  child,
  must,
  ofObject,
  orNull,
} from "../../checks.js";
import { type NewId, newIds, seeded } from "../../ids.js";
import { type Holding, setState, stateOf, type Zone } from "../resource.js";
import { creationChecks } from "./fields.js";
import { isDestination, jobOf, type LogpushJob } from "./job.js";

/**
 * A log-push job in a seed. Absent fields have the defaults of a new job. Unknown fields are kept and returned as they
 * are, in `output_options` too; an `ownership_challenge` is dropped.
 */
export interface LogpushJobSeed {
  readonly id?: number;
  readonly destination_conf: string;
  readonly dataset?: string;
  readonly name?: string | null;
  readonly enabled?: boolean;
  readonly [extra: string]: Json | undefined;
}

/** The log-push sections of a zone's seed. A dump omits empty ones. */
export interface LogpushSeed {
  /** Null: the service shows an empty list as null. */
  readonly logpush_jobs?: readonly LogpushJobSeed[] | null;
  /** Each `destination_conf` with an ownership challenge: only the challenge's token is valid for it. */
  readonly logpush_challenged?: readonly string[];
  /** The service's fields of datasets, in place of the known ones. */
  readonly logpush_fields?: { readonly [dataset: string]: readonly string[] };
}

/** A zone's log-push state. */
interface Logpush {
  readonly jobs: ReadonlyMap<number, LogpushJob>;
  /** Whether an empty list is shown as null. */
  readonly isNull: boolean;
  readonly newId: NewId<number>;
  /** Each `destination_conf` with a challenge. */
  readonly challenged: ReadonlySet<string>;
  /** The fields of datasets that differ from the known ones. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly creationChecks: Checks;
}

const checkDestination = must("must be a URL.", isDestination);

const checkJobs = checkObjects(
  ["log-push jobs", "a log-push job"],
  {
    id: checkCount,
    destination_conf: checkDestination,
    dataset: checkText,
    name: orNull(checkText),
    enabled: checkBoolean,
  },
  ["destination_conf"],
);

const checkNames = checkListOf(checkText, "a list of names");

const checkLogpushFields = ofObject((fields, pointer) =>
  Object.entries(fields).flatMap(([dataset, names]) => checkNames(names, child(pointer, dataset))),
);

function logpushFromSeed(seed: LogpushSeed, zoneId: string): Logpush {
  const jobs = (seed.logpush_jobs ?? []) as readonly (LogpushJobSeed & JsonObject)[]; // the seed is JSON
  // Different for each zone, so that jobs do not mix.
  const newId = newIds("logpush job", zoneId, (digits) => 1 + Number.parseInt(digits.slice(0, 7), 16));
  return {
    jobs: seeded(jobs, newId, (job, id) => jobOf(id, job)),
    isNull: seed.logpush_jobs === null,
    newId,
    challenged: new Set(seed.logpush_challenged),
    fields: new Map(Object.entries(seed.logpush_fields ?? {})),
    creationChecks: creationChecks(jobs),
  };
}

/** The jobs in answers and dumps. */
export function jobsOut({ jobs, isNull }: Logpush): readonly LogpushJob[] | null {
  return isNull && jobs.size === 0 ? null : [...jobs.values()];
}

function logpushOut(state: Logpush): LogpushSeed {
  const { challenged, fields } = state;
  const jobs = jobsOut(state);
  return {
    ...(jobs?.length === 0 ? {} : { logpush_jobs: jobs }),
    ...(challenged.size === 0 ? {} : { logpush_challenged: [...challenged] }),
    ...(fields.size === 0 ? {} : { logpush_fields: Object.fromEntries(fields) }),
  };
}

export const holding: Holding<LogpushSeed, Logpush> = {
  sections: {
    logpush_jobs: orNull(checkJobs),
    logpush_challenged: checkListOf(checkDestination, "a list of destinations"),
    logpush_fields: checkLogpushFields,
  },
  fromSeed: (seed, zone) => logpushFromSeed(seed, zone.id),
  toSeed: logpushOut,
};

export function logpushOf(zone: Zone): Logpush {
  return stateOf(holding, zone);
}

export function changeLogpush(zone: Zone, change: Partial<Logpush>): void {
  setState(holding, zone, { ...logpushOf(zone), ...change });
}
