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
  /** The run is to end, and there was no place at once. */
  | { readonly as: "turned away" };

/**
 * One queue for all requests of a client: first come, first served; never more at once than allowed, never more in
 * a window of time than allowed nor than the service says remain, and none while it asks for a pause. Every `go` is
 * answered by a `leave`.
 */
export class Limit {
  readonly #clock: Clock;
  readonly #onSpent: (forMs: number) => void;
  readonly #limits: Pick<Connection, "concurrency" | "rate" | "maxWaitMs">;
  readonly #ending = new AbortController();
  #queue: { readonly places: number; readonly resolve: (turn: Turn) => void }[] = [];
  #turns = 0;
  /** The requests that these turns may still have counted. */
  #places = 0;
  /** When places in the window are free again: one window after an answer, as its request counts at any time before. */
  readonly #freeAtMs: number[] = [];
  #pausedUntilMs = 0;
  /** Until then, no more may remain than are under way. */
  #spentUntilMs = 0;
  #isAsleep = false;

  /** @param onSpent told of each wait for places, and not of those that a pause makes necessary */
  constructor(
    limits: Pick<Connection, "concurrency" | "rate" | "maxWaitMs">,
    clock: Clock,
    onSpent: (forMs: number) => void = () => {},
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onSpent = onSpent;
  }

  /** @param places how many requests, one after the other, with no wait in between: no more than a window has */
  enter(places = 1): Promise<Turn> {
    return new Promise((resolve) => {
      this.#queue.push({ places, resolve });
      this.#serve();
    });
  }

  /** A request has ended, and another of the same turn is to follow. False: none may be sent, so the turn is to be left. */
  between(announced: readonly Countdown[] | null): boolean {
    this.#end(announced);
    return this.#pauseMs() <= 0;
  }

  /** @param announced what the answer says of what remains; null: the request was certainly not sent */
  leave(announced: readonly Countdown[] | null): void {
    this.#turns -= 1;
    this.#end(announced);
    this.#serve();
  }

  /** No request starts for so long. False: a pause that is running is as long. */
  pause(forMs: number): boolean {
    const untilMs = this.#clock.now() + forMs;
    if (untilMs <= this.#pausedUntilMs) return false;
    this.#pausedUntilMs = untilMs;
    this.#serve();
    return true;
  }

  /** From now on no request waits: one that cannot start at once is refused. */
  turnAway(): void {
    this.#ending.abort();
    this.#serve();
  }

  #end(announced: readonly Countdown[] | null): void {
    this.#places -= 1;
    if (announced === null) return;
    const now = this.#clock.now();
    // A millisecond more, for clocks that count whole ones.
    if (this.#limits.rate !== null) this.#freeAtMs.push(now + this.#limits.rate.perMs + 1);
    // An answer need not count those under way, of which there are never more than this. What it counts, later ones do too.
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

  /** Null: it has to wait, and all behind it. */
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

  /** How long until the window has so many places; null: until a request under way has ended. */
  #windowMs(places: number, most: number): number | null {
    const now = this.#clock.now();
    while ((this.#freeAtMs[0] ?? Number.POSITIVE_INFINITY) <= now) this.#freeAtMs.shift();
    const lacking = this.#places + this.#freeAtMs.length + places - most;
    if (lacking <= 0) return 0;
    const freeAtMs = this.#freeAtMs[lacking - 1];
    return freeAtMs === undefined ? null : freeAtMs - now;
  }

  /** One sleep at a time is enough: what it waits for does not come closer meanwhile. */
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
