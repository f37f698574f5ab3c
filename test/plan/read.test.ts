import { describe, expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, plan } from "../../src/index.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { checkPlan, readPlan } from "../../src/plan/read-document.js";
import { quickFolder } from "../apply/run.js";

const ONE = { description: "One", action: "log", expression: "true", value: "script-src 'self'" };
const OLD = { ...ONE, description: "Old" };
const FILE = JSON.stringify({
  version: 1,
  zones: {
    "shop.example.com": {
      settings: { enabled: true },
      policies: [ONE, { description: "Old", ensure: "absent" }],
    },
    "gone.example.com": { settings: { enabled: true } },
  },
});

/** A plan of one zone, and of another that could not be planned. */
async function planned() {
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": { policies: [{ ...OLD, enabled: true }] } } },
  });
  onTestFinished(() => emulator.close());
  const cwd = await quickFolder(FILE);
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
  const options = { cwd, environment };
  const { document } = await plan(options);
  if (document === null) throw new Error("there is a plan");
  return { emulator, options, document, text: JSON.stringify(document, null, 2) };
}

type Edited = { [key: string]: Json & JsonObject & Edited[] };

const edits: [string, (document: Edited) => void, string][] = [
  ["of another version", (plan) => Object.assign(plan, { format_version: "2" }), "bad_plan"],
  ["without its digest", (plan) => void delete plan.digest, "bad_plan"],
  [
    "with another digest",
    (plan) => Object.assign(plan, { digest: `sha256:${"0".repeat(64)}` }),
    "plan_edited",
  ],
  ["without its calls", (plan) => Object.assign(plan, { calls: [] }), "plan_edited"],
  ["without the live state", (plan) => Object.assign(plan, { seen: [] }), "plan_edited"],
  ["with another path", (plan) => Object.assign(first(plan.calls), { path: "/zones/1" }), "plan_edited"],
  ["with a call without a path", (plan) => void delete first(plan.calls).path, "bad_plan"],
  ["with another id of a zone", (plan) => Object.assign(first(plan.zones), { zone_id: "1" }), "plan_edited"],
  [
    "with another id in a change",
    (plan) => Object.assign(first(plan.changes), { zone_id: "1" }),
    "plan_edited",
  ],
  ["that lists a zone twice", (plan) => void plan.zones?.push(first(plan.zones)), "plan_edited"],
  [
    "with calls for a zone that failed",
    (plan) => Object.assign(first(plan.zones), { status: "failed" }),
    "plan_edited",
  ],
  ["with other step numbers", (plan) => Object.assign(first(plan.calls), { step: 7 }), "plan_edited"],
  [
    "with a call for another change",
    (plan) => Object.assign(first(plan.calls), { changes: [9] }),
    "plan_edited",
  ],
  [
    "with a guardrail for a change of no zone",
    (plan) =>
      Object.assign(plan, { guardrails: [{ name: "weakens", message: "", allowed: true, changes: [0] }] }),
    "plan_edited",
  ],
  ["with a call for no change", (plan) => Object.assign(first(plan.calls), { changes: [] }), "plan_edited"],
  [
    "with a changed label and the same digest",
    (plan) => {
      const own = plan.changes?.filter(({ action }) => String(action) !== "create") ?? [];
      for (const call of plan.calls ?? []) Object.assign(call, { changes: [0] });
      Object.assign(plan, { changes: own });
      Object.assign(plan.summary ?? {}, { create: 0 });
    },
    "plan_edited",
  ],
  [
    "with a delete labelled update and the same digest",
    (plan) => {
      for (const change of plan.changes ?? [])
        if (String(change.action) === "delete") Object.assign(change, { action: "update" });
      Object.assign(plan.summary ?? {}, { delete: 0, update: Number(plan.summary?.update) + 1 });
    },
    "plan_edited",
  ],
  ["with another total", (plan) => Object.assign(plan.summary ?? {}, { create: 0 }), "plan_edited"],
];

function first(list: Edited[] | undefined): Edited {
  const [one] = list ?? [];
  if (one === undefined) throw new Error("there is one");
  return one;
}

describe("a plan document", () => {
  test("can be read with any indentation", async () => {
    const { document, text } = await planned();
    expect(document.zones.map(({ status }) => status).sort()).toEqual(["failed", "planned"]);
    expect(readPlan("plan.json", text)).toEqual({ ok: true, value: document });
    expect(readPlan("plan.json", JSON.stringify(document))).toEqual({ ok: true, value: document });
    expect(checkPlan("The plan", document)).toEqual({ ok: true, value: document });
  });

  test.each(edits)(
    "%s is refused by the program and the library, and nothing is written",
    async (_, edit, code) => {
      const { emulator, options, document } = await planned();
      const edited = structuredClone(document) as unknown as Edited; // to be broken
      edit(edited);
      expect(readPlan("plan.json", JSON.stringify(edited))).toMatchObject({
        ok: false,
        problems: [{ code }],
      });
      const { report, problems } = await apply({ ...options, plan: edited as never });
      expect([report, problems.map((each) => each.code)]).toEqual([null, [code]]);
      expect(emulator.writes()).toEqual([]);
    },
  );

  test.each([
    ["zoneward.yaml", "run zoneward plan -c zoneward.yaml."],
    ["j.jsonl", "To undo its apply: zoneward rollback j.jsonl."],
    ["plan.txt", "Write plan files with zoneward plan -o."],
  ])("that is another kind of file is refused with advice: %s", (name, advice) => {
    const read = readPlan(name, "{}\n{}\n");
    expect(read.ok ? "" : read.problems[0]?.detail).toContain(advice);
  });

  test("with a duplicate key is refused, because a reviewer may have seen the other value", async () => {
    const { text } = await planned();
    const [, digest = ""] = /\n( {2}"digest": .*)\n/.exec(text) ?? [];
    const twice = text.replace(digest, `  "digest": "sha256:0",\n${digest}`);
    const read = readPlan("plan.json", twice);
    expect(read.ok ? "" : read.problems[0]?.detail).toContain('has the key "digest" twice');
  });

  test.each<[string, unknown]>([
    ["nothing", null],
    ["an empty map", {}],
    ["a list", []],
    ["a function", () => {}],
    ["a number that JSON does not have", { format_version: 1n }],
    ["a circle", circle()],
    ["a deep value", JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`)],
  ])("that is %s is refused by the library", async (_, value) => {
    const { emulator, options } = await planned();
    const { report, problems } = await apply({ ...options, plan: value as never });
    expect([report, problems.map((each) => each.code)]).toEqual([null, ["bad_plan"]]);
    expect(emulator.writes()).toEqual([]);
  });
});

function circle() {
  const round: { self?: unknown } = {};
  round.self = round;
  return round;
}
