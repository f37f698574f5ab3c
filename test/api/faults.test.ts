import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type FaultName, faultNames } from "../../src/emulator/index.js";
import { newPolicy, seed, shield } from "../emulator/call.js";
import { connection, impatient, problemOf } from "./serve.js";

type Told = readonly [code: string, status: number | null, sent: boolean | "unknown", detail: RegExp];

/** The problem that the client reports for a POST with each fault. null: the POST succeeds. */
const rows: { readonly [name in FaultName]: Told | null } = {
  "reset-before": ["connection_lost", null, "unknown", /got no answer/],
  "reset-after": ["connection_lost", null, "unknown", /got no answer/],
  "500-before": ["server_error", 500, true, /internal server error/],
  "500-after": ["server_error", 500, true, /internal server error/],
  "502-before": ["server_error", 502, true, /HTTP 502 .* not JSON.*502 Bad Gateway/],
  "502-after": ["server_error", 502, true, /HTTP 502 .* not JSON.*502 Bad Gateway/],
  "503-before": ["server_error", 503, true, /temporarily unavailable/],
  "503-after": ["server_error", 503, true, /temporarily unavailable/],
  "html-before": ["not_json", 200, true, /not JSON.*Sign in to the network/],
  "html-after": ["not_json", 200, true, /not JSON.*Sign in to the network/],
  "success-false-before": ["api_error", 200, true, /could not be completed/],
  "success-false-after": ["api_error", 200, true, /could not be completed/],
  "hang-before": ["timeout", null, "unknown", /no complete answer within 0\.5 s/],
  "hang-after": ["timeout", null, "unknown", /no complete answer within 0\.5 s/],
  "429-plain": ["rate_limited", 429, true, /too many requests \(code 971\)/],
  "429-seconds": ["rate_limited", 429, true, /too many requests \(code 971\)/],
  "429-date": ["rate_limited", 429, true, /too many requests \(code 971\)/],
  redirect: ["redirect", 302, true, /HTTP 302 .* to \/elsewhere/],
  truncated: ["truncated_json", 200, true, /the body is cut off/],
  "cut-off": ["connection_lost", null, true, /was answered in part/],
  drip: ["timeout", null, true, /no complete answer within 0\.5 s/],
  // A write needs no result in the envelope.
  "no-result": null,
};

test.each(faultNames)("the client reports one clear error for %s and sends nothing else", async (fault) => {
  const emulator = await createEmulator({ seed, faults: { rates: [{ chance: 1, fault }] } });
  onTestFinished(() => emulator.close());
  const credential = { as: "token", token: emulator.token } as const;
  const { client } = impatient(connection(emulator.url, { credential, timeoutMs: 500 }));
  onTestFinished(() => client.close());
  const told = rows[fault];
  const result = await client.send("POST", `${shield}/policies`, newPolicy);
  if (told === null) {
    expect(result).toEqual({ ok: true, value: null });
    return;
  }
  const [code, status, sent, detail] = told;
  const found = problemOf(result);
  expect([found.code, found.http.status, found.http.sent]).toEqual([code, status, sent]);
  expect(found.detail).toMatch(detail);
  expect(found.detail).toMatch(/^POST \/zones\/1{32}\/page_shield\/policies /);
  expect(found.detail).not.toContain(emulator.token);
  expect(emulator.log).toHaveLength(1);
});

test.each(faultNames)("the client reads successfully after one %s", async (fault) => {
  const emulator = await createEmulator({ seed, faults: { schedule: [{ fault }] } });
  onTestFinished(() => emulator.close());
  const credential = { as: "token", token: emulator.token } as const;
  const { client } = impatient(connection(emulator.url, { credential, timeoutMs: 500 }));
  onTestFinished(() => client.close());
  const first = await client.get(shield);
  const again = first.ok ? first : await client.get(shield);
  expect(again).toMatchObject({ ok: true, value: { enabled: true } });
});
