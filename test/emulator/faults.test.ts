import { describe, expect, onTestFinished, test } from "vitest";
import { type FaultName, faultNames } from "../../src/emulator/index.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { call, newPolicy, policyId, refused, seed, send, shield, start } from "./call.js";
import * as logpush from "./logpush.js";
import { raw, type Seen } from "./raw.js";

const policies = `${shield}/policies`;
const clock = () => new Date(Date.UTC(2026, 0, 1));

const isReset = (seen: Seen) =>
  expect(seen).toMatchObject({ as: "broken", status: null, code: "ECONNRESET" });
const isSilent = (seen: Seen) => expect(seen).toMatchObject({ as: "silent", status: null });
const isRefusal =
  (status: number, message: string, retryAfter?: string) =>
  ({ as, status: got, headers, text }: Seen) => {
    expect([as, got, headers["content-type"]]).toEqual(["answered", status, "application/json"]);
    expect(JSON.parse(text)).toEqual(refused(status === 429 ? { code: 971, message } : { message }));
    expect(headers["retry-after"]).toBe(retryAfter);
  };
const isPage = (status: number, title: string) => (seen: Seen) => {
  expect(seen).toMatchObject({ as: "answered", status, headers: { "content-type": "text/html" } });
  expect(seen.text).toMatch(/^<html>/);
  expect(seen.text).toContain(`<title>${title}</title>`);
};
const isHalf = (seen: Seen) => {
  expect(seen).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
  expect(seen.text).toMatch(/^\{"result":\{/);
  expect(() => JSON.parse(seen.text)).toThrow();
};
const announced = ({ headers, text }: Seen) => Number(headers["content-length"]) - Buffer.byteLength(text);

/** For each fault: what a raw client sees of a POST, and whether the policy is created. */
const rows: { readonly [name in FaultName]: readonly [see: (seen: Seen) => void, tookEffect: boolean] } = {
  "reset-before": [isReset, false],
  "reset-after": [isReset, true],
  "500-before": [isRefusal(500, "internal server error"), false],
  "500-after": [isRefusal(500, "internal server error"), true],
  "502-before": [isPage(502, "502 Bad Gateway"), false],
  "502-after": [isPage(502, "502 Bad Gateway"), true],
  "503-before": [isRefusal(503, "service temporarily unavailable", "1"), false],
  "503-after": [isRefusal(503, "service temporarily unavailable", "1"), true],
  "html-before": [isPage(200, "Sign in to the network"), false],
  "html-after": [isPage(200, "Sign in to the network"), true],
  "success-false-before": [isRefusal(200, "the request could not be completed"), false],
  "success-false-after": [isRefusal(200, "the request could not be completed"), true],
  "hang-before": [isSilent, false],
  "hang-after": [isSilent, true],
  "429-plain": [isRefusal(429, "too many requests"), false],
  "429-seconds": [isRefusal(429, "too many requests", "1"), false],
  "429-date": [
    (seen) => {
      isRefusal(429, "too many requests", "Thu, 01 Jan 2026 00:00:01 GMT")(seen);
      expect(seen.headers.date).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
    },
    false,
  ],
  redirect: [
    (seen) =>
      expect(seen).toMatchObject({
        as: "answered",
        status: 302,
        headers: { location: "/elsewhere" },
        text: "",
      }),
    false,
  ],
  truncated: [
    (seen) => {
      isHalf(seen);
      expect([seen.as, announced(seen)]).toEqual(["answered", 0]);
    },
    true,
  ],
  "cut-off": [
    (seen) => {
      isHalf(seen);
      expect(seen).toMatchObject({ as: "broken", code: "ECONNRESET" });
      expect(announced(seen)).toBeGreaterThan(100);
    },
    true,
  ],
  drip: [
    (seen) => {
      expect([seen.as, seen.status, announced(seen)]).toEqual(["answered", 200, 0]);
      expect(JSON.parse(seen.text)).toMatchObject({ success: true, result: newPolicy });
      expect(seen.bodyMs).toBeGreaterThan(700); // a busy machine can only make it longer
    },
    true,
  ],
  "no-result": [
    (seen) => {
      expect(seen).toMatchObject({ as: "answered", status: 200 });
      expect(JSON.parse(seen.text)).toEqual({ success: true, errors: [], messages: [] });
    },
    true,
  ],
};

describe("a raw client", () => {
  test.each(faultNames)("sees the fault %s, and the log agrees with the state", async (name) => {
    const [see, tookEffect] = rows[name];
    const emulator = await start({ seed, now: clock, faults: { schedule: [{ fault: name }] } });
    see(await raw(emulator, "POST", policies, newPolicy, name.startsWith("hang") ? 300 : 10_000));
    const made = emulator.state().zones["shop.example"]?.policies?.length === 2;
    expect([made, emulator.writes()]).toMatchObject([tookEffect, [{ fault: name, tookEffect }]]);
  });

  test.each(faultNames)("is served normally after %s", async (name) => {
    onTestFinished(endOfWaiting());
    const emulator = await start({ seed, faults: { schedule: [{ fault: name }] } });
    await raw(emulator, "GET", policies, null, name.startsWith("hang") ? 300 : 10_000);
    expect((await call(emulator, "GET", policies)).status).toBe(200);
    expect(emulator.log).toMatchObject([{ fault: name, tookEffect: false }, { status: 200 }]);
    expect(emulator.log[1]).not.toHaveProperty("fault");
  });

  test("with fetch fails on a reset, although the write took effect", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ nth: 2, fault: "reset-after" }] } });
    await call(emulator, "GET", shield);
    await expect(call(emulator, "DELETE", `${policies}/${policyId}`)).rejects.toThrow("fetch failed");
    expect(emulator.state().zones["shop.example"]?.policies).toEqual([]);
  });

  test("with fetch gets no JSON from an answer that is cut off or truncated", async () => {
    const schedule = [{ fault: "cut-off" as const }, { nth: 2, fault: "truncated" as const }];
    const emulator = await start({ seed, faults: { schedule } });
    await expect(call(emulator, "GET", shield)).rejects.toThrow("terminated");
    await expect(call(emulator, "GET", shield)).rejects.toThrow(SyntaxError);
  });

  test("that follows a redirect is seen in the log", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ fault: "redirect" }] } });
    await call(emulator, "GET", shield);
    expect(emulator.log.map(({ path, status }) => [path, status])).toEqual([
      [shield, 302],
      ["/elsewhere", 404],
    ]);
  });
});

describe("a damaged answer", () => {
  test.each(["truncated", "cut-off", "no-result", "drip"] as const)(
    "has a body with %s, even where a normal answer has none",
    async (fault) => {
      onTestFinished(endOfWaiting());
      const emulator = await start({ seed, faults: { schedule: [{ fault }] } });
      const seen = await raw(emulator, "DELETE", `${policies}/${policyId}`, null);
      expect(seen.status).toBe(200);
      expect(seen.text).toMatch(/^\{/);
      expect(emulator.writes()).toMatchObject([{ tookEffect: true }]);
    },
  );

  test("stays a failure without effect with no-result", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ fault: "no-result" }] } });
    const reply = await call(emulator, "POST", policies, { ...newPolicy, action: "none" });
    expect([reply.status, reply.body]).toMatchObject([400, { success: false }]);
    expect(reply.body).not.toHaveProperty("result");
    expect(emulator.writes()).toMatchObject([{ fault: "no-result", tookEffect: false }]);
  });
});

describe("seconds", () => {
  test.each([
    ["503-before", "30"],
    ["429-seconds", "30"],
    ["429-date", "Thu, 01 Jan 2026 00:00:30 GMT"],
  ] as const)("are the Retry-After of %s", async (fault, retryAfter) => {
    const faults = { schedule: [{ fault, seconds: 29.5 }] };
    const emulator = await start({ seed, now: clock, faults });
    expect((await call(emulator, "GET", shield)).headers["retry-after"]).toBe(retryAfter);
  });
});

describe("the log", () => {
  test("has the answer as sent: none, text or JSON", async () => {
    const faults = ["reset-after", "hang-after", "html-after", "truncated", "500-after"] as const;
    const schedule = faults.map((fault, index) => ({ nth: index + 1, fault }));
    const emulator = await start({ seed, faults: { schedule } });
    for (const _ of faults) await raw(emulator, "PUT", shield, { enabled: true }, 300);
    expect(emulator.writes().map(({ status, response }) => [status, kindOf(response)])).toEqual([
      [null, "nothing"],
      [null, "nothing"],
      [200, "text"],
      [200, "text"],
      [500, "object"],
    ]);
  });

  const checks = `${logpush.logpush}/validate/destination`;
  test.each([
    ["an accepted write", "PUT", shield, { enabled: false }, true],
    ["a refused write", "PUT", shield, { enabled: 1 }, false],
    ["a write to an unknown object", "DELETE", `${policies}/${"9".repeat(32)}`, undefined, false],
    ["a read", "GET", shield, undefined, false],
    ["a new log-push job", "POST", logpush.jobs, { destination_conf: logpush.open }, true],
    ["a challenge", "POST", `${logpush.logpush}/ownership`, { destination_conf: logpush.bucket }, true],
    ["a question sent with POST", "POST", checks, { destination_conf: logpush.open }, false],
  ] as const)("says whether the request took effect: %s", async (_, method, path, body, tookEffect) => {
    const emulator = await start({ seed });
    await call(emulator, method, path, body);
    expect(emulator.log).toMatchObject([{ tookEffect }]);
  });

  test("records an unauthenticated write without effect when a gateway answers", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ fault: "html-after" }] } });
    const response = await fetch(emulator.url + shield, { method: "PUT", body: "{}" });
    expect(response.status).toBe(200);
    expect(emulator.writes()).toMatchObject([{ fault: "html-after", tookEffect: false }]);
  });
});

test("a hanging request does not keep the emulator from closing", async () => {
  const emulator = await start({ seed, faults: { rates: [{ chance: 1, fault: "hang-after" }] } });
  const hanging = send(emulator, "GET", shield, {}, null);
  while (emulator.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([emulator.close(), expect(hanging).rejects.toThrow()]);
});

function kindOf(response: unknown): string {
  if (response === null) return "nothing";
  return typeof response === "string" ? "text" : "object";
}
