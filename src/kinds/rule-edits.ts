import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import type { Seen } from "../model/plan.js";
import type { Draft, PendingStep, RuleEdit } from "./kind.js";
import { carried, entryPointOf, type Phase, type PhaseRuleset } from "./phase.js";

function isEdit(draft: Draft): draft is RuleEdit {
  return "edit" in draft;
}

/** The calls of each kind. Those that write a list are the first kind's that changes something in it. */
export function callsOf(
  zoneId: string,
  drafts: readonly (readonly Draft[])[],
): readonly (readonly PendingStep[])[] {
  const byPhase = groupBy(drafts.flat().filter(isEdit), ({ phase }) => phase.name);
  return drafts.map((own) => {
    const firsts = own.filter(isEdit).flatMap((edit) => {
      const all = byPhase.get(edit.phase.name) ?? [];
      return all[0] === edit ? [all] : [];
    });
    const calls = own.flatMap((each) => (isEdit(each) ? [] : [each]));
    return [...calls, ...firsts.flatMap((edits) => writing(zoneId, edits))];
  });
}

/** The calls that make all these edits in one list. */
function writing(zoneId: string, edits: readonly RuleEdit[]): readonly PendingStep[] {
  const [first, ...others] = edits;
  if (first === undefined) return [];
  const { phase, alone } = first;
  const ruleset = edits.find((each) => each.ruleset !== null)?.ruleset ?? null;
  if (alone !== undefined && ruleset !== null && others.length === 0)
    return [ruleCall(zoneId, ruleset, first, alone)];
  const { rules, done } = made(ruleset?.rules ?? [], edits);
  // What is read back of new rules goes by their order, for they have no ids yet.
  const ordered = done.toSorted((a, b) => placeOf(a.made, rules) - placeOf(b.made, rules));
  return replaceRules(zoneId, phase, ruleset, rules, {
    changes: edits.flatMap(({ changes }) => changes),
    effects: ordered.flatMap(({ effects }) => effects),
  });
}

/** The list with all these edits made, and each edit with the rule that is new by it. */
function made(live: readonly JsonObject[], edits: readonly RuleEdit[]) {
  const away = new Set(edits.flatMap(({ isAway }) => isAway ?? []));
  let rules: readonly JsonObject[] = live.map(carried).filter(({ id }) => !away.has(String(id)));
  // Of those that come back the last one first: each finds what stood before it.
  const inTurn = edits.toSorted((a, b) => (b.comesBack ?? -1) - (a.comesBack ?? -1));
  const done = inTurn.map((each) => {
    const next = each.edit(rules);
    const made = next.find((rule) => !rules.includes(rule) && rule.id === undefined);
    rules = [...next];
    return { ...each, made };
  });
  return { rules, done };
}

/** The rules of a phase as they are once all that changes in their list has. */
export function rulesAfter(
  live: readonly JsonObject[],
  drafts: readonly Draft[],
  phase: string,
): readonly JsonObject[] {
  const edits = drafts.filter(isEdit).filter((each) => each.phase.name === phase);
  return edits.length === 0 ? live : made(live, edits).rules;
}

function placeOf(made: JsonObject | undefined, rules: readonly JsonObject[]): number {
  return made === undefined ? -1 : rules.indexOf(made);
}

/** A rule is changed alone, so that the other rules of the list are not sent at all. */
function ruleCall(
  zoneId: string,
  ruleset: PhaseRuleset,
  { phase, changes, effects }: RuleEdit,
  { id, body }: NonNullable<RuleEdit["alone"]>,
): PendingStep {
  return {
    method: "PATCH",
    path: ["zones", zoneId, "rulesets", ruleset.id, "rules", id],
    body,
    changes,
    effects,
    needs: [],
    findCreated: null,
    precondition: preconditionOf(ruleset),
    reads: listRead(phase, ruleset),
  };
}

/**
 * The calls that make these the rules of the phase. A ruleset is created empty and then filled: as the interface is
 * described, rules in the POST are ignored. The published OpenAPI document requires the list.
 */
function replaceRules(
  zoneId: string,
  phase: Phase,
  ruleset: PhaseRuleset | null,
  rules: readonly JsonObject[],
  what: Pick<PendingStep, "changes" | "effects">,
): readonly PendingStep[] {
  const list = ["zones", zoneId, "rulesets"];
  if (ruleset !== null) {
    // What a PUT leaves out may be lost, and the description is unmanaged.
    const kept = ruleset.description ? { description: ruleset.description } : {};
    const put = { method: "PUT", path: [...list, ruleset.id], body: { ...kept, rules } } as const;
    return [
      {
        ...put,
        ...what,
        needs: [],
        findCreated: null,
        precondition: preconditionOf(ruleset),
        reads: listRead(phase, ruleset),
      },
    ];
  }
  // Locked entry points want this name, and no ruleset's name can change.
  const body = {
    name: "default",
    kind: "zone",
    description: phase.description,
    phase: phase.name,
    rules: [],
  };
  const findCreated = { list: `/${list.join("/")}`, where: { kind: "zone", phase: phase.name }, known: [] };
  const absent: Seen = { ref: { kind: phase.kind, key: phase.name, id: null }, state: null };
  return [
    {
      method: "POST",
      path: list,
      body,
      changes: what.changes,
      effects: [],
      needs: [],
      findCreated,
      precondition: null,
      reads: [absent],
    },
    {
      method: "PUT",
      path: [...list, { $result: 0 }],
      body: { rules },
      ...what,
      needs: [0],
      findCreated: null,
      // Somebody else may add rules to the new ruleset before it is filled.
      precondition: { read: entryPointOf(zoneId, phase), fields: { rules: null } },
    },
  ];
}

/** What a write to one rule of the list, or to all of it, touches: the whole list. */
function listRead(phase: Phase, ruleset: PhaseRuleset): readonly Seen[] {
  return [{ ref: { kind: phase.kind, key: phase.name, id: ruleset.id }, state: stateOf(ruleset) }];
}

/** What has to be live before a write that carries over what is unmanaged in the list, or in a rule of it. */
function preconditionOf(ruleset: PhaseRuleset): NonNullable<PendingStep["precondition"]> {
  return { read: ruleset.path, fields: stateOf(ruleset) };
}

/** What changes whenever the ruleset is written. */
function stateOf({ raw }: PhaseRuleset): JsonObject {
  return { version: raw.version ?? null, rules: raw.rules ?? null };
}

/** The rules of a list with a new one: at its former place among them where it had one, else last. */
export function withNew(
  rules: readonly JsonObject[],
  rule: JsonObject,
  { behind }: Pick<Item, "behind">,
): readonly JsonObject[] {
  if (behind === undefined) return [...rules, rule];
  const places = behind.map((id) => rules.findIndex((each) => each.id === id));
  return rules.toSpliced((places.find((place) => place >= 0) ?? -1) + 1, 0, rule);
}

export function withoutRule(rules: readonly JsonObject[], id: string | null): readonly JsonObject[] {
  return rules.filter((rule) => rule.id !== id);
}

/** An edit that adds a rule. */
export function adding(rule: JsonObject, want: Pick<Item, "behind">): Pick<RuleEdit, "edit" | "comesBack"> {
  const { behind } = want;
  return {
    edit: (rules) => withNew(rules, rule, want),
    ...(behind === undefined ? {} : { comesBack: behind.length }),
  };
}

/** An edit that gives a rule another definition, where it stands. */
export function changing(id: string, body: JsonObject): Pick<RuleEdit, "edit" | "alone"> {
  return {
    edit: (rules) => rules.map((rule) => (rule.id === id ? { ...body, id } : rule)),
    alone: { id, body },
  };
}
