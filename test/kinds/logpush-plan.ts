import { defaultService } from "../../src/config/schema.js";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import type { ZonePlan } from "../../src/model/plan.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import { buildZonePlan } from "../../src/plan/build.js";

/** The plan of a zone with these declared and live log-push jobs. In the declared ones nothing is from outside. */
export async function planJobs(
  declared: readonly JsonObject[],
  live: readonly Json[] | { readonly failsWith: string },
): Promise<Result<ZonePlan>> {
  const answer = (): Result<readonly Json[]> =>
    "failsWith" in live ? failed(problem(live.failsWith, "No list", "There is no list.")) : ok(live);
  const zone = {
    api: {
      get: async () => failed(problem("unused", "Unused", "Only the list is read.")),
      list: async () => answer(),
    },
    zoneId: "0a",
    accountId: async () => failed(problem("unused", "Unused", "No account is needed.")),
    locate: () => null,
  };
  const objects = declared.map((body, index) => ({ path: ["logpush_jobs", index], body }));
  const read = await logpushJob.read(zone, objects);
  if (!read.ok) return read;
  const wanted = {
    name: "a.example",
    id: null,
    accountId: null,
    sections: { logpush_jobs: [...declared] },
    prune: [],
    locate: () => null,
    outside: () => null,
  };
  return buildZonePlan(
    wanted,
    "0a",
    [{ kind: logpushJob, declared: objects, live: read.value }],
    defaultService,
    1,
  );
}

export async function planned(
  declared: readonly JsonObject[],
  live: readonly Json[] | { readonly failsWith: string },
): Promise<ZonePlan> {
  const plan = await planJobs(declared, live);
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  return plan.value;
}
