import type { Item } from "../../model/item.js";
import { equal, type Json, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { writeFlag } from "../fields.js";
import type { Was } from "../kind.js";
import { extraBody, READ_ONLY } from "./extra.js";
import { isByType, isOption, optionsBody, TYPE } from "./options.js";

export function toWire(want: Item, was: Was | null): SealedObject {
  const whole = wholeJob(want, was?.live.raw ?? {});
  return whole ?? (was === null ? newJob(want) : changedJob(want, new Set(was.fields)));
}

/** Fields that alone make no difference. A challenge is sent only with a destination. */
const NO_DIFFERENCE: readonly string[] = ["id", "ownership_challenge", ...READ_ONLY];

/** The fields that differ from the live job, if the item describes the whole job. Null: it has declared fields only. */
function wholeJob({ owns, raw, normal }: Item, live: JsonObject): SealedObject | null {
  if (owns !== "all" || raw === null) return null;
  const names = [...new Set([...Object.keys(raw), ...Object.keys(live)])];
  const changes = names.flatMap((name) => {
    const [before = null, after = null] = [live[name], raw[name]];
    return NO_DIFFERENCE.includes(name) || equal(before, after) ? [] : [[name, after] as const];
  });
  const body = Object.fromEntries(changes);
  return body.destination_conf === undefined ? body : { ...body, ...challengeOf(normal) };
}

/** The body depends on the file alone, also if the job replaces another one. */
function newJob({ normal }: Item): SealedObject {
  const { name = null, destination_conf = null, dataset = null, enabled = null } = normal;
  const options = pick(normal, isOption);
  return {
    name,
    destination_conf,
    dataset,
    enabled,
    ...optionsBody(options as JsonObject, null), // no option is sealed
    ...challengeOf(normal),
    ...extraBody(normal),
  };
}

function challengeOf({ ownership_challenge }: SealedObject): SealedObject {
  return ownership_challenge === undefined ? {} : { ownership_challenge };
}

/**
 * Sends only the changed fields, and the options whole. The service tests the destination of every PUT that contains
 * it, so an unreachable destination would block any change (a fix in the official Terraform provider).
 */
function changedJob({ normal, raw }: Item, moved: ReadonlySet<string>): SealedObject {
  const changedFields = pick(normal, (field) => moved.has(field));
  const options = pick(normal, (field) => isOption(field) && isSent(field, moved));
  const { name, enabled, destination_conf } = changedFields;
  return {
    ...(name === undefined ? {} : { name }),
    ...(enabled === undefined ? {} : { enabled: writeFlag(enabled as Json, raw?.enabled) }), // a flag is not sealed
    ...(destination_conf === undefined ? {} : { destination_conf, ...challengeOf(normal) }),
    ...(Object.keys(options).length === 0 ? {} : optionsBody(options as JsonObject, raw)), // no option is sealed
    ...extraBody(changedFields),
  };
}

/** A new output type resets the options that depend on it, so they are sent too. */
function isSent(field: string, moved: ReadonlySet<string>): boolean {
  return moved.has(field) || (moved.has(TYPE) && isByType(field));
}

function pick(normal: SealedObject, isWanted: (field: string) => boolean): SealedObject {
  return Object.fromEntries(Object.entries(normal).filter(([field]) => isWanted(field)));
}
