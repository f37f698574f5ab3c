import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { writeFlag } from "../flag.js";
import type { Draft, Drafted, ZoneLive } from "../kind.js";
import { carriedExtra, extraBody } from "./extra.js";
import { isOption, optionsBody } from "./options.js";
import { isByType, TYPE } from "./output.js";

/** Fields that show what custom log fields select: they are empty until those are there. */
const CUSTOM = ["RequestHeaders", "ResponseHeaders", "Cookies"];

export function steps(changes: readonly Drafted[], zone: ZoneLive): readonly Draft[] {
  return changes.map((change) => step(change, changes, zone));
}

function step({ at, triple, fields }: Drafted, changes: readonly Drafted[], zone: ZoneLive): Draft {
  const { want, live } = triple;
  const jobs = ["zones", zone.zoneId, "logpush", "jobs"];
  const common = { changes: [at], needs: [], landed: null, expects: null };
  if (want === null) {
    const ref = live?.ref ?? absurd();
    const path = [...jobs, ref.id ?? absurd()];
    return { ...common, method: "DELETE", path, body: null, yields: [{ ref, item: null }] };
  }
  const made = { ...common, yields: [{ ref: want.ref, item: want }], requires: customIn(want) };
  if (live === null) {
    const needs = want.raw === null ? [] : [indexOfDeleted(want, changes)];
    const landed = landedIn(jobs, want, zone);
    return { ...made, method: "POST", path: jobs, body: created(want), needs, landed };
  }
  const moved = new Set(fields.map(({ path }) => path));
  return { ...made, method: "PUT", path: [...jobs, live.ref.id ?? absurd()], body: changed(want, moved) };
}

function absurd(): never {
  throw new Error("a live job has an id: read() checked it");
}

function customIn({ normal }: Item): readonly string[] {
  const { fields } = normal;
  return Array.isArray(fields) ? CUSTOM.filter((each) => fields.includes(each)) : [];
}

/** The job whose place a new one takes goes first: its destination and the number of jobs may have room for one only. */
function indexOfDeleted(want: Item, changes: readonly Drafted[]): number {
  const index = changes.findIndex(({ triple }) => triple.want === null && triple.live?.raw === want.raw);
  return index === -1 ? absurd() : index;
}

function landedIn(jobs: readonly string[], { normal }: Item, { unlisted }: ZoneLive): Draft["landed"] {
  if (unlisted === true) return null;
  return {
    list: `/${jobs.join("/")}`,
    where: { name: normal.name ?? null, dataset: normal.dataset ?? null },
  };
}

/** What the job that it replaces has, and the file does not own, comes along. */
function created({ normal, owns, raw }: Item): SealedObject {
  const { name = null, destination_conf = null, dataset = null, enabled = null } = normal;
  const given = pick(normal, (field) => isOption(field) && (raw === null || owns.includes(field)));
  return {
    name,
    destination_conf,
    dataset,
    enabled,
    ...optionsBody(given as JsonObject, raw), // no option is sealed
    ...challengeOf(normal),
    ...(raw === null ? {} : carriedExtra(raw)),
    ...extraBody(normal),
  };
}

function challengeOf({ ownership_challenge }: SealedObject): SealedObject {
  return ownership_challenge === undefined ? {} : { ownership_challenge };
}

/**
 * Only what is different: the service tries the destination of every PUT that has it, and then an unreachable one
 * is in the way of any change (a fix in the official Terraform provider). The options are replaced whole.
 */
function changed({ normal, raw }: Item, moved: ReadonlySet<string>): SealedObject {
  const own = pick(normal, (field) => moved.has(field));
  const options = pick(normal, (field) => isOption(field) && isSent(field, moved));
  const { name, enabled, destination_conf } = own;
  return {
    ...(name === undefined ? {} : { name }),
    ...(enabled === undefined ? {} : { enabled: writeFlag(enabled as Json, raw?.enabled) }), // a flag is not sealed
    ...(destination_conf === undefined ? {} : { destination_conf, ...challengeOf(normal) }),
    ...(Object.keys(options).length === 0 ? {} : optionsBody(options as JsonObject, raw)), // nor is an option
    ...extraBody(own),
  };
}

/** What the service would set anew when the type of the output changes is said along with it. */
function isSent(field: string, moved: ReadonlySet<string>): boolean {
  return moved.has(field) || (moved.has(TYPE) && isByType(field));
}

function pick(normal: SealedObject, isWanted: (field: string) => boolean): SealedObject {
  return Object.fromEntries(Object.entries(normal).filter(([field]) => isWanted(field)));
}
