import type { Json, JsonObject } from "../../../model/json.js";
import { readUrl } from "../../../model/url.js";
import { apiError, fieldError } from "../../answer.js";
import { idOf } from "../../ids.js";

/** Whether a value can be a job's `destination_conf`. */
export function isDestination(value: Json): value is string {
  return (
    typeof value === "string" && value.length <= 4096 && value.includes("://") && readUrl(value) !== null
  );
}

/** The zone that a destination is for, and the destinations for which it was asked for a challenge. */
export interface Asker {
  readonly id: string;
  readonly logpush: { readonly challenged: ReadonlySet<string> };
}

/** What keeps the job of a checked body from its destination; `before` is the destination that the job has, if any. */
export function destinationErrors(
  body: JsonObject,
  before: string | null,
  zone: Asker,
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
export function unreachable(destination: string): string {
  return /\.invalid\.?$/i.test(new URL(destination).hostname)
    ? "error validating destination: error writing object: DNSError"
    : "";
}

/** By the service's table of destinations, in its documentation of the challenge. */
export function needsChallenge(destination: string): boolean {
  const { protocol, searchParams } = new URL(destination);
  if (protocol === "s3:") return !searchParams.has("access-key-id");
  return ["gs:", "azure:", "sumo:"].includes(protocol);
}

/** Without a bucket nobody can know the token before asking for one: till then, any text is taken for it. */
export function isAccepted(token: string, destination: string, { id, logpush }: Asker): boolean {
  if (token === challengeToken(id, destination)) return true;
  return token !== "" && !logpush.challenged.has(destination);
}

/**
 * The file that a challenge is written to. No bucket stands behind the emulator: the token that the file would hold is
 * its own name, without folders and `.txt`.
 */
export function challengeFile(zoneId: string, destination: string): string {
  const folders = new URL(destination).pathname.split("/").filter((each) => each !== "");
  return [...folders, `${challengeToken(zoneId, destination)}.txt`].join("/");
}

/** It is bound to the zone and to the whole destination, letter by letter, as the service's is. */
function challengeToken(zoneId: string, destination: string): string {
  return `ownership-challenge-${idOf("challenge", zoneId, destination)}`;
}
