import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import { absurd } from "../../model/problem.js";
import type { SealedObject } from "../../model/sealed.js";
import { writeFlag } from "../fields.js";
import type { PendingChange, RuleEdit, ZoneLive } from "../kind.js";
import { carried, wholeRule } from "../phase.js";
import { adding, changing, withoutRule } from "../rule-edits.js";
import { placeAt, placeFor, positionAt, readPosition } from "./place.js";
import { type Context, idOf, PHASE } from "./read.js";
import { parametersOf } from "./skip.js";

export function steps(changes: readonly PendingChange[], zone: ZoneLive<Context>): readonly RuleEdit[] {
  return changes.map((change) => editFor(change, zone));
}

function editFor({ at, triple, fields }: PendingChange, { context }: ZoneLive<Context>): RuleEdit {
  const { want, live } = triple;
  const common = { phase: PHASE, ruleset: context.ruleset, changes: [at] };
  if (want === null) {
    const ref = live?.ref ?? absurd(IS_KNOWN);
    return { ...common, effects: [{ ref, item: null }], edit: (rules) => withoutRule(rules, ref.id) };
  }
  const effects = [{ ref: want.ref, item: want }];
  if (live === null) {
    const whole = wholeRule(want);
    if (whole !== null) return { ...common, effects, ...adding(whole, want) };
    const rule = newRule(want.normal, context);
    return {
      ...common,
      effects,
      edit: (rules) => rules.toSpliced(wantedPlace(want, rules, context), 0, rule),
    };
  }
  const id = live.ref.id ?? absurd(IS_KNOWN);
  const body = bodyOf(want, live, fields, context);
  const isMoved = fields.some(({ path }) => path === "position");
  return { ...common, effects, ...(isMoved ? moving(want, id, body, context) : changing(id, body)) };
}

function newRule(
  { description = "", expression = null, skip, enabled = null }: SealedObject,
  { ids }: Context,
): JsonObject {
  return {
    action: "skip",
    action_parameters: parametersOf(skip ?? absurd(IS_KNOWN), (name) => idOf(name, ids)),
    // None of them is sensitive.
    expression: expression as Json,
    description: description as Json,
    enabled: enabled as Json,
  };
}

/** The whole new definition: what a body leaves out is lost. */
function bodyOf(want: Item, live: Item, fields: PendingChange["fields"], context: Context): JsonObject {
  const { id: _, ...rule } = carried(live.raw ?? absurd(IS_KNOWN));
  const whole = wholeRule(want);
  if (whole !== null) return { ...whole, ...(rule.ref === undefined ? {} : { ref: rule.ref }) };
  const now = newRule(want.normal, context);
  const changed = fields.flatMap(({ path }): readonly (readonly [string, Json])[] => {
    if (path === "skip") return [["action_parameters", now.action_parameters ?? null]];
    if (path === "enabled") return [["enabled", writeFlag(now.enabled ?? null, rule.enabled)]];
    return path === "position" ? [] : [[path, now[path] ?? null]];
  });
  return { ...rule, ...Object.fromEntries(changed) };
}

/** An edit that also puts the rule where it should stand. */
function moving(
  want: Item,
  id: string,
  body: JsonObject,
  context: Context,
): Pick<RuleEdit, "edit" | "alone" | "comesBack" | "isAway"> {
  const rules = (context.ruleset?.rules ?? []).filter((rule) => rule.id !== id);
  const alone = { id, body: { ...body, position: positionAt(rules, wantedPlace(want, rules, context)) } };
  if (want.behind !== undefined) return { ...adding({ ...body, id }, want), isAway: id, alone };
  return {
    edit: (all) => {
      const others = withoutRule(all, id);
      return others.toSpliced(wantedPlace(want, others, context), 0, { ...body, id });
    },
    alone,
  };
}

/** Where it stood before, if it is to go back; else where the order of the files has it. */
function wantedPlace(
  { at, owns, raw }: Item,
  rules: readonly JsonObject[],
  { entries, kept }: Context,
): number {
  if (owns === "all") return placeAt(readPosition(raw?.position), rules);
  const index = at?.[1];
  return placeFor(typeof index === "number" ? index : entries.length, entries, rules, kept);
}

const IS_KNOWN = "a change has a live or a wanted exception, whose skip read() knows";
