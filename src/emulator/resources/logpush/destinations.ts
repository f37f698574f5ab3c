import type { Json, JsonObject } from "../../../model/json.js";
import { type Answer, apiError, failure, fieldError, result } from "../../answer.js";
import { idOf } from "../../ids.js";
import { inZone, type Route, type Zone } from "../resource.js";
import { fieldErrors, logpullMistake } from "./fields.js";
import { logpushOf } from "./state.js";

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
  logpushOf(zone).challenged.add(destination);
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
  const jobs = [...logpushOf(zone).jobs.values()];
  return { exists: jobs.some((job) => job.destination_conf === said("destination_conf")) };
}

function validateOrigin(_: Zone, said: Said): JsonObject {
  const message = logpullMistake(said("logpull_options"));
  return { valid: message === "", message };
}

/** What keeps the job of a checked body from its destination; `before` is the destination that the job has, if any. */
export function destinationErrors(
  body: JsonObject,
  before: string | null,
  zone: Zone,
): readonly JsonObject[] {
  const { destination_conf: destination, ownership_challenge: token } = body;
  if (typeof destination !== "string") return [];
  // Also where the destination is what it was: a fix in the official Terraform provider is about that.
  const why = unreachable(destination);
  if (why !== "") return [apiError(why, 1002)];
  if (destination === before || !needsChallenge(destination)) return [];
  if (typeof token !== "string" || token === "") {
    return [fieldError("ownership_challenge", "ownership_challenge is required for this destination")];
  }
  if (isAccepted(token, destination, zone)) return [];
  return [fieldError("ownership_challenge", "ownership_challenge is not that of this destination")];
}

/**
 * Why nothing can be written to a destination, in the words that users see; "" when it can. Here, hosts of the
 * top-level domain `invalid` cannot be resolved, and all others can.
 */
function unreachable(destination: string): string {
  return /\.invalid\.?$/i.test(new URL(destination).hostname)
    ? "error validating destination: error writing object: DNSError"
    : "";
}

/** By the service's table of destinations, in its documentation of the challenge. */
function needsChallenge(destination: string): boolean {
  const { protocol, searchParams } = new URL(destination);
  if (protocol === "s3:") return !searchParams.has("access-key-id");
  return ["gs:", "azure:", "sumo:"].includes(protocol);
}

/** Without a bucket nobody can know the token before asking for one: till then, any text is taken for it. */
function isAccepted(token: string, destination: string, zone: Zone): boolean {
  if (token === challengeToken(zone.id, destination)) return true;
  return token !== "" && !logpushOf(zone).challenged.has(destination);
}

/**
 * The file that a challenge is written to. No bucket stands behind the emulator: the token that the file would hold is
 * its own name, without folders and `.txt`.
 */
function challengeFile(zoneId: string, destination: string): string {
  const folders = new URL(destination).pathname.split("/").filter((each) => each !== "");
  return [...folders, `${challengeToken(zoneId, destination)}.txt`].join("/");
}

/** It is bound to the zone and to the whole destination, letter by letter, as the service's is. */
function challengeToken(zoneId: string, destination: string): string {
  return `ownership-challenge-${idOf("challenge", zoneId, destination)}`;
}
