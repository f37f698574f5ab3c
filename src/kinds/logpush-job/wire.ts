import type { Item } from "../../model/item.js";
import { equal, type Json, type JsonObject, mapValues, pick, pickBy, without } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { mapInside, writeFlag } from "../fields.js";
import type { Was } from "../kind.js";
import { READ_ONLY } from "./extra.js";
import { isByType, isOption, optionsBody, TYPE } from "./options.js";

export function toWire(want: Item, was: Was | null): SealedObject {
  const whole = wholeJob(want, was?.live.raw ?? {});
  return whole ?? (was === null ? newJob(want) : changedJob(want, new Set(was.fields)));
}

const CHALLENGE = "ownership_challenge";

/** Fields that alone make no difference. A challenge is sent only with a destination. */
const NO_DIFFERENCE: readonly string[] = ["id", CHALLENGE, ...READ_ONLY];

/** The fields that differ from the live job, if the item describes the whole job. Null: it has declared fields only. */
function wholeJob({ owns, raw, normal }: Item, live: JsonObject): SealedObject | null {
  if (owns !== "all" || raw === null) return null;
  // A field that the whole job lacks is reset.
  const body = pickBy(
    { ...raw, ...mapValues(without(live, Object.keys(raw)), () => null) },
    (after, name) => !NO_DIFFERENCE.includes(name) && !equal(live[name] ?? null, after),
  );
  return body.destination_conf === undefined ? body : { ...body, ...pick(normal, [CHALLENGE]) };
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
