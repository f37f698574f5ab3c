import type { Json } from "../../model/json.js";
import type { Schema } from "../../model/wanted.js";
import { orUntil } from "../until.js";

/** As the API calls them; the dashboard's labels are Block, Managed Challenge, JS Challenge, Interactive Challenge, Log. */
const ACTIONS: readonly Json[] = ["block", "managed_challenge", "js_challenge", "challenge", "log"];

const ID = "^[0-9a-fA-F]{32}$";

/** Below the first level too, null removes what a template gives. */
const override: Schema = {
  type: ["object", "null"],
  additionalProperties: false,
  properties: {
    enabled: { type: ["boolean", "null"], description: "Whether the rule runs." },
    action: { enum: [...ACTIONS, null], description: "What the rule does in place of its own action." },
  },
};

export const managedRulesetSchema: Schema = {
  title: "Managed ruleset",
  description:
    "A managed ruleset: the core ruleset, which adds up a threat score for each request, or one whose rules act by themselves. A key that is absent is left as it is.",
  type: "object",
  additionalProperties: false,
  properties: {
    ruleset: {
      type: "string",
      pattern: "\\S",
      description:
        "The ruleset's name or id in the account's list of rulesets. Each can be there once, in managed_ruleset and managed_rulesets together.",
      default: "Cloudflare OWASP Core Ruleset",
    },
    ensure: { enum: ["absent"], description: "absent: remove the rule that executes the ruleset." },
    enabled: { type: "boolean", description: "Whether the ruleset runs. A new one does." },
    paranoia_level: {
      enum: ["PL1", "PL2", "PL3", "PL4"],
      description:
        "How many of the rules run: PL1 the fewest, PL4 the most. It is written as the tags paranoia-level-2 to -4 that are off. Only of a ruleset with a score.",
    },
    score_threshold: {
      type: ["string", "integer"],
      pattern: "^(low|medium|high)$",
      minimum: 1,
      description:
        "low (60), medium (40), high (25), or a whole number from 1: the action runs above this score. Only of a ruleset with a score.",
    },
    action: {
      enum: [...ACTIONS, "default"],
      description:
        "What happens to a request whose score is above the threshold; of a ruleset without a score, what all its rules do, or default: each its own. challenge is the dashboard's Interactive Challenge.",
    },
    expression: {
      type: "string",
      pattern: "\\S",
      description:
        "A filter expression: the requests that the ruleset looks at. The text true is every request.",
    },
    disabled_tags: {
      type: "array",
      items: orUntil("tag", { type: "string", pattern: "\\S", description: "A tag of rules." }),
      description:
        "Tags whose rules do not run, all of them: one that is off and not listed goes on again. Paranoia levels are not among them.",
      examples: [["platform-wordpress"]],
    },
    tags: {
      type: "object",
      additionalProperties: override,
      description:
        "Single tags of a ruleset without a score, in place of disabled_tags. Those not named stay as they are. Where a rule has several, the last one counts that the service lists: what is new comes last.",
      examples: [{ wordpress: { enabled: false } }],
    },
    disabled_rules: {
      type: "array",
      items: orUntil("id", {
        type: "string",
        pattern: ID,
        description: "The id of a rule has 32 hexadecimal digits.",
      }),
      description:
        "The ids of rules that do not run, all of them: one that is off and not listed goes on again.",
    },
    rules: {
      type: "object",
      additionalProperties: override,
      description: "Single rules by their ids, in place of disabled_rules. Those not named stay as they are.",
    },
    score_rule: {
      type: "string",
      pattern: ID,
      description:
        "The id of the ruleset's scoring rule has 32 hexadecimal digits. With it, the account's rulesets need not be read.",
    },
    payload_logging: {
      type: "object",
      additionalProperties: false,
      properties: {
        public_key: {
          type: ["string", "null"],
          pattern: "\\S",
          description: "The public key that logged parts of requests are encrypted with.",
          examples: ["Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8="],
        },
        ensure: { enum: ["absent", null], description: "absent: switch payload logging off." },
      },
      description: "Logging of the parts of a request that made rules match.",
    },
  },
};
