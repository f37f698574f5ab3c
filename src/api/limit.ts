import type { Connection } from "./connect.js";
import type { Countdown } from "./countdown.js";
import { Remaining } from "./remaining.js";
import { Window } from "./window.js";

export interface Clock {
  /** Milliseconds since 1970, never running backwards. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export type Turn = Go | { readonly as: "paused"; readonly forMs: number };

interface Go {
  readonly as: "go";
  readonly silentBefore: number;
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
  readonly #queue: ((turn: Turn) => void)[] = [];
  #active = 0;
  #pausedUntilMs = 0;
  #asleep = false;

  constructor(limits: Pick<Connection, "concurrency" | "rate" | "maxWaitMs">, clock: Clock) {
    this.#clock = clock;
    this.#window = limits.rate === null ? null : new Window(limits.rate);
    this.#mostAtOnce = Math.min(limits.concurrency, limits.rate?.requests ?? Number.POSITIVE_INFINITY);
    this.#maxPauseMs = limits.maxWaitMs;
  }

  /** Resolves when the caller may send, or when it would have to wait out a longer pause than is allowed. */
  enter(): Promise<Turn> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#serve();
    });
  }

  /** @param said of what remains; null: the request was certainly not sent */
  leave({ silentBefore }: Go, said: readonly Countdown[] | null): void {
    const now = this.#clock.now();
    this.#active -= 1;
    this.#window?.leave(now);
    if (said !== null) this.#remaining.hear(said, silentBefore, now);
    this.#serve();
  }

  /** Nobody enters for so long. A pause under way is never made shorter. */
  pause(forMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.now() + forMs);
    this.#serve();
  }

  #serve(): void {
    while (this.#queue.length > 0) {
      const now = this.#clock.now();
      const room = this.#remaining.room(now);
      const pauseMs = Math.max(this.#pausedUntilMs - now, this.#remaining.pauseMs(now));
      if (pauseMs > this.#maxPauseMs) {
        this.#queue.shift()?.({ as: "paused", forMs: pauseMs });
        continue;
      }
      if (this.#active >= this.#mostAtOnce || (room > 0 && this.#active >= room)) return;
      const waitMs = Math.max(pauseMs, this.#window?.waitMs(now) ?? 0);
      if (waitMs > 0) {
        this.#wakeIn(waitMs);
        return;
      }
      this.#active += 1;
      this.#window?.enter();
      this.#queue.shift()?.({ as: "go", silentBefore: this.#remaining.silent });
    }
  }

  /** One sleep at a time is enough: what it waits for does not come closer meanwhile. */
  #wakeIn(waitMs: number): void {
    if (this.#asleep) return;
    this.#asleep = true;
    void this.#clock.sleep(Math.ceil(waitMs)).then(() => {
      this.#asleep = false;
      this.#serve();
    });
  }
}
