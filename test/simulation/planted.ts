/** Secrets in files, in the environment and live. Each contains a unique word. */
export const PLANTED = ["planted-environment-5f3e", "planted-file-77d1", "planted-file-c04a"] as const;

const [OUTSIDE, WRITTEN, OTHER] = PLANTED;

export const ENVIRONMENT = { DESTINATION: `https://a.example/logs?header_Authorization=${OUTSIDE}` };

const destinations: ReadonlyMap<unknown, { readonly written: string; readonly live: string }> = new Map([
  ["https://a.example/logs", { written: "${secret:DESTINATION}", live: ENVIRONMENT.DESTINATION }],
  ["https://b.example/logs", same(`https://b.example/logs?header_X-Key=${WRITTEN}`)],
  ["https://logs.example/in", same(`https://logs.example/in?header_X-Key=${OTHER}`)],
]);

function same(destination: string) {
  return { written: destination, live: destination };
}

/** Declared jobs with destinations that must not be shown. */
export function declaredJobs(jobs: unknown): unknown {
  return (jobs as readonly Job[]).map((job) => withDestination(job, "written"));
}

/** Live jobs with the same destinations and unique names, so that a file can declare the old destinations. */
export function liveJobs(jobs: unknown): readonly Job[] {
  const all = jobs as readonly Job[];
  const distinct = all.filter(({ name }, index) => all.findIndex((each) => each.name === name) === index);
  return distinct.map((job) => withDestination(job, "live"));
}

interface Job {
  readonly name?: string;
  readonly destination_conf?: string;
}

function withDestination(job: Job, where: "written" | "live"): Job {
  const destination = destinations.get(job.destination_conf)?.[where];
  return destination === undefined ? job : { ...job, destination_conf: destination };
}
