import { performance } from "node:perf_hooks";
import { setTimeout as sleepFor } from "node:timers/promises";
import type { Json } from "../model/json.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import type { Paging, ReadApi } from "../model/read-api.js";
import type { Connection } from "./connect.js";
import { type Contents, open } from "./envelope.js";
import { type Cleaner, cleaner } from "./foreign-text.js";
import { type Clock, Limit } from "./limit.js";
import { allPages, type Page, pageOf } from "./pages.js";
import { type ApiProblem, apiProblem, type Call } from "./problems.js";
import { exhaustedMs, type Next, nextAfter } from "./retry.js";
import { unspeakable } from "./unspeakable.js";
import { type Answer, type Broken, Wire } from "./wire.js";

/** Counts the requests made for somebody, repetitions included. */
export interface Tally {
  requests: number;
}

/** One request that was made, for whoever watches. */
export interface Sent extends Call {
  /** null: no answer. */
  readonly status: number | null;
  readonly ms: number;
  /** From 1; above it, a repetition. */
  readonly attempt: number;
}

export interface ClientIo extends Clock {
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly onCall: (sent: Sent) => void;
}

const REAL: ClientIo = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms) => sleepFor(ms),
  random: Math.random,
  onCall: () => {},
};

/** The service, over HTTP. Bounded in everything: requests at once and in time, tries, pauses, sizes, pages. */
export class Client implements ReadApi {
  readonly concurrency: number;
  readonly #connection: Connection;
  readonly #io: ClientIo;
  readonly #limit: Limit;
  readonly #wire: Wire;
  /** What no problem may show: the credential, and what callers have said. */
  readonly #secrets: Set<string>;
  #clean: Cleaner;
  readonly #total: Tally = { requests: 0 };

  constructor(connection: Connection, io: Partial<ClientIo> = {}) {
    this.concurrency = connection.concurrency;
    this.#connection = connection;
    this.#io = { ...REAL, ...io };
    this.#limit = new Limit(connection, this.#io);
    this.#wire = new Wire(connection);
    this.#secrets = new Set(secretsOf(connection));
    this.#clean = cleaner([...this.#secrets]);
  }

  /** Requests made so far, repetitions included. */
  get requests(): number {
    return this.#total.requests;
  }

  /** From now on, no problem shows any of these, nor parts of them, whatever the service says. */
  protect(values: readonly Json[]): void {
    const before = this.#secrets.size;
    for (const text of values.flatMap(unspeakable)) this.#secrets.add(text);
    if (this.#secrets.size > before) this.#clean = cleaner([...this.#secrets]);
  }

  /** @param path checked and encoded, starting with `/`; as for all calls */
  async get(path: string, tally?: Tally): Promise<Result<Json>> {
    const answer = await this.#call({ method: "GET", path }, null, tally);
    return answer.ok ? ok(answer.value.result) : answer;
  }

  list(path: string, paging: Paging, tally?: Tally): Promise<Result<readonly Json[]>> {
    return allPages((each) => this.page(each, tally), path, paging);
  }

  /** One page of a list. */
  async page(path: string, tally?: Tally): Promise<Result<Page>> {
    const answer = await this.#call({ method: "GET", path }, null, tally);
    return answer.ok ? pageOf(path, answer.value) : answer;
  }

  /**
   * A write, and the `result` that it is answered with; null where there is none. It is repeated only where it
   * certainly had no effect: the problem's `http.sent` says what is known of one that failed.
   *
   * @param body null: none
   */
  async send(method: Exclude<Call["method"], "GET">, path: string, body: Json): Promise<Result<Json>> {
    const answer = await this.#call({ method, path }, body === null ? null : JSON.stringify(body));
    return answer.ok ? ok(answer.value.result) : answer;
  }

  /** A pause of about so long, so that runs that failed together do not come back together. */
  pause(ms: number): Promise<void> {
    return this.#io.sleep(ms * (0.75 + this.#io.random() / 2));
  }

  /** Lets requests under way end; none may follow. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  async #call(call: Call, body: string | null, tally?: Tally): Promise<Result<Contents>> {
    const { maxWaitMs } = this.#connection;
    for (let tries = 1; ; tries++) {
      const turn = await this.#limit.enter();
      if (turn.as === "paused") return failed(notSent(call, turn.forMs, maxWaitMs));
      if (tally !== undefined) tally.requests += 1;
      const outcome = await this.#try(call, body, tries);
      const moment = { tries, maxWaitMs, nowMs: this.#io.now(), random: this.#io.random() };
      const next = nextAfter(call, outcome, moment);
      this.#pauseAll(outcome, next);
      this.#limit.leave();
      if (next.as === "again") {
        if (next.who === "this request") await this.#io.sleep(next.waitMs);
        continue;
      }
      const result =
        outcome.as === "answer" ? open(call, outcome, this.#clean) : failed(this.#broken(call, outcome));
      return result.ok ? result : failed(...remarked(result.problems, next, tries, maxWaitMs));
    }
  }

  async #try(call: Call, body: string | null, attempt: number): Promise<Answer | Broken> {
    this.#total.requests += 1;
    const startedMs = this.#io.now();
    const outcome = await this.#wire.send(call, body);
    const status = outcome.as === "answer" ? outcome.status : null;
    this.#io.onCall({ ...call, status, ms: Math.round(this.#io.now() - startedMs), attempt });
    return outcome;
  }

  /** The limit is the credential's: what one request learns of it holds for all. */
  #pauseAll(outcome: Answer | Broken, next: Next): void {
    if (outcome.as === "broken") return;
    if (outcome.status === 429 && next.as !== "done") this.#limit.pause(next.waitMs);
    const exhausted = exhaustedMs(outcome.headers, this.#io.now());
    if (exhausted !== null && exhausted <= this.#connection.maxWaitMs) this.#limit.pause(exhausted);
  }

  #broken(call: Call, { how, sent, why }: Broken): ApiProblem {
    const got = sent === true ? "was not answered in full" : "got no answer";
    const what = `at ${this.#connection.baseUrl} ${got}: ${this.#clean(why).replace(/\.$/, "")}`;
    return apiProblem(how, call, { status: null, codes: [], sent }, what);
  }
}

function secretsOf({ credential, proxy }: Connection): readonly string[] {
  const proxies = [proxy?.http ?? "", proxy?.https ?? ""].filter((each) => each !== "");
  const passwords = proxies.map((each) => decodeURIComponent(new URL(each).password));
  switch (credential.as) {
    case "token":
      return [credential.token, ...passwords];
    case "key":
      return [credential.key, credential.email, ...passwords];
  }
}

function notSent(call: Call, forMs: number, maxWaitMs: number): ApiProblem {
  const what = `was not sent: the service has asked for a pause of ${seconds(forMs)} more, and --max-wait is ${seconds(maxWaitMs)}`;
  return apiProblem("rate_limited", call, { status: null, codes: [], sent: false }, what);
}

/** Says what was done about it before. */
function remarked(
  problems: readonly Problem[],
  next: Next,
  tries: number,
  maxWaitMs: number,
): readonly Problem[] {
  const tooLong =
    next.as === "too long"
      ? ` It asks for a pause of ${seconds(next.waitMs)}, and --max-wait is ${seconds(maxWaitMs)}.`
      : "";
  const tried = tries === 1 ? "" : ` It was tried ${tries} times.`;
  return problems.map((each) => ({ ...each, detail: each.detail + tooLong + tried }));
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
