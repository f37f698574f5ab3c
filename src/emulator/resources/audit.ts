import { ACCOUNT_SETTINGS } from "../../model/permissions.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { type Call, inAccount, type Owner, type Route, type World } from "./resource.js";
import { permitted } from "./tokens.js";

/** Audit Logs v2. Only the filter `zone_id` is supported; others are ignored, as by an older service. */
export const audit: readonly Route[] = permitted([inAccount("GET", "/logs/audit", list)], [ACCOUNT_SETTINGS]);

const DAY_MS = 86_400_000;
/** The service keeps entries for this long. */
const KEPT_DAYS = 30;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

function list(_: Owner, { query, parameters }: Call, world: World): Answer {
  const [since, before] = [query.get("since"), query.get("before")].map((text) => new Date(text ?? ""));
  if (since === undefined || before === undefined || Number.isNaN(since.getTime() + before.getTime()))
    return failure(400, apiError("since and before are required: dates, or times of RFC 3339"));
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    return failure(400, apiError(`limit must be a whole number from 1 to ${MAX_LIMIT}`));
  const oldest = new Date(world.now().getTime() - KEPT_DAYS * DAY_MS);
  const account = parameters.get("account_id") ?? "";
  const entries = world.audit.read(account, since > oldest ? since : oldest, before, query.getAll("zone_id"));
  const ordered = query.get("direction") === "asc" ? entries : entries.toReversed();
  const from = Number(query.get("cursor") ?? 0);
  const page = ordered.slice(from, from + limit);
  const after = from + limit < ordered.length ? { cursors: { after: String(from + limit) } } : {};
  return result([...page], { count: String(page.length), ...after });
}
