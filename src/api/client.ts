import { performance } from "node:perf_hooks";
import { setTimeout as sleepFor } from "node:timers/promises";
import type { Json } from "../model/json.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import type { Paging, ReadApi } from "../model/read-api.js";
import type { Connection } from "./connect.js";
import { type Countdown, countdownsIn } from "./countdown.js";
import { type Contents, open } from "./envelope.js";
import { type Cleaner, cleaner, spellings, withoutSecrets } from "./foreign-text.js";
import { type Clock, Limit } from "./limit.js";
import { allPages, type Page, pageOf } from "./pages.js";
import { type ApiProblem, apiProblem, type Call } from "./problems.js";
import { askedPauseMs, type Next, nextAfter } from "./retry.js";
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

/** What a client goes through to the service. */
export interface Parts {
  readonly limit: Pick<Limit, "enter" | "leave" | "pause">;
  readonly wire: Pick<Wire, "send" | "close">;
}

/** Why a call must not be made any more. Null: nothing is against it. */
type Objection = () => Promise<Problem | null>;

const NO_OBJECTION: Objection = async () => null;

const REAL: ClientIo = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms) => sleepFor(ms),
  random: Math.random,
  onCall: () => {},
};

/** No credential of the service is shorter; a shorter one is part of too many words. */
const MIN_CREDENTIAL_CHARS = 8;

/** The service, over HTTP. Bounded in everything: requests at once and in time, tries, pauses, sizes, pages. */
export class Client implements ReadApi {
  readonly concurrency: number;
  readonly #connection: Connection;
  readonly #io: ClientIo;
  readonly #limit: Parts["limit"];
  readonly #wire: Parts["wire"];
  /** What no problem may show: the credential, and what callers have said. */
  readonly #secrets: Set<string>;
  /** Of these, what is not spelled out yet: mostly nobody asks. */
  #unspelled: Json[] = [];
  readonly #clean: Cleaner;
  readonly #total: Tally = { requests: 0 };

  constructor(connection: Connection, io: Partial<ClientIo> = {}, parts: Partial<Parts> = {}) {
    this.concurrency = connection.concurrency;
    this.#connection = connection;
    this.#io = { ...REAL, ...io };
    this.#limit = parts.limit ?? new Limit(connection, this.#io);
    this.#wire = parts.wire ?? new Wire(connection);
    this.#secrets = new Set(secretsOf(connection).flatMap(spellings));
    const clean = cleaner(this.#secrets);
    this.#clean = (text, limitChars) => {
      this.#spellOut();
      return clean(text, limitChars);
    };
  }

  /** Requests made so far, repetitions included. */
  get requests(): number {
    return this.#total.requests;
  }

  /** From now on, no problem shows any of these, nor parts of them, whatever the service says. */
  protect(values: readonly Json[]): void {
    for (const value of values) this.#unspelled.push(value);
  }

  /** Problems that others have made of what the service says. */
  conceal(problems: readonly Problem[]): readonly Problem[] {
    this.#spellOut();
    return problems.map((each) => ({ ...each, detail: withoutSecrets(each.detail, this.#secrets) }));
  }

  #spellOut(): void {
    for (const text of this.#unspelled.flatMap(unspeakable).flatMap(spellings)) this.#secrets.add(text);
    this.#unspelled = [];
  }

  /** Whether a text has the credential in it, as it is. */
  isCredentialIn(text: string): boolean {
    const { credential } = this.#connection;
    const value = credential.as === "token" ? credential.token : credential.key;
    return value.length >= MIN_CREDENTIAL_CHARS && text.includes(JSON.stringify(value).slice(1, -1));
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
   * @param objection asked before each repetition, after the pause that it takes: why it must not be sent any more
   */
  async send(
    method: Exclude<Call["method"], "GET">,
    path: string,
    body: Json,
    objection: Objection = NO_OBJECTION,
  ): Promise<Result<Json>> {
    const text = body === null ? null : JSON.stringify(body);
    const answer = await this.#call({ method, path }, text, undefined, objection);
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

  async #call(
    call: Call,
    body: string | null,
    tally?: Tally,
    objection: Objection = NO_OBJECTION,
  ): Promise<Result<Contents>> {
    const { maxWaitMs } = this.#connection;
    for (let tries = 1; ; tries++) {
      const turn = await this.#limit.enter();
      if (turn.as === "paused") return failed(notSent(call, turn.forMs, maxWaitMs));
      if (tally !== undefined) tally.requests += 1;
      const outcome = await this.#try(call, body, tries);
      const nowMs = this.#io.now();
      const result =
        outcome.as === "answer" ? open(call, outcome, this.#clean) : failed(this.#broken(call, outcome));
      const failure = result.ok ? null : (result.problems[0]?.code ?? null);
      const next = nextAfter(call, outcome, failure, { tries, maxWaitMs, nowMs, random: this.#io.random() });
      if (outcome.as === "answer" && outcome.status === 429) this.#pauseAll(outcome, next, nowMs);
      this.#limit.leave(turn, said(outcome, nowMs));
      if (next.as === "again") {
        if (next.who === "this request") await this.#io.sleep(next.waitMs);
        const against = await objection();
        if (against !== null) return failed(against);
        continue;
      }
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

  /** The limit is the credential's: what one request learns of it holds for all, also when it gives up itself. */
  #pauseAll(outcome: Answer, next: Next, nowMs: number): void {
    this.#limit.pause(next.as === "done" ? (askedPauseMs(outcome, nowMs) ?? 0) : next.waitMs);
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

/** What an outcome says of the service's limits; null: the service has certainly not seen the request. */
function said(outcome: Answer | Broken, nowMs: number): readonly Countdown[] | null {
  if (outcome.as === "answer") return countdownsIn(outcome.headers, nowMs);
  return outcome.sent === false ? null : [];
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
