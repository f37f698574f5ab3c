import type { Connection } from "./connect.js";
import type { Countdown } from "./wire.js";

export interface Clock {
  /** Milliseconds since 1970, never running backwards. */
  readonly now: () => number;
  /** Ends early when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export type Turn =
  | { readonly as: "go" }
  | { readonly as: "paused"; readonly forMs: number }
  /** The run is stopping, and no place was free. */
  | { readonly as: "turned away" };

/**
 * One queue for all requests of a client: first come, first served. It bounds the requests at once, the requests in a
 * window of time, and the requests that the service says remain; during a pause, none starts. A `leave` must follow
 * each `go`.
 */
export class Limit {
  readonly #clock: Clock;
  readonly #onSpent: (forMs: number) => void;
  readonly #limits: Pick<Connection, "concurrency" | "rate" | "maxWaitMs">;
  readonly #ending = new AbortController();
  #queue: { readonly places: number; readonly resolve: (turn: Turn) => void }[] = [];
  #turns = 0;
  /** Requests that these turns have not sent yet. */
  #places = 0;
  /** When places become free: one window after the answer, as the service may count a request until its answer. */
  readonly #freeAtMs: number[] = [];
  #pausedUntilMs = 0;
  /** Until then, the remaining budget may be no more than the running requests. */
  #spentUntilMs = 0;
  #isAsleep = false;

  /** @param onSpent called for each wait for places, not for pauses */
  constructor(
    limits: Pick<Connection, "concurrency" | "rate" | "maxWaitMs">,
    clock: Clock,
    onSpent: (forMs: number) => void = () => {},
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onSpent = onSpent;
  }

  /** @param places the number of requests in this turn, sent without a wait in between: at most a window's number */
  enter(places = 1): Promise<Turn> {
    return new Promise((resolve) => {
      this.#queue.push({ places, resolve });
      this.#serve();
    });
  }

  /** Between two requests of one turn. False: the second must not be sent, so the turn has to be left. */
  between(announced: readonly Countdown[] | null): boolean {
    this.#end(announced);
    return this.#pauseMs() <= 0;
  }

  /** @param announced the remaining budget in the answer; null: the request was certainly not sent */
  leave(announced: readonly Countdown[] | null): void {
    this.#turns -= 1;
    this.#end(announced);
    this.#serve();
  }

  /** No request starts for `forMs`. False: a running pause is as long. */
  pause(forMs: number): boolean {
    const untilMs = this.#clock.now() + forMs;
    if (untilMs <= this.#pausedUntilMs) return false;
    this.#pausedUntilMs = untilMs;
    this.#serve();
    return true;
  }

  /** From now on, a request that cannot start at once is refused. */
  turnAway(): void {
    this.#ending.abort();
    this.#serve();
  }

  #end(announced: readonly Countdown[] | null): void {
    this.#places -= 1;
    if (announced === null) return;
    const now = this.#clock.now();
    // One millisecond more, for clocks that count whole milliseconds.
    if (this.#limits.rate !== null) this.#freeAtMs.push(now + this.#limits.rate.perMs + 1);
    // An answer may not count the running requests, which are at most `concurrency`.
    for (const { remaining, forMs } of announced)
      if (remaining < this.#limits.concurrency)
        this.#spentUntilMs = Math.max(this.#spentUntilMs, now + forMs);
  }

  #pauseMs(): number {
    return Math.max(this.#pausedUntilMs, this.#spentUntilMs) - this.#clock.now();
  }

  #serve(): void {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const turn = this.#turnOf(first.places);
      if (turn === null) break;
      this.#queue.shift();
      first.resolve(turn);
    }
    if (!this.#ending.signal.aborted) return;
    for (const { resolve } of this.#queue.splice(0)) resolve({ as: "turned away" });
  }

  /** Null: this request has to wait, and all requests behind it. */
  #turnOf(places: number): Turn | null {
    const { concurrency, rate, maxWaitMs } = this.#limits;
    const pauseMs = this.#pauseMs();
    if (pauseMs > maxWaitMs) return { as: "paused", forMs: pauseMs };
    const windowMs = rate === null ? 0 : this.#windowMs(places, rate.requests);
    if (this.#turns >= concurrency || windowMs === null) return null;
    const waitMs = Math.max(pauseMs, windowMs);
    if (waitMs > 0) {
      this.#wakeIn(waitMs);
      return null;
    }
    this.#turns += 1;
    this.#places += places;
    return { as: "go" };
  }

  /** How long until the window has this many places; null: until a running request ends. */
  #windowMs(places: number, most: number): number | null {
    const now = this.#clock.now();
    while ((this.#freeAtMs[0] ?? Number.POSITIVE_INFINITY) <= now) this.#freeAtMs.shift();
    const lacking = this.#places + this.#freeAtMs.length + places - most;
    if (lacking <= 0) return 0;
    const freeAtMs = this.#freeAtMs[lacking - 1];
    return freeAtMs === undefined ? null : freeAtMs - now;
  }

  /** One sleep at a time is enough: the end of a wait never moves closer. */
  #wakeIn(waitMs: number): void {
    if (this.#isAsleep || this.#ending.signal.aborted) return;
    this.#isAsleep = true;
    if (waitMs > this.#pausedUntilMs - this.#clock.now()) this.#onSpent(waitMs);
    void this.#clock.sleep(Math.ceil(waitMs), this.#ending.signal).then(() => {
      this.#isAsleep = false;
      this.#serve();
    });
  }
}
