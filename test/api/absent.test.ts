import { EventEmitter } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { Client, type Parts } from "../../src/api/client.js";
import type { Answer, Broken } from "../../src/api/transport.js";
import { connection, problemOf, success } from "./serve.js";
import { type Simulated, simulate } from "./simulate.js";

const REFUSED: Broken = { as: "broken", how: "connection_refused", sent: false, why: "connect ECONNREFUSED" };
const SILENT: Broken = {
  as: "broken",
  how: "timeout",
  sent: "unknown",
  why: "no complete answer within 5 s",
};
const OPEN: Answer = { as: "answer", status: 200, headers: {}, body: JSON.stringify(success({})) };

/** A client of a simulated service. Each request takes this long, then the function answers it. */
function clientOf(service: (nowMs: number) => Answer | Broken, tookMs = 1, concurrency = 1) {
  const clock: Simulated = simulate();
  const sent: string[] = [];
  const wire: Parts["wire"] = {
    send: async ({ method, path }) => {
      sent.push(`${method} ${path}`);
      await clock.sleep(tookMs);
      return service(clock.now());
    },
    close: async () => {},
  };
  const io = { now: clock.now, sleep: clock.sleep, random: () => 0.5 };
  return { client: new Client(connection("http://127.0.0.1:9", { concurrency }), io, { wire }), clock, sent };
}

test("retries one request to an unreachable service once, and sends no other request", async () => {
  const { client, clock, sent } = clientOf(() => REFUSED);
  const first = problemOf(await clock.run(client.get("/a")));
  expect(sent).toHaveLength(2);
  expect(clock.now()).toBeLessThan(500);
  expect(first).toMatchObject({ code: "connection_refused", at: null, http: { sent: false } });
  expect(first.detail).toBe(
    "http://127.0.0.1:9 cannot be reached: connect ECONNREFUSED (2 tries). Check the base address and the firewalls on the way.",
  );
  const others = [
    client.get("/b"),
    client.list("/c"),
    client.send("PUT", "/d", {}),
    client.send("PUT", "/e", {}, { read: "/e" }),
  ];
  for (const each of await clock.run(Promise.all(others))) expect(problemOf(each)).toEqual(first);
  expect(sent).toHaveLength(2);
});

test("retries each request on its own once the service has answered before", async () => {
  const { client, clock, sent } = clientOf((nowMs) => (nowMs > 10 && nowMs < 40_000 ? REFUSED : OPEN));
  expect((await clock.run(client.get("/before"))).ok).toBe(true);
  await clock.run(clock.sleep(10));
  const during = ["/1", "/2", "/3"].map((path) => client.get(path));
  expect((await clock.run(Promise.all(during))).map(({ ok }) => ok)).toEqual([false, false, false]);
  expect(sent).toHaveLength(1 + 3 * 2);
  expect((await clock.run(clock.sleep(40_000).then(() => client.get("/after")))).ok).toBe(true);
});

test("sends no other request after the first one to a silent service got no answer", async () => {
  const { client, clock, sent } = clientOf(() => SILENT, 5000);
  expect(problemOf(await clock.run(client.get("/one"))).detail).toMatch(
    /^GET \/one at http:\/\/127\.0\.0\.1:9: no complete answer within 5 s \(\d tries\)\./,
  );
  expect(problemOf(await clock.run(client.get("/two"))).detail).toMatch(
    /^http:\/\/127\.0\.0\.1:9 cannot be reached: no complete answer within 5 s \(\d tries\)\./,
  );
  expect(sent.filter((each) => each !== "GET /one")).toEqual([]);
});

test("keeps sending if one of several requests gets an answer", async () => {
  const wire: Parts["wire"] = {
    send: async ({ path }) => {
      await clock.sleep(path === "/slow" ? 30_000 : 1);
      return path === "/refused" ? REFUSED : OPEN;
    },
    close: async () => {},
  };
  const clock = simulate();
  const io = { now: clock.now, sleep: clock.sleep, random: () => 0.5 };
  const client = new Client(connection("http://127.0.0.1:9"), io, { wire });
  const slow = client.get("/slow");
  expect((await clock.run(client.get("/refused"))).ok).toBe(false);
  expect((await clock.run(slow)).ok).toBe(true);
  expect((await clock.run(client.get("/next"))).ok).toBe(true);
});

test("does not count unsent requests against the rate limit", async () => {
  const clock = simulate();
  const wire: Parts["wire"] = { send: async () => REFUSED, close: async () => {} };
  const pauses: number[] = [];
  const client = new Client(
    connection("http://127.0.0.1:9", { rates: [{ requests: 2, perMs: 300_000 }] }),
    { now: clock.now, sleep: clock.sleep, random: () => 0.5, onPause: (forMs) => pauses.push(forMs) },
    { wire },
  );
  expect((await clock.run(client.get("/a"))).ok).toBe(false);
  expect(clock.now()).toBeLessThan(60_000);
  expect(pauses).toEqual([]);
});

test("adds no leaking listeners for many waiting requests", async () => {
  const warnings: string[] = [];
  const hear = ({ name }: Error) => warnings.push(name);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const wire: Parts["wire"] = { send: async () => REFUSED, close: async () => {} };
  const client = new Client(connection("http://127.0.0.1:9"), { random: () => 0.01 }, { wire });
  const stop = new AbortController();
  client.obey(stop.signal);
  await Promise.all(Array.from({ length: EventEmitter.defaultMaxListeners + 20 }, () => client.get("/a")));
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
