import { describe, expect, test } from "vitest";
import type { Dialect } from "../../src/emulator/index.js";
import { isList, isObject } from "../../src/model/json.js";
import { call, start } from "./call.js";
import { refusal, withRulesets, zoneRulesets } from "./rulesets.js";

/** The zone's only ruleset and the five managed ones of the account. */
async function page(query: string, dialect: Dialect = "service") {
  const emulator = await start({ seed: withRulesets, dialect });
  const { body, status } = await call(emulator, "GET", `${zoneRulesets}${query}`);
  const { result, result_info: info = null } = isObject(body) ? body : {};
  return { status, body, info, ids: isList(result) ? result.map((each) => isObject(each) && each.id) : [] };
}

describe("the pages of a list of rulesets", () => {
  test("are one page without result_info if the query asks for none", async () => {
    const { ids, info } = await page("");
    expect([ids.length, info]).toEqual([6, null]);
  });

  test("have the requested length, and a cursor except on the last one", async () => {
    const whole = await page("");
    const first = await page("?per_page=4");
    expect(first).toMatchObject({ ids: whole.ids.slice(0, 4), info: { count: 4, per_page: 4 } });
    const cursor = isObject(first.info) ? first.info.cursor : null;
    const last = await page(`?per_page=4&cursor=${String(cursor)}`);
    expect([last.ids, last.info]).toEqual([whole.ids.slice(4), { count: 2, per_page: 4 }]);
  });

  test("end without a cursor even if the last page is full", async () => {
    expect((await page("?per_page=6")).info).toEqual({ count: 6, per_page: 6 });
  });

  test("do not exist in the interface dialect", async () => {
    const { ids, info } = await page("?per_page=4", "interface");
    expect([ids.length, info]).toEqual([6, null]);
  });

  test.each([
    ["?per_page=0", "per_page must be a whole number from 1 up"],
    ["?per_page=x", "per_page must be a whole number from 1 up"],
    ["?per_page=4&cursor=x", "the cursor is not valid"],
    ["?cursor=-1", "the cursor is not valid"],
  ])("%s is refused", async (query, message) => {
    const { status, body } = await page(query);
    expect([status, body]).toEqual([400, refusal({ message })]);
  });
});
