import { defaultService } from "../../src/config/schema.js";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import { readLive } from "../../src/kinds/read.js";
import { withoutBase } from "../../src/match/base.js";
import type { CompareOptions } from "../../src/match/match.js";
import { NOWHERE } from "../../src/model/declared-zone.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import type { ZonePlan } from "../../src/model/plan.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import { buildZonePlan } from "../../src/plan/build.js";

/** Live jobs, or the error of listing them and the error of then reading the zone's settings. */
export type LiveJobs = readonly Json[] | { readonly failsWith: string; readonly settingsFailWith?: string };

/** Plans a zone with these declared and live log-push jobs. The declared jobs use no variables. */
export async function planJobs(
  declared: readonly JsonObject[],
  live: LiveJobs,
  replacing: Pick<CompareOptions, "hasReplaced"> = {},
): Promise<Result<ZonePlan>> {
  const failure = (code: string) => failed(problem(code, "Not read", `This fails with ${code}.`));
  const zone = {
    api: {
      get: async (path: string): Promise<Result<Json>> => {
        if (path !== "/zones/0a/page_shield" || !("failsWith" in live))
          throw new Error(`${path} must not be read`);
        return live.settingsFailWith === undefined ? ok({ enabled: true }) : failure(live.settingsFailWith);
      },
      list: async (): Promise<Result<readonly Json[]>> =>
        "failsWith" in live ? failure(live.failsWith) : ok(live),
    },
    zoneId: "0a",
    accountId: async () => failed(problem("unused", "Unused", "No account is needed.")),
    locate: () => null,
  };
  const objects = declared.map((body, index) => ({ path: ["logpush_jobs", index], body }));
  const read = await readLive(logpushJob, zone, objects);
  if (!read.ok) return read;
  const wanted = { ...NOWHERE, name: "a.example", sections: { logpush_jobs: [...declared] } };
  const drafted = buildZonePlan(
    { wanted, place: { id: "0a" }, service: defaultService, requests: 1 },
    [{ kind: logpushJob, declared: objects, base: withoutBase(logpushJob), live: read.value }],
    { only: "all", ...replacing },
  );
  return drafted.ok ? ok(drafted.value.plan) : drafted;
}

export async function planned(...given: Parameters<typeof planJobs>): Promise<ZonePlan> {
  const plan = await planJobs(...given);
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  return plan.value;
}
