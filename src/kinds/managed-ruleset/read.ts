import type { Item } from "../../model/item.js";
import type { JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import type { Declared } from "../../model/wanted.js";
import type { Live, ZoneReader } from "../kind.js";
import { type LiveRule, type PhaseRuleset, readPhase } from "../phase.js";
import { managedInAccount } from "./account.js";
import { checkScoringRule } from "./check.js";
import { identify } from "./identify.js";
import { executedBy, knownScoringId, type Managed, PHASE } from "./managed.js";
import { liveNormal } from "./normal.js";
import { generalOverrides, hasUsableOverrides } from "./overrides.js";

/** What the calls are made of. */
export interface Around {
  /** Null: the zone has no ruleset of the phase. */
  readonly ruleset: PhaseRuleset | null;
  /** Null: the zone executes nothing that could be removed. */
  readonly managed: Managed | null;
}

/** Reads the zone's rules of the phase, and, at the same time, what has to be known of the managed ruleset. */
export async function read(zone: ZoneReader, all: readonly Declared[]): Promise<Result<Live<Around>>> {
  const declared = all[0] ?? { path: [PHASE.kind], body: {} };
  const { body } = declared;
  const isRemoved = body.ensure === "absent";
  const needsAccount = !isRemoved && body.score_rule === undefined;
  const [phase, found] = await Promise.all([
    readPhase(zone.api, zone.zoneId, PHASE, !isRemoved),
    needsAccount ? managedInAccount(zone, declared) : null,
  ]);
  if (!phase.ok) return failed(...phase.problems, ...(found?.ok === false ? found.problems : []));
  const ruleset = phase.value;
  const executing = (ruleset?.rules ?? []).filter((rule) => executedBy(rule) !== null);
  if (isRemoved && executing.length === 0) return ok({ items: [], around: { ruleset, managed: null } });
  const managed = found ?? (await identify(zone, declared, executing));
  if (!managed.ok) return managed;
  const rules = executing.filter((rule) => executedBy(rule) === managed.value.id);
  const problems = [
    ...checkScoring(zone, declared, managed.value),
    ...rules.filter((rule) => !hasUsableOverrides(rule)).map(otherShape),
    ...checkLevel(zone, declared, rules),
  ];
  if (problems.length > 0) return failed(...problems);
  const items = rules.map((rule) => itemOf(rule, managed.value, body));
  return ok({ items, around: { ruleset, managed: managed.value } });
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
  if (generalOverrides(rule).enabled !== false) return [];
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
