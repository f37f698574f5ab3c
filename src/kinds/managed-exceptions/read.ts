import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, type Result } from "../../model/problem.js";
import type { Declared } from "../../model/wanted.js";
import { rulesetNamed } from "../account-rulesets.js";
import { type Bypass, readListsBefore, undeclaredBypasses } from "../bypasses.js";
import { readFlag, sameName } from "../fields.js";
import type { Live, ReadForExport, ZoneReader } from "../kind.js";
import { DOCUMENTED, isRulesetId, MANAGED_PHASE } from "../managed-rules.js";
import { type LiveRule, type Phase, type PhaseRuleset, readPhase } from "../phase.js";
import {
  type Entry,
  executedBefore,
  indexOf,
  isStill,
  keptOf,
  type Misplaced,
  placeAt,
  positionOf,
  readPosition,
} from "./place.js";
import { canonicalRuleset, rulesetsIn, saidOf } from "./skip.js";

const NAME = "managed_exception";

export const PHASE: Phase = { kind: NAME, ...MANAGED_PHASE };

/** The list in which the exceptions stand; calls are built from it. */
export interface Context {
  /** Null: the zone has no ruleset of the phase. */
  readonly ruleset: PhaseRuleset | null;
  /** The rulesets that the files name → their ids. */
  readonly ids: ReadonlyMap<string, string>;
  readonly entries: readonly Entry[];
  /** The live rules that the files declare and that stand where they should. */
  readonly kept: ReadonlySet<string>;
  /** Rules of other lists by which requests skip managed rulesets. */
  readonly bypasses: readonly Bypass[];
}

/** Reads the rules of the phase, and of the account's rulesets what is named and not documented. */
export async function read(zone: ZoneReader, declared: readonly Declared[]): Promise<Result<Live<Context>>> {
  const wanted = declared.filter(({ body }) => body.ensure !== "absent");
  const phase = await readPhase(zone.api, zone.zoneId, PHASE, wanted.length > 0);
  if (!phase.ok) return phase;
  const found = await identified(zone, wanted);
  if (!found.ok) return found;
  const before = await readListsBefore(zone);
  if (!before.ok) return before;
  const { bypasses, warnings } = before.value;
  const ruleset = phase.value;
  const rules = ruleset?.rules ?? [];
  const ids = found.value;
  const context = contextWith({ ruleset, ids, bypasses }, declared);
  const items = rules.flatMap((rule, place) => itemOf(rule, place, context, wanted) ?? []);
  return ok({ items, context, bypasses: undeclaredBypasses(NAME, bypasses), warnings });
}

/** Where rules should stand is said by the order of the entries. */
export function contextWith(
  { ruleset, ids, bypasses }: Pick<Context, "ruleset" | "ids" | "bypasses">,
  declared: readonly Declared[],
): Context {
  const rules = ruleset?.rules ?? [];
  const entries = entriesOf(declared, rules, ids);
  return { ruleset, ids, entries, kept: keptOf(entries, rules), bypasses };
}

/** Without what stands behind something that it is about: a file would have it moved. */
export async function readForExport(zone: ZoneReader): Promise<Result<ReadForExport<Context>>> {
  const found = await read(zone, []);
  if (!found.ok) return found;
  const { items, ...live } = found.value;
  const isInPlace = ({ normal }: Item) => normal.position === undefined;
  const others = items.filter((item) => !isInPlace(item));
  return ok({ live: { ...live, items: items.filter(isInPlace) }, others, toReRead: {} });
}

/** The ids of the rulesets that the files name. */
async function identified(zone: ZoneReader, wanted: readonly Declared[]): Promise<Result<Context["ids"]>> {
  const ids = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { path, body } of wanted) {
    for (const [index, name] of rulesetsIn(body.skip ?? "all").entries()) {
      const known = canonicalRuleset(name);
      const step = Array.isArray(body.skip) ? index : name;
      const id = isRulesetId(known) ? ok(known) : await rulesetNamed(zone, name, [...path, "skip", step]);
      if (id.ok) ids.set(name, id.value);
      else problems.push(...id.problems.map(withWayOut));
    }
  }
  return problems.length === 0 ? ok(ids) : failed(...problems);
}

/** A credential for zones alone can do without the account. */
function withWayOut(reason: Problem): Problem {
  if (reason.code !== "unauthorized") return reason;
  const detail = `${reason.detail} Or give the ruleset's id in skip: then the account's rulesets need not be read.`;
  return { ...reason, detail };
}

/**
 * An entry for each that is declared, at its index in the files: one that is to go is about nothing. Which live rule an
 * entry means is decided elsewhere, with its problems: for the order, the signs are enough.
 */
function entriesOf(
  declared: readonly Declared[],
  rules: readonly LiveRule[],
  ids: Context["ids"],
): readonly Entry[] {
  return declared.map(({ body }) => {
    if (body.ensure === "absent") return { id: null, about: [] };
    const rule = meantBy(body, rules);
    const skip = body.skip ?? (rule === null ? null : saidOf(rule, (id) => id)) ?? "all";
    return {
      id: rule?.id ?? null,
      about: skip === "all" ? null : rulesetsIn(skip).map((each) => idOf(each, ids)),
    };
  });
}

function meantBy(body: JsonObject, rules: readonly LiveRule[]): LiveRule | null {
  if (typeof body.id === "string") {
    const id = body.id.toLowerCase();
    return rules.find((rule) => rule.id.toLowerCase() === id) ?? null;
  }
  const named = (name: Json | undefined) =>
    typeof name === "string"
      ? rules.find(({ description: is }) => typeof is === "string" && sameName(is) === sameName(name))
      : undefined;
  return named(body.description) ?? named(body.renamed_from) ?? null;
}

export function idOf(ruleset: string, ids: Context["ids"] | undefined): string {
  return ids?.get(ruleset) ?? canonicalRuleset(ruleset);
}

/** Null: it is no exception that a file can declare. */
function itemOf(rule: LiveRule, place: number, context: Context, wanted: readonly Declared[]): Item | null {
  const raw = { ...rule, position: positionOf(context.ruleset?.rules ?? [], place) };
  const normal = liveNormal(raw, context, wanted);
  if (normal === null) return null;
  const key = typeof rule.description === "string" ? rule.description : "";
  return { ref: { kind: NAME, key, id: rule.id }, normal, raw, owns: "nothing", at: null };
}

/**
 * A skip rule in the normal form. `position`, how it stands wrong, is not there where it stands as it should. Null: no file
 * can say what it skips.
 *
 * @param declared in whose words rulesets are named
 */
export function liveNormal(
  raw: JsonObject,
  context: Partial<Context>,
  declared: readonly Declared[],
): JsonObject | null {
  const skip = saidOf(raw as LiveRule, namesIn(raw, context, declared));
  if (skip === null) return null;
  const { description = "", expression, enabled = true } = raw;
  const position = misplaced(raw, context);
  return {
    description,
    ...(typeof expression === "string" ? { expression } : {}),
    skip,
    enabled: readFlag(enabled),
    ...(position === null ? {} : { position }),
  };
}

/** Rulesets by their names as the entry of the rule has them, else any other, else the documentation. */
function namesIn(
  raw: JsonObject,
  { ids }: Partial<Context>,
  declared: readonly Declared[],
): (id: string) => string {
  const own = declared.filter(({ body }) => meantBy(body, [raw as LiveRule]) !== null);
  const names = [...own, ...declared].flatMap(({ body }) => rulesetsIn(body.skip ?? "all"));
  return (id) => names.find((name) => idOf(name, ids) === id) ?? DOCUMENTED.get(id) ?? id;
}

/** Null: it stands as it should, or nobody declares it and it stands before all that it is about. */
function misplaced(raw: JsonObject, { ruleset, entries = [], kept }: Partial<Context>): Misplaced | null {
  const rules = ruleset?.rules ?? [];
  const id = typeof raw.id === "string" ? raw.id : null;
  const place = indexOf(rules, id);
  if (id === null || place < 0) return null;
  const said = readPosition(raw.position);
  const isHere = isStill(said, place, rules);
  const entry = entries.find((each) => each.id === id);
  const skip = saidOf(raw as LiveRule, (each) => each) ?? "all";
  const about = entry === undefined ? (skip === "all" ? null : rulesetsIn(skip)) : entry.about;
  const others = rules.filter((rule) => rule.id !== id);
  const executed = executedBefore(others, isHere ? place : placeAt(said, others));
  const behind = about === null ? executed : executed.filter((each) => about.includes(each));
  const isInPlace = entry === undefined ? behind.length === 0 : kept?.has(id) === true;
  return isInPlace && isHere ? null : { at: isHere ? positionOf(rules, place) : said, behind };
}
