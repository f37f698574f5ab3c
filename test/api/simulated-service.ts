import type { Parts } from "../../src/api/client.js";
import { success } from "./serve.js";
import type { Simulated } from "./simulate.js";

/** One sending of a request. When it reached the service is nobody's business: any time in between. */
export interface Try {
  readonly sentMs: number;
  readonly endedMs: number;
  readonly reply: Reply;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The pause that the headers ask for. */
  readonly pauseMs: number;
}

/** How long a try is on its way to the service, and its answer on the way back. */
export interface Way {
  readonly thereMs: number;
  readonly backMs: number;
}

/** A service at the other end of simulated time; tries are numbered from 0, as they are sent. */
export function serviceOn(
  clock: Simulated,
  way: (nth: number) => Way,
  reply: (nowMs: number) => Reply,
): { readonly wire: Parts["wire"]; readonly tries: readonly Try[] } {
  const tries: Try[] = [];
  let sent = 0;
  const send: Parts["wire"]["send"] = async () => {
    const nth = sent++;
    const sentMs = clock.now();
    await clock.sleep(way(nth).thereMs);
    const given = reply(clock.now());
    await clock.sleep(way(nth).backMs);
    tries[nth] = { sentMs, endedMs: clock.now(), reply: given };
    return { as: "answer", status: given.status, headers: given.headers, body: JSON.stringify(success({})) };
  };
  return { wire: { send, close: async () => {} }, tries };
}

export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/** Counts what comes, refuses what is too much, and says what remains, for how long. */
export type Counter = (nowMs: number) => { readonly remaining: number; readonly forMs: number } | "too much";

/** So many in each window; windows follow each other, and when the first of them began is the service's secret. */
export function fixedWindows({ requests, perMs }: Rate, offsetMs: number): Counter {
  const taken = new Map<number, number>();
  return (nowMs) => {
    const window = Math.floor((nowMs + offsetMs) / perMs);
    const remaining = requests - (taken.get(window) ?? 0) - 1;
    if (remaining < 0) return "too much";
    taken.set(window, requests - remaining);
    return { remaining, forMs: (window + 1) * perMs - offsetMs - nowMs };
  };
}

/** So many in any window. */
export function slidingWindow({ requests, perMs }: Rate): Counter {
  let taken: readonly number[] = [];
  return (nowMs) => {
    taken = taken.filter((each) => each > nowMs - perMs);
    if (taken.length >= requests) return "too much";
    taken = [...taken, nowMs];
    return { remaining: requests - taken.length, forMs: (taken[0] ?? nowMs) + perMs - nowMs };
  };
}

/** A bucket that is full at first, and fills evenly. */
export function tokenBucket({ requests, perMs }: Rate): Counter {
  let tokens = requests;
  let lastMs = 0;
  return (nowMs) => {
    tokens = Math.min(requests, tokens + ((nowMs - lastMs) * requests) / perMs);
    lastMs = nowMs;
    // A hair is lost to rounding.
    if (tokens < 1 - 1e-6) return "too much";
    tokens -= 1;
    return { remaining: Math.floor(tokens), forMs: perMs / requests };
  };
}

/** A reply that says in headers what remains, in whole seconds, as the service does; or keeps it to itself. */
export function replyOf(counted: ReturnType<Counter>, as: "told" | "silent"): Reply {
  if (counted === "too much") return { status: 429, headers: {}, pauseMs: 0 };
  const { remaining, forMs } = counted;
  const headers = { ratelimit: `"default";r=${remaining};t=${Math.floor(forMs / 1000)}` };
  return { status: 200, headers: as === "told" ? headers : {}, pauseMs: 0 };
}
