import { cutEnd, firstFew } from "../../model/cut.js";
import type { Breach, Change, ZonePlan } from "../../model/plan.js";
import type { Sentences } from "../../model/sentence.js";
import type { Shift } from "../../model/strength.js";

export type Zone = Pick<ZonePlan, "zone" | "changes" | "notPlanned" | "meaning" | "live">;

/** Null: the plan keeps the guardrail. An unknown effect counts as a breach. */
export type Check = (plan: Zone, evidenceDays: number) => Finding | null;

export interface Finding extends Pick<Breach, "message"> {
  readonly changes: readonly Change[];
}

/** Null: there is no such change. */
export function findingIn(changes: readonly Change[], message: string | Sentences): Finding | null {
  return changes.length === 0 ? null : { message, changes };
}

export function joinFindings(known: Finding | null, unknown: Finding | null): Finding | null {
  if (known === null || unknown === null) return known ?? unknown;
  const changes = [...known.changes, ...unknown.changes];
  return { message: `${known.message} ${unknown.message}`, changes };
}

export function withReasons(change: Change, shifts: readonly Pick<Shift, "why">[]): string {
  const shown = shifts.slice(0, MAX_REASONS).map(({ why }) => short(why));
  const more = shifts.length - shown.length;
  return `${nameOf(change)} (${[...shown, ...(more > 0 ? [`${more} more`] : [])].join("; ")})`;
}

/** The plan has the others at the change. */
const MAX_REASONS = 2;

/** Cut between words. */
export function short(text: string): string {
  const start = cutEnd(text, MAX_CHARS);
  return start === text ? text : start.replace(/(?<=\S) \S*$/, " …");
}

export function counted(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}

export function namesOf(changes: readonly Change[]): string {
  return listed(changes.map(nameOf));
}

export function nameOf({ ref: { kind, key } }: Change): string {
  return key === kind ? kind : `${kind} ${JSON.stringify(cutEnd(key, MAX_CHARS))}`;
}

/** Names and reasons can be of any length: the advice at the end is to be read too. */
export const MAX_CHARS = 80;
const MAX_LISTED = 3;

export function listed(texts: readonly string[]): string {
  return firstFew(texts, MAX_LISTED);
}
