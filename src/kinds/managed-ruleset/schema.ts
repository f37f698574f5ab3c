import type { Schema } from "../../model/declared-zone.js";
import { ACTIONS } from "../rule-actions.js";
import { RULE_ID, ruleId, text } from "../schema.js";
import { orUntil } from "../until.js";

/** Null removes a template's value, at every level. */
const override: Schema = {
  type: ["object", "null"],
  additionalProperties: false,
  properties: {
    enabled: { type: ["boolean", "null"], description: "Whether the rule runs." },
    action: { enum: [...ACTIONS, null], description: "The action, in place of the rule's own." },
  },
};

export const managedRulesetSchema: Schema = {
  title: "Managed ruleset",
  description:
    "A managed ruleset: one with a threat score, such as the OWASP core ruleset, or one whose rules act by themselves.",
  type: "object",
  additionalProperties: false,
  properties: {
    ruleset: text("The ruleset's name or id in the account. A zone may list each ruleset once.", {
      default: "Cloudflare OWASP Core Ruleset",
    }),
    ensure: { enum: ["absent"], description: "absent: remove the rule that executes the ruleset." },
    enabled: { type: "boolean", description: "Whether the ruleset runs. Default of a new ruleset: true." },
    paranoia_level: {
      enum: ["PL1", "PL2", "PL3", "PL4"],
      description: "How many rules run: PL1 the fewest, PL4 the most. Only for a ruleset with a score.",
    },
    score_threshold: {
      type: ["string", "integer"],
      pattern: "^(low|medium|high)$",
      minimum: 1,
      description:
        "The score above which the action runs: low (60), medium (40), high (25) or a number. Only for a ruleset with a score.",
    },
    action: {
      enum: [...ACTIONS, "default"],
      description:
        "The action above the threshold, or of all rules of a ruleset without a score. default: each rule's own action; challenge: the dashboard's Interactive Challenge.",
    },
    expression: text(
      'The requests that the ruleset checks, as a filter expression. "true" matches every request.',
    ),
    disabled_tags: {
      type: "array",
      items: orUntil("tag", text("A tag of rules.")),
      description:
        "All disabled tags, without the paranoia levels. A disabled tag that is not listed is enabled again.",
      examples: [["platform-wordpress"]],
    },
    tags: {
      type: "object",
      additionalProperties: override,
      description:
        "Overrides by tag, instead of disabled_tags, for a ruleset without a score. Other tags stay as they are.",
      examples: [{ wordpress: { enabled: false } }],
    },
    disabled_rules: {
      type: "array",
      items: orUntil("id", ruleId),
      description: "All disabled rules, by id. A disabled rule that is not listed is enabled again.",
    },
    rules: {
      type: "object",
      additionalProperties: override,
      description: "Overrides by rule id, instead of disabled_rules. Other rules stay as they are.",
    },
    score_rule: {
      type: "string",
      pattern: RULE_ID,
      description: "The id of the ruleset's scoring rule. With the id, the account's rulesets are not read.",
    },
    payload_logging: {
      type: "object",
      additionalProperties: false,
      properties: {
        public_key: {
          type: ["string", "null"],
          pattern: "\\S",
          description: "The public key that encrypts the payload.",
          examples: ["Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8="],
        },
        ensure: { enum: ["absent", null], description: "absent: turn payload logging off." },
      },
      description: "Logging of the matched parts of requests.",
    },
  },
};
