import { describe, expect, test } from "vitest";
import { newPolicy, policyId, stored } from "../emulator/call.js";
import { interfaceZone, writesOf } from "./zone.js";

const declared = {
  description: "Checkout",
  action: "log",
  enabled: true,
  expression: 'http.host eq "shop.example"',
  value: "script-src 'self' js.payments.example https://cdn.example/app.js",
};

describe("a created policy", () => {
  test("is sent with all of its fields and identified by the returned id", async () => {
    const { apply, live } = await interfaceZone();
    const [created] = writesOf(await apply({ policies: [declared] }));
    expect(created).toMatchObject({ method: "POST", body: declared });
    const id = live().policies?.[0]?.id ?? "none";
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(created?.response).toMatchObject({ result: { ...declared, id, enabled: "true" } });
    const [updated] = writesOf(await apply({ policies: [{ id, description: "Checkout", action: "allow" }] }));
    expect(updated?.path.endsWith(`/policies/${id}`)).toBe(true);
  });

  test.each(["log", "allow"])("may have the action %s", async (action) => {
    const { apply, live } = await interfaceZone();
    await apply({ policies: [{ ...declared, action }] });
    expect(live().policies).toMatchObject([{ action }]);
  });

  test("may have any text for a description", async () => {
    const description = `Zahlung 💶, "geprüft"; #1: <b>`;
    const { apply, live } = await interfaceZone();
    await apply({ policies: [{ ...declared, description }] });
    expect(live().policies).toMatchObject([{ description }]);
  });

  test("has its value on one line with quoted keywords, also if it is declared as a map", async () => {
    const value = { "script-src": ["'self'", "js.payments.example", "https://cdn.example/app.js"] };
    const { apply, live } = await interfaceZone();
    await apply({ policies: [{ ...declared, value }] });
    expect(live().policies).toMatchObject([{ value: declared.value }]);
  });
});

test("enabled is read and written as text", async () => {
  const { apply, plan, live } = await interfaceZone({ policies: [stored] });
  const same = await plan({ policies: [newPolicy] });
  expect(same.document?.changes).toEqual([]);
  const [off] = writesOf(await apply({ policies: [{ ...newPolicy, enabled: false }] }));
  expect(off).toMatchObject({ method: "PUT", body: { enabled: "false" } });
  expect(live().policies).toMatchObject([{ id: policyId, enabled: "false" }]);
  const [second] = writesOf(await apply({ policies: [{ ...declared, description: "New" }] }));
  expect(second).toMatchObject({ method: "POST", body: { enabled: "true" } });
});

describe("in script-src", () => {
  test.each([
    ["a host differs from its parent domain", "cdn.shop.example", "shop.example"],
    ["a host differs from its subdomains", "shop.example", "*.shop.example"],
    ["a full URL differs from its host", "https://cdn.example/app.js", "https://cdn.example"],
    [
      "a full URL differs from another script of the host",
      "https://cdn.example/app.js",
      "https://cdn.example/pay.js",
    ],
    ["'self' is a keyword, and self without quotes is a host", "self", "'self'"],
    ["'self' differs from the name of the host", "'self'", "shop.example"],
  ])("%s", async (_, before, after) => {
    const { plan } = await interfaceZone({ policies: [{ ...stored, value: `script-src ${before}` }] });
    const { document } = await plan({
      policies: [{ description: "Checkout", value: `script-src ${after}` }],
    });
    expect(document?.changes[0]?.fields[0]?.parts).toEqual([
      { part: "script-src", change: "changed", added: [after], removed: [before] },
    ]);
  });
});
