import type { Declared } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import { isObject, type Json, type JsonObject, mapValues, pick, pickBy } from "../model/json.js";
import { phasePermissions } from "../model/phases.js";
import { absurd, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Dimensions } from "../model/strength.js";
import type { LiveUnmanaged } from "../model/unmanaged.js";
import { effectOf, shifts } from "../strength/index.js";
import { documentedName } from "./documented-rulesets.js";
import { expressionCheck, expressionField } from "./expression.js";
import {
  canonicalName,
  enabledField,
  type Fields,
  nameField,
  readFlag,
  valuesOf,
  writeFlag,
} from "./fields.js";
import { listIn } from "./keys.js";
import {
  error,
  type Finding,
  type Kind,
  type Live,
  POSITION,
  type RulesAt,
  type ServiceFacts,
  type Was,
  type ZoneReader,
} from "./kind.js";
import { descriptionOf, type LiveRule, type Phase, type PhaseRuleset, readPhase, sentRule } from "./phase.js";
import {
  behindIn,
  type DeclaredPosition,
  type Entry,
  type ListOrder,
  misfits,
  misplacement,
  neighbourOf,
  orderOf,
  placeAt,
  placeFor,
  positionOf,
  readPosition,
} from "./rule-places.js";
import { sameNames, spell } from "./same-names.js";
import { type RuleSchema, schemaOf } from "./schema.js";
import { actionWords, type RuleEffect, unknownRule, unmanagedRules } from "./unmanaged-rules.js";

/** A live list of rules, from which calls are built. */
export interface RuleListContext<Beside> {
  /** Null: the zone has no ruleset of the phase. */
  readonly ruleset: PhaseRuleset | null;
  readonly order: ListOrder;
  /** Data read in addition to the list. */
  readonly beside: Beside;
}

/** The members in which kinds of named rules differ, and the places of their fields in a rule. */
export interface RuleTable<Beside>
  extends Pick<
    Kind<RuleListContext<Beside>>,
    "section" | "checks" | "touches" | "dimensions" | "blocking" | "hindrances"
  > {
  readonly phase: Phase;
  readonly schema: RuleSchema;
  /** Dashboard absent: the page of security rules. */
  readonly service: Omit<ServiceFacts, "permissions" | "dashboard"> &
    Partial<Pick<ServiceFacts, "dashboard">>;
  /** The fields besides those of all named rules: description, expression, enabled and position. */
  readonly fields: Fields;
  /** The fields of the table in a live rule. Null: no file can declare the rule. */
  fromRule(rule: LiveRule, beside: Beside | null, declared: readonly Declared[]): JsonObject | null;
  /**
   * The service's members for these fields: `action`, `action_parameters`.
   *
   * @param beside null: not read
   * @param live the rule before the change, whose other parameters stay. Null: a new rule
   */
  toRule(normal: JsonObject, beside: Beside | null, live: JsonObject | null): JsonObject;
  /** The fields that cannot stand beside the declared ones. A change removes them. Absent: none. */
  excludedBy?(declared: JsonObject): readonly string[];
  /** The managed rulesets that a rule must stand before. Null: all. Absent: none. */
  about?(body: JsonObject, rule: LiveRule | null, beside: Beside | null): readonly string[] | null;
  /** Whether to report an undeclarable rule, since other kinds may have rules in the phase. Absent: always. */
  concerns?(rule: LiveRule): boolean;
  /** The effect of an undeclared rule. Absent: that of a new rule, or unknown if no file can declare it. */
  tell?(rule: LiveRule, behind: readonly LiveRule[]): RuleEffect;
  /** Facts about the list beyond those of all named rules. Absent: none. */
  readonly at?: Partial<RulesAt<RuleListContext<Beside>>>;
  /** Whether a plan of the declared rule may read below `/accounts/`. Absent: never. */
  readsAccount?(declared: JsonObject): boolean;
  /** Reads the data needed in addition to the list. */
  readBeside(
    zone: ZoneReader,
    wanted: readonly Declared[],
  ): Promise<Result<Pick<Live, "warnings"> & { readonly beside: Beside }>>;
}

/** A kind whose objects are the named rules of one phase, in an order. Other rules may stand between them. */
export function ruleList<Beside>(table: RuleTable<Beside>): Kind<RuleListContext<Beside>> {
  const fields: Fields = {
    description: { ...nameField, form: "text" },
    expression: { ...expressionField, required: true, identifies: true },
    ...table.fields,
    enabled: { ...enabledField, form: "flag" },
    position: { show: positionText },
  };
  const ofTable = sameNames(fields);
  const hasPosition = table.about === undefined;
  const checkExpression = expressionCheck(table.phase.name);
  const readRules = (zone: ZoneReader, declared: readonly Declared[]) => readList(table, zone, declared);
  return {
    ...table,
    ...(hasPosition && table.at?.judged === undefined ? withOrder(table) : {}),
    name: table.phase.kind,
    depends: { area: "requests" },
    ...listIn(table.section, { named: "description", inOrder: true }),
    schema: schemaOf(table.schema, table.fields, hasPosition),
    fields,
    service: {
      dashboard: "security/security-rules",
      ...table.service,
      permissions: phasePermissions[table.phase.name],
    },
    checks: {
      ...table.checks,
      declared: (body, service) => [
        ...checkExpression(body, service),
        ...(table.checks?.declared?.(body, service) ?? []),
        ...checkPosition(body),
      ],
    },
    at: {
      as: "rules",
      phase: table.phase,
      reads: {
        live: readRules,
        forExport: async (zone) => exportable(await readRules(zone, [])),
        inTermsOf: ({ ruleset, beside }, declared) => contextWith(table, ruleset, beside, declared),
        account: table.readsAccount ?? (() => false),
      },
      isSentAlone: true,
      actThemselves: true,
      ruleset: (context) => context?.ruleset ?? null,
      place: placeOf,
      declared: ({ description = "", enabled = true, expression = "true", ...body }) => ({
        description,
        enabled,
        expression,
        ...table.toRule(spell(fields, body), null, null),
      }),
      ...table.at,
    },
    normalOf: (raw, context, declared) => normalOf(table, raw, context, declared),
    // The section owns the position of its rules. Only a misplaced live rule has the field.
    toDesired: (declared, live) => ({
      ...excluded(table, declared, live),
      ...withoutUnset(fields, ofTable.toDesired(declared, live), live),
      position: live?.normal.position === undefined ? null : hasPosition ? DECLARED : IN_FRONT,
    }),
    // The declared position is one among undeclared rules; the live one follows from the order of the entries. A live field
    // that the declared ones exclude is declared in their place.
    toConfig: (live, declared, context) => ({
      ...ofTable.toConfig(live, declared, context),
      ...pick(live.normal as JsonObject, Object.keys(excluded(table, declared ?? {}, live))),
      ...pick(declared ?? {}, ["position"]),
    }),
    toWire: (want, was, { context }) => toWire(table, want, was, context),
    kept: { undeclared: (items, context) => undeclaredRules(table, items, context) },
  };
}

/** A moved rule has an unknown effect, because nothing judges the order of these rules. */
function withOrder<Beside>({ dimensions, blocking }: RuleStrengths<Beside>): RuleStrengths<Beside> {
  const counting =
    (of: typeof dimensions): typeof dimensions =>
    (item, context) => ({ ...of(item, context), ...orderStrength(item.normal) });
  return {
    dimensions: counting(dimensions),
    ...(blocking === undefined ? {} : { blocking: counting(blocking) }),
  };
}

type RuleStrengths<Beside> = Pick<RuleTable<Beside>, "dimensions" | "blocking">;

function orderStrength({ enabled, position = null }: SealedObject): Dimensions {
  if (enabled === false || position === null) return {};
  const why = "the order of the rules may decide which one acts";
  return { [POSITION]: { as: "unknown", is: JSON.stringify(position), why } };
}

/** For lists that need no further reads. */
export const nothingBeside: RuleTable<null>["readBeside"] = async () => ok({ beside: null });

const IN_FRONT = "before what it skips, in the order of the list";
const DECLARED = "as declared";

/** The service may show no field that has the value of an unset one. */
function withoutUnset(fields: Fields, desired: SealedObject, live: Item | null): SealedObject {
  const unset = pickBy(
    valuesOf(fields, "unset"),
    (value, field) => desired[field] === value && live?.normal[field] === undefined,
  );
  return { ...desired, ...mapValues(unset, () => null) };
}

/** Excluded fields of the live rule, as removed. */
function excluded<Beside>(table: RuleTable<Beside>, declared: JsonObject, live: Item | null): JsonObject {
  return mapValues(pick(live?.normal ?? {}, table.excludedBy?.(declared) ?? []), () => null);
}

async function readList<Beside>(
  table: RuleTable<Beside>,
  zone: ZoneReader,
  declared: readonly Declared[],
): Promise<Result<Live<RuleListContext<Beside>>>> {
  const wanted = declared.filter(({ body }) => body.ensure !== "absent");
  const phase = await readPhase(zone.api, zone.zoneId, table.phase, wanted.length > 0);
  if (!phase.ok) return phase;
  const readBeside = await table.readBeside(zone, wanted);
  if (!readBeside.ok) return readBeside;
  const { beside, ...observations } = readBeside.value;
  const ruleset = phase.value;
  const context = contextWith(table, ruleset, beside, declared);
  const rules = ruleset?.rules ?? [];
  const misfits = misfitsIn(context, declared, zone);
  if (misfits.length > 0) return failed(...misfits);
  const items = rules.flatMap((rule, place): readonly Item[] => {
    const raw = { ...rule, position: positionOf(rules, place) };
    const normal = normalOf(table, raw, context, wanted);
    if (normal === null) return [];
    const ref = { kind: table.phase.kind, key: descriptionOf(rule), id: rule.id };
    return [{ ref, normal, raw, owns: "nothing", at: null }];
  });
  return ok({ items, context, ...observations });
}

function contextWith<Beside>(
  table: RuleTable<Beside>,
  ruleset: PhaseRuleset | null,
  beside: Beside,
  declared: readonly Declared[],
): RuleListContext<Beside> {
  const rules = ruleset?.rules ?? [];
  const pinned = new Set(declared.map(({ body }) => ("id" in body ? liveRuleFor(body, rules) : null)));
  const unpinned = rules.filter((rule) => !pinned.has(rule));
  const entries = declared.flatMap(({ body }, index) =>
    body.ensure === "absent" ? [] : entryOf(table, body, index, "id" in body ? rules : unpinned, beside),
  );
  return { ruleset, order: orderOf(entries, rules), beside };
}

/**
 * Ids and names are enough for the order; `match()` reports ambiguous entries.
 *
 * @param rules the live rules that the entry may mean
 */
function entryOf<Beside>(
  { about = () => [] }: RuleTable<Beside>,
  body: JsonObject,
  index: number,
  rules: readonly LiveRule[],
  beside: Beside,
): Entry {
  const rule = liveRuleFor(body, rules);
  return {
    index,
    id: rule?.id ?? null,
    about: about(body, rule, beside),
    // The schema of files guarantees the form.
    position: (body.position ?? null) as DeclaredPosition | null,
  };
}

/** A position between two rules would need both to stay where they are. */
function checkPosition({ position }: JsonObject): readonly Finding[] {
  if (!isObject(position) || Object.keys(position).length < 2) return [];
  const detail = "A rule stands before one rule or after one. Remove before or after.";
  return [error(["position"], "two_positions", "Position names two rules", detail)];
}

/** Declared positions that no place in the live list has. */
function misfitsIn<Beside>(
  { order }: RuleListContext<Beside>,
  declared: readonly Declared[],
  { locate }: ZoneReader,
): readonly Problem[] {
  const why = misfits(order);
  return declared.flatMap(({ path, body }, index): readonly Problem[] => {
    const at = locate([...path, "position"]);
    const rule = `The position of ${JSON.stringify(body.description ?? "")}`;
    if (why.get(index) === "unknown") {
      const name = JSON.stringify(neighbourOf(body.position as DeclaredPosition));
      const isDeclared = declared.some(({ body: { description } }) => JSON.stringify(description) === name);
      const detail = isDeclared
        ? `${rule} names ${name}, which the files declare. Declared rules stand in the order of the file: move the entry, and remove its position.`
        : `${rule} names ${name}, and the zone has no undeclared rule of this description. Name an undeclared live rule, or write first or last.`;
      return [problem("unknown_position", "Position names no undeclared rule", detail, at)];
    }
    if (!why.has(index)) return [];
    const detail = `${rule} contradicts the positions of other rules or the order of the list: declared rules stand in the order of the file. Change the order of the list, or a position.`;
    return [problem("position_conflict", "Position contradicts the list's order", detail, at)];
  });
}

/** The live rule of an entry, by id, name or `renamed_from`. An exact spelling comes before one that looks the same. */
export function liveRuleFor(body: JsonObject, rules: readonly LiveRule[]): LiveRule | null {
  if (typeof body.id === "string") {
    const id = body.id.toLowerCase();
    return rules.find((rule) => rule.id.toLowerCase() === id) ?? null;
  }
  const ruleNamed = (name: Json | undefined) =>
    typeof name === "string"
      ? (rules.find(({ description }) => description === name) ??
        rules.find((rule) => canonicalName(descriptionOf(rule)) === canonicalName(name)))
      : undefined;
  return ruleNamed(body.description) ?? ruleNamed(body.renamed_from) ?? null;
}

/** A rule in the normal form. It has `position` only if it is misplaced. */
function normalOf<Beside>(
  { fromRule, about = () => [] }: RuleTable<Beside>,
  raw: JsonObject,
  context: RuleListContext<Beside> | null,
  declared: readonly Declared[],
): JsonObject | null {
  const tableFields = fromRule(raw as LiveRule, context?.beside ?? null, declared);
  if (tableFields === null) return null;
  const { description = "", expression, enabled = true } = raw;
  const position =
    context && misplacement(raw, context.order, () => about({}, raw as LiveRule, context.beside));
  return {
    description,
    ...(typeof expression === "string" ? { expression } : {}),
    ...tableFields,
    enabled: readFlag(enabled),
    ...(position === null ? {} : { position }),
  };
}

/** Leaves out misplaced rules, because a file would move them. */
function exportable<Context>(read: Result<Live<Context>>): Result<Live<Context>> {
  if (!read.ok) return read;
  const { items, ...live } = read.value;
  const isInPlace = ({ normal }: Item) => normal.position === undefined;
  return ok({
    ...live,
    items: items.filter(isInPlace),
    others: items.filter((item) => !isInPlace(item)),
  });
}

/** Sends the whole rule, because the service drops members that a body leaves out. Members that do not change are as read. */
function toWire<Beside>(
  { toRule }: RuleTable<Beside>,
  { normal }: Item,
  was: Was | null,
  { beside }: RuleListContext<Beside>,
): JsonObject {
  const ruleOf = (sealed: SealedObject): JsonObject => {
    // No field is sensitive.
    const { description = "", expression = null, enabled = null, ...fields } = sealed as JsonObject;
    return { ...toRule(fields, beside, was?.live.raw ?? null), expression, description, enabled };
  };
  const target = ruleOf(normal);
  if (was === null) return target;
  const changedFields = Object.fromEntries(was.fields.map((field) => [field, normal[field] ?? null]));
  const before = ruleOf(was.live.normal);
  const after = ruleOf({ ...was.live.normal, ...changedFields });
  // As text: a member that a field decides is sent as the file writes it, also where its order means nothing.
  const isChanged = (member: string) => JSON.stringify(before[member]) !== JSON.stringify(after[member]);
  const { id: _, ...rule } = sentRule(was.live.raw ?? absurd(IS_LIVE));
  // Members keep the order of the live rule; new ones come last.
  return mapValues({ ...rule, ...target }, (_, member) => {
    if (!isChanged(member)) return rule[member];
    return member === "enabled" ? writeFlag(target.enabled ?? null, rule.enabled) : target[member];
  });
}

const IS_LIVE = "a rule that was there is as it was read";

/** The former place for a rollback, else the place in the order of the files. */
function placeOf(
  { at, owns, raw }: Item,
  others: readonly JsonObject[],
  { order }: RuleListContext<unknown>,
): number {
  if (owns === "all") return placeAt(readPosition(raw?.position), others);
  const index = at?.[1];
  return typeof index === "number" ? placeFor(index, order, others) : others.length;
}

/** Undeclared rules: those that a file can declare, and those that no file can. */
function undeclaredRules<Beside>(
  { phase, fromRule, concerns = () => true, dimensions, tell }: RuleTable<Beside>,
  items: readonly Item[],
  context: RuleListContext<Beside>,
): readonly LiveUnmanaged[] {
  const { ruleset, beside } = context;
  const known = new Map(items.map((item) => [item.ref.id, item]));
  const isReported = (rule: LiveRule) =>
    known.has(rule.id) || (concerns(rule) && fromRule(rule, beside, []) === null);
  const tellAsNew = (rule: LiveRule): RuleEffect => {
    const item = known.get(rule.id);
    if (item === undefined) return unknownRule(rule);
    return { does: actionWords(rule), effect: effectOf(shifts({}, dimensions(item, context))) };
  };
  return unmanagedRules(ruleset, phase, (rule) => !isReported(rule), tell ?? tellAsNew).map((each) => ({
    ...each,
    ref: known.get(each.ref.id)?.ref ?? each.ref,
  }));
}

function positionText(value: Json): string | null {
  if (!isObject(value)) return null;
  const behind = behindIn(value).map(documentedName);
  return behind.length === 0 ? "out of the order of the list" : `behind ${behind.join(", ")}`;
}
