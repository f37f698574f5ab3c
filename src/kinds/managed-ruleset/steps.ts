import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import type { Draft, Drafted, ZoneLive } from "../kind.js";
import { carried, replaceRules, touched, unmoved, wholeRule, withNew } from "../phase.js";
import { type Managed, PHASE } from "./managed.js";
import type { Around } from "./read.js";
import { withFields } from "./write.js";

/**
 * A rule that is there is changed alone, so that other rules of the list are not sent at all; to add or remove one, the
 * list is replaced with all others as they are.
 */
export function steps(changes: readonly Drafted[], zone: ZoneLive<Around>): readonly Draft[] {
  return changes.flatMap((change) => stepsOf(change, zone));
}

function stepsOf({ at, triple, fields }: Drafted, { zoneId, around }: ZoneLive<Around>): readonly Draft[] {
  const { want, live } = triple;
  const { ruleset } = around;
  const rules = ruleset?.rules ?? [];
  if (want === null) {
    const ref = live?.ref ?? absurd();
    const others = rules.filter((rule) => rule.id !== ref.id).map(carried);
    return replaceRules(zoneId, PHASE, ruleset, others, { changes: [at], yields: [{ ref, item: null }] });
  }
  const scoringId = around.managed?.scoring?.id ?? null;
  const yields = [{ ref: want.ref, item: want }];
  if (live === null || ruleset === null) {
    const rule = wholeRule(want) ?? deployed(want, around.managed ?? absurd());
    return replaceRules(zoneId, PHASE, ruleset, withNew(rules, rule, want), { changes: [at], yields });
  }
  const { id, ...rule } = carried(live.raw ?? absurd());
  const changed = fields.map(({ path, after }) => [path, after as Json] as const); // none is sensitive
  const whole = wholeRule(want);
  return [
    {
      method: "PATCH",
      path: ["zones", zoneId, "rulesets", ruleset.id, "rules", String(id)],
      // The body is the whole new definition: what it leaves out is lost.
      body: whole === null ? withFields(rule, changed, scoringId) : { ...whole, ...refOf(rule) },
      changes: [at],
      yields,
      needs: [],
      landed: null,
      expects: unmoved(ruleset),
      touches: touched(PHASE, ruleset),
    },
  ];
}

/** The service takes no other ref than the rule's own. */
function refOf({ ref }: JsonObject): JsonObject {
  return ref === undefined ? {} : { ref };
}

function deployed({ normal }: Item, managed: Managed): JsonObject {
  const fields = Object.entries(normal as JsonObject); // none is sensitive
  return withFields(newRule(managed), fields, managed.scoring?.id ?? null);
}

function newRule({ id, name }: Managed): JsonObject {
  return {
    action: "execute",
    action_parameters: { id, version: "latest" },
    expression: "true",
    description: `Execute ${name ?? `the managed ruleset ${id}`}`,
    enabled: true,
  };
}

function absurd(): never {
  throw new Error("a change has a live or a wanted rule, and read() knows what it is made of");
}
