import { type Problem, problem } from "../model/problem.js";
import { type Delivery, type Enveloped, fieldError, sentIn, whole } from "./answer.js";
import { type Audited, type AuditedActor, AuditLog } from "./audit-log.js";
import { seedProblem } from "./checks.js";
import { type Dialect, failureMessages } from "./dialect.js";
import { carryOut, type EditCall, type Edited } from "./edits.js";
import { type Faults, faultsFor, NO_FAULTS } from "./faults/faults.js";
import { type StrikingFault, striking } from "./faults/striking.js";
import { faults } from "./faults/table.js";
import { idOf } from "./ids.js";
import { isWrite, type LoggedRequest, record } from "./log.js";
import { type PlanChoice, unknownZones } from "./plans.js";
import { type Edit, routes, type Seed, unknownGroups } from "./resources/index.js";
import type { Ask, World } from "./resources/resource.js";
import { checkSeed, seedFromStore, storeFromSeed } from "./seed.js";
import { listen } from "./server.js";
import { BASE_PATH, createService, type Received, type Service, targetOf } from "./service.js";
import { loadState, saveState } from "./state-file.js";

/** Options of the emulator. */
export interface EmulatorOptions {
  /** Default: `service`. */
  readonly dialect?: Dialect;
  /** Absent or 0: any free port. */
  readonly port?: number;
  /** Default: one zone, example.com, with settings off and no policies. */
  readonly seed?: Seed;
  /** Keeps the state in a file. An existing file is used instead of the seed. */
  readonly stateFile?: string;
  /** Cloudflare plans of zones, which limit what they may have. A zone without a plan has only the limits below. */
  readonly plans?: readonly PlanChoice[];
  /** Permission groups that the token lacks, as the dashboard names them. Calls that need one get 403. */
  readonly without?: readonly string[];
  /** The most policies of a zone. Absent: no limit. */
  readonly policyLimit?: number;
  /** The most log-push jobs of a zone. Absent or null: no limit. */
  readonly logpushJobLimit?: number | null;
  /** Whether log-push jobs can only be created, and not listed, read, updated or deleted. Default: as the dialect. */
  readonly logpushCreationOnly?: boolean;
  /** Whether answers complete a log-push job's `output_options` with defaults. */
  readonly logpushOutputFilled?: boolean;
  /** Faults from the first request on. Default: none. */
  readonly faults?: Faults;
  /** Called for every request, right before its answer. */
  readonly onRequest?: (request: LoggedRequest) => void;
  /** The clock for `updated_at` and `last_updated`. Default: the system's. */
  readonly now?: () => Date;
}

/** A running emulator on loopback. Tokens and ids are the same in every run. */
export interface Emulator {
  /** `http://127.0.0.1:PORT/client/v4` */
  readonly url: string;
  readonly token: string;
  /** With `key`, the alternative credential. */
  readonly email: string;
  readonly key: string;
  readonly account_id: string;
  /** Zone ids by name. */
  readonly zones: { readonly [name: string]: string };
  /**
   * All requests in the order of their arrival, refused ones included. Above 100,000 requests, at least the newest
   * 90,000 are kept.
   */
  readonly log: readonly LoggedRequest[];
  /** Logged POST, PUT, PATCH and DELETE requests, each with whether it took effect. */
  writes(): readonly LoggedRequest[];
  /** Replaces the faults and restarts their counts. Throws on invalid faults. */
  arm(faults: Faults): void;
  /** Makes a change now, as another client would. Throws on an invalid edit; the calls show the API's answers. */
  edit(edit: Edit): readonly EditCall[];
  /** The state as a seed, in the emulator's dialect. */
  state(): Seed;
  /** Closes connections and frees the port. The state stays readable. */
  close(): Promise<void>;
}

/** Starts the emulator. Rejects on an invalid seed or state file, or a port in use, with a message for people. */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { dialect = "service", stateFile, now = () => new Date() } = options;
  const seed = await startingSeed(options);
  const { plans = [] } = options;
  const strangers = unknownZones(plans, Object.keys(seed.zones));
  if (strangers.length > 0)
    throw refusing("The emulator cannot start.", [
      seedProblem(fieldError("/zones", `a plan is set for the unknown zone ${strangers.join(", ")}.`)),
    ]);
  const unknown = unknownGroups(options.without ?? []);
  if (unknown.length > 0)
    throw refusing(
      "The emulator cannot start.",
      unknown.map((each) => problem("invalid_permission", "Unknown permission group", each)),
    );
  const store = storeFromSeed(seed, now(), plans);
  const world: World = {
    store,
    dialect,
    now,
    without: new Set(options.without),
    policyLimit: options.policyLimit ?? null,
    logpushJobLimit: options.logpushJobLimit ?? null,
    logpushCreationOnly: options.logpushCreationOnly ?? null,
    // By default off: the acceptance tests of the official Terraform provider get back exactly what they sent.
    logpushOutputFilled: options.logpushOutputFilled ?? false,
    audit: new AuditLog(),
  };
  const log: LoggedRequest[] = [];

  const state = (): Seed => seedFromStore(store, dialect);
  const save = (): Problem | null => (stateFile === undefined ? null : saveState(stateFile, state()));
  const offered = routes.filter(({ onlyIn = dialect }) => onlyIn === dialect);
  const service = createService(offered, credentials, world, save);
  const everything = { ...world, logpushCreationOnly: false, without: new Set<string>() };
  const ask = askingAsOther(createService(routes, credentials, everything, save));
  const armed = (requested: Faults, otherwise: string) => {
    const checked = faultsFor(store, requested);
    if (!checked.ok) throw refusing(otherwise, checked.problems);
    return striking(checked.value);
  };
  let struck = armed(options.faults ?? NO_FAULTS, "The emulator cannot start.");
  const unsaved = save();
  if (unsaved !== null) throw refusing("The emulator cannot start.", [unsaved]);

  function respond(request: Received): Delivery {
    const { path, query } = targetOf(request);
    const { fault, before, after } = struck(request.method, path);
    let tookEffect = false;
    const handle = (): Enveloped => {
      const handled = service(request);
      tookEffect = handled.tookEffect;
      if (isWrite(request.method)) audited(path, request, handled.answer);
      return handled.answer;
    };
    const editedBefore = before.map((edit) => edited("before", edit));
    const delivery = fault === null ? whole(handle()) : delivered(fault, handle, path);
    const editedAfter = after.map((edit) => edited("after", edit));
    const edits = [...editedBefore, ...editedAfter];
    const entry: LoggedRequest = {
      method: request.method,
      path: query === "" ? path : `${path}?${query}`,
      body: request.body.as === "json" ? request.body.value : null,
      ...sentIn(delivery),
      tookEffect,
      ...(fault === null ? {} : { fault: fault.name }),
      ...(edits.length === 0 ? {} : { edits }),
    };
    record(log, entry);
    options.onRequest?.(entry);
    return delivery;
  }

  function delivered(fault: StrikingFault, handle: () => Enveloped, path: string): Delivery {
    const { seconds } = fault;
    const messages = failureMessages(dialect, path);
    return faults[fault.name](handle, { seconds, now: now(), failureMessages: messages });
  }

  function audited(path: string, { method, body, headers }: Received, { status, body: response }: Enveloped) {
    const request = body.as === "json" ? body.value : null;
    const agent = String(headers["user-agent"] ?? "");
    const by = { through: "token", email: credentials.email, token: TOKEN_NAME, agent } as const;
    toAudit({ method, path, body: request, status, response }, by, null);
  }

  function toAudit(call: EditCall, by: AuditedActor, how: Audited | null): void {
    const zone = store.byId.get(/^\/zones\/([^/]+)/.exec(call.path)?.[1] ?? "");
    const [, account = store.account.id] = /^\/accounts\/([^/]+)/.exec(call.path) ?? [];
    const where = {
      zone: zone === undefined ? null : { id: zone.id, name: zone.name },
      accountId: zone?.accountId ?? account,
    };
    world.audit.add({ ...call, ...where, by, at: now() }, how);
  }

  function edited(when: Edited["when"], edit: Edit): Edited {
    const calls = carryOut(edit, store, ask);
    const by = { through: "dashboard", email: edit.by ?? "someone@example.com" } as const;
    for (const call of calls) toAudit(call, by, edit.audited ?? null);
    return { when, edit, calls };
  }

  const server = await listen(options.port ?? 0, respond);
  return {
    url: `http://127.0.0.1:${server.port}${BASE_PATH}`,
    ...credentials,
    account_id: store.account.id,
    zones: Object.fromEntries(store.zones.map((zone) => [zone.name, zone.id])),
    log,
    writes: () => log.filter((each) => isWrite(each.method)),
    arm(faults) {
      struck = armed(faults, "The emulator cannot be armed.");
    },
    edit(edit) {
      armed({ schedule: [{ before: edit }] }, "The emulator cannot make this edit.");
      return edited("before", edit).calls;
    },
    state,
    close: server.close,
  };
}

/** Computed, so that nothing in the sources looks like a leaked secret. */
const credentials = {
  token: `emulator-${idOf("token")}`,
  email: "operator@example.com",
  key: idOf("key"),
};

/** The token's name in the account's audit log. */
const TOKEN_NAME = "emulator";

/** Other clients, such as a dashboard, may use every endpoint. */
function askingAsOther(service: Service): Ask {
  return (method, path, body) =>
    service({
      method,
      target: BASE_PATH + path,
      headers: { authorization: `Bearer ${credentials.token}` },
      body: body === null ? { as: "not json" } : { as: "json", value: body },
    }).answer;
}

async function startingSeed(options: EmulatorOptions): Promise<Seed> {
  const saved = options.stateFile === undefined ? null : await loadState(options.stateFile);
  if (saved !== null && !saved.ok) throw refusing("The emulator cannot start.", saved.problems);
  if (saved !== null && saved.value !== null) return saved.value;
  // The seed may come from a file, so it is checked as JSON.
  const seed = checkSeed(JSON.parse(JSON.stringify(options.seed ?? { zones: { "example.com": {} } })));
  if (!seed.ok) throw refusing("The emulator cannot start.", seed.problems);
  return seed.value;
}

/** The only errors that the emulator throws: its caller cannot continue. */
function refusing(summary: string, problems: readonly Problem[]): Error {
  return new Error([summary, ...problems.map((each) => each.detail)].join("\n"));
}
