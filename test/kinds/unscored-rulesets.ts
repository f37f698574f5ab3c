import { diffFields } from "../../src/kinds/fields.js";
import { wantedNormal } from "../../src/kinds/managed-ruleset/fields.js";
import { managedRuleset } from "../../src/kinds/managed-ruleset/index.js";
import { readManagedRulesets } from "../../src/kinds/managed-ruleset/read.js";
import { withFields } from "../../src/kinds/managed-ruleset/wire.js";
import { hindrancesOf } from "../../src/kinds/switched-on.js";
import type { Item } from "../../src/model/item.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import type { Shift } from "../../src/model/strength.js";
import { shifts, withHindrances } from "../../src/strength/index.js";

export const RULESET = "efb7b8c949ac4650a09736fc376e9aee";

/** The program's label for a change of an entry, and the rule that its call would write. */
export interface Told {
  readonly shifts: readonly Shift[];
  readonly blocking: readonly Shift[];
  /** Null: the rule is removed. */
  readonly written: JsonObject | null;
}

/**
 * The program's result for one entry.
 *
 * @param listed the rules that the account shows; null: the account may not be read
 * @param live null: the ruleset is not executed
 * @param others rules before it
 */
export async function toldOf(
  listed: readonly JsonObject[] | null,
  live: JsonObject | null,
  declared: JsonObject,
  others: readonly JsonObject[] = [],
): Promise<Told> {
  const rules = [...others, ...(live === null ? [] : [live])];
  const found = await readManagedRulesets(zoneWith(listed, rules), [
    { path: ["managed_rulesets", 0], body: { ruleset: RULESET, ...declared } },
  ]);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  const { context, items } = found.value;
  const item = items.find(({ raw }) => raw === live) ?? null;
  const after = declared.ensure === "absent" ? null : wanted(item, declared);
  const dimensionsOf = (each: Item | null) => (each === null ? {} : managedRuleset.dimensions(each, context));
  const blockingOf = (each: Item | null) =>
    each === null ? {} : (managedRuleset.blocking?.(each, context) ?? {});
  const keeping = (each: Item | null) =>
    each === null ? null : hindrancesOf(managedRuleset, each, context, new Map());
  return {
    shifts: withHindrances(shifts(dimensionsOf(item), dimensionsOf(after)), keeping(item), keeping(after)),
    blocking: shifts(blockingOf(item), blockingOf(after)),
    written: after === null ? null : writtenOf(live, item, after),
  };
}

function wanted(item: Item | null, declared: JsonObject): Item {
  const own = wantedNormal(declared);
  const defaults = { enabled: true, expression: "true", action: "default" };
  const ref = { kind: "managed_ruleset", key: RULESET, id: item?.ref.id ?? null };
  const normal = item === null ? { ...defaults, ...own } : { ...item.normal, ...own };
  return { ref, normal, raw: item?.raw ?? null, owns: Object.keys(own), at: null };
}

function writtenOf(live: JsonObject | null, item: Item | null, after: Item): JsonObject {
  const fields = diffFields(item?.normal ?? null, after.normal, managedRuleset.fields);
  return withFields(
    live ?? { action: "execute", action_parameters: { id: RULESET }, expression: "true", enabled: true },
    fields.map(({ path, after: value }) => [path, value as Json] as const),
    null,
  );
}

function zoneWith(
  listed: readonly JsonObject[] | null,
  rules: readonly JsonObject[],
): Parameters<typeof readManagedRulesets>[0] {
  const answers: { readonly [path: string]: Json } = {
    "/zones/z/rulesets/phases/http_request_firewall_managed/entrypoint": { id: "e", rules },
    ...(listed === null ? {} : { [`/accounts/a/rulesets/${RULESET}`]: { id: RULESET, rules: listed } }),
  };
  const get = async (path: string): Promise<Result<Json>> => {
    const answer = answers[path];
    return answer === undefined ? failed(problem("unauthorized", "Denied", path)) : ok(answer);
  };
  return {
    api: { get, list: async () => failed(problem("unauthorized", "Denied", "list")) },
    zoneId: "z",
    accountId: async () => ok("a"),
    locate: () => null,
  };
}

/** The live rule that executes the ruleset with these overrides. */
export function executing(overrides: JsonObject, more: JsonObject = {}): JsonObject {
  const parameters = Object.keys(overrides).length === 0 ? {} : { overrides };
  return {
    id: "r",
    action: "execute",
    expression: "true",
    action_parameters: { id: RULESET, ...parameters },
    ...more,
  };
}
