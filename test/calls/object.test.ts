import { expect, test } from "vitest";
import { callsOf } from "../../src/calls/index.js";
import type { Kind } from "../../src/kinds/kind.js";
import { settings } from "../../src/kinds/settings/index.js";
import type { JsonObject } from "../../src/model/json.js";
import { change, changesOf, item } from "./changes.js";

const switches: Kind = {
  ...settings,
  at: { as: "object", path: ["some", "switches"] },
  toWire: (_, was) => ({ sent: [...(was?.fields ?? [])] }),
};

function sent(raw: JsonObject | null) {
  const live = item(null, {}, { raw });
  const want = item(null, {}, { owns: ["declared", "changed"] });
  return callsOf([changesOf(switches, [change(live, want, { fields: ["changed"] })])])[0]?.drafts;
}

test("sends only the changed fields, in one call", () => {
  expect(sent({ declared: true })).toMatchObject([
    { method: "PUT", path: ["zones", "z", "some", "switches"], body: { sent: ["changed"] } },
  ]);
});

test.each([[null], [{}]])("sends all declared fields when no field was ever set", (raw) => {
  expect(sent(raw)).toMatchObject([{ body: { sent: ["declared", "changed"] } }]);
});
