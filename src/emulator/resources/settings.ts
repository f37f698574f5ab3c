import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { type Answer, failure, fieldError, result } from "../answer.js";
import { type Check, checkBoolean, checkObject, checkText, seedProblem } from "../checks.js";
import type { Dialect } from "../dialect.js";
import {
  type Call,
  type Holding,
  inZone,
  type Resource,
  stateOf,
  type World,
  type Zone,
} from "./resource.js";

/** A zone's client-side security settings in a seed; absent ones are off. */
export interface SettingsSeed {
  readonly enabled?: boolean;
  readonly updated_at?: string;
  /** Either name, in any dialect. */
  readonly use_cloudflare_reporting_endpoint?: boolean;
  readonly use_service_reporting_endpoint?: boolean;
  readonly use_connection_url_path?: boolean;
}

/** A flag's name in each dialect. */
type Flag = { readonly [dialect in Dialect]: Exclude<keyof SettingsSeed, "updated_at"> };

const flags: readonly Flag[] = [
  { service: "enabled", interface: "enabled" },
  // The destination of browsers' reports.
  { service: "use_cloudflare_reporting_endpoint", interface: "use_service_reporting_endpoint" },
  { service: "use_connection_url_path", interface: "use_connection_url_path" },
];

interface Settings {
  /** The flags that are on. */
  readonly on: ReadonlySet<Flag>;
  readonly updatedAt: string;
}

const checkSettings: Check = (value, pointer) => {
  if (value === null) return [];
  const twice =
    isObject(value) &&
    flags.some((flag) => flag.service !== flag.interface && namesOf(flag).every((name) => name in value));
  return [
    ...checkFields(value, pointer),
    ...(twice ? [seedProblem(pointer, "the reporting endpoint has two names here. Keep one.")] : []),
  ];
};

function namesOf(flag: Flag): readonly Flag[Dialect][] {
  return Object.values(flag);
}

const checkFields = checkObject(
  new Map([
    ...flags.flatMap((flag) => namesOf(flag).map((name) => [name, checkBoolean] as const)),
    ["updated_at", checkText],
  ]),
);

function settingsFromSeed(seed: SettingsSeed, now: Date): Settings {
  return {
    on: new Set(flags.filter((flag) => namesOf(flag).some((name) => seed[name] === true))),
    updatedAt: seed.updated_at ?? offsetTimestamp(now),
  };
}

/** The settings in answers and dumps. */
function settingsOut({ on, updatedAt }: Settings, dialect: Dialect): SettingsSeed & JsonObject {
  const shown = flags.map((flag) => [flag[dialect], on.has(flag)]);
  return { ...Object.fromEntries(shown), updated_at: updatedAt };
}

/** A time with microseconds and an offset that is not `Z`, as in the example of the published OpenAPI document. */
function offsetTimestamp(time: Date): string {
  const anHourAhead = new Date(time.getTime() + 3_600_000);
  return anHourAhead.toISOString().replace("Z", "000+01:00");
}

const PATH = "/page_shield";

/** Null: the service shows null until they are set. */
type Sections = { readonly settings?: SettingsSeed | null };

const holding: Holding<Sections, { current: Settings | null }> = {
  sections: { settings: checkSettings },
  fromSeed: ({ settings = {} }, _, now) => ({
    current: settings === null ? null : settingsFromSeed(settings, now),
  }),
  toSeed: ({ current }, dialect) => ({ settings: current === null ? null : settingsOut(current, dialect) }),
  values: ({ current }) => [current],
};

/** A zone's client-side security settings: one object that always exists. */
export const settings: Resource<Sections> = {
  holding,
  routes: [inZone("GET", PATH, read), inZone("PUT", PATH, update)],
  permissions: PAGE_SHIELD,
  edits: {
    settings: {
      as: "one",
      writes: (zone, set) => [{ method: "PUT", path: zone + PATH, body: set }],
    },
  },
};

/** The documentation's example of an update in the interface has only these two. Null: all. */
const shownAfterUpdate: { readonly [dialect in Dialect]: readonly string[] | null } = {
  service: null,
  interface: ["enabled", "updated_at"],
};

function read(zone: Zone, _: Call, world: World): Answer {
  const { current } = stateOf(holding, zone);
  return result(current === null ? null : settingsOut(current, world.dialect));
}

/** All fields are optional in the published OpenAPI document, so absent ones stay. */
function update(zone: Zone, call: Call, world: World): Answer {
  const errors = Object.entries(call.body).flatMap(([field, value]) => wrong(field, value, world.dialect));
  if (errors.length > 0) return failure(400, ...errors);
  const state = stateOf(holding, zone);
  const { on } = state.current ?? settingsFromSeed({}, world.now());
  const isOn = (flag: Flag) => call.body[flag[world.dialect]] ?? on.has(flag);
  state.current = { on: new Set(flags.filter(isOn)), updatedAt: offsetTimestamp(world.now()) };
  const shown = shownAfterUpdate[world.dialect];
  const fields = Object.entries(settingsOut(state.current, world.dialect));
  return result(Object.fromEntries(fields.filter(([field]) => shown?.includes(field) ?? true)));
}

function wrong(field: string, value: Json, dialect: Dialect): readonly JsonObject[] {
  if (!flags.some((flag) => flag[dialect] === field)) return [fieldError(field, "unknown field")];
  return typeof value === "boolean" ? [] : [fieldError(field, "must be true or false")];
}
