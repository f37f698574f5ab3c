import { isId } from "../../model/id.js";
import { isList, isObject, type JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import { suggest } from "../../model/suggest.js";
import type { Declared } from "../../model/wanted.js";
import type { ZoneReader } from "../kind.js";
import { declaredRuleset, isRulesetId, type Managed, PHASE, type Scoring } from "./managed.js";

/** The managed ruleset that the file means, with its scoring rule, from the account. */
export async function managedInAccount(zone: ZoneReader, declared: Declared): Promise<Result<Managed>> {
  const id = await rulesetIdInAccount(zone, declared);
  if (!id.ok) return id;
  const account = await accountOf(zone, declared);
  if (!account.ok) return account;
  const path = `${account.value}/${id.value}`;
  const answer = await zone.api.get(path);
  if (!answer.ok)
    return failed(
      ...answer.problems.map((each) => withWayOut(missing(each, id.value, declared, zone), declared)),
    );
  const { value } = answer;
  if (!isObject(value) || !isList(value.rules ?? [])) return failed(otherShape(path, "a ruleset"));
  const name = typeof value.name === "string" ? value.name : null;
  const scoring = scoringIn(value);
  if (scoring !== null) return ok({ id: id.value, name, scoring });
  const detail = `${name === null ? "The ruleset" : JSON.stringify(name)} (${id.value}) has no rule with a score threshold, so there is no scoring rule to configure. Correct ruleset.`;
  return failed(atRuleset("no_scoring_rule", "A ruleset without a scoring rule", detail, declared, zone));
}

/** The id of the ruleset that the file names: it may be the id itself. */
export async function rulesetIdInAccount(zone: ZoneReader, declared: Declared): Promise<Result<string>> {
  const ruleset = declaredRuleset(declared.body);
  if (isRulesetId(ruleset)) return ok(ruleset.toLowerCase());
  const account = await accountOf(zone, declared);
  if (!account.ok) return account;
  const answer = await zone.api.list(account.value, "whole");
  if (!answer.ok) return failed(...answer.problems.map((each) => withWayOut(each, declared)));
  const candidates = answer.value.filter(isObject).filter(isCandidate);
  const [found, ...others] = candidates.filter(({ name }) => name === ruleset);
  if (found === undefined) return failed(notThere(ruleset, candidates, declared, zone));
  if (others.length > 0) return failed(several(ruleset, [found, ...others], declared, zone));
  return typeof found.id === "string" && isId(found.id)
    ? ok(found.id)
    : failed(otherShape(account.value, "rulesets that have ids"));
}

async function accountOf(zone: ZoneReader, declared: Declared): Promise<Result<string>> {
  const account = await zone.accountId();
  if (account.ok) return ok(`/accounts/${account.value}/rulesets`);
  return failed(...account.problems.map((each) => withWayOut(each, declared)));
}

/** Managed rulesets of other phases cannot be executed in this one. */
function isCandidate({ kind, phase }: JsonObject): boolean {
  return kind === "managed" && (phase ?? PHASE.name) === PHASE.name;
}

/** It is the last rule, and the only one that has a threshold. */
function scoringIn({ rules }: JsonObject): Scoring | null {
  const scored = (isList(rules) ? rules : [])
    .filter(isObject)
    .findLast((rule) => typeof rule.score_threshold === "number");
  if (scored === undefined || typeof scored.id !== "string") return null;
  const { id, score_threshold = null, action = null } = scored;
  return {
    id,
    own: { ...(score_threshold === null ? {} : { score_threshold }), ...(action === null ? {} : { action }) },
  };
}

/** A credential for zones alone can do without the account. */
function withWayOut(reason: Problem, { body }: Declared): Problem {
  if (reason.code !== "unauthorized") return reason;
  const isByName = body.ensure === "absent" || body.score_rule !== undefined;
  const way = isByName ? "give the ruleset's id in ruleset" : "give score_rule";
  const detail = `${reason.detail} Or ${way}: then the account's rulesets need not be read.`;
  return { ...reason, detail };
}

function missing(reason: Problem, id: string, declared: Declared, zone: ZoneReader): Problem {
  if (reason.code !== "not_found") return reason;
  const detail = `The account has no ruleset with the id ${id}. Correct it, or give the ruleset's name.`;
  return atRuleset("ruleset_not_found", "A ruleset that the account does not have", detail, declared, zone);
}

function notThere(
  name: string,
  candidates: readonly JsonObject[],
  declared: Declared,
  zone: ZoneReader,
): Problem {
  const names = candidates.flatMap((each) => (typeof each.name === "string" ? [each.name] : []));
  const close = suggest(name, names);
  const guess = close === null ? "" : ` Did you mean ${JSON.stringify(close)}?`;
  const known =
    names.length === 0 ? "It has none." : `It has ${names.map((each) => JSON.stringify(each)).join(", ")}.`;
  const detail = `The account has no managed ruleset called ${JSON.stringify(name)}.${guess} ${known}`;
  return atRuleset("ruleset_not_found", "A ruleset that the account does not have", detail, declared, zone);
}

function several(name: string, found: readonly JsonObject[], declared: Declared, zone: ZoneReader): Problem {
  const ids = found.map(({ id }) => String(id)).join(", ");
  const detail = `The account has ${found.length} managed rulesets called ${JSON.stringify(name)}: ${ids}. Give the id of the one that is meant.`;
  return atRuleset("ambiguous_ruleset", "Several rulesets of one name", detail, declared, zone);
}

function atRuleset(
  code: string,
  summary: string,
  detail: string,
  { path }: Declared,
  zone: ZoneReader,
): Problem {
  return { ...problem(code, summary, detail), at: zone.locate([...path, "ruleset"]) };
}

function otherShape(path: string, what: string): Problem {
  return problem(
    "unexpected_answer",
    "The service gave a ruleset of another shape",
    `GET ${path} did not answer with ${what}. Nothing is planned for this zone.`,
  );
}
