import { documentedName, executedBy, isRulesetId } from "../documented-rulesets.js";
import type { Kind } from "../kind.js";
import type { LiveRule } from "../phase.js";
import { ruleList } from "../rule-list.js";
import { ruleId, text } from "../schema.js";
import { skipOf, skipping } from "../skips.js";
import { type RuleEffect, unknownRule } from "../unmanaged-rules.js";
import { type Context, fromRule, idOf, PHASE, readBeside } from "./read.js";
import {
  canonicalRuleset,
  checkNames,
  checkSkip,
  parametersOf,
  rulesetsIn,
  skipField,
  skipValueOf,
  strengthOf,
} from "./skip.js";

/** Exceptions to managed rulesets: skip rules in front of the rules that execute them. */
export const managedException: Kind<Context> = ruleList<Context["beside"]>({
  section: "managed_exceptions",
  phase: PHASE,
  schema: {
    title: "Managed exception",
    description:
      "A rule that lets requests skip managed rulesets. Exceptions are evaluated in the order of the list.",
    noun: "exception",
    expression: {
      description: 'The requests that skip, as a filter expression. "true" matches every request.',
      examples: ['http.request.uri.path eq "/healthz"'],
    },
    enabled: {
      type: "boolean",
      description: "Whether the exception applies. Default of a new exception: true.",
    },
  },
  fields: {
    skip: {
      schema: {
        type: ["string", "array", "object"],
        pattern: "^all$",
        minItems: 1,
        items: text("A ruleset's name or id."),
        minProperties: 1,
        additionalProperties: {
          type: ["array", "null"],
          minItems: 1,
          items: ruleId,
        },
        description: "all: every managed ruleset. A list names rulesets; a map names rules by ruleset.",
        examples: [
          "all",
          ["Cloudflare Managed Ruleset"],
          { "Cloudflare OWASP Core Ruleset": ["1a2b3c4d5e6f708192a3b4c5d6e7f809"] },
        ],
      },
      ...skipField,
      form: "any",
      required: true,
      identifies: true,
    },
  },
  fromRule,
  toRule: ({ skip = "all" }, beside) => ({
    action: "skip",
    action_parameters: parametersOf(skip, (name) => idOf(name, beside?.ids)),
  }),
  about(body, rule, beside) {
    const skip = body.skip ?? (rule === null ? null : skipValueOf(rule, (id) => id)) ?? "all";
    return skip === "all" ? null : rulesetsIn(skip).map((each) => idOf(each, beside?.ids));
  },
  concerns: (rule) => skipOf(rule) !== null,
  tell,
  readBeside,
  readsAccount: ({ ensure, skip = "all" }) =>
    ensure !== "absent" && rulesetsIn(skip).some((name) => !isRulesetId(canonicalRuleset(name))),
  touches: { requests: { does: "skips" } },
  service: { included: { as: "managed rules" } },
  at: {
    actThemselves: false,
    before: ({ beside }) => beside.bypasses,
    rulesets: ({ beside }) => beside.ids,
  },
  checks: { declared: ({ skip }) => checkSkip(skip), names: ({ skip }) => checkNames(skip) },
  dimensions: strengthOf,
  // The end of an exception can stop visitors.
  blocking: strengthOf,
});

function tell(rule: LiveRule, behind: readonly LiveRule[]): RuleEffect {
  const skip = skipOf(rule);
  if (skip === null) return unknownRule(rule);
  const isInFront = behind.some((each) => executedBy(each) !== null);
  return skipping(rule, skip, isInFront, documentedName);
}
