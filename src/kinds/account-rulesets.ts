import { suggest } from "../model/did-you-mean.js";
import type { Path } from "../model/item.js";
import { asText, isObject, type JsonObject } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isId } from "../model/read-api.js";
import { DOCUMENTED, documentedId, isRulesetId, MANAGED_PHASE } from "./documented-rulesets.js";
import { type Finding, warningAt, type ZoneReader } from "./kind.js";
import { unusableId } from "./phase.js";

/**
 * The id of the account's managed ruleset of this name.
 *
 * @param at where the name was declared
 */
export async function rulesetIdByName(zone: ZoneReader, name: string, at: Path): Promise<Result<string>> {
  const account = await accountRulesets(zone);
  if (!account.ok) return account;
  const candidates = account.value.rulesets.filter(isCandidate);
  const sameNamed = candidates.filter((ruleset) => ruleset.name === name);
  const [ruleset] = sameNamed;
  if (ruleset === undefined) return failed(unknownRuleset(name, candidates, zone.locate(at)));
  if (sameNamed.length > 1) return failed(ambiguousName(name, sameNamed, zone.locate(at)));
  return typeof ruleset.id === "string" && isId(ruleset.id)
    ? ok(ruleset.id)
    : failed(unusableId(`GET ${account.value.path} listed ${JSON.stringify(name)}`, ruleset.id));
}

/** A likely typo in a documented name. Other names can exist in the account. */
export function checkRulesetName(name: string, path: Path): readonly Finding[] {
  const close = isRulesetId(name) || documentedId(name) !== null ? null : suggest(name, DOCUMENTED.values());
  if (close === null) return [];
  const detail = `Cloudflare documents no ruleset ${JSON.stringify(name)}. Did you mean ${JSON.stringify(close)}?`;
  return [warningAt(path, "unknown_value", `Unknown value of ${path[0] ?? ""}`, detail)];
}

export async function accountRulesets(
  zone: ZoneReader,
): Promise<Result<{ readonly path: string; readonly rulesets: readonly JsonObject[] }>> {
  const path = await accountRulesetsPath(zone);
  if (!path.ok) return path;
  const answer = await zone.api.list(path.value);
  return answer.ok ? ok({ path: path.value, rulesets: answer.value.filter(isObject) }) : answer;
}

export async function accountRulesetsPath(zone: ZoneReader): Promise<Result<string>> {
  const account = await zone.accountId();
  return account.ok ? ok(`/accounts/${account.value}/rulesets`) : account;
}

/** The phase executes only managed rulesets made for it. */
function isCandidate({ kind, phase }: JsonObject): boolean {
  return kind === "managed" && (phase ?? MANAGED_PHASE.name) === MANAGED_PHASE.name;
}

function unknownRuleset(name: string, candidates: readonly JsonObject[], at: Problem["at"]): Problem {
  const names = candidates.flatMap((each) => (typeof each.name === "string" ? [each.name] : []));
  const close = suggest(name, names);
  const guess = close === null ? "" : ` Did you mean ${JSON.stringify(close)}?`;
  const known =
    names.length === 0 ? "It has none." : `It has ${names.map((each) => JSON.stringify(each)).join(", ")}.`;
  const detail = `The account has no managed ruleset of this name.${guess} ${known}`;
  return problem("ruleset_not_found", `Unknown ruleset ${JSON.stringify(name)}`, detail, at);
}

function ambiguousName(name: string, rulesets: readonly JsonObject[], at: Problem["at"]): Problem {
  const ids = rulesets.map(({ id }) => asText(id)).join(", ");
  const detail = `The account has ${rulesets.length} managed rulesets of this name. Write one of their ids instead: ${ids}.`;
  return problem("ambiguous_ruleset", `Ambiguous ruleset ${JSON.stringify(name)}`, detail, at);
}

/**
 * Adds how the file can avoid the read, so that a token without access to the account is enough.
 *
 * @param keys the keys to write. Empty: there is no way
 */
export function withWayOut(reason: Problem, keys: readonly string[]): Problem {
  if (reason.code !== "unauthorized" || keys.length === 0) return reason;
  const detail = `${reason.detail} Or write ${keys.join(" and ")}; then the token needs no access to the account's rulesets.`;
  return { ...reason, detail };
}
