import { isList, isObject, type Json } from "../../../model/json.js";
import { type Check, checkBoolean, checkIdsDiffer, checkText, child, seedProblem } from "../../checks.js";
import { idOf } from "../../ids.js";
import { type Holding, stateOf, type Zone } from "../resource.js";
import { isDestination, jobOf, type LogpushJob, outputMembers } from "./job.js";

/**
 * A log-push job as a seed has it; what is absent is as in a job created without it. Fields that are not named here,
 * and those in `output_options`, are kept and given back as they are; an `ownership_challenge` is not.
 */
export interface LogpushJobSeed {
  readonly id?: number;
  readonly destination_conf: string;
  readonly dataset?: string;
  readonly name?: string | null;
  readonly enabled?: boolean;
  readonly [extra: string]: Json | undefined;
}

/** The sections of a zone's seed that are about log-push; a dump leaves an empty one out. */
export interface LogpushSeed {
  /** Null: while there are none, the service answers null. */
  readonly logpush_jobs?: readonly LogpushJobSeed[] | null;
  /** Each `destination_conf` for which an ownership challenge was asked: since then, no other token is good for it. */
  readonly logpush_challenged?: readonly string[];
  /** Of datasets, the fields that the service lists in place of those that it is known to have. */
  readonly logpush_fields?: { readonly [dataset: string]: readonly string[] };
}

/** What a zone has of log-push. The only ones who change it are the routes of that name. */
interface Logpush {
  readonly jobs: Map<number, LogpushJob>;
  /** Whether null stands for none. */
  readonly isNull: boolean;
  /** How many identifiers the zone has made. */
  made: number;
  /** Each `destination_conf` for which a challenge was asked. */
  readonly challenged: Set<string>;
  /** What it lists as the fields of a dataset, where that is not what is known of it. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** What the seed's jobs have, the service takes, be it newer than what is known here. */
  readonly seeded: ReadonlySet<string>;
}

const checkLogpushJobs: Check = (value, pointer) => {
  if (value === null) return [];
  if (!isList(value)) return [seedProblem(pointer, "a list of log-push jobs is expected here.")];
  const places = value.map((job, index) => [job, child(pointer, index)] as const);
  return [
    ...places.flatMap(([job, at]) => checkJob(job, at)),
    ...checkIdsDiffer(places.map(([job, at]) => [isObject(job) ? job.id : undefined, at])),
  ];
};

const checkJob: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "an object is expected here.")];
  return [...fieldChecks].flatMap(([field, check]) => {
    const given = value[field];
    if (given !== undefined) return check(given, child(pointer, field));
    if (field !== "destination_conf") return [];
    return [seedProblem(pointer, `a log-push job has the field "${field}".`)];
  });
};

const checkJobId: Check = (value, pointer) =>
  Number.isSafeInteger(value) && Number(value) >= 1
    ? []
    : [seedProblem(pointer, "a log-push job's identifier is a whole number from 1 up.")];

const checkDestination: Check = (value, pointer) =>
  isDestination(value) ? [] : [seedProblem(pointer, "a destination is a URL.")];

const checkName: Check = (value, pointer) => (value === null ? [] : checkText(value, pointer));

const fieldChecks: ReadonlyMap<string, Check> = new Map([
  ["id", checkJobId],
  ["destination_conf", checkDestination],
  ["dataset", checkText],
  ["name", checkName],
  ["enabled", checkBoolean],
]);

const checkLogpushChallenged: Check = (value, pointer) =>
  isList(value)
    ? value.flatMap((each, index) => checkDestination(each, child(pointer, index)))
    : [seedProblem(pointer, "a list of destinations is expected here.")];

const checkLogpushFields: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "an object is expected here.")];
  return Object.entries(value).flatMap(([dataset, names]) => {
    const at = child(pointer, dataset);
    if (!isList(names)) return [seedProblem(at, "a list of names is expected here.")];
    return names.flatMap((name, index) => checkText(name, child(at, index)));
  });
};

function logpushFromSeed(seed: LogpushSeed, zoneId: string): Logpush {
  const jobs = seed.logpush_jobs ?? [];
  const taken = new Set(jobs.flatMap((job) => job.id ?? []));
  const logpush: Logpush = {
    jobs: new Map(),
    isNull: seed.logpush_jobs === null,
    made: 0,
    challenged: new Set(seed.logpush_challenged),
    fields: new Map(Object.entries(seed.logpush_fields ?? {})),
    seeded: new Set(jobs.flatMap((job) => [...Object.keys(job), ...outputMembers(job.output_options)])),
  };
  for (const job of jobs) {
    const id = job.id ?? newJobId(logpush, zoneId, taken);
    const given = Object.entries(job).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, value] as const],
    );
    logpush.jobs.set(id, jobOf(id, { ...Object.fromEntries(given), destination_conf: job.destination_conf }));
  }
  return logpush;
}

/**
 * The zone's next identifier; the nth is always the same, or the next after it that is not in use. Zones have different
 * ones, so that a job is found in its own zone only.
 */
export function newJobId(logpush: Logpush, zoneId: string, taken: ReadonlySet<number> = new Set()): number {
  for (;;) {
    logpush.made += 1;
    const id = 1 + Number.parseInt(idOf("logpush job", zoneId, logpush.made).slice(0, 7), 16);
    if (!logpush.jobs.has(id) && !taken.has(id)) return id;
  }
}

/** The jobs as answers and dumps have them. */
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
    logpush_challenged: checkLogpushChallenged,
    logpush_fields: checkLogpushFields,
  },
  fromSeed: (seed, zone) => logpushFromSeed(seed, zone.id),
  toSeed: logpushOut,
  values: ({ jobs, challenged }) => [...jobs.values(), ...challenged],
};

export function logpushOf(zone: Zone): Logpush {
  return stateOf(holding, zone);
}
