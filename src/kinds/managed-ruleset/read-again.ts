import type { Declared } from "../../model/declared-zone.js";
import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import { areAll, failed, ok, type Result } from "../../model/problem.js";
import { CORE_RULESET, DOCUMENTED, executedBy } from "../documented-rulesets.js";
import type { Live, ZoneReader } from "../kind.js";
import { readPhase } from "../phase.js";
import { declaredScoringId, KIND, PHASE } from "./named-ruleset.js";
import { overridesIn, settingsByName } from "./overrides.js";
import { type Context, readManagedRulesets } from "./read.js";

/**
 * The rules that execute managed rulesets, each with the rules of its ruleset. If the token cannot read the account,
 * the core ruleset's scoring rule is the documented one. A core ruleset alone goes in the section without a list.
 */
export async function readForExport(zone: ZoneReader): Promise<Result<Live<Context>>> {
  const phase = await readPhase(zone.api, zone.zoneId, PHASE, false);
  if (!phase.ok) return phase;
  const rulesetIds = [...new Set((phase.value?.rules ?? []).flatMap((rule) => executedBy(rule) ?? []))];
  const [only] = rulesetIds;
  const isAlone = rulesetIds.length === 1 && only === CORE_RULESET.id;
  const entries = rulesetIds.map((id, index): Declared => {
    // The empty list makes the read include the ruleset's rules.
    const body = { ruleset: DOCUMENTED.get(id) ?? id, disabled_rules: [] };
    return { path: isAlone ? [KIND] : ["managed_rulesets", index], body };
  });
  const live = await readAs(zone, entries);
  if (live.ok) return live;
  if (areAll(live.problems, "unauthorized", "account_unknown"))
    return readAs(zone, entries.map(withoutAccount));
  if (!areAll(live.problems, "ruleset_not_found")) return live;
  // A ruleset that the account does not have belongs to another tool, so it is not exported.
  const attempts = await Promise.all(
    entries.map(async (entry) => ({ entry, live: await readAs(zone, [entry]) })),
  );
  return readAs(
    zone,
    attempts.flatMap(({ entry, live: alone }) => (alone.ok ? [entry] : [])),
  );
}

/** An entry whose ruleset can be read without the account. */
function withoutAccount({ path, body }: Declared): Declared {
  const { ruleset = null } = body;
  const isCore = ruleset === CORE_RULESET.name;
  return { path, body: isCore ? { ruleset, score_rule: CORE_RULESET.scoringId } : { ruleset } };
}

/** Reads the entries. The other live rules are not exported. */
async function readAs(zone: ZoneReader, entries: readonly Declared[]): Promise<Result<Live<Context>>> {
  const live = await readManagedRulesets(zone, entries);
  if (!live.ok) return failed(...live.problems);
  const { items, context } = live.value;
  const isOwn = ({ raw }: Item) => raw !== null && context.managed.has(executedBy(raw) ?? "");
  const managedItems = items.filter(isOwn);
  const otherItems = items.filter((each) => !isOwn(each));
  return ok({ items: managedItems, context, others: otherItems });
}

/** The id of no rule. */
const NO_RULE = "0".repeat(32);

/**
 * The declaration that makes `read` find the rule again and read all its overrides. The account is read only where the
 * overrides may leave a default of the score to the ruleset.
 */
export function toReRead(raws: readonly JsonObject[], declared: JsonObject | null): JsonObject {
  const [ruleset = CORE_RULESET.id] = raws.flatMap((rule) => executedBy(rule) ?? []);
  const isUnscored = ruleset !== CORE_RULESET.id && DOCUMENTED.has(ruleset);
  const entries = raws.flatMap((rule) => overridesIn(rule, "id"));
  const declaredId = declaredScoringId(declared ?? {});
  const thresholdId = entries.find((entry) => entry.score_threshold !== undefined)?.id;
  const documentedId = ruleset === CORE_RULESET.id ? CORE_RULESET.scoringId : null;
  const scoringId = declaredId ?? (typeof thresholdId === "string" ? thresholdId : documentedId);
  const rules = settingsByName(
    entries.filter(({ id }) => id !== scoringId),
    "id",
  );
  const tagEntries = raws.flatMap((rule) => overridesIn(rule, "category"));
  const tags = settingsByName(tagEntries, "category");
  if (isUnscored && scoringId === null) return { ruleset, tags, rules };
  // All tags with an override, also where the override does more than disable.
  return { ruleset, disabled_tags: Object.keys(tags), rules, ...scoreRule(declaredId, scoringId) };
}

function scoreRule(declaredId: string | null, knownId: string | null): { readonly [field: string]: Json } {
  if (knownId === null) return { score_rule: NO_RULE };
  return declaredId === null ? {} : { score_rule: declaredId };
}
