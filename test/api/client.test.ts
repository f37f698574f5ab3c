import { createServer as createTcpServer } from "node:net";
import { describe, expect, test } from "vitest";
import { Client, type SentRequest } from "../../src/api/client.js";
import { problem } from "../../src/model/problem.js";
import { answer, CANARY, connection, impatient, problemOf, refusal, serve, success } from "./serve.js";

describe("a request", () => {
  test("carries the token, and a content type only with a body", async () => {
    const server = await serve((_, r) => answer(r, 200, success({})));
    const client = new Client(connection(`${server.baseUrl}/client/v4`));
    await client.get("/zones/z/page_shield");
    await client.send("PUT", "/zones/z/page_shield", { enabled: true });
    await client.send("DELETE", "/zones/z/page_shield/policies/p", null);
    expect(server.seen).toEqual([
      "GET /client/v4/zones/z/page_shield",
      "PUT /client/v4/zones/z/page_shield",
      "DELETE /client/v4/zones/z/page_shield/policies/p",
    ]);
    const headers = server.requests.map((each) => each.headers);
    expect(headers.map((each) => each.authorization)).toEqual(Array(3).fill(`Bearer ${CANARY}`));
    expect(headers.map((each) => each["user-agent"])).toEqual(Array(3).fill("zoneward-test"));
    expect(headers.map((each) => each.accept)).toEqual(Array(3).fill("application/json"));
    expect(headers.map((each) => each["content-type"])).toEqual([undefined, "application/json", undefined]);
    await client.close();
    await server.close();
  });

  test("carries email and key if there is no token", async () => {
    const server = await serve((_, r) => answer(r, 200, success({})));
    const client = new Client(
      connection(server.baseUrl, { credential: { as: "key", email: "me@x.example", key: "k" } }),
    );
    await client.get("/zones");
    expect(server.requests[0]?.headers).toMatchObject({ "x-auth-email": "me@x.example", "x-auth-key": "k" });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    await client.close();
    await server.close();
  });

  test("is reported to the observer without the credential", async () => {
    const server = await serve((_, r, nth) => (nth === 1 ? answer(r, 503, "") : answer(r, 200, success({}))));
    const calls: SentRequest[] = [];
    const { client } = impatient(connection(server.baseUrl), { onCall: (each) => calls.push(each) });
    await client.get("/zones");
    expect(calls).toEqual([
      { method: "GET", path: "/zones", status: 503, ms: 0, attempt: 1 },
      { method: "GET", path: "/zones", status: 200, ms: 0, attempt: 2 },
    ]);
    expect(client.requests).toBe(2);
    await server.close();
  });

  test("goes through the proxy of the environment in a tunnel", async () => {
    const heard: string[] = [];
    const proxy = createTcpServer((socket) => {
      socket.on("data", (bytes) => {
        heard.push(bytes.toString());
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    const http = `http://me:hush@127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const { client } = impatient(
      connection("https://api.example.test/client/v4", { proxy: { http: "", https: http, except: "" } }),
    );
    const found = problemOf(await client.send("POST", "/zones", {}));
    expect(found).toMatchObject({ code: "proxy_refused", http: { sent: false } });
    expect(found.detail).toMatch(/407/);
    expect(found.detail).not.toContain("hush");
    expect(heard[0]).toMatch(/^CONNECT api\.example\.test:443 HTTP\/1\.1/);
    expect(heard.join("")).not.toContain(CANARY);
    proxy.close();
  });
});

describe("an answer", () => {
  test("gives its result, even null", async () => {
    const server = await serve((_, r, nth) => answer(r, 200, success(nth === 1 ? { id: "ü" } : null)));
    const client = new Client(connection(server.baseUrl));
    expect(await client.get("/a")).toEqual({ ok: true, value: { id: "ü" } });
    expect(await client.get("/a")).toEqual({ ok: true, value: null });
    await client.close();
    await server.close();
  });

  test.each([
    ["a result", 201, success({ id: "p" }), { id: "p" }],
    ["204 without a body", 204, "", null],
    ["200 without a body", 200, "", null],
    ["an envelope without a result", 200, { success: true, errors: null }, null],
  ])("may be %s for a write", async (_what, status, body, expected) => {
    const server = await serve((_, r) => answer(r, status, body));
    const client = new Client(connection(server.baseUrl));
    expect(await client.send("DELETE", "/a", null)).toEqual({ ok: true, value: expected });
    await client.close();
    await server.close();
  });

  test("with success: false is a failure of a write", async () => {
    const server = await serve((_, r) => answer(r, 200, refusal({ message: "no" })));
    const client = new Client(connection(server.baseUrl));
    expect(problemOf(await client.send("PUT", "/a", {}))).toMatchObject({
      code: "api_error",
      http: { sent: true },
    });
    await client.close();
    await server.close();
  });
});

describe("parallel requests", () => {
  test("stay within the concurrency and reuse few connections", async () => {
    let active = 0;
    let most = 0;
    const server = await serve((_, r) => {
      most = Math.max(most, ++active);
      setTimeout(() => {
        active -= 1;
        answer(r, 200, success({}));
      }, 5);
    });
    const client = new Client(connection(server.baseUrl, { concurrency: 3 }));
    await Promise.all(Array.from({ length: 30 }, (_, n) => client.get(`/n/${n}`)));
    expect(most).toBe(3);
    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBe(3);
    await client.close();
    await server.close();
  });
});

describe("a pause requested by the service", () => {
  test("holds all requests back", async () => {
    const sentAt: number[] = [];
    const times = { nowMs: 1000 };
    const sleep = async (ms: number) => {
      const untilMs = times.nowMs + ms;
      await new Promise(setImmediate);
      times.nowMs = Math.max(times.nowMs, untilMs);
    };
    const server = await serve((_, r, nth) => {
      sentAt.push(times.nowMs);
      if (nth === 1) answer(r, 429, refusal(), { "retry-after": "7" });
      else answer(r, 200, success({}));
    });
    const { client } = impatient(connection(server.baseUrl, { concurrency: 1 }), {
      now: () => times.nowMs,
      sleep,
    });
    const results = await Promise.all(["/a", "/b", "/c"].map((path) => client.get(path)));
    expect(results.every((each) => each.ok)).toBe(true);
    expect(sentAt).toEqual([1000, 8000, 8000, 8000]);
    expect(server.seen.toSorted()).toEqual(["GET /a", "GET /a", "GET /b", "GET /c"]);
    await server.close();
  });

  test("fails at once if the pause is too long, and stops requests that are not sent yet", async () => {
    const server = await serve((_, r) =>
      answer(r, 429, refusal({ message: "slow" }), { "retry-after": "3600" }),
    );
    const { client, slept } = impatient(connection(server.baseUrl, { concurrency: 1 }));
    const [first, second] = await Promise.all([client.get("/a"), client.send("POST", "/b", {})]);
    const asked = problemOf(first ?? { ok: true, value: null });
    expect(asked).toMatchObject({ code: "rate_limited", http: { status: 429, sent: true } });
    expect(asked.detail).toMatch(/pause of 3600 s, longer than --max-wait \(330 s\)/);
    const held = problemOf(second ?? { ok: true, value: null });
    expect(held).toMatchObject({ code: "rate_limited", http: { status: null, sent: false } });
    expect(held.detail).toMatch(
      /^The service asks for a pause of 3600 s more, longer than --max-wait \(330 s\), so nothing more is sent/,
    );
    expect(server.seen).toEqual(["GET /a"]);
    expect(slept).toEqual([]);
    await server.close();
  });

  test("starts before the limit is reached if the service counts down", async () => {
    const spent = {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "Thu, 01 Jan 2026 00:00:20 GMT",
      date: "Thu, 01 Jan 2026 00:00:00 GMT",
    };
    const server = await serve((_, r) => answer(r, 200, success({}), spent));
    const { client, slept } = impatient(connection(server.baseUrl));
    await client.get("/a");
    expect(slept).toEqual([]);
    await client.get("/b");
    expect(slept).toEqual([21_000]);
    await server.close();
  });
});

describe("a write with a preceding read", () => {
  const care = { read: "/list", objection: () => null };

  test("is sent right after its read", async () => {
    const server = await serve((_, r) => answer(r, 200, success({ version: "3" })));
    const { client } = impatient(connection(server.baseUrl));
    const seen: unknown[] = [];
    const objection = (now: unknown) => {
      seen.push(now);
      return null;
    };
    await client.send("PUT", "/list/1", {}, { ...care, objection });
    expect(seen).toEqual([{ ok: true, value: { version: "3" } }]);
    expect(server.seen).toEqual(["GET /list", "PUT /list/1"]);
    await server.close();
  });

  test("is not sent if the read gives an objection", async () => {
    const server = await serve((_, r) => answer(r, 200, success({})));
    const { client } = impatient(connection(server.baseUrl));
    const why = problem("stale", "Stale", "It moved.");
    const result = await client.send("PUT", "/list/1", {}, { ...care, objection: () => why });
    expect(result).toEqual({ ok: false, problems: [why], againMs: null });
    expect(server.seen).toEqual(["GET /list"]);
    await server.close();
  });

  test("is sent after its read succeeds on a retry", async () => {
    const server = await serve((_, r, nth) => answer(r, nth < 3 ? 502 : 200, nth < 3 ? "" : success({})));
    const { client } = impatient(connection(server.baseUrl));
    expect((await client.send("PUT", "/list/1", {}, care)).ok).toBe(true);
    expect(server.seen).toEqual(["GET /list", "GET /list", "GET /list", "PUT /list/1"]);
    await server.close();
  });
});

describe("a stop signal", () => {
  test("ends a running pause, refuses waiting requests, and blocks writes", async () => {
    const server = await serve((_, r, nth) =>
      nth === 1 ? answer(r, 429, refusal(), { "retry-after": "300" }) : answer(r, 200, success({})),
    );
    const stop = new AbortController();
    const client = new Client(connection(server.baseUrl));
    client.obey(stop.signal);
    const [first, second] = [client.get("/a"), client.get("/b")];
    const pause = client.pause(300_000);
    expect((await second).ok).toBe(true);
    stop.abort();
    await pause;
    expect([(await first).ok, server.seen.length]).toEqual([false, 2]);
    const write = await client.send("PUT", "/a", {});
    expect(write).toMatchObject({ ok: false, problems: [{ code: "interrupted" }] });
    expect(server.seen).toEqual(["GET /a", "GET /b"]);
    await client.close();
    await server.close();
  }, 5000);
});
