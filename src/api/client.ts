import { setMaxListeners } from "node:events";
import { setTimeout as sleepFor } from "node:timers/promises";
import type { Json } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result, remarked, rephrased } from "../model/problem.js";
import type { Asking, Paging, ReadApi } from "../model/read-api.js";
import { type NamedOption, says } from "../model/sentence.js";
import type { Connection } from "./connect.js";
import { type Contents, open } from "./envelope.js";
import { type Clock, Limit, type Turn } from "./limit.js";
import { allPages, type Page, pageOf } from "./pages.js";
import { type ApiProblem, apiProblem, type Call, notSent } from "./problems.js";
import { type Cleaner, cleaner, secretParts, spellings, withoutSecrets } from "./redact.js";
import { askedPauseMs, MAX_TRIES, type Next, nextAfter } from "./retry.js";
import { type Answer, type Broken, type Countdown, countdownsIn, Wire } from "./wire.js";

/** Counts requests, repetitions included. */
export interface Tally {
  requests: number;
}

export interface ListReading {
  readonly tally?: Tally | undefined;
  /** What is kept of an item, its `id` among it. Absent: all. */
  readonly keep?: (item: Json) => Json;
}

/** One request that was made, for `-v` and progress. */
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
  /** No request is sent for so long: the service has refused for too many, or those that may be sent are spent. */
  readonly onPause: (forMs: number, why: "refused" | "spent") => void;
}

/** What a client goes through to the service. */
export interface Parts {
  readonly limit: Pick<Limit, "enter" | "between" | "leave" | "pause" | "turnAway">;
  readonly wire: Pick<Wire, "send" | "close">;
}

/** What a write has to pass right before it is sent. */
export interface BeforeSending {
  /** How often it was sent, this time included. */
  readonly attempt: number;
  /** What is read right before, so that no wait comes in between; null: nothing is. */
  readonly read: string | null;
  /** Asked with what was read: why the write must not be sent. Null: it goes out now. */
  readonly objection: (seen: Result<Json> | null) => Problem | null;
}

/** The `result` that a write is answered with; null where there is none. */
export type WriteResult =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** It certainly had no effect, and may be sent again after so long; null: nobody knows, or it may not. */
      readonly againMs: number | null;
    };

const REAL: ClientIo = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }).catch(() => {}),
  random: Math.random,
  onCall: () => {},
  onPause: () => {},
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
  /** Secrets whose spellings are not worked out yet: mostly there is no error text to clean. */
  #unspelled: Json[] = [];
  readonly #clean: Cleaner;
  readonly #total: Tally = { requests: 0 };
  /** Since when the service has refused without saying until when; null: it does not. */
  #blockedSinceMs: number | null = null;
  /** Whether the service has ever answered. */
  #isThere = false;
  /** What the first read ended with that was given up before any answer. An address that is wrong is told once. */
  #absent: Absent | null = null;
  readonly #ending = new AbortController();

  constructor(connection: Connection, io: Partial<ClientIo> = {}, parts: Partial<Parts> = {}) {
    this.concurrency = connection.concurrency;
    this.#connection = connection;
    this.#io = { ...REAL, ...io };
    this.#limit = parts.limit ?? new Limit(connection, this.#io, (forMs) => this.#io.onPause(forMs, "spent"));
    this.#wire = parts.wire ?? new Wire(connection);
    this.#secrets = new Set(secretsOf(connection).flatMap(spellings));
    // Each request that waits to be sent again listens.
    setMaxListeners(0, this.#ending.signal);
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
  addSecrets(values: readonly Json[]): void {
    for (const value of values) this.#unspelled.push(value);
  }

  /** Problems that others have made of what the service says. */
  redact(problems: readonly Problem[]): readonly Problem[] {
    this.#spellOut();
    return problems.map((each) => rephrased(each, (text) => withoutSecrets(text, this.#secrets)));
  }

  #spellOut(): void {
    for (const text of this.#unspelled.flatMap(secretParts).flatMap(spellings)) this.#secrets.add(text);
    this.#unspelled = [];
  }

  /** Whether a text has the credential in it, as it is. */
  isCredentialIn(text: string): boolean {
    const { credential } = this.#connection;
    const value = credential.as === "token" ? credential.token : credential.key;
    return value.length >= MIN_CREDENTIAL_CHARS && text.includes(JSON.stringify(value).slice(1, -1));
  }

  /** @param path checked and encoded, starting with `/`; as for all calls */
  async get(path: string, { tally }: Asking & Pick<ListReading, "tally"> = {}): Promise<Result<Json>> {
    const answer = await this.#call({ method: "GET", path }, tally);
    return answer.ok ? ok(answer.value.result) : answer;
  }

  list(
    path: string,
    paging: Paging = {},
    { tally, keep }: ListReading = {},
  ): Promise<Result<readonly Json[]>> {
    const read = async (each: string): Promise<Result<Page>> => {
      const page = await this.page(each, tally);
      if (!page.ok || keep === undefined) return page;
      return ok({ ...page.value, items: page.value.items.map(keep) });
    };
    return allPages(read, path, paging);
  }

  /** One page of a list. */
  async page(path: string, tally?: Tally): Promise<Result<Page>> {
    const answer = await this.#call({ method: "GET", path }, tally);
    return answer.ok ? pageOf(path, answer.value) : answer;
  }

  /**
   * A write, sent once at most: before it is sent again, the caller checks what became of it. The problem's `http.sent`
   * says what is known of one that failed.
   *
   * @param body null: none
   */
  async send(
    method: Exclude<Call["method"], "GET">,
    path: string,
    body: Json,
    { attempt = 1, read = null, objection = () => null }: Partial<BeforeSending> = {},
  ): Promise<WriteResult> {
    const call = { method, path };
    const ready = await this.#turnAfter(call, read);
    if (ready.as === "not sent") return { ...failed(ready.why), againMs: null };
    const { seen } = ready;
    const against = this.#ending.signal.aborted ? interrupted(call) : objection(seen);
    if (against !== null) {
      this.#limit.leave(null);
      return { ...failed(against), againMs: null };
    }
    const { result, next, said } = await this.#once(
      call,
      body === null ? null : JSON.stringify(body),
      attempt,
    );
    this.#limit.leave(said);
    if (result.ok) return { ok: true, value: result.value.result };
    const problems = this.#remarked(result.problems, next, attempt);
    if (next.as !== "again") return { ok: false, problems, againMs: null };
    return { ok: false, problems, againMs: next.who === "everybody" ? 0 : next.waitMs };
  }

  /** A pause of about so long, so that runs that failed together do not come back together. */
  pause(ms: number): Promise<void> {
    return this.#sleep(ms * (0.75 + this.#io.random() / 2));
  }

  /** Once this is aborted, nothing is waited for: no write goes out, and no read that cannot go at once. */
  obey(stop: AbortSignal): void {
    if (stop.aborted) this.#end();
    else stop.addEventListener("abort", () => this.#end(), { once: true });
  }

  #end(): void {
    this.#ending.abort();
    this.#limit.turnAway();
  }

  /** Lets requests under way end; none may follow. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  /** A read, repeated while it fails in a way that may pass. */
  async #call(call: Call, tally?: Tally): Promise<Result<Contents>> {
    for (let tries = 1; this.#absent === null; tries++) {
      const turn = await this.#limit.enter();
      if (turn.as !== "go") return failed(this.#unsent(call, turn));
      if (tally !== undefined) tally.requests += 1;
      const { result, next, said } = await this.#once(call, null, tries);
      this.#limit.leave(said);
      if (result.ok) return result;
      if (next.as !== "again" || !(await this.#hasWaited(next)))
        return failed(...this.#remarked(result.problems, next, tries));
    }
    return failed(this.#notAsked(this.#absent));
  }

  /**
   * A turn for a write, and what was read in it. Both have their places before the read is sent, so that nothing is
   * waited for in between. A budget of one request has no such turn: there, the read has a turn of its own.
   */
  async #turnAfter(call: Call, read: string | null): Promise<Ready> {
    const isAlone = read === null || this.#connection.rate?.requests === 1;
    const before = read !== null && isAlone ? await this.get(read) : null;
    for (let tries = 1; this.#absent === null; tries++) {
      const turn = await this.#limit.enter(isAlone ? 1 : 2);
      if (turn.as !== "go") return { as: "not sent", why: this.#unsent(call, turn) };
      if (isAlone) return { as: "ready", seen: before };
      const { result, next, said } = await this.#once({ method: "GET", path: read }, null, tries);
      const mayFollow = this.#limit.between(said);
      const seen = result.ok
        ? ok(result.value.result)
        : failed(...this.#remarked(result.problems, next, tries));
      // What its answer forbids, the service may forbid again and again: then it has to say so of the write.
      if (next.as !== "again" && (mayFollow || tries >= MAX_TRIES)) return { as: "ready", seen };
      this.#limit.leave(null);
      if (next.as === "again" && !(await this.#hasWaited(next)))
        return { as: "not sent", why: interrupted(call) };
    }
    return { as: "not sent", why: this.#notAsked(this.#absent) };
  }

  /** One request, and what follows from its outcome. The caller entered the limit, and leaves it. */
  async #once(call: Call, body: string | null, tries: number): Promise<Exchange> {
    const outcome = await this.#try(call, body, tries);
    const nowMs = this.#io.now();
    const result =
      outcome.as === "answer" ? open(call, outcome, this.#clean) : failed(this.#broken(call, outcome));
    const failure = result.ok ? null : (result.problems[0]?.code ?? null);
    const isBlocked =
      outcome.as === "answer" && outcome.status === 429 && askedPauseMs(outcome, nowMs) === null;
    this.#blockedSinceMs = isBlocked ? (this.#blockedSinceMs ?? nowMs) : null;
    const blockedMs = nowMs - (this.#blockedSinceMs ?? nowMs);
    const { maxWaitMs } = this.#connection;
    const moment = { tries, maxWaitMs, nowMs, blockedMs, random: this.#io.random() };
    const next = nextAfter(call, outcome, failure, moment);
    if (outcome.as === "answer" || outcome.sent === true) {
      this.#isThere = true;
      this.#absent = null;
    } else if (!this.#isThere && call.method === "GET" && next.as !== "again")
      this.#absent = { outcome, tries };
    if (outcome.as === "answer" && outcome.status === 429) this.#pauseAll(outcome, next, nowMs);
    return { result, next, said: said(outcome, nowMs) };
  }

  /** False: the run is to end. */
  async #hasWaited(next: Extract<Next, { as: "again" }>): Promise<boolean> {
    if (next.who === "this request") await this.#sleep(next.waitMs);
    return !this.#ending.signal.aborted;
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0 && !this.#ending.signal.aborted) await this.#io.sleep(ms, this.#ending.signal);
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
    const forMs = next.as === "done" ? (askedPauseMs(outcome, nowMs) ?? 0) : next.waitMs;
    if (this.#limit.pause(forMs) && next.as === "again") this.#io.onPause(forMs, "refused");
  }

  #unsent(call: Call, turn: Exclude<Turn, { as: "go" }>): Problem {
    if (turn.as === "turned away") return interrupted(call);
    const maxWait = seconds(this.#connection.maxWaitMs);
    const why = says`Nothing more is sent: the service has asked for a pause of ${seconds(turn.forMs)} more, and ${MAX_WAIT} is ${maxWait}`;
    return notSent("rate_limited", why);
  }

  #notAsked({ outcome, tries }: Absent): Problem {
    return remarked(this.#unanswered(outcome), { after: triedText(tries) });
  }

  /** Says what was done about it before. */
  #remarked(problems: readonly Problem[], next: Next, tries: number): readonly Problem[] {
    const maxWait = seconds(this.#connection.maxWaitMs);
    const tooLong =
      next.as === "too long"
        ? says` It asks for a pause of ${seconds(next.waitMs)}, and ${MAX_WAIT} is ${maxWait}.`
        : [];
    return problems.map((each) => remarked(each, { after: [...tooLong, triedText(tries)] }));
  }

  #broken(call: Call, outcome: Broken): ApiProblem {
    const { how, sent } = outcome;
    if (sent === false) return this.#unanswered(outcome);
    const got = sent === true ? "was not answered in full" : "got no answer";
    const what = `at ${this.#connection.baseUrl} ${got}: ${this.#whyBroken(outcome)}`;
    return apiProblem(how, call, { status: null, codes: [], sent }, what);
  }

  #unanswered(outcome: Broken): ApiProblem {
    return notSent(outcome.how, `${this.#connection.baseUrl} cannot be reached: ${this.#whyBroken(outcome)}`);
  }

  #whyBroken({ why }: Broken): string {
    return this.#clean(why).replace(/\.$/, "");
  }
}

/** The end of a request that was given up without an answer. */
interface Absent {
  readonly outcome: Broken;
  readonly tries: number;
}

function triedText(tries: number): string {
  return tries === 1 ? "" : ` It was tried ${tries} times.`;
}

const MAX_WAIT: NamedOption = { flag: "max-wait", otherwise: "the longest that is waited for" };

type Ready =
  | { readonly as: "ready"; readonly seen: Result<Json> | null }
  | { readonly as: "not sent"; readonly why: Problem };

/** What has come of one request. */
interface Exchange {
  readonly result: Result<Contents>;
  readonly next: Next;
  readonly said: readonly Countdown[] | null;
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

function interrupted({ method, path }: Call): Problem {
  return problem("interrupted", "Interrupted", `${method} ${path} was not sent: the run is to end.`);
}

/** The service can ask for more than a number can say. */
function seconds(ms: number): string {
  if (!Number.isFinite(ms)) return "more seconds than can be counted";
  return `${Math.ceil(ms / 1000)} s`;
}
