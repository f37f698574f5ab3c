import type { JsonObject } from "../../../model/json.js";
import { type Answer, apiError, empty, failure, result } from "../../answer.js";
import type { Call, Route, World } from "../resource.js";
import { endpoint, onOwnRuleset, onRuleset, type RulesetsAnswer, write } from "./endpoint.js";
import { creationErrors, entryPointErrors, listErrors, rulesOf, updateErrors } from "./fields.js";
import { phases } from "./phases.js";
import { rulesetRules } from "./rules.js";
import {
  entryPointOf,
  kindsOf,
  modified,
  newId,
  type Ruleset,
  type Rulesets,
  rulesetOut,
  rulesetSummary,
  textOr,
  timestamp,
} from "./state.js";

const one = "/{ruleset_id}";
const entryPoint = "/phases/{ruleset_phase}/entrypoint";

export const rulesets: readonly Route[] = [
  ...endpoint("GET", "", list),
  ...endpoint("POST", "", write(create)),
  ...endpoint("GET", one, onRuleset(read)),
  ...endpoint("PUT", one, write(onOwnRuleset(update))),
  ...endpoint("DELETE", one, write(onOwnRuleset(remove))),
  ...endpoint("GET", entryPoint, onPhase(readEntryPoint)),
  ...endpoint("PUT", entryPoint, write(onPhase(updateEntryPoint))),
  ...rulesetRules,
];

function read(ruleset: Ruleset): Answer {
  return result(rulesetOut(ruleset));
}

function create(rulesets: Rulesets, call: Call, world: World): Answer {
  const body = world.habits.rulesetCreation(call.body);
  const { name, kind, phase } = body;
  const draft = draftOf(textOr(name, ""), textOr(kind, ""), textOr(phase, ""));
  return keep(draft, rulesets, body, creationErrors(body, rulesets), world);
}

/** The first modification makes the version 1 of it. */
function draftOf(name: string, kind: string, phase: string): Ruleset {
  return { id: "", name, description: "", kind, phase, version: "0", lastUpdated: "", rules: [], extra: {} };
}

function update(ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World): Answer {
  return keep(ruleset, rulesets, call.body, updateErrors(call.body, ruleset), world);
}

/**
 * Stores a ruleset with the description and the rules of a body, and answers with it. What is not given stays: the
 * documentation updates a description without naming the rules.
 */
function keep(
  before: Ruleset,
  rulesets: Rulesets,
  body: JsonObject,
  fieldErrors: readonly JsonObject[],
  world: World,
): Answer {
  const errors = [...fieldErrors, ...listErrors(body.rules, before, world)];
  if (errors.length > 0) return failure(400, ...errors);
  const now = timestamp(world.now());
  const identified = before.id === "" ? { ...before, id: newId(rulesets) } : before;
  const description = textOr(body.description, before.description);
  const rules = rulesOf(body.rules, before, rulesets, now);
  const ruleset = modified(identified, { description, rules }, now);
  rulesets.byId.set(ruleset.id, ruleset);
  return result(rulesetOut(ruleset));
}

function remove(ruleset: Ruleset, rulesets: Rulesets): Answer {
  rulesets.byId.delete(ruleset.id);
  return empty;
}

/** Users see this code and text where a phase has no entry point yet. */
function readEntryPoint(phase: string, rulesets: Rulesets): Answer {
  const ruleset = entryPointOf(rulesets, phase);
  if (ruleset !== undefined) return read(ruleset);
  return failure(404, apiError(`could not find entrypoint ruleset in the ${phase} phase`, 10003));
}

/** Makes the ruleset where there is none, says the documentation of creating; users see its name `default`. */
function updateEntryPoint(phase: string, rulesets: Rulesets, call: Call, world: World): Answer {
  const kind = kindsOf[rulesets.level].entryPoint;
  const draft = draftOf(textOr(call.body.name, "default"), kind, phase);
  const ruleset = entryPointOf(rulesets, phase) ?? draft;
  return keep(ruleset, rulesets, call.body, entryPointErrors(call.body, ruleset), world);
}

function onPhase(
  answer: (phase: string, rulesets: Rulesets, call: Call, world: World) => Answer,
): RulesetsAnswer {
  return (rulesets, call, world) => {
    const phase = call.parameters.get("ruleset_phase") ?? "";
    return phases.includes(phase)
      ? answer(phase, rulesets, call, world)
      : failure(400, apiError(`'${phase}' is not a valid value for phase`));
  };
}

/** In the dialect that has no pages, parameters that would ask for one do nothing. */
function list(rulesets: Rulesets, { query }: Call, world: World): Answer {
  const all = listed(rulesets, world);
  const perPage = query.get("per_page");
  const cursor = query.get("cursor");
  // Whole is what the published OpenAPI document knows; which page comes without a size is documented nowhere.
  if (!world.habits.rulesetPages || (perPage === null && cursor === null))
    return result(all.map(rulesetSummary));
  return onePage(all, Number(perPage ?? Math.max(all.length, 1)), Number(cursor ?? 0));
}

/** The list of a zone also has the managed rulesets of its account, says the documentation of viewing. */
function listed(rulesets: Rulesets, { store }: World): readonly Ruleset[] {
  const own = [...rulesets.byId.values()];
  const managed = [...store.accountRulesets.byId.values()].filter(({ kind }) => kind === "managed");
  return rulesets.level === "zone" ? [...own, ...managed] : own;
}

/** The members of `result_info` are those of the official TypeScript SDK; the last page has no cursor. */
function onePage(all: readonly Ruleset[], perPage: number, from: number): Answer {
  if (!Number.isInteger(perPage) || perPage < 1)
    return failure(400, apiError("per_page must be a whole number from 1 up"));
  if (!Number.isInteger(from) || from < 0) return failure(400, apiError("the cursor is not valid"));
  const shown = all.slice(from, from + perPage);
  const next = from + shown.length;
  const info = { count: shown.length, per_page: perPage };
  return result(shown.map(rulesetSummary), next < all.length ? { ...info, cursor: String(next) } : info);
}
