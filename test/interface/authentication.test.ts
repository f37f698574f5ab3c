import { describe, expect, test } from "vitest";
import { interfaceZone, writesOf } from "./zone.js";

const everything = {
  settings: { enabled: true },
  policies: [{ description: "P", action: "log", expression: "true", value: "script-src 'self'" }],
  managed_ruleset: { paranoia_level: "PL2" },
  custom_log_fields: { cookie_fields: ["sessionId"] },
  logpush_jobs: [{ name: "j", dataset: "http_requests", destination_conf: "https://logs.example/in" }],
};

describe("all sections of a zone are applied", () => {
  test("with an API token", async () => {
    const { apply, emulator } = await interfaceZone();
    const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
    const requests = await apply(everything, { environment, allow: ["create_unlisted"] });
    expect(writesOf(requests)).toHaveLength(7);
  });

  test("with an email and a global key", async () => {
    const { apply, emulator } = await interfaceZone();
    const environment = {
      CLOUDFLARE_EMAIL: emulator.email,
      CLOUDFLARE_API_KEY: emulator.key,
      CLOUDFLARE_BASE_URL: emulator.url,
    };
    const requests = await apply(everything, { environment, allow: ["create_unlisted"] });
    expect(writesOf(requests)).toHaveLength(7);
  });
});
