import type { Connection, Rate } from "./connect.js";
import type { Countdown } from "./transport.js";

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

type Limits = Pick<Connection, "concurrency" | "rates" | "maxWaitMs">;

interface Waiting {
  readonly places: number;
  readonly resolve: (turn: Turn) => void;
}

/**
 * One queue for all requests of a client: first come, first served. It bounds the requests at once, the requests in
 * windows of time, and the requests that the service says remain; during a pause, none starts. A `leave` must follow
 * each `go`.
 */
export class Limit {
  readonly #clock: Clock;
  readonly #onSpent: (forMs: number) => void;
  readonly #limits: Limits;
  readonly #windows: readonly Window[];
  readonly #ending = new AbortController();
  readonly #queue: Waiting[] = [];
  #turns = 0;
  /** Requests of these turns that have no answer yet. */
  #places = 0;
  #pausedUntilMs = 0;
  /** Until then, the remaining budget may be no more than the running requests. */
  #spentUntilMs = 0;
  #wakeAtMs = Number.POSITIVE_INFINITY;

  /** @param onSpent called for each wait for places, not for pauses */
  constructor(limits: Limits, clock: Clock, onSpent: (forMs: number) => void = () => {}) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onSpent = onSpent;
    this.#windows = limits.rates.map((rate) => new Window(rate));
  }

  /** @param places the number of requests in this turn, sent without a wait in between: at most a window's number */
  enter(places = 1): Promise<Turn> {
    return new Promise((resolve) => {
      this.#queue.push({ places, resolve });
      this.#serve();
    });
  }

  /**
   * Ends the first of two requests of a turn.
   *
   * @param announced the remaining budget in the answer; null: the request was certainly not sent
   */
  end(announced: readonly Countdown[] | null): void {
    this.#places -= 1;
    if (announced === null) return;
    const now = this.#clock.now();
    for (const each of this.#windows) each.take(now);
    // An answer may not count the running requests, which are at most `concurrency`.
    for (const { remaining, forMs } of announced)
      if (remaining < this.#limits.concurrency)
        this.#spentUntilMs = Math.max(this.#spentUntilMs, now + forMs);
  }

  /** Ends the last request of a turn. */
  leave(announced: readonly Countdown[] | null): void {
    this.#turns -= 1;
    this.end(announced);
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

  #serve(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const turn = this.#turnOf(next.places);
      if (turn === null) break;
      this.#queue.shift();
      next.resolve(turn);
    }
    if (!this.#ending.signal.aborted) return;
    for (const { resolve } of this.#queue.splice(0)) resolve({ as: "turned away" });
  }

  /** Null: this request has to wait, and all requests behind it. */
  #turnOf(places: number): Turn | null {
    const now = this.#clock.now();
    const pauseMs = Math.max(this.#pausedUntilMs, this.#spentUntilMs) - now;
    if (pauseMs > this.#limits.maxWaitMs) return { as: "paused", forMs: pauseMs };
    if (this.#turns >= this.#limits.concurrency) return null;
    const waits = this.#windows.map((each) => each.waitMs(this.#places + places, now));
    const waitMs = Math.max(pauseMs, ...waits);
    // The end of a running request is awaited without a clock.
    if (waitMs === Number.POSITIVE_INFINITY) return null;
    if (waitMs > 0) {
      this.#wakeAt(now + Math.ceil(waitMs));
      return null;
    }
    this.#turns += 1;
    this.#places += places;
    return { as: "go" };
  }

  #wakeAt(atMs: number): void {
    if (atMs >= this.#wakeAtMs || this.#ending.signal.aborted) return;
    this.#wakeAtMs = atMs;
    const waitMs = atMs - this.#clock.now();
    if (atMs > this.#pausedUntilMs) this.#onSpent(waitMs);
    void this.#clock.sleep(waitMs, this.#ending.signal).then(() => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#serve();
    });
  }
}

/** The answered requests that count in a window of time. */
class Window {
  readonly #rate: Rate;
  /** When places become free: one window after the answer, as the service may count a request until its answer. */
  readonly #freeAtMs: number[] = [];

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  take(nowMs: number): void {
    // One millisecond more, for clocks that count whole milliseconds.
    this.#freeAtMs.push(nowMs + this.#rate.perMs + 1);
  }

  /** How long until there is room for this many, running requests among them. Infinite: until a request ends. */
  waitMs(places: number, nowMs: number): number {
    while ((this.#freeAtMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs) this.#freeAtMs.shift();
    const lacking = places + this.#freeAtMs.length - this.#rate.requests;
    return lacking <= 0 ? 0 : (this.#freeAtMs[lacking - 1] ?? Number.POSITIVE_INFINITY) - nowMs;
  }
}
