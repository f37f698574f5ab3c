import { describe, expect, test } from "vitest";
import { customRule } from "../../src/kinds/custom-rules/index.js";
import { type Kind, rulesAt } from "../../src/kinds/kind.js";
import type { LiveRule } from "../../src/kinds/phase.js";
import { rateLimit } from "../../src/kinds/rate-limits/index.js";
import { nothingBeside, type RuleListContext, type RuleTable, ruleList } from "../../src/kinds/rule-list.js";
import { orderOf } from "../../src/kinds/rule-places.js";
import { type JsonObject, without } from "../../src/model/json.js";
import type { SealedObject } from "../../src/model/sealed.js";
import { compareLists, effectOf, shifts } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";

/** A new phase of rules, whose table says nothing about their order. */
const table: RuleTable<null> = {
  section: "config_rules",
  phase: { kind: "config_rule", name: "http_config_settings", description: "Configuration rules" },
  schema: {
    title: "Configuration rule",
    description: "Settings of some requests.",
    noun: "rule",
    expression: { description: "The requests that have the settings." },
  },
  fields: { action: { form: "text", required: true } },
  fromRule: ({ action = null }) => (action === "execute" ? null : { action }),
  toRule: ({ action = null }) => ({ action: String(action) }),
  readBeside: nothingBeside,
  service: { included: { as: "configuration rules" } },
  dimensions: ({ normal: { enabled, action } }) =>
    enabled === false ? {} : { action: { as: "rank", value: action === "block" ? 1 : 0 } },
  blocking: () => ({}),
};

const rule = { description: "A", expression: "true", action: "block", enabled: true };
const misplaced = { ...rule, position: { behind: [] } };
const moved = { ...rule, position: "as declared" };

type Of = (kind: Kind<RuleListContext<null>>) => Kind<RuleListContext<null>>["dimensions"] | undefined;

function effect(rules: RuleTable<null>, before: SealedObject, after: SealedObject, of: Of) {
  const strength = (normal: SealedObject) => of(ruleList(rules))?.(itemOf(normal), null) ?? {};
  return effectOf(shifts(strength(before), strength(after)));
}

describe("a moved rule of a list whose order nothing judges", () => {
  test("has an unknown effect, and may start to block", () => {
    expect(effect(table, misplaced, moved, ({ dimensions }) => dimensions)).toBe("unknown");
    expect(effect(table, misplaced, moved, ({ blocking }) => blocking)).toBe("unknown");
  });

  test("blocks nothing in a phase that blocks nothing", () => {
    const { blocking: _, ...reporting } = table;
    expect(effect(reporting, misplaced, moved, ({ blocking }) => blocking)).toBe("neutral");
  });

  test("has no effect while it is off", () => {
    const off = { enabled: false };
    const dimensions: Of = (kind) => kind.dimensions;
    expect(effect(table, { ...misplaced, ...off }, { ...moved, ...off }, dimensions)).toBe("neutral");
  });
});

test("a new rule at its place has the effect of its other fields", () => {
  const none = { ...rule, action: "none" };
  expect(effect(table, none, rule, ({ dimensions }) => dimensions)).toBe("strengthens");
});

/** The effect of an undeclared rule, and its item if a file can declare it. */
function undeclared(kind: Kind<RuleListContext<null>>, live: LiveRule) {
  const ruleset = { id: "a".repeat(32), rules: [live], description: null, raw: {}, path: "" };
  const context = { ruleset, order: orderOf([], [live]), beside: null };
  const normal = kind.normalOf(live, context, []);
  const ref = { kind: kind.name, key: "A", id: live.id };
  const items = normal === null ? [] : [{ ...itemOf(normal), ref, raw: live }];
  const reports = kind.kept?.undeclared?.(items, context) ?? [];
  return { told: reports.map(({ does, effect }) => [does, effect]), items };
}

describe("an undeclared rule of a table without words for it", () => {
  const toldOf = (action: string) => undeclared(ruleList(table), { ...rule, id: ID, action }).told;

  test("has the effect of a new rule", () => {
    expect(toldOf("block")).toEqual([['does "block" on every request', "strengthens"]]);
    expect(toldOf("none")).toEqual([['does "none" on every request', "neutral"]]);
  });

  test("is unknown if no file can declare it", () => {
    expect(toldOf("execute")).toEqual([['does "execute", an unknown action, on every request', "unknown"]]);
  });
});

const page = { response: { status_code: 403, content_type: "text/html", content: "<p>No" } };

test.each<[title: string, rule: JsonObject]>([
  ["blocks", { action: "block" }],
  ["blocks with a page", { action: "block", action_parameters: page }],
  ["challenges", { action: "js_challenge" }],
  ["logs", { action: "log" }],
  ["does something unknown", { action: "tarpit" }],
])("an undeclared rule that %s has the effect of creating it", (_, members) => {
  const ratelimit = { characteristics: ["ip.src"], period: 60, requests_per_period: 5 };
  for (const kind of [customRule, rateLimit]) {
    const live = { ...rule, id: ID, ...members, ...(kind === rateLimit ? { ratelimit } : {}) };
    const { told, items } = undeclared(kind, live);
    expect(told.map(([, effect]) => effect)).toEqual(items.map(({ normal }) => created(kind, live, normal)));
  }
});

const ID = "1".repeat(32);

function created(kind: Kind<RuleListContext<null>>, live: LiveRule, normal: SealedObject) {
  const judged = rulesAt(kind)?.judged;
  const item = itemOf(normal);
  const blocking = Object.keys(kind.blocking?.(item, null) ?? {});
  const beside = shifts({}, without(kind.dimensions(item, null), blocking));
  if (judged?.by === "rule")
    return effectOf([...judged.shifts(null, normal, "shop.example.com", []), ...beside]);
  const inList = judged?.listed(live) ?? null;
  const ofList = compareLists([], inList === null ? [] : [inList]);
  return effectOf([...ofList.shifts, ...beside]);
}
