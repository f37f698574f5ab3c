import type { Declared } from "../../model/declared-zone.js";
import type { JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, type Result } from "../../model/problem.js";
import type { RuleBefore } from "../../model/zone-tests.js";
import { rulesetIdByName, withWayOut } from "../account-rulesets.js";
import { readEarlierLists } from "../bypasses.js";
import { DOCUMENTED, isRulesetId, MANAGED_PHASE } from "../documented-rulesets.js";
import type { Live, ZoneReader } from "../kind.js";
import type { LiveRule, Phase } from "../phase.js";
import { liveRuleFor, type RuleListContext } from "../rule-list.js";
import { canonicalRuleset, rulesetsIn, skipValueOf } from "./skip.js";

export const PHASE: Phase = { kind: "managed_exception", ...MANAGED_PHASE };

/** Data read besides the list. */
interface Beside {
  /** Ruleset names in the files → ids. */
  readonly ids: ReadonlyMap<string, string>;
  /** Rules of other lists that let requests skip managed rulesets. */
  readonly bypasses: readonly RuleBefore[];
}

export type Context = RuleListContext<Beside>;

/** Looks up undocumented ruleset names in the account, and reads the lists that run earlier. */
export async function readBeside(
  zone: ZoneReader,
  wanted: readonly Declared[],
): Promise<Result<Pick<Live, "warnings"> & { readonly beside: Beside }>> {
  const ids = await rulesetIds(zone, wanted);
  if (!ids.ok) return ids;
  const before = await readEarlierLists(zone);
  if (!before.ok) return before;
  const { bypasses, warnings } = before.value;
  return ok({ beside: { ids: ids.value, bypasses }, warnings });
}

/** The ids of the rulesets that the files name. */
async function rulesetIds(zone: ZoneReader, wanted: readonly Declared[]): Promise<Result<Beside["ids"]>> {
  const ids = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { path, body } of wanted) {
    for (const [index, name] of rulesetsIn(body.skip ?? "all").entries()) {
      const canonical = canonicalRuleset(name);
      const step = Array.isArray(body.skip) ? index : name;
      const id = isRulesetId(canonical)
        ? ok(canonical)
        : await rulesetIdByName(zone, name, [...path, "skip", step]);
      if (id.ok) ids.set(name, id.value);
      else problems.push(...id.problems.map((each) => withWayOut(each, ["the ruleset's id in skip"])));
    }
  }
  return problems.length === 0 ? ok(ids) : failed(...problems);
}

export function idOf(ruleset: string, ids: Beside["ids"] | undefined): string {
  return ids?.get(ruleset) ?? canonicalRuleset(ruleset);
}

/** The skip value of a live rule. Names come from its entry, else from any entry, else from the documentation. */
export function fromRule(
  rule: LiveRule,
  beside: Beside | null,
  declared: readonly Declared[],
): JsonObject | null {
  const matching = declared.filter(({ body }) => liveRuleFor(body, [rule]) !== null);
  const names = [...matching, ...declared].flatMap(({ body }) => rulesetsIn(body.skip ?? "all"));
  const nameOf = (id: string) =>
    names.find((name) => idOf(name, beside?.ids) === id) ?? DOCUMENTED.get(id) ?? id;
  const skip = skipValueOf(rule, nameOf);
  return skip === null ? null : { skip };
}
