import { describe, expect, test } from "vitest";
import { open as opened } from "../../src/api/envelope.js";
import { type ApplyPorts, applyZone } from "../../src/apply/zone.js";
import { type Item, NO_ORIGINS } from "../../src/model/item.js";
import type { JournalLine } from "../../src/model/journal.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import type { Change, Step, ZonePlan } from "../../src/model/plan.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import { itemOf } from "../support/item-of.js";

const list = "/zones/z/rulesets/phases/p/entrypoint";
const rules = [{ id: "a", action: "skip" }];

const put: Step = {
  n: 1,
  method: "PUT",
  path: ["zones", "z", "rulesets", "r"],
  body: { rules },
  secretFields: [],
  changes: [0],
  needs: [],
  effects: [],
  findCreated: null,
  precondition: { read: list, fields: { version: "3", rules } },
};
const post: Step = { ...put, method: "POST", path: ["zones", "z", "rulesets"], precondition: null };
const fill: Step = {
  ...put,
  n: 2,
  path: ["zones", "z", "rulesets", { $result: 1 }],
  needs: [1],
  precondition: null,
};

function planOf(...steps: readonly Step[]): ZonePlan {
  return {
    zone: "shop.example.com",
    place: { id: "z" },
    counts: { unchanged: 0, requests: 1 },
    changes: [],
    steps,
    notPlanned: [],
    live: { seen: [], unmanaged: [], letGo: [], unlisted: [], journaled: [] },
    meaning: { moves: [], impact: null, breaches: [] },
    secrets: { values: new Map([["env:PLACE", "s3://secret"]]), unset: [], written: null },
    problems: [],
    digest: "sha256:",
  };
}

/** Ports that record sent calls. `live` is the state of the list; null: the read fails. */
function handsOver(plan: ZonePlan, live: Json, answer: Json = { id: "made" }) {
  const sent: { readonly call: string; readonly body: Json | null }[] = [];
  const seen = live === null ? failed(problem("timeout", "Late", "It was late.")) : ok(live);
  const hands: ApplyPorts = {
    send: async ({ step: { method }, path, body, read, objection }) => {
      const against = objection(read === null ? null : seen);
      if (against !== null) return { ...failed(against), againMs: null };
      sent.push({ call: `${method} ${path}`, body });
      return { ok: true, value: answer };
    },
    read: async () => seen,
    list: async () => ok([]),
    fieldsDiffering: () => ["all"],
    isOptional: () => false,
    replan: async () => ok(sent.length === 0 ? plan : { ...plan, steps: [] }),
    pause: async () => {},
    note: () => null,
    stopping: () => false,
  };
  return { hands, sent };
}

test("replaces a list that has the planned state, whatever other fields the answer has", async () => {
  const plan = planOf(put);
  const { hands, sent } = handsOver(plan, { id: "r", version: "3", rules, last_updated: "now" });
  const { zone } = await applyZone(plan, 1, hands);
  expect(zone.converged).toBe(true);
  expect(sent.map(({ call }) => call)).toEqual(["PUT /zones/z/rulesets/r"]);
});

test("reports the read error of a section that can no longer be read, and writes nothing", async () => {
  const plan = planOf(put);
  const { hands, sent } = handsOver(plan, { id: "r", version: "3", rules });
  const unread = problem("connection_refused", "Connection refused", "The host does not answer.");
  const replan = async () => ok({ ...plan, notPlanned: [{ section: "custom_rules", problems: [unread] }] });
  const { zone } = await applyZone(plan, 1, { ...hands, replan });
  expect([zone.converged, zone.problems, sent]).toEqual([false, [unread], []]);
});

test.each<[what: string, live: Json, code: string]>([
  ["another version", { id: "r", version: "4", rules }, "stale_live"],
  ["other rules", { id: "r", version: "3", rules: [...rules, { id: "b" }] }, "stale_live"],
  ["missing rules", { id: "r", version: "3" }, "stale_live"],
  ["a failed read", null, "timeout"],
])("stops the zone after %s right before the replacement of a list", async (_, live, code) => {
  const plan = planOf(put);
  const { hands, sent } = handsOver(plan, live);
  const { outcomes, zone } = await applyZone(plan, 1, hands);
  expect(sent).toEqual([]);
  expect(outcomes.map(({ status }) => status)).toEqual(["not_started"]);
  expect(zone.problems.map((each) => each.code)).toEqual([code]);
});

test("puts the id from one call into the path of the next, and into the report", async () => {
  const plan = planOf(post, fill);
  const { hands, sent } = handsOver(plan, {});
  const { outcomes } = await applyZone(plan, 7, hands);
  expect(sent.map(({ call }) => call)).toEqual(["POST /zones/z/rulesets", "PUT /zones/z/rulesets/made"]);
  expect(outcomes.map(({ step, call }) => [step, call])).toEqual([
    [7, "POST /zones/z/rulesets"],
    [8, "PUT /zones/z/rulesets/made"],
  ]);
});

test.each([[{}], [{ id: 7.5 }], [{ id: "../x" }], [null]])(
  "stops the zone before a call that needs an id if the answer has none (%j)",
  async (answer: Json) => {
    const plan = planOf(post, fill);
    const { hands, sent } = handsOver(plan, {}, answer);
    const { outcomes } = await applyZone(plan, 1, hands);
    expect(sent).toHaveLength(1);
    expect(outcomes.map(({ status, call }) => [status, call])).toEqual([
      ["failed", "POST /zones/z/rulesets"],
      ["not_started", "PUT /zones/z/rulesets/{result:1}"],
    ]);
  },
);

test("fills in secrets only in the secret fields of a step", async () => {
  const secret = { $secret: "env:PLACE" };
  const body = { destination_conf: secret, note: secret, other: { $secret: "env:NONE" }, rules: [secret] };
  const plan = planOf({ ...post, body, secretFields: ["destination_conf"] });
  const { hands, sent } = handsOver(plan, {});
  await applyZone(plan, 1, hands);
  expect(sent[0]?.body).toEqual({ ...body, destination_conf: "s3://secret" });
});

function changeOf(before: Item): Change {
  return {
    index: 0,
    ref: before.ref,
    action: "update",
    replaces: false,
    before,
    after: before,
    was: null,
    fields: [],
    shifts: [],
    blocking: [],
    origins: NO_ORIGINS,
    redirects: [],
    drift: null,
    at: null,
    removed: null,
  };
}

test("reports an object as stale if a hidden field moved, and names the field without its value", async () => {
  const planOver = (raw: JsonObject): ZonePlan => {
    const job: Item = { ...itemOf({}), ref: { kind: "logpush_job", key: "j", id: "7" }, raw };
    const plan = planOf(put);
    const state = { objects: new Map([["logpush_job", { items: [job], context: null }]]), rules: new Map() };
    const meaning = { ...plan.meaning, states: { before: state, after: state } };
    return { ...plan, changes: [changeOf(job)], meaning };
  };
  const before = planOver({ id: 7, filter: "", destination_conf: "s3://a" });
  const after = planOver({ id: 7, filter: "x", destination_conf: "s3://b" });
  const { hands, sent } = handsOver(after, { version: "3", rules });
  const { zone } = await applyZone(before, 1, hands);
  expect(sent).toEqual([]);
  expect(zone.problems.map(({ code, detail }) => [code, detail])).toEqual([
    [
      "stale_live",
      'Since the plan was made, shop.example.com has changed: logpush_job "j" (filter, destination_conf). Plan again. Nothing was written to this zone.',
    ],
  ]);
});

describe("a call refused because of the form of its flag", () => {
  const body = { description: "A", enabled: true };
  const create: Step = { ...post, path: ["zones", "z", "page_shield", "policies"], body };
  const refusal = (pointer: string, status = 400) => {
    const text = JSON.stringify({ success: false, errors: [{ message: "no", source: { pointer } }] });
    return opened(
      { method: "POST", path: "/p" },
      { as: "answer", status, headers: {}, body: text },
      (said) => said,
    );
  };

  /**
   * Applies the plan while the service gives these refusals first. Returns the sent flags and the journal.
   */
  async function applied(...refusals: readonly Result<unknown>[]) {
    const { hands, sent } = handsOver(planOf(create), {});
    const lines: JournalLine[] = [];
    const flags: unknown[] = [];
    const left = [...refusals];
    const { outcomes } = await applyZone(planOf(create), 1, {
      ...hands,
      note: (line) => {
        lines.push(line);
        return null;
      },
      send: async (call) => {
        flags.push((call.body as JsonObject).enabled);
        const refused = left.shift();
        if (refused === undefined || refused.ok) return hands.send(call);
        call.objection(null);
        return { ...refused, againMs: null };
      },
    });
    const journal = lines.flatMap((line) => {
      if (line.type === "intent") return [[line.attempt, line.body?.enabled]];
      return line.type === "outcome" ? [[line.attempt, line.status]] : [];
    });
    return { flags, journal, statuses: outcomes.map(({ status }) => status), sent };
  }

  test("is sent once more in the other form, and the journal records both", async () => {
    const { flags, journal, statuses } = await applied(refusal("/enabled"));
    expect(flags).toEqual([true, "true"]);
    expect(journal).toEqual([
      [1, true],
      [1, "failed"],
      [2, "true"],
      [2, "done"],
    ]);
    expect(statuses).toEqual(["done"]);
  });

  test("is not sent a third time", async () => {
    const { flags, statuses } = await applied(refusal("/enabled"), refusal("/enabled"));
    expect(flags).toEqual([true, "true"]);
    expect(statuses).toEqual(["failed"]);
  });

  test.each([
    ["A call refused for another field", refusal("/value")],
    ["A call refused without a reason", refusal("")],
    ["A call refused with another status", refusal("/enabled", 403)],
  ])("%s is not retried", async (_, refused) => {
    const { flags, statuses } = await applied(refused);
    expect([flags, statuses]).toEqual([[true], ["failed"]]);
  });
});

test("does not mistake an object from an earlier call for the result of a later one", async () => {
  const findCreated = { list: "/zones/z/rulesets", where: {}, known: ["a"] };
  const plan = planOf({ ...post, findCreated }, { ...post, n: 2, findCreated });
  const { hands } = handsOver(plan, {});
  const answers = ["made", "timeout"];
  const { outcomes } = await applyZone(plan, 1, {
    ...hands,
    send: async (call) => {
      const answer = answers.shift();
      if (answer !== "timeout") return hands.send(call);
      call.objection(null);
      const late = problem("timeout", "Late", "It was late.");
      const why = Object.assign(late, { http: { status: null, codes: [], sent: "unknown" } });
      return { ...failed(why), againMs: null };
    },
    list: async () => ok([{ id: "a" }, { id: "made" }, { id: "ours" }]),
    fieldsDiffering: () => [],
  });
  expect(outcomes.map(({ status, problem: why }) => [status, why?.code])).toEqual([
    ["done", undefined],
    ["done", undefined],
  ]);
});
