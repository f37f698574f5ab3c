import type { Connection } from "./connect.js";
import type { Countdown } from "./countdown.js";
import { Remaining } from "./remaining.js";
import { Window } from "./window.js";

export interface Clock {
  /** Milliseconds since 1970, never running backwards. */
  readonly now: () => number;
  /** Ends early when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export type Turn =
  | Go
  | { readonly as: "paused"; readonly forMs: number }
  /** The run is to end, and there was no place at once. */
  | { readonly as: "turned away" };

export interface Go {
  readonly as: "go";
  readonly silentBefore: number;
}

interface Waiting {
  /** How many requests, one after the other, are to be sent in one turn. */
  readonly places: number;
  readonly resolve: (turn: Turn) => void;
}

/**
 * One queue for all requests of a client: first come, first served; never more at once than allowed, never more in
 * a window of time than allowed nor than the service says remain, and none while it asks for a pause. Every `go` is
 * answered by a `leave`.
 */
export class Limit {
  readonly #clock: Clock;
  readonly #window: Window | null;
  readonly #remaining = new Remaining();
  readonly #mostAtOnce: number;
  readonly #maxPauseMs: number;
  readonly #ending = new AbortController();
  #queue: Waiting[] = [];
  /** Turns under way, and the places that they still take. */
  #active = 0;
  #taken = 0;
  #pausedUntilMs = 0;
  #asleep = false;

  constructor(limits: Pick<Connection, "concurrency" | "rate" | "maxWaitMs">, clock: Clock) {
    this.#clock = clock;
    this.#window = limits.rate === null ? null : new Window(limits.rate);
    this.#mostAtOnce = Math.min(limits.concurrency, limits.rate?.requests ?? Number.POSITIVE_INFINITY);
    this.#maxPauseMs = limits.maxWaitMs;
  }

  /**
   * Resolves when the caller may send, or when it would have to wait out a longer pause than is allowed.
   *
   * @param places how many requests, one after the other, with no wait in between: no more than a window has
   */
  enter(places = 1): Promise<Turn> {
    return new Promise((resolve) => {
      this.#queue.push({ places, resolve });
      this.#serve();
    });
  }

  /**
   * A request has ended, and another of the same turn is to follow at once. False: by what is known now, none may be
   * sent, so that the turn is to be left.
   */
  between({ silentBefore }: Go, said: readonly Countdown[] | null): boolean {
    const now = this.#clock.now();
    this.#end(said, silentBefore, now);
    return this.#pausedUntilMs <= now && this.#remaining.room(now) >= this.#taken;
  }

  /** @param said of what remains; null: the request was certainly not sent */
  leave({ silentBefore }: Go, said: readonly Countdown[] | null): void {
    this.#active -= 1;
    this.#end(said, silentBefore, this.#clock.now());
    this.#serve();
  }

  #end(said: readonly Countdown[] | null, silentBefore: number, now: number): void {
    this.#taken -= 1;
    this.#window?.leave(now);
    if (said !== null) this.#remaining.hear(said, silentBefore, now);
  }

  /** Nobody enters for so long. A pause under way is never made shorter. */
  pause(forMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.now() + forMs);
    this.#serve();
  }

  /** From now on, nobody waits: who cannot enter at once is turned away. */
  turnAway(): void {
    this.#ending.abort();
    this.#serve();
  }

  #serve(): void {
    while (this.#isFirstServed()) {}
    if (!this.#ending.signal.aborted) return;
    const waiting = this.#queue;
    this.#queue = [];
    for (const { resolve } of waiting) resolve({ as: "turned away" });
  }

  /** False: there is nobody, or the first has to wait, and with it all others. */
  #isFirstServed(): boolean {
    const [first] = this.#queue;
    if (first === undefined) return false;
    const { places, resolve } = first;
    const now = this.#clock.now();
    const room = this.#remaining.room(now);
    const pauseMs = Math.max(this.#pausedUntilMs - now, this.#remaining.pauseMs(now, places));
    if (pauseMs > this.#maxPauseMs) {
      this.#queue.shift();
      resolve({ as: "paused", forMs: pauseMs });
      return true;
    }
    if (this.#active >= this.#mostAtOnce || (this.#taken > 0 && room > 0 && this.#taken + places > room))
      return false;
    const waitMs = Math.max(pauseMs, this.#window?.waitMs(now, places) ?? 0);
    if (waitMs > 0) {
      this.#wakeIn(waitMs);
      return false;
    }
    this.#active += 1;
    this.#taken += places;
    this.#window?.enter(places);
    this.#queue.shift();
    resolve({ as: "go", silentBefore: this.#remaining.silent });
    return true;
  }

  /** One sleep at a time is enough: what it waits for does not come closer meanwhile. */
  #wakeIn(waitMs: number): void {
    if (this.#asleep || this.#ending.signal.aborted || waitMs === Number.POSITIVE_INFINITY) return;
    this.#asleep = true;
    void this.#clock.sleep(Math.ceil(waitMs), this.#ending.signal).then(() => {
      this.#asleep = false;
      this.#serve();
    });
  }
}
