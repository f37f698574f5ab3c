import type { Json, JsonObject } from "../../../model/json.js";
import { type Answer, apiError, failure, fieldError, result } from "../../answer.js";
import { idOf } from "../../ids.js";
import { inZone, type Route, type Zone } from "../resource.js";
import { questionErrors } from "./fields.js";
import { changeLogpush, logpushOf } from "./state.js";

/** Questions about destinations. */
export const destinations: readonly Route[] = [
  question("/ownership", ["destination_conf"], challenge),
  question("/ownership/validate", ["destination_conf", "ownership_challenge"], validateChallenge),
  question("/validate/destination", ["destination_conf"], validateDestination),
];

/** The text of a checked field; "" for null. */
type Text = (field: string) => string;

function question(
  path: string,
  fields: readonly string[],
  answer: (zone: Zone, text: Text) => JsonObject,
): Route {
  return inZone("POST", `/logpush${path}`, (zone, { body }): Answer => {
    const errors = questionErrors(body, fields);
    if (errors.length > 0) return failure(400, ...errors);
    return result(answer(zone, (field) => asText(body[field])));
  });
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function challenge(zone: Zone, text: Text): JsonObject {
  const destination = text("destination_conf");
  const message = unreachable(destination);
  if (message !== "") return { filename: "", valid: false, message };
  if (!needsChallenge(destination)) {
    return { filename: "", valid: true, message: "this destination needs no ownership challenge" };
  }
  const { challenged } = logpushOf(zone);
  if (!challenged.has(destination)) changeLogpush(zone, { challenged: new Set(challenged).add(destination) });
  return { filename: challengeFile(zone.id, destination), valid: true, message: "" };
}

function validateChallenge(zone: Zone, text: Text): JsonObject {
  return { valid: isAccepted(text("ownership_challenge"), text("destination_conf"), zone) };
}

function validateDestination(_: Zone, text: Text): JsonObject {
  const message = unreachable(text("destination_conf"));
  return { valid: message === "", message };
}

/** Errors of a checked job's destination; `before` is the job's current destination, if any. */
export function destinationErrors(
  body: JsonObject,
  before: string | null,
  zone: Zone,
): readonly JsonObject[] {
  const { destination_conf: destination, ownership_challenge: token } = body;
  if (typeof destination !== "string") return [];
  // Also for an unchanged destination, which a fix in the official Terraform provider relies on.
  const why = unreachable(destination);
  if (why !== "") return [apiError(why, 1002)];
  if (destination === before || !needsChallenge(destination)) return [];
  if (typeof token !== "string" || token === "") {
    return [fieldError("/ownership_challenge", "ownership_challenge is required for this destination")];
  }
  if (isAccepted(token, destination, zone)) return [];
  return [fieldError("/ownership_challenge", "ownership_challenge is not that of this destination")];
}

/**
 * Why a destination cannot be written to, in words that users see; "": it can. Here, only hosts below the top-level
 * domain `invalid` cannot be resolved.
 */
function unreachable(destination: string): string {
  return /\.invalid\.?$/i.test(new URL(destination).hostname)
    ? "error validating destination: error writing object: DNSError"
    : "";
}

/** From the service's table of destinations, in its documentation of the challenge. */
function needsChallenge(destination: string): boolean {
  const { protocol, searchParams } = new URL(destination);
  if (protocol === "s3:") return !searchParams.has("access-key-id");
  return ["gs:", "azure:", "sumo:"].includes(protocol);
}

/** Without a real bucket, a token is known only after a challenge. Until then, any text is accepted. */
function isAccepted(token: string, destination: string, zone: Zone): boolean {
  if (token === challengeToken(zone.id, destination)) return true;
  return token !== "" && !logpushOf(zone).challenged.has(destination);
}

/**
 * The file that a challenge is written to. The emulator has no bucket, so the token is the file's own name, without
 * folders and `.txt`.
 */
function challengeFile(zoneId: string, destination: string): string {
  const folders = new URL(destination).pathname.split("/").filter((each) => each !== "");
  return [...folders, `${challengeToken(zoneId, destination)}.txt`].join("/");
}

/** Bound to the zone and to the exact destination, as the service's token is. */
function challengeToken(zoneId: string, destination: string): string {
  return `ownership-challenge-${idOf("challenge", zoneId, destination)}`;
}
