import { cut } from "../model/cut.js";
import type { JsonObject } from "../model/json.js";
import { type Problem, warning } from "../model/problem.js";

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
          `has the status ${typeof status === "string" ? cut(status, MOST_CHARS) : "unknown"}`,
          knownMeaning ?? UNKNOWN,
        ];
  const detail = `The zone ${state}: ${meaning}`;
  return warning("zone_not_active", "Zone is not active", detail);
}

const MOST_CHARS = 60;

const BEFORE =
  "traffic does not go through Cloudflare, and its configuration protects nothing until the zone is active.";
const NAMESERVERS =
  "Set the domain's nameservers at its registrar to those that the dashboard shows for the zone.";

const PAUSED =
  "traffic bypasses Cloudflare's security, and its configuration protects nothing. Resume the zone in the dashboard, at the end of its overview.";
const UNKNOWN =
  "its traffic may not go through Cloudflare, and its configuration may protect nothing. Check the zone's overview in the dashboard.";

const statuses: ReadonlyMap<string, string> = new Map([
  ["initializing", `it is being set up; ${BEFORE} ${NAMESERVERS}`],
  ["pending", `its nameservers are not Cloudflare's yet; ${BEFORE} ${NAMESERVERS}`],
  [
    "moved",
    `its nameservers are no longer Cloudflare's; ${BEFORE} ${NAMESERVERS} If the zone has moved away, remove it from the files.`,
  ],
  [
    "deactivated",
    `it is deactivated; ${BEFORE} Ask Cloudflare's support, or remove the zone from the files.`,
  ],
  [
    "hold",
    `a zone hold prevents its activation; ${BEFORE} Release the hold in the account that has it, then activate the zone.`,
  ],
]);
