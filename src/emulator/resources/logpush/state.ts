import { isObject, type Json } from "../../../model/json.js";
import {
  type Check,
  checkBoolean,
  checkListOf,
  checkObjects,
  checkText,
  child,
  seedProblem,
} from "../../checks.js";
import { idOf } from "../../ids.js";
import { type Holding, stateOf, type Zone } from "../resource.js";
import { isDestination, jobOf, type LogpushJob, outputMembers } from "./job.js";

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

/** A zone's log-push state. Only the log-push routes change it. */
interface Logpush {
  readonly jobs: Map<number, LogpushJob>;
  /** Whether an empty list is shown as null. */
  readonly isNull: boolean;
  /** The number of identifiers made for the zone. */
  idCount: number;
  /** Each `destination_conf` with a challenge. */
  readonly challenged: Set<string>;
  /** The fields of datasets that differ from the known ones. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Fields in the seed's jobs, which the service accepts even if they are unknown here. */
  readonly seeded: ReadonlySet<string>;
}

const checkJobId: Check = (value, pointer) =>
  Number.isSafeInteger(value) && Number(value) >= 1
    ? []
    : [seedProblem(pointer, "must be a whole number from 1 up.")];

const checkDestination: Check = (value, pointer) =>
  isDestination(value) ? [] : [seedProblem(pointer, "must be a URL.")];

const checkName: Check = (value, pointer) => (value === null ? [] : checkText(value, pointer));

const checkJobs = checkObjects(
  ["log-push jobs", "a log-push job"],
  new Map([
    ["id", checkJobId],
    ["destination_conf", checkDestination],
    ["dataset", checkText],
    ["name", checkName],
    ["enabled", checkBoolean],
  ]),
  ["destination_conf"],
);

const checkLogpushJobs: Check = (value, pointer) => (value === null ? [] : checkJobs(value, pointer));

const checkNames = checkListOf(checkText, "a list of names");

const checkLogpushFields: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "must be an object.")];
  return Object.entries(value).flatMap(([dataset, names]) => checkNames(names, child(pointer, dataset)));
};

function logpushFromSeed(seed: LogpushSeed, zoneId: string): Logpush {
  const jobs = seed.logpush_jobs ?? [];
  const seedIds = new Set(jobs.flatMap((job) => job.id ?? []));
  const logpush: Logpush = {
    jobs: new Map(),
    isNull: seed.logpush_jobs === null,
    idCount: 0,
    challenged: new Set(seed.logpush_challenged),
    fields: new Map(Object.entries(seed.logpush_fields ?? {})),
    seeded: new Set(jobs.flatMap((job) => [...Object.keys(job), ...outputMembers(job.output_options)])),
  };
  for (const job of jobs) {
    const id = job.id ?? newJobId(logpush, zoneId, seedIds);
    const pairs = Object.entries(job).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, value] as const],
    );
    logpush.jobs.set(id, jobOf(id, { ...Object.fromEntries(pairs), destination_conf: job.destination_conf }));
  }
  return logpush;
}

/** The zone's next free identifier: always the same sequence, and different for each zone, so that jobs do not mix. */
export function newJobId(logpush: Logpush, zoneId: string, inUse: ReadonlySet<number> = new Set()): number {
  for (;;) {
    logpush.idCount += 1;
    const id = 1 + Number.parseInt(idOf("logpush job", zoneId, logpush.idCount).slice(0, 7), 16);
    if (!logpush.jobs.has(id) && !inUse.has(id)) return id;
  }
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
    logpush_jobs: checkLogpushJobs,
    logpush_challenged: checkListOf(checkDestination, "a list of destinations"),
    logpush_fields: checkLogpushFields,
  },
  fromSeed: (seed, zone) => logpushFromSeed(seed, zone.id),
  toSeed: logpushOut,
  values: ({ jobs, challenged }) => [...jobs.values(), ...challenged],
};

export function logpushOf(zone: Zone): Logpush {
  return stateOf(holding, zone);
}
