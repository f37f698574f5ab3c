import type { Countdown } from "./countdown.js";

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
      if (this.#bounds.some((each) => covers(each, bound))) continue;
      this.#bounds = [...this.#bounds.filter((each) => !covers(bound, each)), bound];
    }
  }

  /** How many may be under way at once. */
  room(now: number): number {
    this.#bounds = this.#bounds.filter(({ untilMs }) => untilMs > now);
    return Math.min(...this.#bounds.map(({ free }) => free)) - this.#silent;
  }

  /** How long there is no room for so many, also where nobody else is under way. */
  pauseMs(now: number, places = 1): number {
    const tight = this.#bounds.filter(({ free }) => free - this.#silent < places);
    return Math.max(0, ...tight.map(({ untilMs }) => untilMs - now));
  }
}

function covers(one: Bound, other: Bound): boolean {
  return one.free <= other.free && one.untilMs >= other.untilMs;
}
