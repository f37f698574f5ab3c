import { expect, test } from "vitest";
import { newlyLogged, requestedEntryFields } from "../../src/kinds/logged-fields.js";
import type { SealedObject } from "../../src/model/sealed.js";

const on = (lists: SealedObject): SealedObject => ({ enabled: true, ...lists });
const vary = { name: "vary", preserve_duplicates: true };

test.each<[string, SealedObject, SealedObject, readonly string[]]>([
  [
    "a new rule logs its fields",
    {},
    on({ cookie_fields: ["a"], request_fields: ["b"] }),
    ["RequestHeaders", "Cookies"],
  ],
  [
    "a longer list logs the added fields",
    on({ cookie_fields: ["a"] }),
    on({ cookie_fields: ["b", "a"] }),
    ["Cookies"],
  ],
  ["a shorter list logs nothing new", on({ cookie_fields: ["a", "b"] }), on({ cookie_fields: ["a"] }), []],
  [
    "a header in another form",
    on({ response_fields: ["a"] }),
    on({ raw_response_fields: ["a"] }),
    ["ResponseHeaders"],
  ],
  [
    "duplicates are added",
    on({ response_fields: ["vary"] }),
    on({ response_fields: [vary] }),
    ["ResponseHeaders"],
  ],
  ["duplicates are removed", on({ response_fields: [vary] }), on({ response_fields: ["vary"] }), []],
  [
    "a rule that is switched on logs all of its fields",
    { enabled: false, cookie_fields: ["a"] },
    on({ cookie_fields: ["a"] }),
    ["Cookies"],
  ],
  [
    "a rule that is switched off",
    on({ cookie_fields: ["a"] }),
    { enabled: false, cookie_fields: ["a", "b"] },
    [],
  ],
])("newly logged: %s", (_, before, after, fields) => {
  expect(newlyLogged(before, after)).toEqual(fields);
});

test("the log fields of a job decide which custom log fields it needs", () => {
  const asked = requestedEntryFields({ fields: ["RayID", "Cookies", "ResponseHeaders", "RequestHeaders"] });
  expect(asked?.toSorted()).toEqual(["Cookies", "RequestHeaders", "ResponseHeaders"]);
  expect(requestedEntryFields({ fields: ["RayID"] })).toEqual([]);
  expect(requestedEntryFields({ name: "a" })).toBeNull();
});
