import type { Item } from "../../model/item.js";
import { equal, type Json, type JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import type { Declared } from "../../model/wanted.js";
import { set } from "../fields.js";
import type { Live, ReadForExport, ZoneReader } from "../kind.js";
import { CORE_RULESET, executedBy } from "../managed-rules.js";
import { type LiveRule, type PhaseRuleset, readPhase } from "../phase.js";
import { identify, rulesetInAccount, withoutScoring } from "./account.js";
import { checkScoringRule, unknownNames } from "./check.js";
import {
  declaredName,
  declaredScoringId,
  knownScoringId,
  type Managed,
  PHASE,
  speaksOfRules,
  speaksOfScore,
} from "./managed.js";
import { liveNormal } from "./normal.js";
import { generalOverrides, hasUsableOverrides, isOff, overridesIn } from "./overrides.js";

/** What the zone and its account have beside the rule; calls are built from it. */
export interface Context {
  /** Null: the zone has no ruleset of the phase. */
  readonly ruleset: PhaseRuleset | null;
  /** Null: the zone executes nothing that could be removed. */
  readonly managed: Managed | null;
}

/** Reads the zone's rules of the phase, and then of the account's rulesets what is needed beside them. */
export async function read(zone: ZoneReader, all: readonly Declared[]): Promise<Result<Live<Context>>> {
  const declared = all[0] ?? { path: [PHASE.kind], body: {} };
  const { body } = declared;
  const isRemoved = body.ensure === "absent";
  const phase = await readPhase(zone.api, zone.zoneId, PHASE, !isRemoved);
  if (!phase.ok) return phase;
  const ruleset = phase.value;
  const executing = (ruleset?.rules ?? []).filter((rule) => executedBy(rule) !== null);
  if (isRemoved && executing.length === 0) return ok({ items: [], context: { ruleset, managed: null } });
  const id = await identify(zone, declared, executing);
  if (!id.ok) return id;
  const rules = executing.filter((rule) => executedBy(rule) === id.value);
  const managed = await managedWith(zone, declared, id.value, rules.length > 0);
  if (!managed.ok) return managed;
  const problems = [
    ...checkScoring(zone, declared, managed.value),
    ...rules.filter((rule) => !hasUsableOverrides(rule)).map(otherShape),
    ...checkLevel(zone, declared, rules),
  ];
  if (problems.length > 0) return failed(...problems);
  const items = rules.map((rule) => itemOf(rule, managed.value, body));
  const counted = await withCounts(zone, declared, managed.value, items);
  return ok({
    items,
    context: { ruleset, managed: counted },
    warnings: [
      ...unknownNames(zone, declared, counted),
      ...(isRemoved ? [] : rules.flatMap((rule) => overruled(zone, declared, rule))),
    ],
  });
}

/** An override that switches the whole ruleset off: no file can declare it, and it defeats what they declare. */
function overruled({ locate }: ZoneReader, { path }: Declared, rule: LiveRule): readonly Problem[] {
  if (!isOff(generalOverrides(rule).enabled)) return [];
  const detail = `The live rule ${rule.id} switches the whole ruleset off with overrides.enabled: false, but for what single tags and rules switch on. Nothing that is declared here changes that, and it stays as it is. Remove that override at the service.`;
  const summary = "The managed ruleset is switched off from within";
  return [{ code: "ruleset_overruled", severity: "warning", summary, detail, at: locate(path, "key") }];
}

/** The ruleset with as much of it as is needed: a rule that is not live yet is deployed with a threshold and an action. */
async function managedWith(
  zone: ZoneReader,
  declared: Declared,
  id: string,
  isLive: boolean,
): Promise<Result<Managed>> {
  const { body } = declared;
  const given = declaredScoringId(body);
  const isEnough = body.ensure === "absent" || given !== null || (isLive && !speaksOfRules(body));
  if (isEnough) {
    const scoring = given === null ? null : { id: given, own: {} };
    return ok({ id, name: declaredName(body), scoring, content: null });
  }
  const managed = await rulesetInAccount(zone, declared, id);
  if (!managed.ok || managed.value.scoring !== null) return managed;
  if (speaksOfScore(body)) return failed(withoutScoring(managed.value, "to configure", declared, zone));
  return isLive ? managed : failed(withoutScoring(managed.value, "to deploy it with", declared, zone));
}

/**
 * Where tags go on or off, the ruleset tells how many rules that means. These are words for whoever reviews the change:
 * a file that has the account left alone, or a refusal, does without.
 */
async function withCounts(
  zone: ZoneReader,
  declared: Declared,
  managed: Managed,
  items: readonly Item[],
): Promise<Managed> {
  const { body } = declared;
  const isLeftAlone = managed.name === null || declaredScoringId(body) !== null || body.ensure === "absent";
  if (isLeftAlone || managed.content !== null || !items.some((item) => movesTags(item, body))) return managed;
  const read = await rulesetInAccount(zone, declared, managed.id);
  return read.ok ? { ...managed, content: read.value.content } : managed;
}

function movesTags({ normal }: Item, { paranoia_level: level, disabled_tags: tags }: JsonObject): boolean {
  const live = normal as JsonObject; // nothing in it is sensitive
  const moves = (wanted: Json | undefined, is: Json | undefined) =>
    wanted !== undefined && !equal(set.canonical(wanted), set.canonical(is ?? null));
  return moves(level, live.paranoia_level) || moves(tags, live.disabled_tags);
}

function itemOf(rule: LiveRule, { scoring }: Managed, declared: JsonObject): Item {
  return {
    ref: { kind: PHASE.kind, key: PHASE.kind, id: rule.id },
    normal: liveNormal(rule, scoring, declared),
    raw: rule,
    owns: "nothing",
    at: null,
  };
}

/** What could not be said offline, where the file did not tell which rule it is. */
function checkScoring(zone: ZoneReader, { path, body }: Declared, { scoring }: Managed): readonly Problem[] {
  if (scoring === null || scoring.id === knownScoringId(body)) return [];
  return checkScoringRule(body, scoring.id).map(({ path: inside, ...finding }) => ({
    ...finding,
    at: zone.locate([...path, ...inside], inside[0] === "rules" ? "key" : "value"),
  }));
}

/** Levels say which tags are off; where the whole ruleset is off, they would have to say which are on. */
function checkLevel(
  zone: ZoneReader,
  { path, body }: Declared,
  rules: readonly LiveRule[],
): readonly Problem[] {
  const [rule, ...others] = rules;
  const isDeclared = body.ensure !== "absent" && body.paranoia_level !== undefined;
  if (!isDeclared || rule === undefined || others.length > 0) return [];
  if (!isOff(generalOverrides(rule).enabled)) return [];
  const detail = `The live rule ${rule.id} switches the whole ruleset off with overrides.enabled: false, but for what single tags and rules switch on. No paranoia level means that. Remove that override at the service, or remove paranoia_level here.`;
  return [
    {
      ...problem("level_overruled", "A paranoia level cannot be set here", detail),
      at: zone.locate([...path, "paranoia_level"]),
    },
  ];
}

function otherShape({ id }: LiveRule): Problem {
  return problem(
    "unexpected_answer",
    "The service gave a rule of another shape",
    `The overrides of the live rule ${id} are not lists of tags and rules. Nothing is planned for this zone.`,
  );
}

/**
 * The rule that executes the core ruleset, if there is one, with what the ruleset itself says of the score. Where the
 * account may not be read, the scoring rule is the one that the service's documentation names.
 */
export async function readForExport(zone: ZoneReader): Promise<Result<ReadForExport<Context>>> {
  const phase = await readPhase(zone.api, zone.zoneId, PHASE, false);
  if (!phase.ok) return phase;
  const none: ReadForExport<Context> = {
    live: { items: [], context: { ruleset: phase.value, managed: null } },
    toReRead: {},
  };
  if (!(phase.value?.rules ?? []).some((rule) => executedBy(rule) !== null)) return ok(none);
  const found = await readAs(zone, {}, { disabled_rules: [] }); // with which the ruleset's rules are read
  if (found.ok) return found;
  const codes = found.problems.map(({ code }) => code);
  if (codes.every((code) => code === "ruleset_not_found")) return ok(none);
  if (!codes.every((code) => code === "unauthorized" || code === "account_unknown")) return found;
  return readAs(zone, { score_rule: CORE_RULESET.scoringId }, { disabled_rules: [] });
}

async function readAs(
  zone: ZoneReader,
  toReRead: JsonObject,
  more: JsonObject,
): Promise<Result<ReadForExport<Context>>> {
  const live = await read(zone, [{ path: [PHASE.kind], body: { ...toReRead, ...more } }]);
  return live.ok ? ok({ live: live.value, toReRead }) : live;
}

/** No rule has it. */
const NO_RULE = "0".repeat(32);

/**
 * What makes `read` find the rule again, and say all of it that the overrides of these say. The account is read only
 * where there is a score whose default the overrides may leave to the ruleset.
 */
export function toReRead(raws: readonly JsonObject[], declared: JsonObject | null): JsonObject {
  const [ruleset = CORE_RULESET.id] = raws.flatMap((rule) => executedBy(rule) ?? []);
  const entries = raws.flatMap((rule) => overridesIn(rule, "id"));
  const given = declaredScoringId(declared ?? {});
  const scored = entries.find((entry) => entry.score_threshold !== undefined)?.id;
  const known = ruleset === CORE_RULESET.id ? CORE_RULESET.scoringId : null;
  const scoringId = given ?? (typeof scored === "string" ? scored : known);
  const rules: Record<string, JsonObject> = {};
  for (const { id, ...said } of entries)
    if (typeof id === "string" && id !== scoringId) rules[id] = { ...rules[id], ...said };
  return { ruleset, disabled_tags: tagsIn(raws), rules, ...scoreRule(given, scoringId) };
}

/** Also what an entry switches off that says more than that. */
function tagsIn(raws: readonly JsonObject[]): readonly string[] {
  const tags = raws.flatMap((rule) => overridesIn(rule, "category").map(({ category }) => category));
  return [...new Set(tags.filter((tag) => typeof tag === "string"))];
}

function scoreRule(given: string | null, known: string | null): { readonly [field: string]: Json } {
  if (known === null) return { score_rule: NO_RULE };
  return given === null ? {} : { score_rule: given };
}
