import { isObject, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { type Answer, failure, result } from "../answer.js";
import {
  anyFlag,
  bodyErrors,
  type Checks,
  checkBoolean,
  checkObject,
  checkText,
  must,
  ofObject,
  orNull,
} from "../checks.js";
import type { Dialect } from "../dialect.js";
import {
  type Call,
  type Holding,
  inZone,
  type Resource,
  setState,
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

const checkSettings = orNull(
  ofObject((seed, pointer) => [...checkFields(seed, pointer), ...checkNamedOnce(seed, pointer)]),
);

const checkNamedOnce = must(
  "the reporting endpoint has two names here. Keep one.",
  (seed) =>
    !isObject(seed) ||
    !flags.some((flag) => flag.service !== flag.interface && namesOf(flag).every((name) => name in seed)),
);

function namesOf(flag: Flag): readonly Flag[Dialect][] {
  return Object.values(flag);
}

const checkFields = checkObject({
  ...Object.fromEntries(flags.flatMap(namesOf).map((name) => [name, checkBoolean])),
  updated_at: checkText,
});

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

const holding: Holding<Sections, Settings | null> = {
  sections: { settings: checkSettings },
  fromSeed: ({ settings = {} }, _, now) => (settings === null ? null : settingsFromSeed(settings, now)),
  toSeed: (settings, dialect) => ({ settings: settings === null ? null : settingsOut(settings, dialect) }),
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
  const current = stateOf(holding, zone);
  return result(current === null ? null : settingsOut(current, world.dialect));
}

/** All fields are optional in the published OpenAPI document, so absent ones stay. */
function update(zone: Zone, call: Call, world: World): Answer {
  const errors = bodyErrors(call.body, checks[world.dialect]);
  if (errors.length > 0) return failure(400, ...errors);
  const before = stateOf(holding, zone)?.on;
  const isOn = (flag: Flag) => call.body[flag[world.dialect]] ?? before?.has(flag);
  const updated = { on: new Set(flags.filter(isOn)), updatedAt: offsetTimestamp(world.now()) };
  setState(holding, zone, updated);
  const shown = shownAfterUpdate[world.dialect];
  const fields = Object.entries(settingsOut(updated, world.dialect));
  return result(Object.fromEntries(fields.filter(([field]) => shown?.includes(field) ?? true)));
}

const checks: { readonly [dialect in Dialect]: Checks } = {
  service: Object.fromEntries(flags.map(({ service }) => [service, anyFlag])),
  interface: Object.fromEntries(flags.map((flag) => [flag.interface, anyFlag])),
};
