import { describe, expect, test } from "vitest";
import { type Next, nextAfter } from "../../src/api/retry.js";
import type { Answer, Broken } from "../../src/api/transport.js";
import { answer, connection, impatient, type Respond, refusal, serve, success } from "./serve.js";

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const moment = { tries: 1, maxWaitMs: 330_000, nowMs: NOW, blockedMs: 0, random: 0.5 };
const done: Next = { as: "done" };
const again = (waitMs: number): Next => ({ as: "again", waitMs });
const status = (code: number, headers: Answer["headers"] = {}): Answer => ({
  as: "answer",
  status: code,
  headers,
  body: "",
});
const broken = (how: Broken["how"], sent: Broken["sent"]): Broken => ({ as: "broken", how, sent, why: "" });

/** The failure code does not matter, except for a truncated body. */
const failureOf = (outcome: Answer | Broken) =>
  outcome.as === "answer" && outcome.status < 300 ? null : "any";

const cases: readonly (readonly [
  string,
  "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  Answer | Broken,
  Next,
])[] = [
  ["a success is not retried", "GET", status(200), done],
  ["a read is retried after 408", "GET", status(408), again(250)],
  ["a read is retried after 500", "GET", status(500), again(250)],
  ["a read is retried after 529", "GET", status(529), again(250)],
  ["a read is not retried after 400", "GET", status(400), done],
  ["a read is not retried after 403", "GET", status(403), done],
  ["a read is not retried after 404", "GET", status(404), done],
  ["a read is not retried after 409", "GET", status(409), done],
  ["a read is retried after a broken connection", "GET", broken("connection_lost", "unknown"), again(250)],
  ["a read is retried after a timeout", "GET", broken("timeout", true), again(250)],
  ["no request is retried after a TLS failure", "GET", broken("tls_failure", false), done],
  [
    "no request is retried after an answer that is too large",
    "GET",
    broken("response_too_large", true),
    done,
  ],
  ["a write is retried after 429", "POST", status(429), again(478)],
  ["a write is not retried after 500", "PUT", status(500), done],
  [
    "a write is not retried after 503, even with a Retry-After",
    "DELETE",
    status(503, { "retry-after": "1" }),
    done,
  ],
  ["a write is not retried after 408", "PATCH", status(408), done],
  ["an unsent write is retried", "POST", broken("connection_refused", false), again(250)],
  ["a write is retried if the host name was not found", "POST", broken("dns_failure", false), again(250)],
  ["a write that may have been sent is not retried", "POST", broken("connection_lost", "unknown"), done],
  ["a write whose answer was lost is not retried", "PUT", broken("timeout", true), done],
  ["Retry-After is in seconds", "GET", status(429, { "retry-after": "12" }), again(12_000)],
  [
    "Retry-After may be a date by the local clock",
    "GET",
    status(503, { "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }),
    again(30_000),
  ],
  [
    "Retry-After may be a date by the service's clock",
    "GET",
    status(429, { "retry-after": "Sat, 21 Nov 2026 13:00:30 GMT", date: "Sat, 21 Nov 2026 13:00:00 GMT" }),
    again(30_000),
  ],
  [
    "a Retry-After in the past means the usual pause",
    "GET",
    status(429, { "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }),
    again(478),
  ],
  ["a Retry-After of 0 means the usual pause", "GET", status(429, { "retry-after": "0" }), again(478)],
  [
    "Retry-After may be a date with a two-digit year",
    "GET",
    status(429, { "retry-after": "Saturday, 21-Nov-26 12:00:30 GMT" }),
    again(30_000),
  ],
  [
    "retry-after-ms is in milliseconds",
    "GET",
    status(429, { "retry-after-ms": "1500", "retry-after": "9" }),
    again(1500),
  ],
  ["the longest allowed pause is kept", "GET", status(429, { "retry-after": "330" }), again(330_000)],
  [
    "a longer pause is not kept",
    "GET",
    status(429, { "retry-after": "331" }),
    { as: "too long", waitMs: 331_000 },
  ],
  [
    "a longer pause after a server error is not kept",
    "GET",
    status(503, { "retry-after": "99999999999999" }),
    { as: "too long", waitMs: 99_999_999_999_999_000 },
  ],
];

const usual = again(478);

describe("an invalid Retry-After", () => {
  test.each([
    ["soon"],
    [""],
    ["-5"],
    ["5 s"],
    ["1e3"],
    ["0x10"],
    ["NaN"],
    ["2026-11-21T12:00:30Z"],
    ["Sat, 21 Nov 2026 12:00:30"],
    ["Sat, 21 Nov 2026 12:00:30 +0900"],
    ["Sat, 31 Feb 2026 12:00:30 GMT"],
    ["5, 7"],
  ])("means the usual pause: %j", (text) => {
    expect(
      nextAfter({ method: "GET", path: "/" }, status(429, { "retry-after": text }), "rate_limited", moment),
    ).toEqual(usual);
  });
});

describe("a truncated success", () => {
  test.each([
    ["is read again", "GET", 200, "truncated_json", again(250)],
    ["is not written again with PUT", "PUT", 200, "truncated_json", done],
    ["is not written again with POST", "POST", 201, "truncated_json", done],
    ["is not read again if the answer is not JSON", "GET", 200, "not_json", done],
    ["is not read again if only the envelope is missing", "GET", 200, "no_envelope", done],
    ["is distinguished from a truncated refusal", "GET", 404, "truncated_json", done],
  ] as const)("%s", (_sentence, method, code, failure, next) => {
    expect(nextAfter({ method, path: "/" }, status(code), failure, moment)).toEqual(next);
  });
});

describe("the next step after an outcome", () => {
  test.each(cases)("%s", (_sentence, method, outcome, next) => {
    expect(nextAfter({ method, path: "/" }, outcome, failureOf(outcome), moment)).toEqual(next);
  });

  test("is a pause that doubles, with a jitter of a quarter", () => {
    const pauses = (random: number) =>
      [1, 2, 3, 4, 5].map((tries) =>
        nextAfter({ method: "GET", path: "/" }, status(500), "server_error", { ...moment, tries, random }),
      );
    expect(pauses(0.5)).toEqual([250, 500, 1000, 2000, 4000].map((ms) => again(ms)));
    expect(pauses(1)).toEqual([250, 500, 1000, 2000, 4000].map((ms) => again(1.25 * ms)));
    expect(pauses(0)).toEqual([250, 500, 1000, 2000, 4000].map((ms) => again(0.75 * ms)));
  });

  const blocked = (blockedMs: number, maxWaitMs = 330_000, random = 0) =>
    nextAfter({ method: "GET", path: "/" }, status(429), "any", { ...moment, blockedMs, maxWaitMs, random });

  test("is a growing pause after 429 without Retry-After, up to the documented block", () => {
    expect([0, 500, 3_000, 15_500, 78_000].map((ms) => blocked(ms))).toEqual(
      [500, 2_500, 12_500, 62_500, 252_000].map((ms) => again(ms)),
    );
    expect(blocked(78_000, 330_000, 1)).toEqual(again(229_091));
    expect(blocked(300_000)).toEqual(done);
  });

  test("is never a pause beyond the allowed total", () => {
    expect([0, 3_000, 15_500].map((ms) => blocked(ms, 10_000))).toEqual([again(500), again(7_000), done]);
    expect(blocked(0, 0)).toEqual(done);
  });

  test("is to give up after the sixth try", () => {
    expect(
      nextAfter({ method: "GET", path: "/" }, status(500), "server_error", { ...moment, tries: 6 }),
    ).toEqual(done);
  });
});

describe("the client", () => {
  const failing: readonly (readonly [string, "GET" | "POST", Respond, number])[] = [
    ["tries a failed read six times", "GET", (_, r) => answer(r, 500, ""), 6],
    ["tries a read six times on broken connections", "GET", (q) => q.socket.destroy(), 6],
    ["tries a write once after a server error", "POST", (_, r) => answer(r, 500, ""), 1],
    ["tries a write once on a broken connection", "POST", (q) => q.socket.destroy(), 1],
    ["tries a write once against 429", "POST", (_, r) => answer(r, 429, refusal()), 1],
    ["tries a read six times against 429", "GET", (_, r) => answer(r, 429, refusal()), 6],
    ["tries a refused request once", "GET", (_, r) => answer(r, 403, refusal()), 1],
    ["tries a truncated read six times", "GET", (_, r) => answer(r, 200, '{"result":{"id":"a'), 6],
    ["tries a write with a truncated answer once", "POST", (_, r) => answer(r, 200, '{"result":{"id":"a'), 1],
    ["tries a read answered with HTML once", "GET", (_, r) => answer(r, 200, "<p>Sign in</p>"), 1],
    ["tries a read without a result once", "GET", (_, r) => answer(r, 200, { success: true }), 1],
  ];

  test.each(failing)("%s", async (_sentence, method, respond, tries) => {
    const server = await serve(respond);
    const { client, slept } = impatient(connection(server.baseUrl));
    const result = method === "GET" ? await client.get("/a") : await client.send(method, "/a", {});
    expect(result.ok).toBe(false);
    expect(server.seen.filter((line) => line.endsWith(" /a")).length).toBe(tries);
    expect(client.requests).toBe(server.seen.length);
    expect(slept.length).toBe(tries - 1);
    await server.close();
  });

  test("succeeds if a retry succeeds", async () => {
    const server = await serve((_, r, nth) =>
      nth < 6
        ? answer(r, nth % 2 ? 502 : 200, nth % 2 ? "" : '{"result":')
        : answer(r, 200, success({ id: "a" })),
    );
    const { client, slept } = impatient(connection(server.baseUrl));
    expect(await client.get("/a")).toEqual({ ok: true, value: { id: "a" } });
    expect(slept).toEqual([250, 500, 1000, 2000, 4000]);
    await server.close();
  });

  test("reports how long an unsent write has to wait, and tries it at most twice", async () => {
    const server = await serve(() => {});
    await server.close();
    const { client } = impatient(connection(server.baseUrl));
    for (const [attempt, againMs] of [
      [1, 250],
      [2, null],
    ] as const)
      expect(await client.send("POST", "/a", {}, { attempt })).toMatchObject({ ok: false, againMs });
    expect(client.requests).toBe(2);
  });
});
