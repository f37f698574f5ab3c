import type { Parts } from "../../src/api/client.js";
import { success } from "./serve.js";
import type { Simulated } from "./simulate.js";

/** One sending of a request. The service may count it at any time between sending and answer. */
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

/** How long a try travels to the service, and its answer back. */
export interface Way {
  readonly thereMs: number;
  readonly backMs: number;
}

/** A service in simulated time. Tries are numbered from 0 in the order of sending. */
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

/** Counts requests. Returns the remainder and its reset, or "too much" for a refusal. */
export type Counter = (nowMs: number) => { readonly remaining: number; readonly forMs: number } | "too much";

/** Fixed windows. The client does not know when the first window began. */
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

/** A limit on any window. */
export function slidingWindow({ requests, perMs }: Rate): Counter {
  let taken: readonly number[] = [];
  return (nowMs) => {
    taken = taken.filter((each) => each > nowMs - perMs);
    if (taken.length >= requests) return "too much";
    taken = [...taken, nowMs];
    return { remaining: requests - taken.length, forMs: (taken[0] ?? nowMs) + perMs - nowMs };
  };
}

/** A bucket that starts full and fills evenly. */
export function tokenBucket({ requests, perMs }: Rate): Counter {
  let tokens = requests;
  let lastMs = 0;
  return (nowMs) => {
    tokens = Math.min(requests, tokens + ((nowMs - lastMs) * requests) / perMs);
    lastMs = nowMs;
    // Tolerates rounding errors.
    if (tokens < 1 - 1e-6) return "too much";
    tokens -= 1;
    return { remaining: Math.floor(tokens), forMs: perMs / requests };
  };
}

/** A reply that reports the remainder in headers in whole seconds, as the service does, or stays silent. */
export function replyOf(counted: ReturnType<Counter>, as: "told" | "silent"): Reply {
  if (counted === "too much") return { status: 429, headers: {}, pauseMs: 0 };
  const { remaining, forMs } = counted;
  const headers = { ratelimit: `"default";r=${remaining};t=${Math.floor(forMs / 1000)}` };
  return { status: 200, headers: as === "told" ? headers : {}, pauseMs: 0 };
}
