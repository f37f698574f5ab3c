import { describe, expect, test } from "vitest";
import type { Kind } from "../../src/kinds/kind.js";
import { nothingBeside, type RuleListContext, type RuleTable, ruleList } from "../../src/kinds/rule-list.js";
import type { SealedObject } from "../../src/model/sealed.js";
import { effectOf, shifts } from "../../src/strength/index.js";
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
  fromRule: ({ action = null }) => ({ action }),
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
