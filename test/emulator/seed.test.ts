import { describe, expect, test } from "vitest";
import { checkSeed, type Seed } from "../../src/emulator/index.js";
import type { Json } from "../../src/model/json.js";
import { newPolicy, seed, start } from "./call.js";

describe("a seed", () => {
  test("comes back as the state with missing fields filled in", async () => {
    const emulator = await start({ seed });
    const zone = { ...seed.zones["shop.example"], account_id: seed.account_id };
    expect(emulator.state()).toEqual({ ...seed, zones: { "shop.example": zone } });
  });

  test("may use either name of the reporting endpoint in any dialect", async () => {
    const settings = { use_service_reporting_endpoint: true };
    const emulator = await start({ seed: { zones: { "a.example": { settings } } } });
    expect(emulator.state().zones["a.example"]?.settings).toMatchObject({
      use_cloudflare_reporting_endpoint: true,
    });
  });

  test("without ids gets the same ids in every run", async () => {
    const bare: Seed = { zones: { "a.example": { policies: [newPolicy, newPolicy] }, "b.example": {} } };
    const [first, second] = [await start({ seed: bare }), await start({ seed: bare })];
    expect(first.zones).toEqual(second.zones);
    expect(first.account_id).toBe(second.account_id);
    const ids = (state: Seed) => state.zones["a.example"]?.policies?.map((policy) => policy.id);
    expect(ids(first.state())).toEqual(ids(second.state()));
    expect(new Set([...Object.values(first.zones), ...(ids(first.state()) ?? [])]).size).toBe(4);
  });

  test("may contain an id that the emulator would have generated for another policy", async () => {
    const taken = (await start({ seed: { zones: { "a.example": { policies: [newPolicy] } } } })).state();
    const id = taken.zones["a.example"]?.policies?.[0]?.id ?? "";
    const emulator = await start({
      seed: { zones: { "a.example": { policies: [newPolicy, { ...newPolicy, id }] } } },
    });
    expect(emulator.state().zones["a.example"]?.policies).toHaveLength(2);
  });

  test("defaults to one zone with detection off and no policies", async () => {
    const state = (await start()).state();
    expect(Object.keys(state.zones)).toEqual(["example.com"]);
    expect(state.zones["example.com"]).toMatchObject({ settings: { enabled: false }, policies: [] });
  });

  test("with an error keeps the emulator from starting and names the place", async () => {
    const broken: Seed = { zones: { "a.example": { id: "short" } } };
    await expect(start({ seed: broken })).rejects.toThrow("At /zones/a.example/id: ");
  });
});

describe("an error in a seed", () => {
  const zone = (fields: Json) => ({ zones: { "a.example": fields } });
  const id = "55555555555555555555555555555555";
  const rows: readonly [what: string, value: Json, places: readonly string[]][] = [
    ["not an object", [], ["the top"]],
    ["no zones", {}, ["the top"]],
    ["zones as a list", { zones: [] }, ["/zones"]],
    ["an unknown field", { zones: {}, zone: {} }, ["/zone"]],
    ["an invalid account id", { account_id: "x", zones: {} }, ["/account_id"]],
    ["an invalid zone name", { zones: { "a/b~c": {} } }, ["/zones/a~1b~0c"]],
    ["a zone that is null", zone(null), ["/zones/a.example"]],
    ["a misspelt section", zone({ policy: [] }), ["/zones/a.example/policy"]],
    ["a field inherited by all objects", zone({ constructor: {} }), ["/zones/a.example/constructor"]],
    ["settings as text", zone({ settings: { enabled: "true" } }), ["/zones/a.example/settings/enabled"]],
    [
      "the reporting endpoint named twice",
      zone({ settings: { use_service_reporting_endpoint: true, use_cloudflare_reporting_endpoint: true } }),
      ["/zones/a.example/settings"],
    ],
    ["policies as an object", zone({ policies: {} }), ["/zones/a.example/policies"]],
    ["a policy that is text", zone({ policies: ["x"] }), ["/zones/a.example/policies/0"]],
    [
      "several wrong fields of a policy",
      zone({ policies: [newPolicy, { ...newPolicy, id: 7, enabled: "yes", value: null }] }),
      ["id", "enabled", "value"].map((field) => `/zones/a.example/policies/1/${field}`),
    ],
    [
      "a policy without fields",
      zone({ policies: [{}] }),
      Array.from({ length: 5 }, () => "/zones/a.example/policies/0"),
    ],
    [
      "two policies with one id",
      zone({
        policies: [
          { ...newPolicy, id },
          { ...newPolicy, id },
        ],
      }),
      ["/zones/a.example/policies/1/id"],
    ],
    [
      "two zones with one id",
      { zones: { "a.example": { id }, "b.example": { id } } },
      ["/zones/b.example/id"],
    ],
  ];
  test.each(rows)("is reported with its place: %s", (_, value, places) => {
    const checked = checkSeed(value);
    const details = checked.ok ? [] : checked.problems.map((each) => each.detail);
    expect(details.map((detail) => detail.slice(0, detail.indexOf(": ")))).toEqual(
      places.map((at) => `At ${at}`),
    );
  });
});
