import { createHash } from "node:crypto";
import type { Environment } from "../config/index.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { says } from "../model/sentence.js";

/** One of so many parts of the zones, which are planned or applied apart. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** With more, the budget of requests would come to a few for each. */
const MOST = 256;

/**
 * A shard as `--shard` names it: `2/8`. `job/8`: the environment has the index, from 0, in JOB_COMPLETION_INDEX, as
 * Kubernetes gives it to the pods of an Indexed Job.
 */
export function readShard(written: string, environment: Environment): Result<Shard> {
  const [, first, many] = /^(\d{1,4}|job)\/(\d{1,4})$/.exec(written) ?? [];
  if (first === undefined || many === undefined) return failed(badShard(written, ": it is none of them."));
  const [index, of] = [first === "job" ? indexOfJob(environment) : Number(first), Number(many)];
  if (index === null) return failed(noIndex(written));
  if (of < 1 || of > MOST) return failed(badShard(written, `: N is from 1 to ${MOST}.`));
  if (index > of || index < 1) return failed(badShard(written, `: there is no shard ${index} of ${of}.`));
  return ok({ index, of });
}

function indexOfJob({ JOB_COMPLETION_INDEX = "" }: Environment): number | null {
  return /^\d{1,4}$/.test(JOB_COMPLETION_INDEX) ? Number(JOB_COMPLETION_INDEX) + 1 : null;
}

function badShard(written: string, why: string): Problem {
  const detail = says`${{ flag: "shard" }} takes I/N, a shard of N, I from 1 to N, such as 2/8. It is ${JSON.stringify(written)}${why}`;
  return problem("bad_flag", "No such shard", detail);
}

function noIndex(written: string): Problem {
  const detail = says`${{ flag: "shard", value: written }} takes the index from JOB_COMPLETION_INDEX, which has none. In Kubernetes, make it a Job with completionMode: Indexed; elsewhere name the shard itself, such as 2/8.`;
  return problem("bad_flag", "No such shard", detail);
}

/** As plan documents have it, and `--shard`. */
export function shardText({ index, of }: Shard): string {
  return `${index}/${of}`;
}

/** Whether a zone belongs to it: by its name alone, so that no zone moves when others come and go. */
export function isInShard(zone: string, { index, of }: Shard): boolean {
  return createHash("sha256").update(zone).digest().readUInt32BE() % of === index - 1;
}
