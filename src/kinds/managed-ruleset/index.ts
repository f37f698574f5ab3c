import { remembered } from "../../model/remembered.js";
import { expressionMeaning } from "../expression.js";
import { set } from "../fields.js";
import type { Kind } from "../kind.js";
import { allowingExpression, beyondLimit } from "../limits.js";
import { checkManagedRuleset } from "./check.js";
import { configOf } from "./config.js";
import { foundBy, PHASE, readsAccount } from "./managed.js";
import { liveNormal, wantedNormal } from "./normal.js";
import { type Context, read, readForExport, toReRead } from "./read.js";
import { managedRulesetSchema } from "./schema.js";
import { steps } from "./steps.js";
import { blockingOf, strengthOf } from "./strength.js";
import { hindrancesOf, unmanagedRulesOf } from "./unmanaged-rules.js";

import { explain, singleRules } from "./words.js";

/** The managed core ruleset: one rule in the zone's list of the phase executes it, with overrides that tune it. */
export const managedRuleset: Kind<Context> = {
  name: PHASE.kind,
  section: "managed_ruleset",
  shape: { as: "one" },
  schema: managedRulesetSchema,
  aliases: {},
  sensitive: {},
  immutable: [],
  volatile: [],
  creation: {
    possible: true,
    required: [],
    // As the dashboard deploys it.
    defaults: {
      enabled: true,
      expression: "true",
      paranoia_level: "PL1",
      score_threshold: 40,
      action: "block",
    },
  },
  meanings: {
    expression: expressionMeaning,
    disabled_tags: set,
    disabled_rules: set,
    rules: singleRules,
  },
  permissions: { read: "Zone WAF Read", write: "Zone WAF Write", account: "Account WAF Read" },
  readsAccount,

  check: checkManagedRuleset,
  read,
  foundBy,
  normalOf: (raw, { managed }, [declared]) => liveNormal(raw, managed?.scoring ?? null, declared?.body ?? {}),
  toReRead,
  readForExport,
  toDesired: remembered(wantedNormal),
  toConfig: configOf,
  allowing: allowingExpression,
  unmanaged: (_, context) => unmanagedRulesOf(context),
  checkWhole: () => [],
  dimensions: strengthOf,
  blocking: blockingOf,
  hindrances: hindrancesOf,
  steps,
  explain,
  concerns: ({ normal }, { limits }) =>
    beyondLimit("managed ruleset's rule", "expression", normal.expression, limits.expression_chars),
};
