import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const managed: readonly BadInput[] = [
  {
    name: "values of the managed ruleset that the API does not have",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            managed_ruleset:
              paranoia_level: 2
              score_threshold: lo
              action: Managed Challenge
              enabled: "true"
              paranoia: PL1
          b.example:
            managed_ruleset: { paranoia_level: pl3, score_threshold: 0, action: allow, expression: " ", ruleset: "" }
          c.example:
            managed_ruleset: { score_threshold: 40.5, ensure: present }
      `,
    },
    problems: text`
      a.yaml:5:23 wrong_value /zones/a.example/managed_ruleset/paranoia_level
        paranoia_level is 2. Did you mean "PL2"? It must be PL1, PL2, PL3 or PL4.
      a.yaml:6:24 wrong_value /zones/a.example/managed_ruleset/score_threshold
        score_threshold is "lo". Did you mean "low"? It must be low, medium, high or a whole number.
      a.yaml:7:15 wrong_value /zones/a.example/managed_ruleset/action
        action is "Managed Challenge". Did you mean "managed_challenge"? It must be block, managed_challenge, js_challenge, challenge, log or default.
      a.yaml:8:16 wrong_type /zones/a.example/managed_ruleset/enabled
        enabled is "true". It must be true or false. Write true without quotes. A value from the environment is always a string.
      a.yaml:9:7 unknown_key /zones/a.example/managed_ruleset/paranoia
        managed_ruleset has no such key. Did you mean "paranoia_level"?
      a.yaml:11:40 wrong_value /zones/b.example/managed_ruleset/paranoia_level
        paranoia_level is "pl3". Did you mean "PL3"? It must be PL1, PL2, PL3 or PL4.
      a.yaml:11:62 wrong_value /zones/b.example/managed_ruleset/score_threshold
        score_threshold is 0. It must be 1 or more.
      a.yaml:11:73 wrong_value /zones/b.example/managed_ruleset/action
        action is "allow". It must be block, managed_challenge, js_challenge, challenge, log or default.
      a.yaml:11:92 wrong_value /zones/b.example/managed_ruleset/expression
        expression must not be empty.
      a.yaml:11:106 wrong_value /zones/b.example/managed_ruleset/ruleset
        ruleset must not be empty.
      a.yaml:13:41 wrong_type /zones/c.example/managed_ruleset/score_threshold
        score_threshold is 40.5. It must be low, medium, high or a whole number.
      a.yaml:13:55 wrong_value /zones/c.example/managed_ruleset/ensure
        ensure is "present". It must be absent.
    `,
  },
  {
    name: "rule ids that are not hexadecimal",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            managed_ruleset: { score_rule: "949110", disabled_rules: [942100, "942100: SQL injection"] }
          b.example:
            managed_ruleset: { rules: { "942100": { enabled: false } } }
      `,
    },
    problems: text`
      a.yaml:4:36 wrong_value /zones/a.example/managed_ruleset/score_rule
        score_rule is "949110". It must have 32 hexadecimal digits.
      a.yaml:4:63 wrong_type /zones/a.example/managed_ruleset/disabled_rules/0
        Item 1 of disabled_rules is a number. It must have 32 hexadecimal digits.
      a.yaml:4:71 wrong_value /zones/a.example/managed_ruleset/disabled_rules/1
        Item 2 of disabled_rules is "942100: SQL injection". It must have 32 hexadecimal digits.
      a.yaml:6:33 bad_id /zones/b.example/managed_ruleset/rules/942100
        The id of a rule has 32 hexadecimal digits. Copy it from the dashboard.
    `,
  },
  {
    name: "disabled_rules together with rules",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop: { managed_ruleset: { disabled_rules: [1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d] } }
        zones:
          a.example:
            extends: [shop]
            managed_ruleset: { rules: { 5a6b7c8d5a6b7c8d5a6b7c8d5a6b7c8d: { enabled: false } } }
      `,
    },
    problems: text`
      a.yaml:3:30 conflicting_keys /templates/shop/managed_ruleset/disabled_rules
        disabled_rules lists all rules that are off, and rules sets single rules. Keep one of the two; in rules, enabled: false switches a rule off.
    `,
  },
  {
    name: "empty and unknown overrides of rules",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            managed_ruleset:
              rules:
                5a6b7c8d5a6b7c8d5a6b7c8d5a6b7c8d: { score_threshold: 40 }
                9a0b1c2d9a0b1c2d9a0b1c2d9a0b1c2d: { action: score, enabled: false }
          b.example:
            managed_ruleset:
              rules:
                1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d: {}
                9a0b1c2d9a0b1c2d9a0b1c2d9a0b1c2d: { enabled: false }
                9A0B1C2D9a0b1c2d9a0b1c2d9a0b1c2d: { enabled: false }
      `,
    },
    problems: text`
      a.yaml:6:45 unknown_key /zones/a.example/managed_ruleset/rules/5a6b7c8d5a6b7c8d5a6b7c8d5a6b7c8d/score_threshold
        5a6b7c8d5a6b7c8d5a6b7c8d5a6b7c8d has no such key. Keys here: enabled, action.
      a.yaml:7:53 wrong_value /zones/a.example/managed_ruleset/rules/9a0b1c2d9a0b1c2d9a0b1c2d9a0b1c2d/action
        action is "score". It must be block, managed_challenge, js_challenge, challenge or log.
      a.yaml:11:9 empty_override /zones/b.example/managed_ruleset/rules/1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d
        The entry sets nothing. Give it enabled or action, or remove it.
      a.yaml:13:9 duplicate_item /zones/b.example/managed_ruleset/rules/9A0B1C2D9a0b1c2d9a0b1c2d9a0b1c2d
        It is named here already. Remove one of the two.
    `,
  },
  {
    name: "the scoring rule among other rules",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            managed_ruleset: { disabled_rules: [6179AE15870a4bb7b2d480d4843b323c] }
          b.example:
            managed_ruleset:
              ruleset: abcd0000888800008888000088880000
              score_rule: 1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d
              rules: { 1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d: { action: log } }
      `,
    },
    problems: text`
      a.yaml:4:41 scoring_rule_listed /zones/a.example/managed_ruleset/disabled_rules/0
        6179ae15870a4bb7b2d480d4843b323c is the rule that acts on the score. Remove it here, and set action and score_threshold instead (or enabled: false to switch the ruleset off).
      a.yaml:9:16 scoring_rule_listed /zones/b.example/managed_ruleset/rules/1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d
        1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d is the rule that acts on the score. Remove it here, and set action and score_threshold instead (or enabled: false to switch the ruleset off).
    `,
  },
  {
    name: "paranoia levels among tags, and repeated items",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            managed_ruleset:
              disabled_tags: [paranoia-level-3, platform-mysql, platform-mysql, Paranoia-Level-2]
              disabled_rules: [1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d, 1A2B3C4D1a2b3c4d1a2b3c4d1a2b3c4d]
          b.example:
            managed_ruleset: { disabled_tags: [""] }
      `,
    },
    problems: text`
      a.yaml:5:23 level_among_tags /zones/a.example/managed_ruleset/disabled_tags/0
        paranoia-level-3 belongs to a paranoia level. Remove the tag, and set paranoia_level instead.
      a.yaml:5:57 duplicate_item /zones/a.example/managed_ruleset/disabled_tags/2
        It is named here already. Remove one of the two.
      a.yaml:5:73 level_among_tags /zones/a.example/managed_ruleset/disabled_tags/3
        Paranoia-Level-2 belongs to a paranoia level. Remove the tag, and set paranoia_level instead.
      a.yaml:6:58 duplicate_item /zones/a.example/managed_ruleset/disabled_rules/1
        It is named here already. Remove one of the two.
      a.yaml:8:40 wrong_value /zones/b.example/managed_ruleset/disabled_tags/0
        Item 1 of disabled_tags must not be empty.
    `,
  },
  {
    name: "payload logging without a key",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            managed_ruleset: { payload_logging: {} }
          b.example:
            managed_ruleset: { payload_logging: { key: abc } }
          c.example:
            managed_ruleset: { payload_logging: { public_key: "" } }
      `,
    },
    problems: text`
      a.yaml:4:24 missing_key /zones/a.example/managed_ruleset/payload_logging
        payload_logging needs "public_key". Add it, or write ensure: absent to switch payload logging off.
      a.yaml:6:43 unknown_key /zones/b.example/managed_ruleset/payload_logging/key
        payload_logging has no such key. Keys here: public_key, ensure.
      a.yaml:8:55 wrong_value /zones/c.example/managed_ruleset/payload_logging/public_key
        public_key must not be empty.
    `,
  },
  {
    name: "an expression beyond the limit in its sent form",
    files: {
      "a.yaml": text`
        version: 1
        service: { limits: { expression_chars: 10 } }
        zones:
          a.example:
            managed_ruleset: { expression: "ssl  and  ssl" }
          b.example:
            managed_ruleset: { expression: "  ssl  or ssl " }
      `,
    },
    problems: text`
      a.yaml:5:36 too_long /zones/a.example/managed_ruleset/expression
        It has 11 characters as sent; the limit is 10. Shorten it, or set service.limits.expression_chars if your account allows more.
    `,
  },
];
