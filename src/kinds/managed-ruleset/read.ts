import { cut, cutEnd } from "../../model/cut.js";
import type { Declared } from "../../model/declared-zone.js";
import type { Item } from "../../model/item.js";
import { equal, type Json, type JsonObject } from "../../model/json.js";
import { allOf, failed, note, ok, type Problem, problem, type Result, warning } from "../../model/problem.js";
import type { RuleBefore } from "../../model/zone-tests.js";
import { readEarlierLists } from "../bypasses.js";
import { DOCUMENTED, documentedName, executedBy } from "../documented-rulesets.js";
import { requestsOf } from "../expression.js";
import { setField } from "../fields.js";
import type { Live, ZoneReader } from "../kind.js";
import { type LiveRule, type PhaseRuleset, readPhase, unexpected } from "../phase.js";
import { isSwitchedOff } from "../unmanaged-rules.js";
import { identify, isDenied, rulesetInAccount, withoutScoring } from "./account.js";
import { checkScoringRule, checkSort, unknownNames } from "./check.js";
import {
  declaredName,
  declaredScoringId,
  declaresRules,
  declaresScore,
  type Ids,
  KIND,
  knownManaged,
  knownScoringId,
  knownSort,
  type Managed,
  PHASE,
  rulesetEntryName,
  rulesetId,
  type Sort,
} from "./named-ruleset.js";
import { liveNormal } from "./normal.js";
import { generalOverrides, hasUsableOverrides, isOff } from "./overrides.js";

/** The data of the zone and its account besides the rules. Calls are built from it. */
export interface Context {
  /** Null: the zone has no ruleset of the phase. */
  readonly ruleset: PhaseRuleset | null;
  /** The rulesets that entries name, by id. */
  readonly managed: ReadonlyMap<string, Managed>;
  readonly ids: Ids;
  /** Rules of other lists that let requests skip managed rulesets. */
  readonly bypasses: readonly RuleBefore[];
}

/** The managed ruleset of an object: the one that its live rule executes, else the one that its entry names. */
export function managedOf(context: Context | null, { ref, raw }: Item): Managed | null {
  const id = executedBy(raw ?? {}) ?? context?.ids.get(ref.key) ?? "";
  return context?.managed.get(id) ?? null;
}

/** The sort of an entry's ruleset. Null: unknown. */
export function sortOf(declared: JsonObject, context: Context | null): Sort | null {
  const id = rulesetId(declared, context) ?? "";
  return context?.managed.get(id)?.sort ?? knownSort(declared);
}

/** An entry with its ruleset and the live rules that execute the ruleset. No rules: the rule is new. */
interface Entry {
  readonly declared: Declared;
  readonly managed: Managed;
  readonly rules: readonly LiveRule[];
}

/** Reads the zone's rules of the phase, then the parts of the account's rulesets that the entries need. */
export async function readManagedRulesets(
  zone: ZoneReader,
  declarations: readonly Declared[],
): Promise<Result<Live<Context>>> {
  const isWanted = declarations.some(({ body }) => body.ensure !== "absent");
  const phase = await readPhase(zone.api, zone.zoneId, PHASE, isWanted);
  if (!phase.ok) return phase;
  const ruleset = phase.value;
  const executing = (ruleset?.rules ?? []).filter((rule) => executedBy(rule) !== null);
  // A rule to be deleted is already gone if the zone executes no ruleset.
  const wanted = declarations.filter(({ body }) => body.ensure !== "absent" || executing.length > 0);
  const found = allOf(await Promise.all(wanted.map((declared) => entryOf(zone, declared, executing))));
  if (!found.ok) return found;
  const twins = twinsAmong(found.value, zone);
  if (twins.length > 0) return failed(...twins);
  const items = executing.map((rule) => itemOf(rule, found.value));
  const entries = await Promise.all(found.value.map((entry) => withCounts(zone, entry, items)));
  const before = await readEarlierLists(zone);
  if (!before.ok) return before;
  const { bypasses, accountRules } = before.value;
  const ids = entries.flatMap(({ declared, managed: { id } }) => {
    const name = declaredName(declared.body);
    return [[rulesetEntryName(declared), id] as const, ...(name === null ? [] : [[name, id] as const])];
  });
  return ok({
    items,
    context: {
      ruleset,
      managed: new Map(entries.map(({ managed }) => [managed.id, managed])),
      ids: new Map(ids),
      bypasses,
    },
    warnings: [
      ...entries.flatMap((entry) => entryWarnings(zone, entry)),
      ...accountRunWarnings(zone, entries, accountRules),
      ...before.value.warnings,
    ],
  });
}

function entryWarnings(zone: ZoneReader, { declared, managed, rules }: Entry): readonly Problem[] {
  const deployed = declared.body.ensure === "absent" ? [] : rules;
  return [
    ...unknownNames(zone, declared, managed),
    ...deployed.flatMap((rule) => overruledWarning(zone, declared, rule)),
  ];
}

async function entryOf(
  zone: ZoneReader,
  declared: Declared,
  executing: readonly LiveRule[],
): Promise<Result<Entry>> {
  const id = await identify(zone, declared, executing);
  if (!id.ok) return id;
  const rules = executing.filter((rule) => executedBy(rule) === id.value);
  const managed = await managedWith(zone, declared, id.value, rules.length > 0);
  if (!managed.ok) return managed;
  const problems = [
    ...checkKeys(zone, declared, managed.value),
    ...rules
      .filter((rule) => !hasUsableOverrides(rule))
      .map(({ id }) =>
        unexpected("rule", `The overrides of the live rule ${id} are not lists of tags and rules`),
      ),
    ...checkLevel(zone, declared, rules),
  ];
  return problems.length > 0 ? failed(...problems) : ok({ declared, managed: managed.value, rules });
}

/** Two entries of one ruleset would overwrite each other. */
function twinsAmong(entries: readonly Entry[], { locate }: ZoneReader): readonly Problem[] {
  return entries.flatMap(({ declared, managed }, index) => {
    const earlier = entries.slice(0, index).find((each) => each.managed.id === managed.id);
    if (earlier === undefined) return [];
    const [name, earlierName] = [declared, earlier.declared].map((each) =>
      JSON.stringify(rulesetEntryName(each)),
    );
    const detail = `${name} and ${earlierName} are the same ruleset, ${managed.id}. Remove one of the two.`;
    const twin = problem("duplicate_name", `Duplicate ruleset ${name}`, detail);
    return [{ ...twin, at: locate([...declared.path, "ruleset"]) }];
  });
}

/** Warns of a live override that disables the whole ruleset. No file can declare it, and it defeats the declaration. */
function overruledWarning({ locate }: ZoneReader, { path }: Declared, rule: LiveRule): readonly Problem[] {
  if (!isOff(generalOverrides(rule).enabled)) return [];
  const detail = `Remove overrides.enabled: false from the live rule ${rule.id} in the dashboard or API. It switches the whole ruleset off, except for tags and rules switched on one by one, and the files cannot change it.`;
  const summary = "Live override switches the ruleset off";
  return [warning("ruleset_overruled", summary, detail, locate(path, "key"))];
}

/** The ruleset with only the data that the entry needs. A new rule needs a threshold and an action. */
async function managedWith(
  zone: ZoneReader,
  declared: Declared,
  id: string,
  isLive: boolean,
): Promise<Result<Managed>> {
  const { body } = declared;
  const declaredId = declaredScoringId(body);
  const sort = knownSort(body);
  const isBare = !declaresRules(body) && (isLive || sort === "unscored");
  const isEnough = body.ensure === "absent" || declaredId !== null || isBare;
  const scoring = declaredId === null ? null : { id: declaredId, own: {} };
  const bare: Managed = { id, name: declaredName(body), sort, scoring, content: null };
  if (isEnough) return ok(bare);
  const managed = await rulesetInAccount(zone, declared, id);
  // The rules of an unscored ruleset only improve the review, so the plan does without them.
  if (sort === "unscored" && isDenied(managed)) return ok(bare);
  if (!managed.ok || managed.value.scoring !== null || managed.value.sort === "unscored") return managed;
  if (declaresScore(body)) return failed(withoutScoring(managed.value, "to configure", declared, zone));
  return isLive ? managed : failed(withoutScoring(managed.value, "to deploy it with", declared, zone));
}

/**
 * Adds the number of rules per tag if tags change. The numbers only improve the review: a file that avoids reading the
 * account, or a token without permission, does without them.
 */
async function withCounts(zone: ZoneReader, entry: Entry, items: readonly Item[]): Promise<Entry> {
  const { declared, managed, rules } = entry;
  const { body } = declared;
  const isLeftAlone = managed.name === null || declaredScoringId(body) !== null || body.ensure === "absent";
  const entryItems = items.filter(({ raw }) => rules.some((rule) => rule === raw));
  if (isLeftAlone || managed.content !== null || !entryItems.some((item) => movesTags(item, body)))
    return entry;
  const ruleset = await rulesetInAccount(zone, declared, managed.id);
  return ruleset.ok ? { ...entry, managed: { ...managed, content: ruleset.value.content } } : entry;
}

function movesTags({ normal }: Item, { paranoia_level: level, disabled_tags: tags }: JsonObject): boolean {
  const live = normal as JsonObject; // no field is sensitive
  const moves = (declaredValue: Json | undefined, liveValue: Json | undefined) =>
    declaredValue !== undefined &&
    !equal(setField.canonical(declaredValue), setField.canonical(liveValue ?? null));
  return moves(level, live.paranoia_level) || moves(tags, live.disabled_tags);
}

/** The item of a live rule. A rule without an entry keeps the name or id of its ruleset. */
function itemOf(rule: LiveRule, entries: readonly Entry[]): Item {
  const entry = entries.find(({ rules }) => rules.includes(rule));
  const id = executedBy(rule) ?? "";
  const key = entry === undefined ? (DOCUMENTED.get(id) ?? id) : rulesetEntryName(entry.declared);
  return {
    ref: { kind: KIND, key, id: rule.id },
    normal: liveNormal(rule, entry?.managed ?? knownManaged(id), entry?.declared.body ?? {}),
    raw: rule,
    owns: "nothing",
    at: null,
  };
}

/** Checks that need the read ruleset, because the file does not show its sort or its scoring rule. */
function checkKeys(
  zone: ZoneReader,
  { path, body }: Declared,
  { sort, scoring }: Managed,
): readonly Problem[] {
  const findings = [
    ...(sort === null || sort === knownSort(body) ? [] : checkSort(body, sort)),
    ...(scoring === null || scoring.id === knownScoringId(body) ? [] : checkScoringRule(body, scoring.id)),
  ];
  return findings.map(({ path: inside, ...finding }) => ({
    ...finding,
    at: zone.locate([...path, ...inside], inside[0] === "rules" ? "key" : "value"),
  }));
}

/** Levels are written as disabled tags, so they cannot enable rules while the whole ruleset is disabled. */
function checkLevel(
  zone: ZoneReader,
  { path, body }: Declared,
  rules: readonly LiveRule[],
): readonly Problem[] {
  const [rule, ...moreRules] = rules;
  const isDeclared = body.ensure !== "absent" && body.paranoia_level !== undefined;
  if (!isDeclared || rule === undefined || moreRules.length > 0) return [];
  if (!isOff(generalOverrides(rule).enabled)) return [];
  const detail = `The live rule ${rule.id} switches the whole ruleset off with overrides.enabled: false. Remove that override in the dashboard or API, or remove paranoia_level here.`;
  return [
    problem(
      "level_overruled",
      "Paranoia level without effect",
      detail,
      zone.locate([...path, "paranoia_level"]),
    ),
  ];
}

/**
 * A note for each rule of the account that runs the same rulesets in all its zones. The account's list runs before each
 * zone's list (the service's documentation), and zone files cannot change it.
 */
function accountRunWarnings(
  zone: ZoneReader,
  entries: readonly Entry[],
  rules: readonly JsonObject[],
): readonly Problem[] {
  // Only declared entries have a place in the files. A rollback also passes undeclared ones.
  const declaredEntries = entries.filter(
    ({ declared: { path, body } }) => body.ensure !== "absent" && zone.locate(path, "key") !== null,
  );
  return declaredEntries.flatMap((entry) =>
    rules
      .filter((rule) => executedBy(rule) === entry.managed.id && !isSwitchedOff(rule))
      .map((rule) => accountRunWarning(zone, entry, rule)),
  );
}

function accountRunWarning(
  { locate }: ZoneReader,
  { declared, managed: { id, name } }: Entry,
  rule: JsonObject,
): Problem {
  const { description, expression = null } = rule;
  const by =
    typeof description === "string" && description !== "" ? ` (${JSON.stringify(cut(description, 80))})` : "";
  const does = `A rule of the account${by} also runs ${name === null ? documentedName(id) : cutEnd(name, 80)}, on ${requestsOf(expression)}, with its own settings.`;
  const means =
    "The files and the zone's exceptions do not change that. To see that rule, open the account's WAF in the dashboard, under managed rulesets.";
  const summary = "The account also runs this managed ruleset";
  return note("account_rules", summary, `${does} ${means}`, locate(declared.path, "key"));
}
