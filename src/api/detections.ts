import { cut } from "../model/cut.js";
import type { DetectedKind, Detection } from "../model/detection.js";
import { isObject, type Json } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result, remarked } from "../model/problem.js";
import { isId, notAnId, type ReadApi } from "../model/read-api.js";
import { isDenied, needing } from "./problems.js";

export type DetectionStatus = (typeof STATUSES)[number];

/** In the order in which a detection that is no longer seen passes through them. */
export const STATUSES = ["active", "infrequent", "inactive"] as const;

export interface DetectionFilter {
  /** Hosts to list, with `*` at the start or the end; empty: all. */
  readonly hosts: readonly string[];
  readonly statuses: readonly DetectionStatus[];
  /** Includes what the service hides by default: its own scripts, and duplicates of another script's content. */
  readonly all?: true;
}

/** The maximum in the published OpenAPI document. */
const PER_PAGE = 100;

export async function listDetections(
  api: Pick<ReadApi, "list">,
  zoneId: string,
  kind: DetectedKind,
  filter: DetectionFilter,
): Promise<Result<readonly Detection[]>> {
  const path = `/zones/${zoneId}/page_shield/${kind}`;
  const listed = await api.list(`${path}?${queryOf(kind, filter)}`, { perPage: PER_PAGE });
  if (!listed.ok) return failed(...listed.problems.map((each) => explained(each, kind, LISTS_ARE_ABSENT)));
  const detections = listed.value.map(detectionOf);
  const usable = detections.filter((each) => each !== null);
  const odd = listed.value[detections.indexOf(null)];
  return odd === undefined ? ok(usable) : failed(unusable(path, odd));
}

/** In the published document, each host is encoded and the commas between hosts are not. */
function queryOf(kind: DetectedKind, { hosts, statuses, all }: DetectionFilter): string {
  return [
    `status=${statuses.join(",")}`,
    ...(hosts.length === 0 ? [] : [`hosts=${hosts.map(encodeURIComponent).join(",")}`]),
    ...(all === true ? LEAVING_NOTHING_OUT[kind] : []),
  ].join("&");
}

/** In the published document, only scripts have duplicates. */
const LEAVING_NOTHING_OUT: Readonly<Record<DetectedKind, readonly string[]>> = {
  scripts: ["exclude_cdn_cgi=false", "exclude_duplicates=false"],
  connections: ["exclude_cdn_cgi=false"],
};

/** One detection, with its pages and versions. */
export async function readDetection(
  api: Pick<ReadApi, "get">,
  zoneId: string,
  kind: DetectedKind,
  id: string,
): Promise<Result<Detection>> {
  const path = `/zones/${zoneId}/page_shield/${kind}/${id}`;
  const read = await api.get(path);
  if (!read.ok) return failed(...read.problems.map((each) => explained(each, kind, [])));
  const detection = detectionOf(read.value);
  return detection === null ? failed(unusable(path, read.value)) : ok(detection);
}

function detectionOf(raw: Json): Detection | null {
  if (!isObject(raw)) return null;
  const { id, url } = raw;
  return typeof id === "string" && isId(id) && typeof url === "string" ? { id, url, raw } : null;
}

function unusable(path: string, raw: Json): Problem {
  const { id = null, url = null } = isObject(raw) ? raw : {};
  const isGood = typeof id === "string" && isId(id);
  const urlText = typeof url === "string" ? ` ${JSON.stringify(cut(url, 100))}` : "";
  const lacks = isGood ? `for ${id} without a URL` : `${urlText} with ${notAnId(id)}`;
  const detail = `GET ${path} gave a record ${lacks.trim()}. Nothing is shown for this zone.`;
  return problem("unexpected_answer", "Unexpected detection from the service", detail);
}

/** The answer does not tell a missing permission from a missing feature of the zone's Cloudflare plan. */
function explained(reason: Problem, kind: DetectedKind, plansRefusals: readonly string[]): Problem {
  const plan = isDenied(reason) || plansRefusals.includes(reason.code) ? ` ${PLANS[kind]}` : "";
  return remarked(needing(reason, "Give the token the permission group Page Shield Read."), { after: plan });
}

/** Every zone has a list, unless its Cloudflare plan has none. */
const LISTS_ARE_ABSENT = ["not_found", "no_route", "method_not_allowed"];

/** From the published OpenAPI document. */
const PLANS: Readonly<Record<DetectedKind, string>> = {
  scripts: "The zone's Cloudflare plan may lack detected scripts: Pro, Business and Enterprise have them.",
  connections: "The zone's Cloudflare plan may lack detected connections: Business and Enterprise have them.",
};
