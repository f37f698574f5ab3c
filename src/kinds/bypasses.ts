import { cutEnd } from "../model/cut.js";
import { asText, type Json, type JsonObject } from "../model/json.js";
import type { PhaseName } from "../model/phases.js";
import { areAll, note, ok, type Problem, type Result } from "../model/problem.js";
import { notTouched } from "../model/read-api.js";
import type { Hindrance } from "../model/strength.js";
import { type LiveUnmanaged, RULES } from "../model/unmanaged.js";
import type { ZoneState } from "../model/zone-state.js";
import type { RuleBefore } from "../model/zone-tests.js";
import { accountRulesets } from "./account-rulesets.js";
import { PHASE as CUSTOM_PHASE } from "./custom-rules/phase.js";
import { DOCUMENTED, documentedName, executedBy, MANAGED_PHASE } from "./documented-rulesets.js";
import { requestsOf } from "./expression.js";
import type { Kind, ZoneReader } from "./kind.js";
import {
  descriptionOf,
  type LiveRule,
  type Phase,
  readPhase,
  ruleId,
  ruleName,
  rulesetAmong,
} from "./phase.js";
import { namedIn, PHASES as SKIPPABLE, type Skip, skipOf, skipParameters } from "./skips.js";
import { isSwitchedOff, type RuleEffect } from "./unmanaged-rules.js";

/** The lists that run before the zone's list of managed rulesets: custom rules, and the account's rules. */
export interface EarlierLists {
  /** The rules that let requests skip managed rulesets, or may do so. */
  readonly bypasses: readonly RuleBefore[];
  /** The account's rules of the phase of managed rulesets. */
  readonly accountRules: readonly LiveRule[];
  /** One note for each list that the token cannot read. */
  readonly warnings: readonly Problem[];
}

const PHASES = {
  custom: CUSTOM_PHASE,
  managed: { kind: "managed_ruleset", ...MANAGED_PHASE },
} as const satisfies { readonly [name: string]: Phase };

/**
 * Reads the zone's custom rules, and the account's rules of both phases once in a run. An unreadable list or an unknown
 * account becomes a warning.
 */
export async function readEarlierLists(zone: ZoneReader): Promise<Result<EarlierLists>> {
  const custom = await readPhase(notTouched(zone.api), zone.zoneId, PHASES.custom, false);
  if (!custom.ok && !areAll(custom.problems, DENIED, ...ABSENT)) return custom;
  const account = await accountLists(zone);
  if (!account.ok && !areAll(account.problems, DENIED, ...ABSENT, ACCOUNT_UNKNOWN)) return account;
  const ofZone = custom.ok ? (custom.value?.rules ?? []) : [];
  const { custom: ofAccount, managed, rulesets } = account.ok ? account.value : NO_LISTS;
  return ok({
    bypasses: [
      ...bypassesAmong(ofAccount, PHASES.custom, true),
      ...bypassesAmong(ofZone, PHASES.custom, false),
      ...bypassesAmong(
        managed.filter((rule) => !rulesets.has(executedBy(rule) ?? "")),
        PHASES.managed,
        true,
      ),
    ],
    accountRules: managed,
    warnings: [
      ...(custom.ok || areAll(custom.problems, ...ABSENT) ? [] : [customUnread()]),
      ...(account.ok || areAll(account.problems, ...ABSENT) ? [] : [accountUnread(account.problems)]),
    ],
  });
}

interface AccountLists {
  readonly custom: readonly LiveRule[];
  readonly managed: readonly LiveRule[];
  /** The ids of the managed rulesets that the account has. */
  readonly rulesets: ReadonlySet<string>;
}

const NO_LISTS: AccountLists = { custom: [], managed: [], rulesets: new Set() };

/** Reads only the phases in which the account's list of rulesets shows rules. */
async function accountLists(zone: ZoneReader): Promise<Result<AccountLists>> {
  const account = await accountRulesets(zone);
  if (!account.ok) return account;
  const { path, rulesets } = account.value;
  const read = (phase: Phase) => rulesetAmong(zone.api, path, rulesets, "root", phase);
  const [custom, managed] = await Promise.all([read(PHASES.custom), read(PHASES.managed)]);
  if (!custom.ok) return custom;
  if (!managed.ok) return managed;
  const managedIds = rulesets.flatMap(({ kind, id }) =>
    kind === "managed" && typeof id === "string" ? [id] : [],
  );
  return ok({
    custom: custom.value?.rules ?? [],
    managed: managed.value?.rules ?? [],
    rulesets: new Set(managedIds),
  });
}

const DENIED = "unauthorized";

/** The list does not exist, or the zone's Cloudflare plan does not include it. */
const ABSENT = ["not_found", "not_entitled"];
const ACCOUNT_UNKNOWN = "account_unknown";

/** Whether the problem is one of the warnings of `readEarlierLists`. */
export function isAboutVisibility({ code }: Problem): boolean {
  return code === CUSTOM_UNREAD || code === ACCOUNT_UNREAD;
}

const CUSTOM_UNREAD = "custom_rules_unread";
const ACCOUNT_UNREAD = "account_rules_unread";

function customUnread(): Problem {
  const detail =
    "The token may not read custom rules, so a custom rule that skips the managed rulesets is not visible. Give it the permission group Zone WAF Read.";
  return note(CUSTOM_UNREAD, "Custom rules are not visible", detail);
}

function accountUnread(problems: readonly Problem[]): Problem {
  const unseen = "so a rule of the account that skips the managed rulesets is not visible.";
  const detail = problems.some(({ code }) => code === ACCOUNT_UNKNOWN)
    ? `The zone list does not name the zone's account, ${unseen} Give account_id in the file.`
    : `The token may not read the account's rules, ${unseen} Give it the permission group Account WAF Read.`;
  return note(ACCOUNT_UNREAD, "The account's rules are not visible", detail);
}

function bypassesAmong(
  rules: readonly JsonObject[],
  { name: phase }: Phase,
  isOfAccount: boolean,
): readonly RuleBefore[] {
  const skipping = rules.filter((rule) => !isIdle(rule) && skipIn(phase, rule) !== null);
  return skipping.map((rule) => ({ rule, phase, isOfAccount }));
}

function isIdle(rule: JsonObject): boolean {
  return isSwitchedOff(rule) || requestsOf(rule.expression ?? null) === "no request";
}

/**
 * The bypasses of a zone with these lists of rules.
 *
 * @param live those that were read
 */
export function bypassesWith(live: readonly RuleBefore[], rules: ZoneState["rules"]): readonly RuleBefore[] {
  const custom = rules.get(PHASES.custom.name);
  if (custom === undefined) return live;
  const isOfZone = ({ phase, isOfAccount }: RuleBefore) => phase === PHASES.custom.name && !isOfAccount;
  return [...live.filter((each) => !isOfZone(each)), ...bypassesAmong(custom, PHASES.custom, false)];
}

/** The managed rulesets and rules that requests skip by a rule of an earlier list. Null: none. */
export function skipIn(phase: string, rule: JsonObject): Skip | null {
  const { action = null } = rule;
  if (STOPPING.includes(action)) return null;
  if (action !== "skip")
    return phase === PHASES.managed.name && DOCUMENTED.has(executedBy(rule) ?? "") ? null : UNCLEAR;
  const found = skipOf(rule, phase);
  if (found === null) return null;
  // An unknown phase may be one with managed rulesets.
  const isKnown = found.phases.every((each) => SKIPPABLE.includes(each));
  const skip = isKnown ? found : { ...found, phases: [], isClear: false };
  const isAbout = skip.isWhole || !skip.isClear || skip.rulesets.length + skip.rules.length > 0;
  return isAbout ? skip : null;
}

/** Actions that let no request skip anything. */
const STOPPING: readonly Json[] = ["block", "challenge", "js_challenge", "managed_challenge", "log"];

/** The skip of an unknown action or of an executed ruleset, whose rules are not read: it may skip anything. */
const UNCLEAR: Skip = { isWhole: false, rulesets: [], rules: [], phases: [], isClear: false };

/** The rules of earlier lists that let requests skip objects of the kind. */
export function undeclaredBypasses(
  { name: kind, at }: Pick<Kind, "name" | "at">,
  context: unknown,
): readonly LiveUnmanaged[] {
  const bypasses = at.as === "rules" ? (at.before?.(context) ?? []) : [];
  return bypasses.map((bypass) => {
    const ref = { kind, key: descriptionOf(bypass.rule), id: ruleId(bypass.rule) };
    return { ref, list: RULES, raw: bypass.rule, ...effectOf(bypass) };
  });
}

function effectOf({ rule, ...place }: RuleBefore): RuleEffect {
  const skip = skipIn(place.phase, rule) ?? UNCLEAR;
  const requests = requestsOf(rule.expression ?? null);
  const does = `${isSure(skip) ? "skips" : "may skip"} ${partsOf(skip)} as a ${ruleNoun(place)}${uncertaintyOf(rule)}: ${requests}`;
  return { does, effect: rule.action === "skip" ? "weakens" : "unknown" };
}

function isSure({ isWhole, isClear }: Skip): boolean {
  return isWhole || isClear;
}

function partsOf(skip: Skip): string {
  return skip.isWhole || !skip.isClear ? "the managed rulesets" : namedIn(skip, documentedName).join(", ");
}

/** `custom rule of the account` */
function ruleNoun({ phase, isOfAccount }: Omit<RuleBefore, "rule">): string {
  const noun = phase === PHASES.custom.name ? "custom rule" : "rule";
  return isOfAccount ? `${noun} of the account` : noun;
}

/** Why a rule without the action skip may skip. */
function uncertaintyOf(rule: JsonObject): string {
  const { action = null } = rule;
  if (action === "skip") return "";
  const executed = executedBy(rule);
  return executed === null
    ? ` whose action ${JSON.stringify(cutEnd(asText(action), MAX_CHARS))} is unknown`
    : ` that executes ${documentedName(executed)}, whose rules are not read`;
}

const MAX_CHARS = 40;

/**
 * The hindrances of an object by rules that let requests skip it.
 *
 * @param scope the filter expression of the object's requests
 * @param partOf the part of the object that requests skip. Null: none
 */
export function bypassedBy(
  bypasses: readonly RuleBefore[],
  scope: string,
  partOf: (skip: Skip) => "all" | "some" | null,
): readonly Hindrance[] {
  return bypasses.flatMap(({ rule, ...place }) => {
    const skip = skipIn(place.phase, rule) ?? UNCLEAR;
    const of = partOf(skip);
    return of === null
      ? []
      : [{ ...skippedBy(rule, scope, of), called: ruleNoun(place), isSure: isSure(skip) }];
  });
}

/** The hindrance of an object by a rule that lets requests skip it. */
export function skippedBy(rule: JsonObject, scope: string, of: "all" | "some") {
  const where = asText(rule.expression ?? "");
  return { as: "skip", by: ruleName(rule), id: ruleId(rule), where, scope, of } as const;
}

/** The hindrances of a rate limit by custom rules. */
export function limitSkippedBy(rules: ZoneState["rules"], scope: string): readonly Hindrance[] {
  return (rules.get(PHASES.custom.name) ?? []).flatMap((rule) => {
    if (isIdle(rule)) return [];
    const skipsLimits = skipParameters(rule)?.phases.includes(RATE_LIMITS) === true;
    const maySkip = skipsLimits || skipIn(PHASES.custom.name, rule)?.isClear === false;
    if (!maySkip) return [];
    const of = skipsLimits ? "all" : "some";
    return [{ ...skippedBy(rule, scope, of), called: "custom rule", isSure: skipsLimits }];
  });
}

const RATE_LIMITS: PhaseName = "http_ratelimit";
