import type { Problem } from "../model/problem.js";
import { apiError, type Enveloped, envelope, failure } from "./answer.js";
import { answerTo, BASE_PATH, type Received, targetOf } from "./api.js";
import { type Dialect, dialects, type Habits } from "./dialect.js";
import { idOf } from "./ids.js";
import { isWrite, type LoggedRequest, record } from "./log.js";
import { createRouter } from "./router.js";
import { routes } from "./routes/index.js";
import { checkSeed, type Seed } from "./seed.js";
import { listen } from "./server.js";
import { loadState, saveState } from "./state-file.js";
import { seedFromStore, storeFromSeed } from "./store.js";

export interface EmulatorOptions {
  /** `service` when absent. */
  readonly dialect?: Dialect;
  /** Any free one when absent or 0. */
  readonly port?: number;
  /** When absent: one zone, example.com, with its settings off and no policies. */
  readonly seed?: Seed;
  /** Keeps the state. If the file exists, its state is taken and the seed is not looked at. */
  readonly stateFile?: string;
  /** Creating a policy in a zone that has this many fails; no limit when absent. */
  readonly policyLimit?: number;
  /** Creating a log-push job in a zone that has this many fails; no limit when absent or null. */
  readonly logpushJobLimit?: number | null;
  /** Whether log-push jobs can only be created: not listed, read, updated or deleted. When absent, the dialect says. */
  readonly logpushCreationOnly?: boolean;
  /** Told of every request, once it is answered. */
  readonly onRequest?: (request: LoggedRequest) => void;
  /** What `updated_at` and `last_updated` are made of; the system's clock when absent. */
  readonly now?: () => Date;
}

/** The API on loopback. Tokens and ids are the same in every run. */
export interface Emulator {
  /** `http://127.0.0.1:PORT/client/v4` */
  readonly url: string;
  readonly token: string;
  /** With `key`, the other way to authenticate. */
  readonly email: string;
  readonly key: string;
  readonly account_id: string;
  /** Ids by names. */
  readonly zones: { readonly [name: string]: string };
  /**
   * Every request so far, in the order in which they arrived whole, refused ones included. It is bounded: of more
   * than 100,000 requests it keeps at least the newest 90,000.
   */
  readonly log: readonly LoggedRequest[];
  /** Logged POST, PUT, PATCH and DELETE requests, whether they took effect or not. */
  writes(): readonly LoggedRequest[];
  /** The state in the form of a seed, spelled in the emulator's dialect. */
  state(): Seed;
  /** Cuts open connections and frees the port. The state stays readable. */
  close(): Promise<void>;
}

/** Starts the emulator. Rejects, with a message for people, on a bad seed or state file and a port in use. */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { stateFile, now = () => new Date() } = options;
  const habits = habitsOf(options);
  const store = storeFromSeed(await startingSeed(options), now());
  const { policyLimit = null, logpushJobLimit = null } = options;
  const world = { store, habits, now, policyLimit, logpushJobLimit };
  const router = createRouter(
    routes.filter(({ method, path }) => !habits.notOffered.has(`${method} ${path}`)),
  );
  const log: LoggedRequest[] = [];

  const state = (): Seed => seedFromStore(store, habits);
  const save = (): Problem | null => (stateFile === undefined ? null : saveState(stateFile, state()));
  const unsaved = save();
  if (unsaved !== null) throw startingError([unsaved]);

  function respond(request: Received): Enveloped {
    const answer = answerTo(request, router, credentials, world);
    const lost = answer.as !== "failure" && isWrite(request.method) ? save() : null;
    const { path, query } = targetOf(request);
    const given = lost === null ? answer : failure(500, apiError(lost.detail));
    const enveloped = envelope(given, habits.failureMessages(path));
    const entry: LoggedRequest = {
      method: request.method,
      path: query === "" ? path : `${path}?${query}`,
      body: request.body.as === "json" ? request.body.value : null,
      status: enveloped.status,
      response: enveloped.body,
    };
    record(log, entry);
    options.onRequest?.(entry);
    return enveloped;
  }

  const server = await listen(options.port ?? 0, respond);
  return {
    url: `http://127.0.0.1:${server.port}${BASE_PATH}`,
    ...credentials,
    account_id: store.accountId,
    zones: Object.fromEntries(store.zones.map((zone) => [zone.name, zone.id])),
    log,
    writes: () => log.filter((each) => isWrite(each.method)),
    state,
    close: server.close,
  };
}

/** Made here and not written out, so that nothing in the sources looks like a leaked secret. */
const credentials = {
  token: `emulator-${idOf("token")}`,
  email: "operator@example.com",
  key: idOf("key"),
};

function habitsOf({ dialect = "service", logpushCreationOnly }: EmulatorOptions): Habits {
  const habits = dialects[dialect];
  return { ...habits, logpushCreationOnly: logpushCreationOnly ?? habits.logpushCreationOnly };
}

async function startingSeed(options: EmulatorOptions): Promise<Seed> {
  const kept = options.stateFile === undefined ? null : await loadState(options.stateFile);
  if (kept !== null && !kept.ok) throw startingError(kept.problems);
  if (kept !== null && kept.value !== null) return kept.value;
  // A seed may come from a file; it is checked as what it is, JSON.
  const seed = checkSeed(JSON.parse(JSON.stringify(options.seed ?? { zones: { "example.com": {} } })));
  if (!seed.ok) throw startingError(seed.problems);
  return seed.value;
}

/** The only place where the emulator throws: a caller has nothing to go on with. */
function startingError(problems: readonly Problem[]): Error {
  const details = problems.map((each) => each.detail).join("\n");
  return new Error(`The emulator cannot start.\n${details}`);
}
