import type { LogpushJobSeed, Seed } from "../../src/emulator/index.js";
import { isObject, type Json } from "../../src/model/json.js";
import { zoneId } from "./call.js";

export const logpush = `/zones/${zoneId}/logpush`;
export const jobs = `${logpush}/jobs`;
export const jobId = 4711;
export const oneJob = `${jobs}/${jobId}`;

/** A destination that needs no ownership challenge. */
export const open = "https://logs.example.com/in?header_Authorization=Basic%20eDp5";
/** A destination that needs an ownership challenge. */
export const bucket = "s3://my-bucket/logs/web?region=us-west-2";
/** A destination that cannot be resolved. */
export const lost = "https://logs.example.invalid/in";

/** A job created with only a destination. */
export const bare = {
  dataset: "http_requests",
  destination_conf: open,
  enabled: false,
  error_message: null,
  frequency: "high",
  id: jobId,
  kind: "",
  last_complete: null,
  last_error: null,
  logpull_options: null,
  max_upload_bytes: null,
  max_upload_interval_seconds: null,
  max_upload_records: null,
  name: null,
  output_options: null,
} satisfies LogpushJobSeed;

/** The job in the seed. */
export const stored = {
  ...bare,
  enabled: true,
  last_complete: "2026-01-01T00:00:00Z",
  logpull_options: "fields=ClientIP,RayID&timestamps=rfc3339",
  name: "to-the-collector",
  note: "kept",
} satisfies LogpushJobSeed;

export function withJobs(...logpush_jobs: readonly LogpushJobSeed[]): Seed {
  return { zones: { "shop.example": { id: zoneId, logpush_jobs } } };
}

export const seed = withJobs(stored);

export function refused(...errors: readonly Json[]): Json {
  return { result: null, success: false, errors, messages: [] };
}

export function wrong(field: string, message: string): Json {
  return { message, source: { pointer: `/${field}` } };
}

export function resultOf(body: Json | null): Json | undefined {
  return isObject(body) ? body.result : undefined;
}

export function idIn(body: Json | null): Json | undefined {
  const result = resultOf(body);
  return isObject(result) ? result.id : undefined;
}
