import { declaredIn, type OpenZone } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { calledIn, sectionsOf } from "../kinds/kind.js";
import type { Picking } from "../model/item.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { says } from "../model/sentence.js";
import { suggest } from "../model/suggest.js";
import { fits } from "../model/unmanaged.js";
import type { PlanInput } from "./files.js";

/** The objects that a run is about. */
export interface Picks {
  /** Of the files, or of the saved plan that the run is a part of; null: all. */
  readonly whole: Picking | null;
  /** Of these, the part of a saved plan that is carried out; null: all. */
  readonly part: Picking | null;
  /** What was looked for, once all zones are planned. Null: nothing is named. */
  readonly tried: () => Tried | null;
}

/** What `--only` has met in zones. */
export interface Tried {
  /** Of what is named, what picked nothing. */
  readonly idle: readonly string[];
  /** What there is to be picked: kinds and names, in order. */
  readonly seen: readonly string[];
}

export const ALL: Picks = { whole: null, part: null, tried: () => null };

/** What `--only` names, of a plan and of a part of it. */
export function picksOf({ only = [], part }: Pick<PlanInput, "only" | "part">): Result<Picks> {
  const whole = onlyFrom((part === undefined ? only : part.plan.inputs.only) ?? []);
  if (!whole.ok) return whole;
  const own = onlyFrom(part?.only ?? []);
  if (!own.ok) return own;
  const tried = () => {
    const all = [whole.value, own.value].flatMap((each) => each?.tried() ?? []);
    const seen = new Set(all.flatMap((each) => each.seen));
    return { idle: all.flatMap(({ idle }) => idle), seen: [...seen].sort() };
  };
  return ok({ whole: whole.value, part: own.value, tried });
}

interface Only extends Picking {
  readonly tried: () => Tried;
}

/** `policy`, `policy/Checkout*`: a kind, or a kind and the name of an object; `*` and `?` stand for what they do in zones. */
interface Pattern {
  readonly written: string;
  readonly kind: string;
  /** Null: all of the kind. */
  readonly name: string | null;
}

/** @param written as `--only` takes them; null: none, all is meant */
function onlyFrom(written: readonly string[]): Result<Only | null> {
  if (written.length === 0) return ok(null);
  const patterns = written.map(patternIn);
  const unknown = patterns.filter(({ kind }) => !kinds.some(({ name }) => fits(kind, name)));
  if (unknown.length > 0) return failed(...unknown.map(noSuchKind));
  const used = new Set<Pattern>();
  const seen = new Set<string>();
  return ok({
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

/** What both pick. */
export function bothPick(one: Picking | null, other: Picking): Picking {
  if (one === null) return other;
  return {
    hasKind: (kind) => one.hasKind(kind) && other.hasKind(kind),
    has: (ref) => one.has(ref) && other.has(ref),
  };
}

/** How many objects of a zone the files declare as existing. */
export function declaredAmong(
  { sections }: OpenZone,
  isMeant: (ref: { kind: string; key: string }) => boolean,
): number {
  const declared = kinds.flatMap((kind) => declaredIn(kind, sections).map((each) => ({ kind, ...each })));
  return declared.filter(
    ({ kind, path, body }) =>
      body.ensure !== "absent" && isMeant({ kind: kind.name, key: calledIn(kind, { path, body }) }),
  ).length;
}

function patternIn(written: string): Pattern {
  const slash = written.indexOf("/");
  if (slash === -1) return { written, kind: written, name: null };
  return { written, kind: written.slice(0, slash), name: written.slice(slash + 1) };
}

function noSuchKind({ written, kind }: Pattern): Problem {
  const ofSection = kinds.find((each) => sectionsOf(each).includes(kind))?.name;
  const names = kinds.map(({ name }) => name);
  const close = ofSection ?? suggest(kind, names);
  const advice = close === null ? `Kinds are ${names.join(", ")}.` : `Did you mean ${close}?`;
  return problem(
    "no_such_kind",
    "A kind that there is not",
    says`${{ flag: "only", value: written }} names no kind of object. ${advice}`,
  );
}

/** Warnings of what picked nothing. */
export function pickedNothing({ idle, seen }: Tried): readonly Problem[] {
  return idle.map((written) => picksNothing(written, seen));
}

function picksNothing(written: string, seen: Tried["seen"]): Problem {
  const close = suggest(written, seen);
  const advice = close === null ? "It is the kind and the name that a plan shows." : `Did you mean ${close}?`;
  const said = says`${{ flag: "only", value: written }} picks nothing in these zones. ${advice}`;
  return { ...problem("picks_nothing", "Nothing of this name", said), severity: "warning" };
}
