import type { Effect } from "../../plan/generated/plan-document.js";
import { WORST_FIRST } from "../outside.js";

/** In which order parts of a page get the room that there is. */
export const RANKS = {
  head: 0,
  first: 1,
  guardrail: 2,
  headInFull: 10,
  firstInFull: 11,
  /** After the titles of changes that weaken. */
  error: 23,
  undeclared: 24,
  /** After the titles of all changes. */
  guardrailInFull: 28,
  errorInFull: 29,
  undeclaredInFull: 45,
  errorZones: 55,
  /** After the zones of all changes. */
  warning: 65,
  warningInFull: 66,
  warningZones: 67,
  unmanaged: 70,
  unmanagedInFull: 71,
  call: 80,
  callInFull: 81,
} as const;

/** Of a change's parts, by its effect. */
export function changeRanks(effect: Effect) {
  const place = WORST_FIRST.indexOf(effect);
  return { title: 20 + place, reasons: 30 + place, fields: 40 + place, zones: 50 + place, whole: 60 + place };
}
