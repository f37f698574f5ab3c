import { describe, expect, test } from "vitest";
import type { Dialect } from "../../src/emulator/index.js";
import { answered, call, refused, refusedIn, seed, shield, start, tickingClock } from "./call.js";

const cloudflares = "use_cloudflare_reporting_endpoint";
const neutral = "use_service_reporting_endpoint";

describe("GET settings", () => {
  test.each<[Dialect, string]>([
    ["service", cloudflares],
    ["interface", neutral],
  ])("in the %s dialect has the field %s", async (dialect, name) => {
    const emulator = await start({ seed, dialect });
    expect((await call(emulator, "GET", shield)).body).toEqual(
      answered({
        enabled: true,
        updated_at: "2026-01-02T03:04:05.000006+01:00",
        [name]: true,
        use_connection_url_path: false,
      }),
    );
  });

  test("of a zone without seeded settings are off", async () => {
    const emulator = await start({ now: () => new Date("2026-01-01T00:00:00.123Z") });
    expect((await call(emulator, "GET", `/zones/${emulator.zones["example.com"]}/page_shield`)).body).toEqual(
      answered({
        enabled: false,
        updated_at: "2026-01-01T01:00:00.123000+01:00",
        use_cloudflare_reporting_endpoint: false,
        use_connection_url_path: false,
      }),
    );
  });
});

describe("PUT settings", () => {
  test("in the interface dialect changes every given field and answers with two fields", async () => {
    const emulator = await start({ seed, dialect: "interface", now: tickingClock() });
    const reply = await call(emulator, "PUT", shield, { enabled: false, [neutral]: false });
    expect(reply.body).toEqual(answered({ enabled: false, updated_at: "2026-01-01T01:00:01.000000+01:00" }));
    expect((await call(emulator, "GET", shield)).body).toMatchObject({ result: { [neutral]: false } });
  });

  test("changes updated_at only when it is accepted", async () => {
    const emulator = await start({ seed, now: tickingClock() });
    const updatedAt = () => emulator.state().zones["shop.example"]?.settings?.updated_at;
    await call(emulator, "PUT", shield, { enabled: true });
    const first = updatedAt();
    await call(emulator, "PUT", shield, { enabled: 1 });
    expect(updatedAt()).toBe(first);
    await call(emulator, "PUT", shield, { enabled: true });
    expect(updatedAt()).not.toBe(first);
  });

  test.each<[Dialect, string]>([
    ["service", neutral],
    ["interface", cloudflares],
    ["service", "updated_at"],
    ["service", "constructor"],
  ])("in the %s dialect refuses the unknown field %s", async (dialect, name) => {
    const emulator = await start({ seed, dialect });
    const reply = await call(emulator, "PUT", shield, { enabled: false, [name]: true });
    const error = { message: "unknown field", source: { pointer: `/${name}` } };
    expect([reply.status, reply.body]).toEqual([400, refusedIn(dialect, error)]);
    expect(emulator.state().zones["shop.example"]?.settings?.enabled).toBe(true);
  });

  test.each(["true", 1, null, {}])("refuses %j for a boolean", async (value) => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "PUT", shield, { enabled: value });
    const error = { message: "must be true or false", source: { pointer: "/enabled" } };
    expect([reply.status, reply.body]).toEqual([400, refused(error)]);
  });
});
