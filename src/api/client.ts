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
import {
  type ApiProblem,
  apiProblem,
  type Call,
  isApiProblem,
  isDenied,
  notSent,
  rejected,
} from "./problems.js";
import { type Cleaner, cleaner, secretParts, spellings, withoutSecrets } from "./redact.js";
import { askedPauseMs, type Next, nextAfter } from "./retry.js";
import { type Answer, type Broken, type Countdown, countdownsIn, Wire } from "./transport.js";

/** The number of requests made, repetitions included. */
export interface Tally {
  requests: number;
}

export interface ListReading {
  readonly tally?: Tally | undefined;
  /** The part of an item to keep; it must include `id`. Absent: the whole item. */
  readonly keep?: (item: Json) => Json;
}

/** One request that was made, for `-v` and progress. */
export interface SentRequest extends Call {
  /** null: no answer. */
  readonly status: number | null;
  readonly ms: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

export interface ClientIo extends Clock {
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly onCall: (request: SentRequest) => void;
  /** Sending pauses for `forMs`: the service refused too many requests, or the allowed ones are spent. */
  readonly onPause: (forMs: number, why: "refused" | "spent") => void;
}

/** The two layers under a client; tests replace them. */
export interface Parts {
  readonly limit: Pick<Limit, "enter" | "end" | "leave" | "pause" | "turnAway">;
  readonly wire: Pick<Wire, "send" | "close">;
}

/** The checks right before a write is sent. */
export interface BeforeSending {
  /** How often this write was sent, this time included. */
  readonly attempt: number;
  /** A path to read right before the write, with no wait in between; null: nothing to read. */
  readonly read: string | null;
  /** Why the write must not be sent, given that reading. Null: send it now. */
  readonly objection: (reading: Result<Json> | null) => Problem | null;
}

/** The `result` in the answer to a write; null: the answer has none. */
export type WriteResult =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** The write certainly had no effect and may be sent again after this time. Null otherwise. */
      readonly againMs: number | null;
    };

const REAL: ClientIo = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }).catch(() => {}),
  random: Math.random,
  onCall: () => {},
  onPause: () => {},
};

/** Every credential of the service is longer. A shorter text is part of too many words. */
const MIN_CREDENTIAL_CHARS = 8;

/** An HTTP client for the service. Concurrency, rate, tries, pauses, sizes and pages are all bounded. */
export class Client implements ReadApi {
  readonly concurrency: number;
  readonly #connection: Connection;
  readonly #io: ClientIo;
  readonly #limit: Parts["limit"];
  readonly #wire: Parts["wire"];
  /** Texts that no problem may show: the credential, and the secrets that callers added. */
  readonly #secrets: Set<string>;
  /** Secrets whose spellings are not computed yet: most runs have no error text to clean. */
  #unspelled: Json[] = [];
  readonly #clean: Cleaner;
  #requests = 0;
  #hasAnswered = false;
  /** Since when the service has refused for too many requests without naming an end. Null: it does not. */
  #blockedSinceMs: number | null = null;
  /** Why the first read failed when no request was ever answered. A wrong address is reported once. */
  #unreachable: Problem | null = null;
  /** The paths of refused calls, without ids. Null: another call was not refused, so the credential is good. */
  #refused: Set<string> | null = new Set();
  /** The calls that tell a rejected credential from one that lacks a permission. Null: no call was refused yet. */
  #inquiry: Promise<void> | null = null;
  readonly #ending = new AbortController();

  constructor(connection: Connection, io: Partial<ClientIo> = {}, parts: Partial<Parts> = {}) {
    this.concurrency = connection.concurrency;
    this.#connection = connection;
    this.#io = { ...REAL, ...io };
    this.#limit = parts.limit ?? new Limit(connection, this.#io, (forMs) => this.#io.onPause(forMs, "spent"));
    this.#wire = parts.wire ?? new Wire(connection);
    this.#secrets = new Set(secretsOf(connection).flatMap(spellings));
    // Each request that waits for its next try adds a listener.
    setMaxListeners(0, this.#ending.signal);
    const clean = cleaner(this.#secrets);
    this.#clean = (text, limitChars) => {
      this.#spellOut();
      return clean(text, limitChars);
    };
  }

  /** Where requests go, and the environment variables of their credential. */
  get target(): { readonly baseUrl: string; readonly variables: string } {
    const { baseUrl, credential } = this.#connection;
    return { baseUrl, variables: VARIABLES[credential.as] };
  }

  /** Whether the service refused all calls, also those that every working credential may make. */
  get isRejected(): boolean {
    return INQUIRIES.every((path) => this.#refused?.has(sortOf(path)));
  }

  get requests(): number {
    return this.#requests;
  }

  /** From now on, no problem shows these values or parts of them. */
  addSecrets(values: readonly Json[]): void {
    for (const value of values) this.#unspelled.push(value);
  }

  /** Redacts problems that callers made from answers of the service. */
  redact(problems: readonly Problem[]): readonly Problem[] {
    this.#spellOut();
    return problems.map((each) => rephrased(each, (text) => withoutSecrets(text, this.#secrets)));
  }

  #spellOut(): void {
    for (const text of this.#unspelled.flatMap(secretParts).flatMap(spellings)) this.#secrets.add(text);
    this.#unspelled = [];
  }

  /** Whether a text contains the credential, unescaped. */
  isCredentialIn(text: string): boolean {
    const { credential } = this.#connection;
    const value = credential.as === "token" ? credential.token : credential.key;
    return value.length >= MIN_CREDENTIAL_CHARS && text.includes(JSON.stringify(value).slice(1, -1));
  }

  /** @param path checked and encoded, starting with `/`, as in all calls */
  async get(path: string, { tally }: Asking & Pick<ListReading, "tally"> = {}): Promise<Result<Json>> {
    const answer = await this.#call({ method: "GET", path }, tally);
    return answer.ok ? ok(answer.value.result) : answer;
  }

  list(
    path: string,
    paging: Paging = {},
    { tally, keep }: ListReading = {},
  ): Promise<Result<readonly Json[]>> {
    const read = async (pagePath: string): Promise<Result<Page>> => {
      const page = await this.page(pagePath, tally);
      if (!page.ok || keep === undefined) return page;
      return ok({ ...page.value, items: page.value.items.map(keep) });
    };
    return allPages(read, path, paging);
  }

  async page(path: string, tally?: Tally): Promise<Result<Page>> {
    const answer = await this.#call({ method: "GET", path }, tally);
    return answer.ok ? pageOf(path, answer.value) : answer;
  }

  /**
   * Sends a write at most once: the caller checks its effect before sending again. The problem's `http.sent` says
   * whether a failed write reached the service.
   *
   * @param body null: no body
   */
  async send(
    method: Exclude<Call["method"], "GET">,
    path: string,
    body: Json,
    { attempt = 1, read = null, objection = () => null }: Partial<BeforeSending> = {},
  ): Promise<WriteResult> {
    const call = { method, path };
    const reading = await this.#turnAfter(call, read);
    if (!reading.ok) return { ...reading, againMs: null };
    const refusal = this.#ending.signal.aborted ? interrupted(call) : objection(reading.value);
    if (refusal !== null) {
      this.#limit.leave(null);
      return { ...failed(refusal), againMs: null };
    }
    const text = body === null ? null : JSON.stringify(body);
    const { result, next, countdowns } = await this.#once(call, text, attempt);
    this.#limit.leave(countdowns);
    if (result.ok) return { ok: true, value: result.value.result };
    const problems = await this.#judged(result.problems);
    return { ok: false, problems, againMs: next.as === "again" ? next.waitMs : null };
  }

  /** A pause of about `ms`, so that runs that failed together do not return together. */
  pause(ms: number): Promise<void> {
    return this.#sleep(ms * (0.75 + this.#io.random() / 2));
  }

  /** After `stop`, no write is sent, and a read that cannot start at once is refused. */
  obey(stop: AbortSignal): void {
    if (stop.aborted) this.#end();
    else stop.addEventListener("abort", () => this.#end(), { once: true });
  }

  #end(): void {
    this.#ending.abort();
    this.#limit.turnAway();
  }

  /** Lets running requests end. No request may follow. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  async #call(call: Call, tally?: Tally): Promise<Result<Contents>> {
    const answer = await this.#read(call, tally);
    return answer.ok ? answer : failed(...(await this.#judged(answer.problems)));
  }

  /** A refusal names the permission that its call needs, which would mislead where the whole credential is rejected. */
  async #judged(problems: readonly Problem[]): Promise<readonly Problem[]> {
    if (!problems.some(isDenied)) return problems;
    this.#inquiry ??= this.#inquire();
    await this.#inquiry;
    return this.isRejected ? [rejected(this.target.variables)] : problems;
  }

  async #inquire(): Promise<void> {
    for (const path of INQUIRIES) {
      if (this.#refused === null) return;
      if (!this.#refused.has(sortOf(path))) await this.#read({ method: "GET", path });
    }
  }

  /** A read, repeated while its failure may pass. */
  async #read(call: Call, tally?: Tally): Promise<Result<Contents>> {
    for (let tries = 1; this.#unreachable === null; tries++) {
      const turn = await this.#limit.enter();
      if (turn.as !== "go") return failed(this.#unsent(call, turn));
      if (tally !== undefined) tally.requests += 1;
      const { result, next, countdowns } = await this.#once(call, null, tries);
      this.#limit.leave(countdowns);
      if (result.ok || next.as !== "again" || !(await this.#hasWaited(next.waitMs))) return result;
    }
    return failed(this.#unreachable);
  }

  /**
   * A turn for a write, and the reading before it. Both places are taken together, so that nothing waits between the
   * read and the write. A budget of one request has no room for two: the read then gets its own turn.
   */
  async #turnAfter(call: Call, read: string | null): Promise<Result<Result<Json> | null>> {
    const isPair = read !== null && this.#connection.rates.every(({ requests }) => requests > 1);
    const before = read !== null && !isPair ? await this.get(read) : null;
    for (let tries = 1; this.#unreachable === null; tries++) {
      const turn = await this.#limit.enter(isPair ? 2 : 1);
      if (turn.as !== "go") return failed(this.#unsent(call, turn));
      if (!isPair) return ok(before);
      const { result, next, countdowns } = await this.#once({ method: "GET", path: read }, null, tries);
      this.#limit.end(countdowns);
      if (next.as !== "again") return ok(result.ok ? ok(result.value.result) : result);
      this.#limit.leave(null);
      if (!(await this.#hasWaited(next.waitMs))) return failed(interrupted(call));
    }
    return failed(this.#unreachable);
  }

  /** One request and what follows from its outcome. The caller enters the limit before and leaves it after. */
  async #once(call: Call, body: string | null, tries: number): Promise<Exchange> {
    const outcome = await this.#try(call, body, tries);
    const nowMs = this.#io.now();
    const opened =
      outcome.as === "answer" ? open(call, outcome, this.#clean) : failed(this.#broken(call, outcome, tries));
    const failure = opened.ok ? null : (opened.problems[0]?.code ?? null);
    if (failure === "unauthorized") this.#refused?.add(sortOf(call.path));
    else this.#refused = null;
    const { maxWaitMs } = this.#connection;
    const isBlocked =
      outcome.as === "answer" && outcome.status === 429 && askedPauseMs(outcome, nowMs) === null;
    this.#blockedSinceMs = isBlocked ? (this.#blockedSinceMs ?? nowMs) : null;
    const blockedMs = nowMs - (this.#blockedSinceMs ?? nowMs);
    const random = this.#io.random();
    const next = nextAfter(call, outcome, failure, { tries, maxWaitMs, nowMs, blockedMs, random });
    if (outcome.as === "answer" || outcome.sent === true) {
      this.#hasAnswered = true;
      this.#unreachable = null;
    } else if (!this.#hasAnswered && call.method === "GET" && next.as !== "again")
      this.#unreachable = this.#unanswered(outcome, tries);
    if (outcome.as === "answer" && outcome.status === 429) this.#pauseAll(outcome, next, nowMs);
    const result = opened.ok ? opened : failed(...this.#remarked(opened.problems, next, tries));
    return { result, next, countdowns: countdownsOf(outcome, nowMs) };
  }

  /** False: the run is stopping. */
  async #hasWaited(ms: number): Promise<boolean> {
    await this.#sleep(ms);
    return !this.#ending.signal.aborted;
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0 && !this.#ending.signal.aborted) await this.#io.sleep(ms, this.#ending.signal);
  }

  async #try(call: Call, body: string | null, attempt: number): Promise<Answer | Broken> {
    this.#requests += 1;
    const startedMs = this.#io.now();
    const outcome = await this.#wire.send(call, body);
    const status = outcome.as === "answer" ? outcome.status : null;
    this.#io.onCall({ ...call, status, ms: Math.round(this.#io.now() - startedMs), attempt });
    return outcome;
  }

  /** The limit belongs to the credential, so the pause holds for all requests, even when this one gives up. */
  #pauseAll(outcome: Answer, next: Next, nowMs: number): void {
    const forMs = next.as === "done" ? (askedPauseMs(outcome, nowMs) ?? 0) : next.waitMs;
    if (this.#limit.pause(forMs) && next.as === "again") this.#io.onPause(forMs, "refused");
  }

  #unsent(call: Call, turn: Exclude<Turn, { as: "go" }>): Problem {
    if (turn.as === "turned away") return interrupted(call);
    const maxWait = seconds(this.#connection.maxWaitMs);
    const why = says`The service asks for a pause of ${seconds(turn.forMs)} more, longer than ${MAX_WAIT} (${maxWait}), so nothing more is sent`;
    return notSent("rate_limited", why);
  }

  /** Adds how often the call was tried, and a pause that was too long. */
  #remarked(problems: readonly Problem[], next: Next, tries: number): readonly Problem[] {
    const maxWait = seconds(this.#connection.maxWaitMs);
    const tooLong =
      next.as === "too long"
        ? says` The service asks for a pause of ${seconds(next.waitMs)}, longer than ${MAX_WAIT} (${maxWait}).`
        : [];
    // The problem of a call without an answer has its tries already.
    return problems.map((each) =>
      remarked(each, { after: [...tooLong, hasNoAnswer(each) ? "" : triedText(tries)] }),
    );
  }

  #broken(call: Call, outcome: Broken, tries: number): ApiProblem {
    const { how, sent } = outcome;
    if (sent === false) return this.#unanswered(outcome, tries);
    const outcomeText = how === "timeout" ? "" : sent === true ? " was answered in part" : " got no answer";
    const detail = `at ${this.#connection.baseUrl}${outcomeText}: ${this.#whyBroken(outcome, tries)}`;
    return apiProblem(how, call, { status: null, codes: [], sent }, detail);
  }

  #unanswered(outcome: Broken, tries: number): ApiProblem {
    const why = this.#whyBroken(outcome, tries);
    return notSent(outcome.how, `${this.#connection.baseUrl} cannot be reached: ${why}`);
  }

  #whyBroken({ why }: Broken, tries: number): string {
    const text = this.#clean(why).replace(/\.$/, "");
    return tries === 1 ? text : `${text} (${tries} tries)`;
  }
}

/** The first is for tokens of a user. A token of an account cannot verify itself without the account's id. */
const INQUIRIES = ["/user/tokens/verify", "/zones?page=1&per_page=5"];

/** A path without its query and ids. */
function sortOf(path: string): string {
  return path.replace(/\?.*$|\b[0-9a-f]{32}\b/g, "");
}

function hasNoAnswer(problem: Problem): boolean {
  return isApiProblem(problem) && problem.http.status === null;
}

const VARIABLES = { token: "CLOUDFLARE_API_TOKEN", key: "CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY" } as const;

function triedText(tries: number): string {
  return tries === 1 ? "" : ` The call was tried ${tries} times.`;
}

const MAX_WAIT: NamedOption = { flag: "max-wait", otherwise: "the longest wait" };

/** The outcome of one request. */
interface Exchange {
  readonly result: Result<Contents>;
  readonly next: Next;
  readonly countdowns: readonly Countdown[] | null;
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

/** The service's remaining budget, as the outcome tells it; null: the service certainly did not see the request. */
function countdownsOf(outcome: Answer | Broken, nowMs: number): readonly Countdown[] | null {
  if (outcome.as === "answer") return countdownsIn(outcome.headers, nowMs);
  return outcome.sent === false ? null : [];
}

function interrupted({ method, path }: Call): Problem {
  return problem("interrupted", "Interrupted", `${method} ${path} was not sent, because the run is ending.`);
}

/** The service may ask for an infinite pause. */
function seconds(ms: number): string {
  if (!Number.isFinite(ms)) return "too many seconds";
  return `${Math.ceil(ms / 1000)} s`;
}
