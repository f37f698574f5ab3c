/**
 * So many requests in any window of a length, bursts allowed.
 *
 * A request's place is free again one window after its answer, not after it was sent: when it reached the service
 * is known only to lie in between. So the service counts no more than allowed either, however long requests are
 * under way.
 */
export class Window {
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

  /** How long until there are so many places. Infinite: not before somebody leaves. */
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

  leave(now: number): void {
    this.#active -= 1;
    // A millisecond more, for clocks that count whole ones.
    this.#freeAtMs[(this.#first + this.#cooling) % this.#freeAtMs.length] = now + this.#perMs + 1;
    this.#cooling += 1;
  }

  #at(index: number): number {
    return this.#freeAtMs[(this.#first + index) % this.#freeAtMs.length] ?? 0;
  }
}
