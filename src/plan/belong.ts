import { equal } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { digestOf } from "./digest.js";
import type { PlanDocument } from "./generated/plan-document.js";
import type { ShardPlan } from "./merge.js";

/** A plan, and what messages call it: its file. */
export interface NamedPlan {
  readonly name: string;
  readonly document: PlanDocument;
}

interface NamedShard {
  readonly name: string;
  readonly document: ShardPlan;
}

/**
 * The plans of all shards of one run, or why they are not: one is no shard's, one is missing or there twice, or they were
 * made in different ways.
 */
export function allShardsIn(
  plans: readonly NamedPlan[],
): { readonly shards: readonly [ShardPlan, ...ShardPlan[]] } | { readonly why: Problem } {
  const shards: NamedShard[] = [];
  for (const { name, document } of plans) {
    if (!isShard(document)) return { why: notTogether(`${name} is no plan of a shard. ${AGAIN}`) };
    shards.push({ name, document });
  }
  const [first, ...others] = shards;
  if (first === undefined) return { why: notTogether("No plan is named.") };
  const why = miscounted([first, ...others]) ?? differing(first, others) ?? misplaced([first, ...others]);
  if (why !== null) return { why: notTogether(`${why} ${AGAIN}`) };
  return { shards: [first.document, ...others.map(({ document }) => document)] };
}

const AGAIN = "Plan all shards again, of the same files and with the same flags, and merge those.";

function notTogether(detail: string): Problem {
  return problem("not_all_shards", "These are not the plans of all shards of one run", detail);
}

function isShard(document: PlanDocument): document is ShardPlan {
  return document.whole !== undefined;
}

/** Another N, one that is there twice, and one that is missing. */
function miscounted(shards: readonly [NamedShard, ...NamedShard[]]): string | null {
  const [first] = shards;
  const { of } = numbersOf(first);
  const seen = new Map<number, string>();
  for (const each of shards) {
    const own = numbersOf(each);
    if (own.of !== of) return `${first.name} is shard ${textOf(first)}, and ${each.name} is ${textOf(each)}.`;
    const known = seen.get(own.index);
    if (known !== undefined) return `${known} and ${each.name} are both shard ${textOf(each)}.`;
    seen.set(own.index, each.name);
  }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((index) => !seen.has(index));
  if (missing.length === 0) return null;
  const named = missing.slice(0, MOST_NAMED).map((index) => `${index}/${of}`);
  const more = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : "";
  return `${missing.length === 1 ? "Shard" : "The shards"} ${named.join(", ")}${more} ${missing.length === 1 ? "is" : "are"} missing.`;
}

const MOST_NAMED = 5;

function textOf({ document: { inputs } }: NamedShard): string {
  return inputs.shard ?? "";
}

function numbersOf(shard: NamedShard): { readonly index: number; readonly of: number } {
  const [index = 0, of = 0] = textOf(shard).split("/").map(Number);
  return { index, of };
}

/** What two of them were not made of or with alike. */
function differing(first: NamedShard, others: readonly NamedShard[]): string | null {
  for (const other of others)
    for (const [what, of] of SAME)
      if (!equal(of(first.document) ?? null, of(other.document) ?? null))
        return `${first.name} and ${other.name} were made ${what}.`;
  return null;
}

const SAME: readonly (readonly [what: string, of: (document: ShardPlan) => unknown])[] = [
  ["of other files (-c)", ({ inputs }) => inputs.config],
  ["of files that say something else", ({ whole }) => whole.files],
  ["with another --zone", ({ inputs }) => inputs.zones],
  ["with another --only", ({ inputs }) => inputs.only],
  ["with another --base", ({ inputs }) => inputs.base],
  ["with another commit or folder as the base", ({ base }) => base],
  ["one with --changed, the other without", ({ inputs }) => inputs.changed],
  ["one for drift, the other not", ({ inputs }) => inputs.about],
  ["with another --guardrails", ({ inputs }) => inputs.guardrails],
  ["with other guardrails, --fail-on or --allow", ({ whole }) => whole.guardrails],
  ["with another --impact-pages or --no-impact", ({ whole }) => whole.impact],
  [
    "of other zones",
    ({ whole }) => [whole.names, whole.zones, whole.objects_beside, whole.objects_in_base ?? null],
  ],
  ["of other zones", ({ summary }) => [summary.as_in_base ?? null, summary.left_out ?? null]],
];

/** Each zone of the run stands in one of them, in one place. */
function misplaced(shards: readonly NamedShard[]): string | null {
  const many = shards.reduce((sum, { document }) => sum + document.zones.length, 0);
  if (shards.some(({ document }) => document.whole.zones !== many)) return OTHER_ZONES;
  const names: string[] = [];
  for (const { name, document } of shards)
    for (const [index, { zone }] of document.zones.entries()) {
      const place = document.whole.places[index] ?? -1;
      if (names[place] !== undefined) return `${name} has a zone in the place of another, ${zone}.`;
      names[place] = zone;
    }
  const { names: digest } = shards[0]?.document.whole ?? { names: "" };
  return digestOf(names) === digest ? null : OTHER_ZONES;
}

const OTHER_ZONES = "The zones in them are not those of the run.";
