import type { Connection } from "./connect.js";
import type { Countdown } from "./wire.js";

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
  readonly #onSpent: (forMs: number) => void;
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

  /** @param onSpent told of each wait for places, and not of those that a pause makes necessary */
  constructor(
    limits: Pick<Connection, "concurrency" | "rate" | "maxWaitMs">,
    clock: Clock,
    onSpent: (forMs: number) => void = () => {},
  ) {
    this.#clock = clock;
    this.#onSpent = onSpent;
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
    this.#window?.leave(said === null ? null : now);
    if (said !== null) this.#remaining.hear(said, silentBefore, now);
  }

  /** No request starts for so long. A pause that is already running is never shortened. */
  pause(forMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.now() + forMs);
    this.#serve();
  }

  /** From now on no request waits: one that cannot start at once is refused. */
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

  /** False: the queue is empty, or its first request has to wait, and with it all others. */
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
      this.#wakeIn(waitMs, waitMs > this.#pausedUntilMs - now);
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
  #wakeIn(waitMs: number, isSpent: boolean): void {
    if (this.#asleep || this.#ending.signal.aborted || waitMs === Number.POSITIVE_INFINITY) return;
    this.#asleep = true;
    if (isSpent) this.#onSpent(waitMs);
    void this.#clock.sleep(Math.ceil(waitMs), this.#ending.signal).then(() => {
      this.#asleep = false;
      this.#serve();
    });
  }
}

interface Bound {
  /** What remained, and the requests that had ended in silence before. */
  readonly free: number;
  readonly untilMs: number;
}

/**
 * What remains of the service's own limits, as its answers say, which come in any order.
 *
 * An answer may or may not count the requests that are under way; and those that have ended in silence, without a
 * word of what remains, since it was asked for. So there is room for as many at once as remain, less the silent ones.
 * A request that ends with a number of its own needs no place any more: the lowest of the numbers counts it.
 */
export class Remaining {
  #silent = 0;
  /** None of them says less than another one for longer. */
  #bounds: readonly Bound[] = [];

  /** Requests that ended in silence so far: to be kept by each that is sent, until it ends. */
  get silent(): number {
    return this.#silent;
  }

  /** @param silentBefore as it was when the request was sent that now has ended */
  hear(countdowns: readonly Countdown[], silentBefore: number, now: number): void {
    if (countdowns.length === 0) this.#silent += 1;
    for (const { remaining, forMs } of countdowns) {
      const bound = { free: remaining + silentBefore, untilMs: now + forMs };
      if (this.#bounds.some((each) => isTighter(each, bound))) continue;
      this.#bounds = [...this.#bounds.filter((each) => !isTighter(bound, each)), bound];
    }
  }

  /** How many may be under way at once. */
  room(now: number): number {
    this.#bounds = this.#bounds.filter(({ untilMs }) => untilMs > now);
    return Math.min(...this.#bounds.map(({ free }) => free)) - this.#silent;
  }

  /** How long there is no room for so many, even with no other request under way. */
  pauseMs(now: number, places = 1): number {
    const tight = this.#bounds.filter(({ free }) => free - this.#silent < places);
    return Math.max(0, ...tight.map(({ untilMs }) => untilMs - now));
  }
}

function isTighter(one: Bound, other: Bound): boolean {
  return one.free <= other.free && one.untilMs >= other.untilMs;
}

/**
 * So many requests in any window of a length, bursts allowed.
 *
 * A request's place is free again one window after its answer, not after it was sent: when it reached the service
 * is known only to lie in between. So the service counts no more than allowed either, however long requests are
 * under way.
 */
class Window {
  readonly #perMs: number;
  /** When places get free again, in order, as a ring. */
  readonly #freeAtMs: Float64Array;
  #first = 0;
  #cooling = 0;
  #active = 0;

  constructor({ requests, perMs }: { readonly requests: number; readonly perMs: number }) {
    this.#perMs = perMs;
    this.#freeAtMs = new Float64Array(requests);
  }

  /** How long until so many requests may start. Infinite: not before one under way has ended. */
  waitMs(now: number, places = 1): number {
    while (this.#cooling > 0 && this.#at(0) <= now) {
      this.#first = (this.#first + 1) % this.#freeAtMs.length;
      this.#cooling -= 1;
    }
    const lacking = this.#active + this.#cooling + places - this.#freeAtMs.length;
    if (lacking <= 0) return 0;
    return lacking <= this.#cooling ? this.#at(lacking - 1) - now : Number.POSITIVE_INFINITY;
  }

  enter(places = 1): void {
    this.#active += places;
  }

  /** @param now null: the request was not sent, so that its place is free at once */
  leave(now: number | null): void {
    this.#active -= 1;
    if (now === null) return;
    // A millisecond more, for clocks that count whole ones.
    this.#freeAtMs[(this.#first + this.#cooling) % this.#freeAtMs.length] = now + this.#perMs + 1;
    this.#cooling += 1;
  }

  #at(index: number): number {
    return this.#freeAtMs[(this.#first + index) % this.#freeAtMs.length] ?? 0;
  }
}
