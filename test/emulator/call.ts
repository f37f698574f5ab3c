import { afterEach } from "vitest";
import {
  createEmulator,
  type Dialect,
  type Emulator,
  type EmulatorOptions,
  type Seed,
} from "../../src/emulator/index.js";
import type { Json } from "../../src/model/json.js";

export interface Reply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** null: no body. */
  readonly body: Json | null;
}

const running: Emulator[] = [];

/** Starts an emulator that closes when the test ends. */
export async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator(options);
  running.push(emulator);
  return emulator;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()));
});

/** Sends a request with the emulator's token, and `body` as JSON. */
export function call(emulator: Emulator, method: string, path: string, body?: Json): Promise<Reply> {
  const headers = { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" };
  return send(emulator, method, path, headers, body === undefined ? null : JSON.stringify(body));
}

/** Sends a request exactly as given. */
export async function send(
  emulator: Emulator,
  method: string,
  path: string,
  headers: { readonly [name: string]: string },
  body: string | null,
): Promise<Reply> {
  const response = await fetch(emulator.url + path, { method, headers: { ...headers }, body });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text === "" ? null : JSON.parse(text),
  };
}

/** The failure envelope of the page shield endpoints. */
export function refused(...errors: readonly Json[]): Json {
  return refusedIn("service", ...errors);
}

export function refusedIn(dialect: Dialect, ...errors: readonly Json[]): Json {
  return { result: null, success: false, errors, messages: dialect === "service" ? null : [] };
}

/** The envelope around one result. */
export function answered(result: Json): Json {
  return { result, success: true, errors: [], messages: [] };
}

export const zoneId = "11111111111111111111111111111111";
export const policyId = "22222222222222222222222222222222";
export const detectionId = "55555555555555555555555555555555";
export const shield = `/zones/${zoneId}/page_shield`;

/** A policy as in a request that creates one. */
export const newPolicy = {
  description: "Checkout",
  action: "allow",
  expression: 'http.request.uri.path eq "/checkout"',
  enabled: true,
  value: "script-src 'self' cdn.example.com; connect-src 'self'",
};

/** The policy in the seed. */
export const stored = { ...newPolicy, id: policyId, last_updated: "2026-01-01T00:00:00.000Z", note: "kept" };

/** The connection in the seed. The seed's script has the same fields, besides its own. */
const detected = {
  id: detectionId,
  url: "https://cdn.example.com/app.js",
  host: "shop.example",
  added_at: "2026-01-01T00:00:00.09615Z",
  first_seen_at: "2026-01-01T00:00:00Z",
  last_seen_at: "2026-01-02T00:00:00Z",
  status: "active",
  url_contains_cdn_cgi_path: false,
  domain_reported_malicious: true,
  malicious_domain_categories: ["Malware"],
};

/** A seed with one zone: detection on, one policy, one script and one connection. */
export const seed = {
  account_id: "33333333333333333333333333333333",
  zones: {
    "shop.example": {
      id: zoneId,
      settings: {
        enabled: true,
        updated_at: "2026-01-02T03:04:05.000006+01:00",
        use_cloudflare_reporting_endpoint: true,
        use_connection_url_path: false,
      },
      policies: [stored],
      scripts: [
        {
          ...detected,
          hash: "e".repeat(64),
          js_integrity_score: 2,
          fetched_at: "2026-01-01T00:00:00Z",
          page_urls: ["shop.example/cart"],
          versions: [{ hash: "e".repeat(64), js_integrity_score: 2, fetched_at: "2026-01-01T00:00:00Z" }],
        },
      ],
      connections: [detected],
    },
  },
} satisfies Seed;

/** A clock from a fixed time that advances at every reading. */
export function tickingClock(): () => Date {
  let looks = 0;
  return () => new Date(Date.UTC(2026, 0, 1) + 1000 * looks++);
}
