import { expect, test } from "vitest";
import { interfaceZone, writesOf } from "./zone.js";

test("enabled switches the service on and off and changes updated_at", async () => {
  const { apply, live } = await interfaceZone();
  for (const enabled of [true, false]) {
    const before = live().settings?.updated_at;
    const [write] = writesOf(await apply({ settings: { enabled } }));
    const { updated_at, ...after } = live().settings ?? {};
    expect(write?.response).toMatchObject({ result: { enabled, updated_at } });
    expect(after.enabled).toBe(enabled);
    expect(updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/);
    expect(updated_at).not.toBe(before);
  }
});

test("other settings are written under the names in the service's answers", async () => {
  const { apply, live, plan } = await interfaceZone({ settings: { enabled: true } });
  const declared = { use_cloudflare_reporting_endpoint: true, use_connection_url_path: true };
  const writes = writesOf(await apply({ settings: declared }));
  const written = { use_service_reporting_endpoint: true, use_connection_url_path: true };
  expect(writes.map(({ body }) => body)).toEqual([written]);
  expect(live().settings).toMatchObject({ enabled: true, ...written });
  const neutral = { use_service_reporting_endpoint: true };
  expect((await plan({ settings: neutral })).document?.changes).toEqual([]);
});
