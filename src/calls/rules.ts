import { type PendingChange, POSITION, type RulesAt } from "../kinds/kind.js";
import { entryPointOf, type Phase, type PhaseRuleset, sentRule } from "../kinds/phase.js";
import type { Item } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import type { Seen } from "../model/plan.js";
import { absurd } from "../model/problem.js";
import { type KindChanges, type PendingStep, PLAIN } from "./call.js";

/** The change of one rule in a list that several kinds may share. */
export interface RuleChange {
  readonly at: RulesAt;
  /** The kind's context. */
  readonly context: unknown;
  readonly change: PendingChange;
  /** The live rule's id; null: it is new. */
  readonly id: string | null;
  /** The rule after the change; null: it is deleted. */
  readonly rule: JsonObject | null;
  /** Whether the change sets the rule's place: the rule is new or moves. */
  readonly isPlaced: boolean;
}

/** The changes of a kind whose objects are rules. */
export function ruleChanges({ kind, live: zone, changes }: KindChanges, at: RulesAt): readonly RuleChange[] {
  return changes.map((change) => {
    const { want, live } = change.triple;
    const fields = change.fields.map(({ path }) => path);
    const id = live === null ? null : (live.ref.id ?? absurd(HAS_ID));
    const common = { at, context: zone.context, change, id };
    if (want === null) return { ...common, rule: null, isPlaced: false };
    const was = live === null ? null : { live, fields };
    const target = wholeRule(want, live, at) ?? (kind.toWire(want, was, zone) as JsonObject); // no rule has a secret
    return id === null
      ? { ...common, rule: target, isPlaced: true }
      : { ...common, rule: { ...target, id }, isPlaced: fields.includes(POSITION) };
  });
}

const HAS_ID = "a live rule has an id: read() checked it";

/** The rule of an item that owns all of it. The service assigns ids, and accepts no ref but the rule's own. */
function wholeRule({ owns, raw }: Item, live: Item | null, { isSentAlone }: RulesAt): JsonObject | null {
  if (owns !== "all" || raw === null) return null;
  const { id, ref, ...rule } = sentRule(raw);
  // The service's default for ref is the id.
  const whole = ref === undefined || ref === id ? rule : { ...rule, ref };
  const liveIds = (isSentAlone ? ["ref"] : ["id", "ref"]).flatMap((name) => {
    const value = live?.raw?.[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...whole, ...Object.fromEntries(liveIds) };
}

/** The rules of a list after all changes. Unchanged rules keep their order. */
export function listAfter(
  live: readonly JsonObject[],
  changes: readonly RuleChange[],
): readonly JsonObject[] {
  const turns = inTurn(changes);
  // A rule must not find its place beside a rule that has yet to go back to its own.
  const returning = new Set(turns.flatMap(({ id, behind }) => (behind === null ? [] : (id ?? []))));
  const staying = live.map(sentRule).filter(({ id }) => !returning.has(String(id)));
  return turns.reduce(withChange, staying);
}

interface Turn extends RuleChange {
  /** The ids of the rules that stood before a rule that returns to its former place, nearest first. Null: it does not. */
  readonly behind: readonly string[] | null;
}

/**
 * Returning rules, the last one first. Recreated rules have other ids, so two of them may find the same rule before them;
 * the earlier one is then put in front of the later one.
 */
function inTurn(changes: readonly RuleChange[]): readonly Turn[] {
  return changes
    .map((each) => ({ ...each, behind: behindOf(each, changes.length === 1) }))
    .toSorted((a, b) => (b.behind?.length ?? -1) - (a.behind?.length ?? -1));
}

/** A rule that moves alone is placed by its own position, since no other rule moves. */
function behindOf({ id, isPlaced, change }: RuleChange, isAlone: boolean): Turn["behind"] {
  const { behind = null } = change.triple.want ?? {};
  return isPlaced && !(isAlone && id !== null) ? behind : null;
}

function withChange(rules: readonly JsonObject[], change: Turn): readonly JsonObject[] {
  const { id, rule, isPlaced } = change;
  if (rule !== null && !isPlaced) return rules.map((each) => (each.id === id ? rule : each));
  const otherRules = rules.filter((each) => id === null || each.id !== id);
  return rule === null ? otherRules : otherRules.toSpliced(placeAmong(otherRules, change), 0, rule);
}

/** A new rule comes last unless its kind has another place for it. */
function placeAmong(otherRules: readonly JsonObject[], { at, context, change, behind }: Turn): number {
  if (behind === null)
    return at.place?.(change.triple.want ?? absurd(IS_WANTED), otherRules, context) ?? otherRules.length;
  const places = behind.map((id) => otherRules.findIndex((each) => each.id === id));
  return (places.find((place) => place >= 0) ?? -1) + 1;
}

const IS_WANTED = "a rule that gets a place is wanted";

/**
 * One call for all changes of a list, since two calls would undo each other. A single changed rule is sent alone if the
 * service allows that for the phase; else the list is replaced.
 */
export function listCalls(zoneId: string, changes: readonly RuleChange[]): readonly PendingStep[] {
  const [first] = changes;
  if (first === undefined) return [];
  const { phase } = first.at;
  const ruleset = changes.map(({ at, context }) => at.ruleset(context)).find((each) => each !== null) ?? null;
  const rules = listAfter(ruleset?.rules ?? [], changes);
  const common = { changes: changes.map(({ change }) => change.at), effects: effectsOf(changes, rules) };
  const path = ["zones", zoneId, "rulesets"];
  if (ruleset === null) return newListCalls(path, entryPointOf(zoneId, phase), phase, rules, common);
  const call = changes.length === 1 ? ruleCall(first, rules) : null;
  const { below, ...sent } = call ?? listCall(ruleset, rules);
  return [
    {
      ...PLAIN,
      ...sent,
      path: [...path, ruleset.id, ...below],
      ...common,
      precondition: { read: ruleset.path, fields: stateOf(ruleset) },
      reads: [{ ref: { kind: phase.kind, key: phase.name, id: ruleset.id }, state: stateOf(ruleset) }],
    },
  ];
}

/** New rules have no ids yet, so their effects are in the order of the list. */
function effectsOf(changes: readonly RuleChange[], rules: readonly JsonObject[]): PendingStep["effects"] {
  const place = ({ id, rule }: RuleChange) => (id === null && rule !== null ? rules.indexOf(rule) : -1);
  return inTurn(changes)
    .toSorted((a, b) => place(a) - place(b))
    .map(({ change: { triple } }) => {
      const { ref } = triple.want ?? triple.live ?? absurd(IS_WANTED);
      return { ref, item: triple.want };
    });
}

type Sent = Pick<PendingStep, "method" | "body"> & { readonly below: readonly string[] };

/** A call for this rule only. Null: the rule is new, is deleted, or cannot be sent alone. */
function ruleCall({ at, id, rule, isPlaced }: RuleChange, rules: readonly JsonObject[]): Sent | null {
  if (!at.isSentAlone || id === null || rule === null) return null;
  const { id: _, ...body } = rule;
  const position = isPlaced ? { position: positionIn(rules, rule) } : {};
  return { method: "PATCH", below: ["rules", id], body: { ...body, ...position } };
}

/** The position in the service's form: before the next rule, or last. */
function positionIn(rules: readonly JsonObject[], rule: JsonObject): JsonObject {
  const { id } = rules[rules.indexOf(rule) + 1] ?? {};
  return typeof id === "string" ? { before: id } : { after: "" };
}

/** Includes the unmanaged description: a PUT may drop fields that it leaves out. */
function listCall({ description }: PhaseRuleset, rules: readonly JsonObject[]): Sent {
  return { method: "PUT", below: [], body: { ...(description ? { description } : {}), rules } };
}

/**
 * A ruleset is created empty and then filled: as the interface is described, rules in the POST are ignored. The published
 * OpenAPI document requires the list.
 */
function newListCalls(
  path: readonly string[],
  entryPoint: string,
  phase: Phase,
  rules: readonly JsonObject[],
  common: Pick<PendingStep, "changes" | "effects">,
): readonly PendingStep[] {
  const where = { kind: "zone", phase: phase.name };
  const absent: Seen = { ref: { kind: phase.kind, key: phase.name, id: null }, state: null };
  return [
    {
      ...PLAIN,
      method: "POST",
      path,
      // Locked entry points want this name, and no ruleset's name can change.
      body: { name: "default", kind: "zone", description: phase.description, phase: phase.name, rules: [] },
      changes: common.changes,
      effects: [],
      findCreated: { list: `/${path.join("/")}`, where: where, known: [] },
      reads: [absent],
    },
    {
      ...PLAIN,
      method: "PUT",
      path: [...path, { $result: 0 }],
      body: { rules },
      ...common,
      needs: [0],
      // Somebody else may add rules to the new ruleset before it is filled.
      precondition: { read: entryPoint, fields: { rules: null } },
    },
  ];
}

/** The state that every write of the ruleset changes. A write that carries over other rules needs it unchanged. */
function stateOf({ raw }: PhaseRuleset): JsonObject {
  return { version: raw.version ?? null, rules: raw.rules ?? null };
}
