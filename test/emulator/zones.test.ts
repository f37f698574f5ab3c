import { describe, expect, test } from "vitest";
import type { Seed } from "../../src/emulator/index.js";
import { isList, isObject, type Json } from "../../src/model/json.js";
import { call, start } from "./call.js";

const other = "44444444444444444444444444444444";
const many: Seed = {
  zones: Object.fromEntries(
    Array.from({ length: 23 }, (_, index) => [`z${index}.example`, index === 7 ? { account_id: other } : {}]),
  ),
};

function names(body: Json | null): readonly (Json | undefined)[] {
  const zones = isObject(body) && isList(body.result) ? body.result : [];
  return zones.map((zone) => (isObject(zone) ? zone.name : undefined));
}

describe("GET /zones", () => {
  test("returns 20 zones a page in the seed's order", async () => {
    const emulator = await start({ seed: many });
    const { body } = await call(emulator, "GET", "/zones");
    expect(names(body)).toEqual(Object.keys(many.zones).slice(0, 20));
    expect(body).toMatchObject({ result_info: { page: 1, per_page: 20, count: 20, total_count: 23 } });
  });

  test("returns the requested page, and an empty one after the last", async () => {
    const emulator = await start({ seed: many });
    const last = await call(emulator, "GET", "/zones?page=5&per_page=5");
    expect(names(last.body)).toEqual(["z20.example", "z21.example", "z22.example"]);
    const beyond = await call(emulator, "GET", "/zones?page=6&per_page=5");
    expect(beyond.body).toMatchObject({ result: [], result_info: { page: 6, count: 0, total_count: 23 } });
  });

  test.each(["per_page=4", "per_page=51", "per_page=x", "per_page=", "page=0", "page=-1", "page=1.5"])(
    "%s is refused with 400",
    async (query) => {
      const emulator = await start({ seed: many });
      const reply = await call(emulator, "GET", `/zones?${query}`);
      expect([reply.status, reply.body]).toMatchObject([400, { success: false, result: null, messages: [] }]);
    },
  );

  test("finds a zone by its full name, ignoring case", async () => {
    const emulator = await start({ seed: many });
    expect(names((await call(emulator, "GET", "/zones?name=Z2.example")).body)).toEqual(["z2.example"]);
    expect(names((await call(emulator, "GET", "/zones?name=z2")).body)).toEqual([]);
  });

  test("finds the zones of an account", async () => {
    const emulator = await start({ seed: many });
    const found = async (query: string) => names((await call(emulator, "GET", `/zones?${query}`)).body);
    expect(await found(`account.id=${other}`)).toEqual(["z7.example"]);
    expect(await found(`account.id=${other}&name=z8.example`)).toEqual([]);
    expect(await found(`account.id=${emulator.account_id}&per_page=50`)).toHaveLength(22);
  });

  test("has total_pages only in the interface dialect", async () => {
    const pages = async (dialect: "interface" | "service") => {
      const { body } = await call(await start({ seed: many, dialect }), "GET", "/zones");
      return isObject(body) && isObject(body.result_info) ? body.result_info.total_pages : null;
    };
    expect(await pages("interface")).toBe(2);
    expect(await pages("service")).toBeUndefined();
  });

  test("returns a zone with its account and fields that zoneward does not use", async () => {
    const emulator = await start();
    const { body } = await call(emulator, "GET", "/zones");
    const account = { id: emulator.account_id, name: "Emulated Account" };
    const zone = { id: emulator.zones["example.com"], name: "example.com", status: "active", account };
    expect(body).toMatchObject({ result: [zone] });
  });
});
