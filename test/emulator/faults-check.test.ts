import { describe, expect, test } from "vitest";
import { checkFaults, readShortForm, together } from "../../src/emulator/index.js";
import type { Json } from "../../src/model/json.js";

describe("an error in faults", () => {
  const scheduled = (entry: Json) => ({ schedule: [entry] });
  const rated = (entry: Json) => ({ rates: [entry] });
  const editing = (edit: Json) => scheduled({ before: edit });
  const rows: readonly [what: string, value: Json, details: readonly RegExp[]][] = [
    ["nothing", null, [/^At the top: must be an object/]],
    ["a list", [], [/^At the top: must be an object/]],
    ["an unknown field", { schedul: [] }, [/^At \/schedul: .*Known fields: seed, schedule, rates/]],
    ["an invalid seed", { seed: 1.5 }, [/^At \/seed: must be a whole number/]],
    ["a schedule that is not a list", { schedule: {} }, [/^At \/schedule: must be a list/]],
    ["an entry that is not an object", scheduled("reset-after"), [/^At \/schedule\/0: must be an object/]],
    [
      "no fault",
      scheduled({ nth: 1 }),
      [/^At \/schedule\/0: an entry needs exactly one of these: fault, before, after/],
    ],
    [
      "two things at once",
      scheduled({ fault: "drip", after: { edit: "settings", zone: "a", set: {} } }),
      [/^At \/schedule\/0: an entry needs exactly one of these/],
    ],
    [
      "a misspelt fault",
      scheduled({ fault: "reset-aftr" }),
      [/^At \/schedule\/0\/fault: .*Did you mean reset-after\?/],
    ],
    ["a fault that is a number", scheduled({ fault: 429 }), [/^At \/schedule\/0\/fault: .*reset-before,/]],
    ["a fault inherited by all objects", scheduled({ fault: "constructor" }), [/^At \/schedule\/0\/fault/]],
    ["request 0", scheduled({ nth: 0, fault: "drip" }), [/^At \/schedule\/0\/nth: .*from 1/]],
    ["a fractional request number", scheduled({ nth: 1.5, fault: "drip" }), [/^At \/schedule\/0\/nth/]],
    ["a chance in the schedule", scheduled({ chance: 1, fault: "drip" }), [/^At \/schedule\/0\/chance/]],
    ["a rate without a chance", rated({ fault: "drip" }), [/^At \/rates\/0: the field "chance" is missing/]],
    ["a chance in percent", rated({ chance: 5, fault: "drip" }), [/^At \/rates\/0\/chance: .*from 0 to 1/]],
    [
      "a method in lower case",
      scheduled({ method: "post", fault: "drip" }),
      [/^At \/schedule\/0\/method: must be one of GET/],
    ],
    [
      "a path with a host",
      scheduled({ path: "http://x/", fault: "drip" }),
      [/^At \/schedule\/0\/path: .*with \/ or \*/],
    ],
    [
      "seconds that are not a number",
      scheduled({ fault: "drip", seconds: "1" }),
      [/^At \/schedule\/0\/seconds: must be a number/],
    ],
    [
      "negative seconds",
      scheduled({ fault: "drip", seconds: -1 }),
      [/^At \/schedule\/0\/seconds: must be a number/],
    ],
    [
      "seconds for a fault that has none",
      scheduled({ fault: "reset-after", seconds: 1 }),
      [/^At \/schedule\/0\/seconds: only these faults can have seconds: 503-before/],
    ],
    ["an edit that is not an object", editing("policy"), [/^At \/schedule\/0\/before: must be an object/]],
    [
      "an edit without an object kind",
      editing({ zone: "a", remove: true }),
      [/^At \/schedule\/0\/before: the field "edit" is missing/],
    ],
    ["an edit without a zone", editing({ edit: "policy", remove: true }), [/the field "zone" is missing/]],
    [
      "an edit of an unknown kind",
      editing({ edit: "zone", zone: "a", set: {} }),
      [/^At \/schedule\/0\/before\/edit: must be one of settings, policy/],
    ],
    [
      "a rule without a phase",
      editing({ edit: "rule", zone: "a", add: {} }),
      [/the field "phase" is missing/],
    ],
    [
      "an unknown phase",
      editing({ edit: "rule", zone: "a", phase: "x", add: {} }),
      [/\/phase: must be one of ddos_l4/],
    ],
    [
      "a phase for objects without phases",
      editing({ edit: "policy", zone: "a", phase: "ddos_l4", add: {} }),
      [/\/phase: only edits of a rule can have a phase/],
    ],
    [
      "an edit without an action",
      editing({ edit: "policy", zone: "a" }),
      [/an edit needs exactly one of these: add, set, remove/],
    ],
    [
      "removal of settings",
      editing({ edit: "settings", zone: "a", remove: true }),
      [/an edit needs exactly one of these: set\./],
    ],
    ["remove: false", editing({ edit: "policy", zone: "a", remove: false }), [/\/remove: must be true/]],
    [
      "a selection beside add",
      editing({ edit: "policy", zone: "a", where: {}, add: {} }),
      [/\/where: this edit cannot have a where/],
    ],
    ["fields as text", editing({ edit: "policy", zone: "a", set: "x" }), [/\/set: must be an object/]],
    [
      "several",
      { seed: "x", schedule: [{ fault: "drip" }, { fault: "drap", nth: -1 }] },
      [/^At \/seed/, /^At \/schedule\/1\/nth/, /^At \/schedule\/1\/fault/],
    ],
  ];
  test.each(rows)("is reported with its place: %s", (_, value, details) => {
    const checked = checkFaults(value);
    const found = checked.ok ? [] : [...checked.problems];
    expect(found.map(({ code }) => code)).toEqual(details.map(() => "invalid_faults"));
    for (const detail of details) expect(found.filter((each) => detail.test(each.detail))).toHaveLength(1);
  });

  test("is not reported in valid faults", () => {
    const right = {
      seed: -3,
      schedule: [
        { fault: "reset-after" },
        { nth: 2, method: "write", path: "*", fault: "429-date", seconds: 0.5 },
        { after: { edit: "rule", zone: "a", phase: "ddos_l4", where: {}, remove: true } },
      ],
      rates: [{ chance: 0, before: { edit: "settings", zone: "a", set: {} } }],
    };
    expect(checkFaults(right)).toEqual({ ok: true, value: right });
    expect(checkFaults({})).toEqual({ ok: true, value: {} });
  });
});

describe("the short form", () => {
  const rows: readonly [text: string, faults: Json][] = [
    ["reset-after", { schedule: [{ fault: "reset-after" }] }],
    ["3: drip", { schedule: [{ nth: 3, fault: "drip" }] }],
    ["write:drip", { schedule: [{ method: "write", fault: "drip" }] }],
    [
      "POST */policies: reset-after",
      { schedule: [{ method: "POST", path: "*/policies", fault: "reset-after" }] },
    ],
    [
      " 2  PUT /zones/* : 429-seconds 30 ",
      { schedule: [{ nth: 2, method: "PUT", path: "/zones/*", fault: "429-seconds", seconds: 30 }] },
    ],
    ["2.5% GET: 500-before", { rates: [{ chance: 0.025, method: "GET", fault: "500-before" }] }],
  ];
  test.each(rows)("%j is valid", (text, value) => {
    expect(readShortForm(text)).toEqual({ ok: true, value });
  });

  test.each([
    ["", "unknown fault"],
    ["2: reset-aftr", "Did you mean reset-after?"],
    ["0: drip", "must be a whole number from 1 up"],
    ["200%: drip", "a chance must be a number from 0 to 1"],
    ["drip soon", "must be a number from 0 to 86400"],
    ["reset-after 3", "only these faults can have seconds"],
    ["POST PUT: drip", "does not have the form [WHEN] [METHOD] [PATH]: FAULT [SECONDS]"],
    ["2 5%: drip", "does not have the form"],
    ["post: drip", "does not have the form"],
    ["drip 1 2", "does not have the form"],
    ["a: b: drip", "does not have the form"],
  ])("%j is refused", (text, detail) => {
    const read = readShortForm(text);
    expect(read.ok ? [] : read.problems.map((each) => each.code)).toEqual(["invalid_faults"]);
    expect(read.ok ? "" : read.problems[0]?.detail).toContain(detail);
    expect(read.ok ? "" : read.problems[0]?.detail).toContain(JSON.stringify(text));
  });
});

test("faults from several sources are joined in order, and the first seed counts", () => {
  const [one, other] = [{ fault: "drip" } as const, { chance: 1, fault: "redirect" } as const];
  const all = together([
    { schedule: [one] },
    { seed: 2, rates: [other] },
    { seed: 3, schedule: [{ nth: 2, ...one }] },
  ]);
  expect(all).toEqual({ seed: 2, schedule: [one, { nth: 2, ...one }], rates: [other] });
});
