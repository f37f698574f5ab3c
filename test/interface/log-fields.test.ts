import { describe, expect, test } from "vitest";
import { coreId } from "../emulator/rulesets.js";
import { interfaceZone, linesOf, writesOf } from "./zone.js";

const phase = "http_log_custom_fields";
const declared = {
  request_fields: ["content-type", "x-forwarded-for"],
  response_fields: ["server"],
  cookie_fields: ["sessionId"],
};
const parameters = {
  request_fields: [{ name: "content-type" }, { name: "x-forwarded-for" }],
  response_fields: [{ name: "server" }],
  cookie_fields: [{ name: "sessionId" }],
};
const names = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}`);

describe("custom log fields", () => {
  test("are created with a POST of the ruleset and a PUT of its one rule", async () => {
    const { apply, emulator, live } = await interfaceZone();
    const [post, put] = writesOf(await apply({ custom_log_fields: declared }));
    const id = live().rulesets?.[0]?.id;
    expect(post).toMatchObject({
      method: "POST",
      body: { kind: "zone", phase, name: expect.any(String), description: expect.any(String) },
      response: { result: { id } },
    });
    expect(linesOf(put === undefined ? [] : [put], emulator)).toEqual([
      `PUT /zones/{zone_id}/rulesets/${id}`,
    ]);
    expect(put?.body).toEqual({
      rules: [
        {
          action: "log_custom_field",
          action_parameters: parameters,
          description: expect.any(String),
          enabled: true,
          expression: "true",
        },
      ],
    });
  });

  test("are put into the zone's ruleset for their phase", async () => {
    const id = "99999999999999999999999999999998";
    const others = { id: coreId, phase: "http_request_firewall_custom" };
    const { apply, emulator, live } = await interfaceZone({ rulesets: [others, { id, phase }] });
    const writes = writesOf(await apply({ custom_log_fields: declared }));
    expect(linesOf(writes, emulator)).toEqual([`PUT /zones/{zone_id}/rulesets/${id}`]);
    expect(live().rulesets).toMatchObject([others, { id, rules: [{ action_parameters: parameters }] }]);
  });

  test("may have forty names in all lists, and with one more nothing is sent", async () => {
    const { apply, emulator, plan } = await interfaceZone();
    const most = { request_fields: names(20), response_fields: names(10), cookie_fields: names(10) };
    await apply({ custom_log_fields: most });
    const before = emulator.log.length;
    const { document, problems } = await plan({
      custom_log_fields: { ...most, cookie_fields: names(11) },
    });
    expect([document?.calls, problems.map(({ code }) => code)]).toEqual([[], ["too_many_log_fields"]]);
    // No file can express this live value. These names could stay if they were live already.
    expect(emulator.log.slice(before).map(({ method }) => method)).toEqual(["GET"]);
  });
});
