import type { Json, JsonObject } from "../../../model/json.js";
import { type Answer, failure, result } from "../../answer.js";
import type { Zone } from "../../store.js";
import { inZone, type Route } from "../resource.js";
import { challengeFile, isAccepted, needsChallenge, unreachable } from "./destination.js";
import { fieldErrors, logpullMistake } from "./fields.js";

/** Questions about where jobs push to, and about what they push. */
export const destinations: readonly Route[] = [
  question("/ownership", ["destination_conf"], challenge),
  question("/ownership/validate", ["destination_conf", "ownership_challenge"], validateChallenge),
  question("/validate/destination", ["destination_conf"], validateDestination),
  question("/validate/destination/exists", ["destination_conf"], destinationExists),
  // The service's documentation names the dataset here too, the published OpenAPI document does not.
  question("/validate/origin", ["logpull_options"], validateOrigin, ["dataset"]),
];

/** What the question says in a field, which is checked to be a text; null counts as an empty one. */
type Said = (field: string) => string;

function question(
  path: string,
  required: readonly string[],
  answer: (zone: Zone, said: Said) => JsonObject,
  optional: readonly string[] = [],
): Route {
  return inZone("POST", `/logpush${path}`, (zone, { body }): Answer => {
    const errors = fieldErrors(body, [...required, ...optional], required);
    if (errors.length > 0) return failure(400, ...errors);
    return result(answer(zone, (field) => asText(body[field])));
  });
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function challenge(zone: Zone, said: Said): JsonObject {
  const destination = said("destination_conf");
  const message = unreachable(destination);
  if (message !== "") return { filename: "", valid: false, message };
  if (!needsChallenge(destination)) {
    return { filename: "", valid: true, message: "this destination needs no ownership challenge" };
  }
  zone.logpush.challenged.add(destination);
  return { filename: challengeFile(zone.id, destination), valid: true, message: "" };
}

function validateChallenge(zone: Zone, said: Said): JsonObject {
  return { valid: isAccepted(said("ownership_challenge"), said("destination_conf"), zone) };
}

function validateDestination(_: Zone, said: Said): JsonObject {
  const message = unreachable(said("destination_conf"));
  return { valid: message === "", message };
}

function destinationExists(zone: Zone, said: Said): JsonObject {
  const jobs = [...zone.logpush.jobs.values()];
  return { exists: jobs.some((job) => job.destination_conf === said("destination_conf")) };
}

function validateOrigin(_: Zone, said: Said): JsonObject {
  const message = logpullMistake(said("logpull_options"));
  return { valid: message === "", message };
}
