import type { DeclaredZone, Desired } from "../config/index.js";
import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { entryName, sectionsOf } from "../kinds/kind.js";
import { didYouMean } from "../model/did-you-mean.js";
import { EVERYTHING, type Picking } from "../model/item.js";
import { equal } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import { says } from "../model/sentence.js";
import { fits } from "../model/unmanaged.js";
import type { PlanDocument, PlanInputs } from "../plan/generated/plan-document.js";
import type { Beside } from "../plan/guardrails/index.js";
import type { Base } from "./base.js";
import { removedZones, zoneFinder } from "./base-changes.js";
import { changedZones, NO_BASE } from "./changed-zones.js";
import type { PlanInput, Saved } from "./files.js";
import { notAmongPlanned, selectNamed, selectZones } from "./select-zones.js";

/** The zones and objects of a run, and counts of those that it leaves out. */
export interface Narrowing {
  readonly zones: readonly DeclaredZone[];
  readonly picks: Picks;
  /** The number of zones left out because the files do not change them. Null: not limited to changed zones. */
  readonly asInBase: number | null;
  /** The number of zones left out by name. Null: all zones are included. */
  readonly leftOut: number | null;
  /** What guardrails count besides the planned zones. Absent: nothing. */
  readonly beside?: Beside;
  /** The narrowing as plan documents record it. */
  readonly inputs: Pick<PlanInputs, "zones" | "changed" | "only" | "part_of">;
  /** Whether nothing is left out. */
  readonly isAll: boolean;
}

/** The objects of a run. */
export interface Picks {
  /** The picked objects of the files, or of the whole saved plan. */
  readonly whole: Picking;
  /** Of these, the objects that this run applies. */
  readonly part: Picking;
  /** Warns of names that picked nothing. Call it when all zones are planned. */
  readonly idle: () => readonly Problem[];
}

/** For a run without files: all named zones. */
export function unnarrowed(zones: readonly string[]): Narrowing {
  return {
    zones: [],
    picks: { whole: EVERYTHING, part: EVERYTHING, idle: () => [] },
    asInBase: null,
    leftOut: null,
    inputs: { zones },
    isAll: true,
  };
}

/**
 * Narrows a run by `--zone`, `--changed`, `--only` and the part of a saved plan.
 *
 * @param base null: no base, or it could not be read
 */
export function narrow(input: PlanInput, desired: Desired, base: Base | null): Result<Narrowing> {
  const { saved, only, changedOver = Number.POSITIVE_INFINITY } = input;
  if (input.changedOver !== undefined && input.base === undefined) return failed(NO_BASE);
  const picks = picksOf(input);
  if (!picks.ok) return picks;
  const removed = base === null ? [] : removedZones(desired, base.desired).map(({ name }) => name);
  const selected = selectZones(desired, saved?.plan.inputs.zones ?? input.zones, removed);
  if (!selected.ok) return selected;
  const absent = notInPlan(input);
  if (absent.length > 0) return failed(...absent);
  const { zones: changed, asInBase } =
    base !== null && selected.value.length > changedOver
      ? changedZones(selected.value, zoneFinder(desired, base.desired))
      : { zones: selected.value, asInBase: null };
  const part = saved?.isPart === true ? saved : undefined;
  const zones = changed.filter(({ name }) => saved?.hasZone(name) ?? true);
  const picking = bothPick(picks.value.whole, picks.value.part);
  const isAll = zones.length === desired.zones.length && picking.isAll;
  const unselected = desired.zones.length - selected.value.length;
  return ok({
    zones,
    picks: picks.value,
    asInBase,
    leftOut:
      part === undefined ? (input.zones.length === 0 ? null : unselected) : zonesLeftOut(part).length || null,
    beside: besideOf(desired, zones, base, part, picking),
    inputs: {
      zones: input.zones,
      ...(asInBase === null ? {} : { changed: true as const }),
      ...(only === undefined || only.length === 0 ? {} : { only }),
      ...(part === undefined ? {} : { part_of: part.plan.digest }),
    },
    isAll,
  });
}

/** Errors for named zones that the saved plan does not have. */
function notInPlan({ saved, zones: patterns }: PlanInput): readonly Problem[] {
  if (saved === undefined || equal(patterns, saved.plan.inputs.zones)) return [];
  const named = selectNamed(saved.plan.zones, ({ zone }) => zone, patterns, notAmongPlanned);
  return named.ok ? [] : named.problems;
}

/** Declared objects of other zones, and the changes of the rest of the saved plan. */
function besideOf(
  { zones }: Desired,
  meant: readonly DeclaredZone[],
  base: Base | null,
  part: Saved | undefined,
  picking: Picking,
): Beside {
  const planned = new Set(meant.map(({ name }) => name));
  return {
    inBase: base === null ? null : () => countDeclared(base.desired.zones),
    declared: () => countDeclared(zones, (zone, ref) => !planned.has(zone) || !picking.has(ref)),
    changes:
      part === undefined
        ? []
        : part.plan.changes.filter((each) => !part.hasZone(each.zone) || !picking.has(each)),
    unknown: zonesLeftOut(part)
      .filter(({ status }) => status !== "planned")
      .map(({ zone }) => zone),
  };
}

/** The zones of a saved plan that this run does not apply. */
function zonesLeftOut(part: Saved | undefined): PlanDocument["zones"] {
  return part === undefined ? [] : part.plan.zones.filter(({ zone }) => !part.hasZone(zone));
}

/** The objects that `--only` picks, in the plan and in the applied part. */
export function picksOf({ only, saved }: Pick<PlanInput, "only" | "saved">): Result<Picks> {
  const whole = onlyFrom((saved === undefined ? only : saved.plan.inputs.only) ?? []);
  if (!whole.ok) return whole;
  const picked = onlyFrom(saved?.only ?? []);
  if (!picked.ok) return picked;
  const idle = () => {
    const tried = [whole.value.tried(), picked.value.tried()];
    const seen = [...new Set(tried.flatMap((each) => each.seen))].sort();
    return tried.flatMap((each) => each.idle).map((written) => picksNothing(written, seen));
  };
  return ok({ whole: whole.value, part: picked.value, idle });
}

/** The results of matching `--only` with the zones. */
interface Tried {
  /** Names that picked nothing. */
  readonly idle: readonly string[];
  /** Kinds and names that could be picked. */
  readonly seen: readonly string[];
}

interface Only extends Picking {
  readonly tried: () => Tried;
}

/** A kind, or a kind and an object's name with `*` and `?`: `policy`, `policy/Checkout*`. */
interface Pattern {
  readonly written: string;
  readonly kind: string;
  /** Null: all objects of the kind. */
  readonly name: string | null;
}

/** @param written the values of `--only` */
function onlyFrom(written: readonly string[]): Result<Only> {
  if (written.length === 0) return ok({ ...EVERYTHING, tried: () => ({ idle: [], seen: [] }) });
  const patterns = written.map(patternIn);
  const unknown = patterns.filter(({ kind }) => !kinds.some(({ name }) => fits(kind, name)));
  if (unknown.length > 0) return failed(...unknown.map(noSuchKind));
  const used = new Set<Pattern>();
  const seen = new Set<string>();
  return ok({
    isAll: false,
    hasKind: (name) => patterns.some(({ kind }) => fits(kind, name)),
    has: ({ kind, key }) => {
      seen.add(`${kind}/${key}`);
      const picked = patterns.filter((each) => fits(each.kind, kind) && fits(each.name ?? "*", key));
      for (const each of picked) used.add(each);
      return picked.length > 0;
    },
    tried: () => ({
      idle: patterns.filter((each) => !used.has(each)).map(({ written }) => written),
      seen: [...seen],
    }),
  });
}

export function bothPick(first: Picking, other: Picking): Picking {
  return {
    isAll: first.isAll && other.isAll,
    hasKind: (kind) => first.hasKind(kind) && other.hasKind(kind),
    has: (ref) => first.has(ref) && other.has(ref),
  };
}

/** The number of declared objects, without those declared as absent. */
function countDeclared(
  zones: readonly DeclaredZone[],
  isCounted: (zone: string, ref: Parameters<Picking["has"]>[0]) => boolean = () => true,
): number {
  const counted = zones.flatMap((zone) => {
    const { sections } = zone.open();
    return kinds.flatMap((kind) =>
      declaredIn(kind, sections).filter(
        (each) =>
          each.body.ensure !== "absent" &&
          isCounted(zone.name, { kind: kind.name, key: entryName(kind, each) }),
      ),
    );
  });
  return counted.length;
}

/** Reads a value of `--only`. A section, such as `policies`, means its kind. */
function patternIn(written: string): Pattern {
  const slash = written.indexOf("/");
  const first = slash === -1 ? written : written.slice(0, slash);
  const kind = kinds.find((each) => sectionsOf(each).includes(first))?.name ?? first;
  return { written, kind, name: slash === -1 ? null : written.slice(slash + 1) };
}

function noSuchKind({ written, kind }: Pattern): Problem {
  const names = kinds.map(({ name }) => name);
  const advice = didYouMean(kind, names, `Use one of ${names.join(", ")}.`);
  const detail = says`${{ flag: "only", value: written }} is not a kind of object. ${advice}`;
  return problem("no_such_kind", "Unknown kind", detail);
}

function picksNothing(written: string, seen: Tried["seen"]): Problem {
  const advice = didYouMean(written, seen, "Use the kind and the name that the plan shows.");
  const detail = says`${{ flag: "only", value: written }} matches nothing in these zones. ${advice}`;
  return warning("picks_nothing", "No object matches", detail);
}
