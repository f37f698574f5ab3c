import { describe, expect, test } from "vitest";
import { type ConnectFlags, connectionFrom } from "../../src/api/connect.js";
import { CANARY } from "./serve.js";

type Env = Record<string, string | undefined>;

const TOKEN: Env = { CLOUDFLARE_API_TOKEN: "t0ken" };

function made(flags: ConnectFlags, env: Env) {
  const result = connectionFrom(flags, env);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function codes(flags: ConnectFlags, env: Env): readonly string[] {
  const result = connectionFrom(flags, env);
  return result.ok ? [] : result.problems.map(({ code }) => code);
}

test("unset options have the documented defaults", () => {
  expect(made({}, TOKEN)).toEqual({
    baseUrl: "https://api.cloudflare.com/client/v4",
    credential: { as: "token", token: "t0ken" },
    concurrency: 10,
    rates: [
      { requests: 960, perMs: 300_000 },
      { requests: 180, perMs: 1000 },
    ],
    timeoutMs: 30_000,
    maxWaitMs: 330_000,
    maxBodyBytes: 16 * 1024 * 1024,
    userAgent: "zoneward",
  });
});

test("flags override the defaults", () => {
  const flags = { concurrency: 16, rateLimit: "10/0.5", timeoutSeconds: 2.5, maxWaitSeconds: 0 };
  expect(made(flags, TOKEN)).toMatchObject({
    concurrency: 16,
    rates: [
      { requests: 10, perMs: 500 },
      { requests: 180, perMs: 1000 },
    ],
    timeoutMs: 2500,
    maxWaitMs: 0,
  });
  expect(made({ rateLimit: "off" }, TOKEN).rates).toEqual([]);
});

describe("the credential", () => {
  const pair = { CLOUDFLARE_EMAIL: "me@x.example", CLOUDFLARE_API_KEY: "key" };

  test("is email and key if no token is set", () => {
    expect(made({}, pair).credential).toEqual({ as: "key", email: "me@x.example", key: "key" });
    expect(made({}, { ...pair, CLOUDFLARE_API_TOKEN: "" }).credential.as).toBe("key");
  });

  test("is the token if both are set", () => {
    expect(made({}, { ...pair, ...TOKEN }).credential.as).toBe("token");
    expect(made({}, { CLOUDFLARE_EMAIL: "me@x.example", ...TOKEN }).credential.as).toBe("token");
  });

  test.each<[string, Env, string, RegExp]>([
    [
      "is required, and the message names the variables",
      {},
      "no_credential",
      /CLOUDFLARE_API_TOKEN.*CLOUDFLARE_EMAIL.*CLOUDFLARE_API_KEY.*zoneward demo/,
    ],
    [
      "requires the key with an email",
      { CLOUDFLARE_EMAIL: "me@x.example" },
      "incomplete_credential",
      /CLOUDFLARE_API_KEY is not/,
    ],
    [
      "requires the email with a key",
      { CLOUDFLARE_API_KEY: CANARY },
      "incomplete_credential",
      /CLOUDFLARE_EMAIL is not/,
    ],
    [
      "may not contain a line end",
      { CLOUDFLARE_API_TOKEN: `${CANARY}\n` },
      "bad_credential",
      /CLOUDFLARE_API_TOKEN/,
    ],
    [
      "may not smuggle in a header",
      { CLOUDFLARE_API_TOKEN: `${CANARY}\r\nx-a: b` },
      "bad_credential",
      /CLOUDFLARE_API_TOKEN/,
    ],
    [
      "may not contain a space",
      { CLOUDFLARE_API_TOKEN: `Bearer ${CANARY}` },
      "bad_credential",
      /without "Bearer"/,
    ],
    [
      "may not contain a letter beyond ASCII",
      { ...pair, CLOUDFLARE_API_KEY: `${CANARY}ü` },
      "bad_credential",
      /CLOUDFLARE_API_KEY/,
    ],
    ["may not be huge", { CLOUDFLARE_API_TOKEN: CANARY.repeat(1000) }, "bad_credential", /too long/],
  ])("%s, and messages never show the value", (_sentence, env, code, detail) => {
    const result = connectionFrom({}, env);
    const problems = result.ok ? [] : result.problems;
    expect(problems.map((each) => each.code)).toEqual([code]);
    expect(problems[0]?.detail).toMatch(detail);
    expect(JSON.stringify(problems)).not.toContain(CANARY);
  });
});

describe("the base address", () => {
  test("of the flag precedes the one of the environment", () => {
    const env = { ...TOKEN, CLOUDFLARE_BASE_URL: "https://env.example/v4" };
    expect(made({}, env).baseUrl).toBe("https://env.example/v4");
    expect(made({ baseUrl: "https://flag.example/v4" }, env).baseUrl).toBe("https://flag.example/v4");
    expect(made({}, { ...TOKEN, CLOUDFLARE_BASE_URL: "" }).baseUrl).toBe(
      "https://api.cloudflare.com/client/v4",
    );
  });

  test.each([
    ["https://x.example/client/v4/", "https://x.example/client/v4"],
    ["https://x.example/client/v4///", "https://x.example/client/v4"],
    ["https://x.example", "https://x.example"],
    ["https://x.example:8443/v4", "https://x.example:8443/v4"],
    ["http://127.0.0.1:8787/v4", "http://127.0.0.1:8787/v4"],
    ["http://127.9.9.9/v4", "http://127.9.9.9/v4"],
    ["http://localhost:1/v4", "http://localhost:1/v4"],
    ["http://[::1]:1/v4", "http://[::1]:1/v4"],
  ])("%s becomes %s", (baseUrl, expected) => {
    expect(made({ baseUrl }, TOKEN).baseUrl).toBe(expected);
  });

  test.each([
    ["uses plain http with a host name", "http://x.example/v4"],
    ["uses plain http with a name like a loopback address", "http://127.0.0.1.x.example/v4"],
    ["uses plain http with the unspecified address", "http://0.0.0.0/v4"],
    ["has another scheme", "ftp://x.example/v4"],
    ["is a file: URL", "file:///etc/passwd"],
    ["is not a URL", "x.example/v4"],
    ["is empty", ""],
    ["has a password", `https://me:${CANARY}@x.example/v4`],
    ["has a user name", `https://${CANARY}@x.example/v4`],
    ["has a query", `https://x.example/v4?t=${CANARY}`],
    ["has an empty query", "https://x.example/v4?"],
    ["has a fragment", "https://x.example/v4#a"],
  ])("that %s is refused", (_what, baseUrl) => {
    const result = connectionFrom({ baseUrl }, TOKEN);
    expect(result.ok ? [] : result.problems.map(({ code }) => code)).toEqual(["bad_base_url"]);
    expect(JSON.stringify(result)).not.toContain(CANARY);
    expect(codes({}, { ...TOKEN, CLOUDFLARE_BASE_URL: baseUrl })).toEqual(
      baseUrl === "" ? [] : ["bad_base_url"],
    );
  });
});

describe("refuses a flag out of range", () => {
  test.each<[string, ConnectFlags]>([
    ["zero concurrency", { concurrency: 0 }],
    ["a fractional concurrency", { concurrency: 1.5 }],
    ["a concurrency that is too high", { concurrency: 65 }],
    ["a concurrency that is not a number", { concurrency: Number.NaN }],
    ["a zero timeout", { timeoutSeconds: 0 }],
    ["an infinite timeout", { timeoutSeconds: Number.POSITIVE_INFINITY }],
    ["a negative pause", { maxWaitSeconds: -1 }],
    ["a rate of zero requests", { rateLimit: "0/10" }],
    ["a rate with zero seconds", { rateLimit: "10/0" }],
    ["a rate without seconds", { rateLimit: "10" }],
    ["a rate in words", { rateLimit: "none" }],
    ["a rate that is too high", { rateLimit: "999999/1" }],
  ])("%s", (_what, flags) => {
    expect(codes(flags, TOKEN)).toEqual(["bad_flag"]);
  });
});

test("reports all mistakes at once", () => {
  expect(codes({ baseUrl: "x", concurrency: 0, rateLimit: "x" }, {})).toEqual([
    "bad_base_url",
    "no_credential",
    "bad_flag",
    "bad_flag",
  ]);
});

describe("the proxy", () => {
  const env = { ...TOKEN, HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: "x.example" };

  test("comes from the environment, lower-case variables first", () => {
    expect(made({}, env).proxy).toEqual({
      https: "http://proxy.example:3128",
      http: "",
      except: "x.example",
    });
    expect(made({}, { ...env, https_proxy: "other.example:1" }).proxy?.https).toBe("http://other.example:1");
  });

  test("is not used for loopback addresses", () => {
    expect(made({ baseUrl: "http://127.0.0.1:1/v4" }, env).proxy).toBeUndefined();
  });

  test.each(["socks5://proxy.example:1", "http://", "http://me:%zz@proxy.example:1"])(
    "refuses %s",
    (address) => {
      expect(codes({}, { ...TOKEN, HTTPS_PROXY: address })).toEqual(["bad_proxy"]);
    },
  );
});
