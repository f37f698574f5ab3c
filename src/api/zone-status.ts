import { cut } from "../model/cut.js";
import type { JsonObject } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";

/**
 * Why a zone's traffic bypasses Cloudflare, or may: such a zone is not protected yet. The statuses are those of the
 * published OpenAPI document, and two more that users see.
 *
 * @param zone as the service lists it; not one that is active and not paused
 */
export function notServed({ status, paused }: JsonObject): Problem {
  const knownMeaning = typeof status === "string" ? statuses.get(status) : undefined;
  const [state, meaning] =
    paused === true && (status === undefined || status === null || status === "active")
      ? ["is paused", PAUSED]
      : [
          `has the status ${typeof status === "string" ? cut(status, MOST_CHARS) : "of no name"}`,
          knownMeaning ?? UNKNOWN,
        ];
  const detail = `At the service the zone ${state}: ${meaning}`;
  return { ...problem("zone_not_active", "The zone is not active", detail), severity: "warning" };
}

const MOST_CHARS = 60;

const BEFORE =
  "traffic does not go through Cloudflare, so nothing that is written here protects it until the zone is active.";
const NAMESERVERS =
  "Set the domain's nameservers at its registrar to those that the dashboard gives for the zone, and have them checked there.";

const PAUSED =
  "traffic goes past Cloudflare's security to the origin, so nothing that is written here protects it until the zone is not paused any more. Take it off pause in the dashboard, at the end of the zone's overview.";
const UNKNOWN =
  "in that, traffic is not known to go through Cloudflare, so what is written here may protect nothing. Look at the zone's overview in the dashboard.";

const statuses: ReadonlyMap<string, string> = new Map([
  ["initializing", `it is being set up; ${BEFORE} ${NAMESERVERS}`],
  ["pending", `its nameservers are not Cloudflare's yet; ${BEFORE} ${NAMESERVERS}`],
  [
    "moved",
    `its nameservers are not Cloudflare's any more; ${BEFORE} ${NAMESERVERS} Or remove the zone from the files, if it has moved away for good.`,
  ],
  [
    "deactivated",
    `it was taken out of service; ${BEFORE} Ask the service's support why, or remove the zone from the files.`,
  ],
  [
    "hold",
    `somebody holds it, so that it cannot be activated; ${BEFORE} Have the hold released in the account that has it, then activate the zone.`,
  ],
]);
