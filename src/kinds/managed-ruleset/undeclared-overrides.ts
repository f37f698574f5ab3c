import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { type LiveUnmanaged, RULES } from "../../model/unmanaged.js";
import { documentedName, executedBy } from "../documented-rulesets.js";
import type { Scoring } from "./named-ruleset.js";
import {
  generalOverrides,
  isLevelTag,
  isOff,
  type Named,
  overridesIn,
  settingsByName,
  tagOf,
  withGeneral,
  withOverrides,
  withoutDisable,
} from "./overrides.js";

/** By the subject of an override: the keys of the files that declare it. */
const SUBJECTS = [
  { named: "category", list: "disabled_tags", map: "tags" },
  { named: "id", list: "disabled_rules", map: "rules" },
] as const satisfies readonly { readonly named: Named; readonly [key: string]: string }[];

type Subject = (typeof SUBJECTS)[number];

/**
 * The tags and rules of a declared ruleset that live overrides switch off or let only log, without the files declaring
 * it. A paranoia level and the action on the score are settings of their own.
 *
 * @param scoring null: the ruleset has no scoring rule, or it is unknown
 */
export function undeclaredOverrides(
  item: Item,
  scoring: Pick<Scoring, "id"> | null,
): readonly LiveUnmanaged[] {
  const { ref, normal } = item;
  const raw = item.raw ?? {};
  if (normal.enabled === false) return [];
  const ruleset = documentedName(executedBy(raw) ?? ref.key);
  const report = (key: string, { enabled, action }: JsonObject, isDeclared: IsDeclared, by = OVERRIDE) => {
    const member = isOff(enabled) ? "enabled" : action === "log" ? "action" : null;
    if (member === null || isDeclared(member)) return [];
    const does = `${member === "enabled" ? "is switched off" : "is set to log"} by ${by}`;
    const effect = member === "enabled" ? ("weakens" as const) : ("unknown" as const);
    // The id of the live rule would acknowledge all overrides in it.
    return [{ ref: { ...ref, key, id: null }, list: RULES, does, effect, fields: [OVERRIDES], raw }];
  };
  const declares = declaredMembers(item, scoring);
  const ofAll = report(`all rules of ${ruleset}`, generalOverrides(raw), declares.ofAll);
  const ofSome = SUBJECTS.flatMap((subject) =>
    Object.entries(settingsByName(overridesIn(raw, subject.named), subject.named)).flatMap(
      ([name, override]) => {
        const isDeclared = declares.of(subject, name);
        // Another ruleset may have the same tag, and no other has the same rule.
        return subject.named === "category"
          ? report(`tag ${name} of ${ruleset}`, override, isDeclared)
          : report(name, override, isDeclared, `${OVERRIDE} of ${ruleset}`);
      },
    ),
  );
  return [...ofAll, ...ofSome];
}

/** The live rule without the undeclared overrides that switch tags, rules or all rules off. Null: it has none. */
export function withoutUndeclaredOff(item: Item, scoring: Pick<Scoring, "id"> | null): JsonObject | null {
  const { raw } = item;
  if (raw === null) return null;
  const declares = declaredMembers(item, scoring);
  const isAllOff = isOff(generalOverrides(raw).enabled);
  const rule = SUBJECTS.reduce(
    (each, subject) => {
      const { named } = subject;
      const list = overridesIn(each, named);
      const off = list.flatMap(({ [named]: name, enabled }) =>
        typeof name === "string" && isOff(enabled) && !declares.of(subject, name)("enabled") ? [name] : [],
      );
      if (off.length === 0) return each;
      return withOverrides(
        each,
        named,
        off.reduce((rest, name) => withoutDisable(rest, named, name), list),
      );
    },
    isAllOff ? withGeneral(raw, "enabled", null) : raw,
  );
  return rule === raw ? null : rule;
}

/** What the files declare of the overrides of all rules, and of a tag or rule. */
function declaredMembers(item: Item, scoring: Pick<Scoring, "id"> | null) {
  const { owns } = item;
  // The action for the whole ruleset is a field only without a scoring rule.
  const ofAll: IsDeclared = (member) => member === "action" && scoring === null && owns.includes("action");
  const of = (subject: Subject, name: string): IsDeclared => {
    const declared = declaredIn(item, subject);
    const isScoring = name === scoring?.id;
    return (member) =>
      declared(name, member) ||
      (member === "enabled" ? isOfLevel(name, owns) || (isScoring && owns.includes("action")) : isScoring);
  };
  return { ofAll, of };
}

/** The levels above the first are off in a new ruleset too. Without the first, no rule runs. */
function isOfLevel(tag: string, owns: Item["owns"]): boolean {
  return isLevelTag(tag) && (tag !== tagOf(1) || owns.includes("paranoia_level"));
}

type IsDeclared = (member: "enabled" | "action") => boolean;

const OVERRIDE = "an undeclared override";

const OVERRIDES = "action_parameters.overrides";

/** Whether the files declare a member of the override of a tag or rule. */
function declaredIn({ normal, owns }: Item, { list, map }: Subject) {
  const fields = normal as JsonObject; // no field is sensitive
  const off = new Set(owns.includes(list) ? textsIn(fields[list]) : []);
  const single: Json = (owns.includes(map) ? fields[map] : null) ?? null;
  return (name: string, member: "enabled" | "action") => {
    const override = isObject(single) && Object.hasOwn(single, name) ? single[name] : null;
    return off.has(name) || (isObject(override) && override[member] !== undefined);
  };
}
