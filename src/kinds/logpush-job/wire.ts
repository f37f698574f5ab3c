import type { Item } from "../../model/item.js";
import { type Json, type JsonObject, pick, pickBy } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { mapInside, writeFlag } from "../fields.js";
import type { Was } from "../kind.js";
import { READ_ONLY } from "./extra-fields.js";
import { isByType, isOption, optionsBody, TYPE } from "./options.js";

export function toWire(want: Item, was: Was | null): SealedObject {
  if (was !== null) return changedJob(want, new Set(was.fields));
  return want.raw === null ? newJob(want) : pickBy(want.raw, isSendable);
}

const CHALLENGE = "ownership_challenge";

/** Whether a deleted job gets the field back. */
function isSendable(value: Json, name: string): boolean {
  return value !== null && name !== "id" && !READ_ONLY.includes(name);
}

/** The body depends on the file alone, also if the job replaces another one. */
function newJob({ normal }: Item): SealedObject {
  const { name = null, destination_conf = null, dataset = null, enabled = null } = normal;
  const options = pickBy(normal, (_, field) => isOption(field));
  return {
    name,
    destination_conf,
    dataset,
    enabled,
    ...optionsBody(options as JsonObject, null), // no option is sealed
    ...pick(normal, [CHALLENGE]),
    ...mapInside("extra", normal),
  };
}

/**
 * Sends only the changed fields, and the options whole. The service tests the destination of every PUT that contains
 * it, so an unreachable destination would block any change (a fix in the official Terraform provider).
 */
function changedJob({ normal, raw }: Item, moved: ReadonlySet<string>): SealedObject {
  const changedFields = pickBy(normal, (_, field) => moved.has(field));
  const options = pickBy(normal, (_, field) => isOption(field) && isSent(field, moved));
  const { enabled, destination_conf } = changedFields;
  return {
    ...pick(changedFields, ["name"]),
    ...(enabled === undefined ? {} : { enabled: writeFlag(enabled as Json, raw?.enabled) }), // a flag is not sealed
    ...(destination_conf === undefined ? {} : pick(normal, ["destination_conf", CHALLENGE])),
    ...(Object.keys(options).length === 0 ? {} : optionsBody(options as JsonObject, raw)), // no option is sealed
    ...mapInside("extra", changedFields),
  };
}

/** A new output type resets the options that depend on it, so they are sent too. */
function isSent(field: string, moved: ReadonlySet<string>): boolean {
  return moved.has(field) || (moved.has(TYPE) && isByType(field));
}
