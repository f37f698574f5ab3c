import type { Schema } from "../../model/declared-zone.js";
import { isObject, isTexts, type Json, type JsonObject, mapValues, textsIn } from "../../model/json.js";
import { changedMembers, type Field, readFlag } from "../fields.js";
import { error, type Finding } from "../kind.js";
import { parametersOf } from "../phase.js";
import { checkKnown, unusual } from "../rule-actions.js";
import { text } from "../schema.js";
import { PHASES, PRODUCTS, SKIPPED, type SkipParameters } from "../skips.js";

const list = (description: string, example: string): Schema => ({
  type: "array",
  minItems: 1,
  items: text("A name; letter case counts."),
  description,
  examples: [[example]],
});

/** The order and repetition of names have no meaning. */
export const skipField: Field = {
  schema: {
    type: "object",
    minProperties: 1,
    description: "What requests skip, for the action skip.",
    examples: [{ phases: ["http_ratelimit"] }],
    properties: {
      ruleset: { enum: ["current"], description: "current: the later custom rules." },
      phase: {
        enum: ["current"],
        description: "current: the later custom rules, also those of rulesets executed later.",
      },
      phases: list(`Later phases: ${PHASES.join(", ")}.`, "http_request_firewall_managed"),
      products: list(`Older products: ${PRODUCTS.join(", ")}.`, "bic"),
      logging: { type: "boolean", description: "Whether skipped requests are logged. Default: true." },
    },
    additionalProperties: true,
  },
  form: "any",
  identifies: true,
  canonical: (value) => {
    if (!isObject(value)) return value;
    const { logging = true, ...parameters } = value as JsonObject; // no secret
    return {
      ...mapValues(parameters, (each) => (isTexts(each) ? [...new Set(each)].sort() : each)),
      logging,
    };
  },
  parts: (before, after) => [changedMembers("", wordsIn(before as Json), wordsIn(after as Json))],
  show: (value) => (isObject(value) ? wordsIn(value).join(", ") : null),
};

/** Each skipped part in words. */
export function wordsIn(skip: Json): readonly string[] {
  const { ruleset, phase, phases = null, products = null, logging, ...others } = isObject(skip) ? skip : {};
  return [
    ...(ruleset === "current" || phase === "current" ? ["the later custom rules"] : []),
    ...pastIn({ phases: textsIn(phases), products: textsIn(products) }),
    ...Object.keys(others).map((name) => `${name} ${JSON.stringify(others[name])}`),
    ...(logging === false ? ["without logging"] : []),
  ];
}

/** The skipped phases and products, as words. */
export function pastIn({ phases, products }: Pick<SkipParameters, "phases" | "products">): readonly string[] {
  return [
    ...phases.map((each) => PHASE_WORDS.get(each) ?? `the phase ${each}`),
    ...products.map((each) => `the product ${each}`),
  ];
}

const PHASE_WORDS: ReadonlyMap<string, string> = new Map([
  ["http_ratelimit", "rate limits"],
  ["http_request_sbfm", "Super Bot Fight Mode"],
  ["http_request_firewall_managed", "managed rulesets"],
]);

/** The normal form: the service's parameters, and whether skipped requests are logged if they are not. */
export function skipIn(rule: JsonObject): JsonObject {
  const { logging } = rule;
  const isLogged = !isObject(logging) || readFlag(logging.enabled ?? true) !== false;
  return { skip: { ...parametersOf(rule), ...(isLogged ? {} : { logging: false }) } };
}

/** The members of a rule that skips. */
export function skipMembers({ skip = null }: JsonObject, live: JsonObject | null): JsonObject {
  const { logging = true, ...parameters } = isObject(skip) ? skip : {};
  const before = isObject(live?.logging) ? live.logging : {};
  return { action_parameters: parameters, logging: { ...before, enabled: logging } };
}

/** Problems of a declared skip. The combinations are those of the service's documentation of skip options. */
export function checkSkip({ skip, action }: JsonObject): readonly Finding[] {
  if (!isObject(skip)) return [];
  const named = SKIPPED.filter((name) => name in skip);
  const isOther = typeof action === "string" && action !== "skip";
  const unknown = Object.keys(skip).filter((key) => ![...SKIPPED, "logging"].includes(key));
  return [
    ...(isOther ? [withoutAction(action)] : []),
    ...(named.length === 0 && unknown.length === 0 ? [skipsNothing()] : []),
    ...EXCLUSIVE.flatMap(([first, ...others]) =>
      first in skip ? others.filter((other) => other in skip).map((other) => notWith(first, other)) : [],
    ),
    ...unknown.map((key) => unusual(["skip", key], `Cloudflare documents no skip parameter ${key}.`)),
    ...knownNames("phases", skip.phases, PHASES),
    ...knownNames("products", skip.products, PRODUCTS),
  ];
}

const EXCLUSIVE: readonly (readonly [string, ...string[]])[] = [
  ["phase", "ruleset", "rulesets", "rules", "phases"],
  ["ruleset", "rulesets", "rules"],
  ["rulesets", "phases"],
];

function knownNames(key: string, value: Json | undefined, known: readonly string[]): readonly Finding[] {
  return textsIn(value ?? []).flatMap((name, index) => checkKnown(key, name, known, ["skip"], [index]));
}

function withoutAction(action: string): Finding {
  const detail = `Only a rule with the action skip skips; this one has the action ${action}. Remove skip, or write action: skip.`;
  return error(["skip"], "skip_without_action", "skip without action skip", detail);
}

export function skipsNothing(): Finding {
  const detail =
    "A rule with the action skip needs at least one of ruleset, phase, phases and products. Add one.";
  return error(["skip"], "skips_nothing", "The rule skips nothing", detail);
}

function notWith(first: string, other: string): Finding {
  const detail = `Cloudflare refuses ${other} beside ${first} in one rule. Remove one of them, or write two rules.`;
  return error(["skip", other], "skip_conflict", `skip has ${first} and ${other}`, detail);
}
