import type { JsonObject } from "../../../model/json.js";
import { type Answer, apiError, failure, result } from "../../answer.js";
import { type Call, inZone, type Route, type Zone } from "../resource.js";
import { logpushOf } from "./state.js";

/** Some fields of some datasets, with what they hold; the service has many more of both. */
const datasetFields: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  [
    "http_requests",
    {
      BotScore: "int; score of the request from 1, automated, to 99",
      CacheCacheStatus: "string; what the cache did for the request",
      ClientIP: "string; address of the client",
      ClientRequestHost: "string; host that the client asked for",
      ClientRequestMethod: "string; HTTP method of the request",
      ClientRequestURI: "string; path and query of the request",
      ClientRequestUserAgent: "string; user agent that the client named",
      Cookies: "object; cookies that custom fields select",
      EdgeEndTimestamp: "int or string; when the answer was sent",
      EdgeResponseBytes: "int; size of the answer",
      EdgeResponseStatus: "int; HTTP status of the answer",
      EdgeStartTimestamp: "int or string; when the request arrived",
      RayID: "string; identifier of the request",
      RequestHeaders: "object; headers of the request that custom fields select",
      ResponseHeaders: "object; headers of the answer that custom fields select",
      SecurityAction: "string; action of the rule that ended the request, if any",
      SecurityRuleID: "string; identifier of that rule",
      WAFAttackScore: "int; score of the request from 1, an attack, to 99",
    },
  ],
  [
    "page_shield_events",
    {
      Action: "string; what the policy did",
      Host: "string; host of the page",
      PageURL: "string; page on which the policy was violated",
      PolicyID: "string; identifier of the policy",
      ResourceType: "string; kind of the resource",
      Timestamp: "int or string; when the policy was violated",
      URL: "string; the resource",
    },
  ],
]);

export const datasets: readonly Route[] = [
  inZone("GET", "/logpush/datasets/{dataset_id}/jobs", listJobs),
  inZone("GET", "/logpush/datasets/{dataset_id}/fields", listFields),
];

function listJobs(zone: Zone, call: Call): Answer {
  const jobs = [...logpushOf(zone).jobs.values()];
  return result(jobs.filter((job) => job.dataset === call.parameters.get("dataset_id")));
}

function listFields(_: Zone, call: Call): Answer {
  const fields = datasetFields.get(call.parameters.get("dataset_id") ?? "");
  return fields === undefined ? failure(400, apiError("unknown dataset")) : result(fields);
}
