import { asText, isList, isObject, type Json, textsIn } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Hindrance } from "../../model/strength.js";
import { whileOff } from "../flag.js";
import { isSwitchedOff, type LiveRule } from "../phase.js";
import { executedBy, type Managed, PHASE } from "./managed.js";
import type { Around } from "./read.js";

/** What a skip rule makes requests go past. */
export interface Skip {
  /** All managed rules behind it. */
  readonly isWhole: boolean;
  /** By their ids. */
  readonly rulesets: readonly string[];
  /** Single rules of rulesets: the ids of both. */
  readonly rules: readonly (readonly [ruleset: string, ids: readonly string[]])[];
  /** Other phases than that of managed rules. */
  readonly phases: readonly string[];
  /** Whether that is all of it: what is said in another form may skip anything. */
  readonly isClear: boolean;
}

/** The forms are those of the service's documentation of skip rules. Null: the rule skips nothing. */
export function skipOf({ action, action_parameters: said }: LiveRule): Skip | null {
  if (action !== "skip") return null;
  const { ruleset, rulesets = [], rules = {}, phases = [], ...others } = isObject(said) ? said : {};
  const single = Object.entries(isObject(rules) ? rules : {});
  const lists: readonly Json[] = [rulesets, phases, ...single.map(([, ids]) => ids)];
  const isSaid = [ruleset, ...textsIn(rulesets), ...textsIn(phases), ...single].some(
    (each) => each !== undefined,
  );
  const isRead = isObject(rules) && lists.every(isTexts) && Object.keys(others).length === 0;
  return {
    isWhole: ruleset === "current" || textsIn(phases).includes(PHASE.name),
    rulesets: textsIn(rulesets),
    rules: single.map(([id, ids]) => [id, textsIn(ids)]),
    phases: textsIn(phases).filter((phase) => phase !== PHASE.name),
    isClear: isSaid && isRead && (ruleset === undefined || ruleset === "current"),
  };
}

function isTexts(value: Json): boolean {
  return isList(value) && value.every((each) => typeof each === "string");
}

/** What keeps the rule from running the ruleset: that it is off, and rules of others in front of it. */
export function hindrancesOf(
  normal: SealedObject,
  around: Pick<Around, "ruleset" | "managed"> | null,
): readonly Hindrance[] {
  const own = asText(normal.expression ?? "");
  const managed = around?.managed ?? null;
  const skips = inFrontOf(managed, around?.ruleset?.rules ?? []).flatMap((rule) => {
    const skip = isSwitchedOff(rule) ? null : skipOf(rule);
    const of = skip === null ? null : partOf(skip, managed);
    return of === null
      ? []
      : [{ as: "skip", by: nameOf(rule), where: asText(rule.expression ?? ""), own, of } as const];
  });
  return [...whileOff(normal), ...skips];
}

/** A rule that is to be made comes last. */
function inFrontOf(managed: Managed | null, rules: readonly LiveRule[]): readonly LiveRule[] {
  const place = rules.findIndex((rule) => managed !== null && executedBy(rule) === managed.id);
  return place < 0 ? rules : rules.slice(0, place);
}

/** How much of the managed ruleset it is; null: nothing. */
function partOf({ isWhole, rulesets, rules, isClear }: Skip, managed: Managed | null): "all" | "some" | null {
  const id = managed?.id ?? "";
  const single = rules.flatMap(([ruleset, ids]) => (ruleset === id ? ids : []));
  // Without the rule that acts on the score, what the others add up comes to nothing.
  if (isWhole || rulesets.includes(id) || single.includes(managed?.scoring?.id ?? "")) return "all";
  return single.length > 0 || !isClear ? "some" : null;
}

function nameOf({ description, id }: LiveRule): string {
  return typeof description === "string" && description !== "" ? description : `rule ${id}`;
}
