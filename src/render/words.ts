import { refusesAdopt } from "../model/guardrails.js";
import { type NamedOption, type Sentences, says } from "../model/sentence.js";
import type { Effect, Origin, PlannedChange } from "../plan/generated/plan-document.js";
import type { Tone } from "./palette.js";
import { capital } from "./safe-text.js";

/** What a document shows: planned changes, drift, the result of an apply, or a planned rollback. */
export type About = "plan" | "drift" | "applied" | "rollback";

export type ByKey<Name extends string, Value> = { readonly [name in Name]: Value };

/**
 * What happens to an object. `takeOver`: the files now declare a value that is live already. `applied`: the saved plan has
 * made the change already.
 */
type ActionName = PlannedChange["action"] | "replace" | "takeOver" | "applied";

export function actionNameOf({ action, replaces, taken_over, applied }: PlannedChange): ActionName {
  if (applied === true) return "applied";
  if (taken_over === true) return "takeOver";
  return replaces === true ? "replace" : action;
}

/** The effects on protection. Every format and every kind of document uses these words. */
export const EFFECTS: ByKey<Effect, EffectWords> = {
  weakens: {
    sign: "↓",
    tone: "weaker",
    plural: "weaken",
    heading: "Weakens protection",
    level: "warning",
    predicate: "weakens protection",
  },
  unknown: {
    sign: "?",
    tone: "unclear",
    plural: "unknown",
    heading: "Effect unknown",
    level: "warning",
    predicate: "has an unknown effect on protection",
  },
  mixed: {
    sign: "↕",
    tone: "unclear",
    plural: "mixed",
    heading: "Mixed effect on protection",
    level: "warning",
    predicate: "has a mixed effect on protection",
  },
  strengthens: {
    sign: "↑",
    tone: "stronger",
    plural: "strengthen",
    heading: "Strengthens protection",
    level: "note",
    predicate: "strengthens protection",
  },
  neutral: {
    sign: "=",
    tone: "faint",
    plural: "neutral",
    heading: "No effect on protection",
    level: "note",
    predicate: "has no effect on protection",
  },
};

interface EffectWords {
  /** So that colour is never the only mark. */
  readonly sign: string;
  readonly tone: Tone;
  /** For several changes. For one, it is the name of the effect. */
  readonly plural: string;
  readonly heading: string;
  readonly level: "warning" | "note";
  /** For a sentence about a change. */
  readonly predicate: string;
}

/** The worst first, for reviewers. */
export const WORST_FIRST: readonly Effect[] = ["weakens", "unknown", "mixed", "strengthens", "neutral"];

/** The words for numbers and changes, for each kind of document. Every format uses these words. */
export interface Words {
  readonly title: string;
  readonly failed: string;
  /** For a zone with some failed sections. */
  readonly partly: string;
  /** The verdict when nothing changes. */
  readonly nothing: string;
  /** The verdict when nothing changes and there are undeclared objects. */
  readonly nothingDeclared: string;
  /** For a zone without changes, in one word. */
  readonly unchanged: string;
  /** A suffix for counts and headings. */
  readonly suffix: string;
  readonly objects: (numbers: ObjectCounts) => string;
  readonly actions: ByKey<ActionName, ActionWords>;
  /** What a guardrail refuses: `apply would be refused by`. */
  readonly refusal: (guardrail: string) => string;
  /** A prefix for the effect of carrying out the plan. */
  readonly backLead: string;
  readonly impact: ImpactWords;
  /** Origins that are counted in the verdict, and origins that are shown at a change. */
  readonly origins: { readonly counted: readonly Origin[]; readonly shown: readonly Origin[] };
  /** A remark for documents without a base. */
  readonly withoutBase: Sentences | null;
  /** How to undo or keep the changes. Null: not shown. */
  readonly undo: Sentences | null;
  /** A note on undeclared objects. Null: not shown. */
  readonly undeclaredNote: string | null;
  /** In a comment, a list of fields up to this length is open. Longer lists are folded. */
  readonly openLines: number;
  /** A note on which side of a field is which. Empty: obvious. */
  readonly sidesNote: string;
  /** A suffix for the number of calls. */
  readonly calls: string;
  /** A prefix for the number of requests. */
  readonly requests: string;
  /** Headings and captions of the page. */
  readonly page: {
    readonly changes: string;
    readonly fields: string;
    /** The numbers of changed objects. */
    readonly objects: readonly (readonly [of: "create" | "update" | "deletes", name: string])[];
    readonly calls: string;
  };
}

/** Words for a change, by what happens to its object. */
export interface ActionWords {
  readonly sign: string;
  /** `update`. */
  readonly verb: string;
  /** `updated`, after the run. */
  readonly pastVerb: string;
  /** `Update`, as a title begins. */
  readonly title: string;
  /** `would be updated`. */
  readonly sentence: string;
  /** A suffix for the lead: ` (added outside)`. Often empty. */
  readonly leadNote: string;
}

function planned(sign: string, verb: string, pastVerb: string, leadNote = ""): ActionWords {
  return { sign, verb, pastVerb, title: capital(verb), sentence: `would be ${pastVerb}`, leadNote };
}

function outside(sign: string, verb: string): ActionWords {
  const leadNote = ` (${verb} outside)`;
  const sentence = `was ${verb} outside the files`;
  return { sign, verb, pastVerb: verb, title: `${capital(verb)} outside:`, sentence, leadNote };
}

function done(sign: string, verb: string): ActionWords {
  return { sign, verb, pastVerb: verb, title: capital(verb), sentence: `was ${verb}`, leadNote: "" };
}

/** Without a call. */
function already(state: string, leadNote = ` (already ${state})`): ActionWords {
  const verb = `already ${state}`;
  return { sign: "=", verb, pastVerb: verb, title: `${capital(verb)}:`, sentence: `is ${verb}`, leadNote };
}

/** Words for the impact on what pages load: `would block`. */
export type ImpactWords = ByKey<"does" | "newly_blocked" | "newly_reported" | "newly_allowed", string>;

export interface ObjectCounts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  /** Part of `update`. */
  readonly replaced: number;
  /** Already live as declared. */
  readonly takenOver: number;
  /** Made already by the saved plan that is being applied. */
  readonly applied: number;
  /** Undeclared, and not listed as known. */
  readonly notListed: number;
}

function withoutCallsText({ takenOver, applied }: Pick<ObjectCounts, "takenOver" | "applied">): string {
  const taken = takenOver === 0 ? "" : `, ${takenOver} already live`;
  return applied === 0 ? taken : `${taken}, ${applied} already applied`;
}

function replacedText(replaced: number): string {
  return replaced === 0 ? "" : ` (${replaced} replaced)`;
}

const PLAN: Words = {
  title: "Plan",
  failed: "could not be planned",
  partly: "only partly planned",
  nothing: "no changes",
  nothingDeclared: "no changes",
  unchanged: "unchanged",
  suffix: "",
  objects: ({ create, update, delete: deletes, replaced, ...live }) =>
    `${create} to create, ${update} to update${replacedText(replaced)}, ${deletes} to delete${withoutCallsText(live)}`,
  actions: {
    create: planned("+", "create", "created"),
    update: planned("~", "update", "updated"),
    delete: planned("-", "delete", "deleted"),
    replace: planned("-/+", "replace", "replaced"),
    takeOver: already("live"),
    applied: already("applied"),
  },
  refusal: () => "apply would be refused by",
  backLead: "",
  impact: { does: "would ", newly_blocked: "block", newly_reported: "report", newly_allowed: "allow" },
  origins: { counted: ["conflict", "drift", "mixed"], shown: ["conflict", "drift", "mixed"] },
  withoutBase: null,
  undo: null,
  undeclaredNote: null,
  openLines: 0,
  sidesNote: "",
  calls: "to apply",
  requests: "planning used",
  page: {
    changes: "Changes",
    fields: "From the live state to the files",
    objects: [
      ["create", "to create"],
      ["update", "to update"],
      ["deletes", "to delete"],
    ],
    calls: "API calls to apply",
  },
};

const APPLY: NamedOption = { command: "apply", otherwise: "the command apply" };
const ADOPT: NamedOption = { command: "adopt", otherwise: "zoneward adopt, where the files are," };

const DRIFT: Words = {
  title: "Drift",
  failed: "could not be checked",
  partly: "only partly checked",
  nothing: "no drift",
  nothingDeclared: "no drift in declared objects",
  unchanged: "no drift",
  suffix: " outside the files",
  objects: ({ create, update, delete: deletes, notListed }) => {
    const undeclared = notListed === 0 ? "" : `, ${notListed} undeclared`;
    return `${update} changed, ${create} deleted, ${deletes} added${undeclared}`;
  },
  actions: {
    create: outside("+", "added"),
    update: outside("~", "changed"),
    delete: outside("-", "deleted"),
    replace: outside("~", "changed"),
    takeOver: already("live", ""),
    applied: already("applied", ""),
  },
  refusal: (guardrail) => `${refusesAdopt(guardrail) ? "adopt" : "apply"} would be refused by`,
  backLead: "undoing the drift: ",
  impact: { ...PLAN.impact, does: "undoing the drift would " },
  // In a document about drift, `drift` goes without saying.
  origins: { counted: ["conflict"], shown: ["conflict", "mixed"] },
  withoutBase: says`Without ${{ flag: "base" }}, changes to the files that are not applied yet count as drift.`,
  undo: says`To undo drift, ${APPLY} restores what the files declare. To keep it, ${ADOPT} writes the live state into the files.`,
  undeclaredNote:
    "Undeclared objects are left alone: remove them in the dashboard, or acknowledge them under unmanaged.",
  // The fields are what the reader looks for.
  openLines: 15,
  sidesNote: ": declared (-) and live (+)",
  calls: "to undo the drift",
  requests: "checking used",
  page: {
    changes: "Changes outside the files",
    fields: "From the files to the live state",
    objects: [
      ["deletes", "added outside"],
      ["update", "changed outside"],
      ["create", "deleted outside"],
    ],
    calls: "API calls to go back",
  },
};

/** The result of an apply whose zones are all as planned. */
const APPLIED: Words = {
  ...PLAN,
  title: "Applied",
  nothing: "nothing to change",
  nothingDeclared: "nothing to change",
  objects: ({ create, update, delete: deletes, replaced, ...live }) =>
    `${create} created, ${update} updated${replacedText(replaced)}, ${deletes} deleted${withoutCallsText(live)}`,
  actions: {
    create: done("+", "created"),
    update: done("~", "updated"),
    delete: done("-", "deleted"),
    replace: done("-/+", "replaced"),
    takeOver: already("live"),
    applied: { ...already("applied"), sentence: "was already applied" },
  },
  impact: { does: "now ", newly_blocked: "blocks", newly_reported: "reports", newly_allowed: "allows" },
  calls: "made",
  page: {
    changes: "Applied changes",
    fields: "From the former live state to the files",
    objects: [
      ["create", "created"],
      ["update", "updated"],
      ["deletes", "deleted"],
    ],
    calls: "API calls made",
  },
};

/** A rollback deletes the objects that the apply created, and recreates the objects that it deleted. */
const ROLLBACK: Words = {
  ...PLAN,
  title: "Rollback plan",
  nothing: "nothing to revert",
  nothingDeclared: "nothing to revert",
  objects: ({ create, update, delete: deletes, replaced }) =>
    `${create} to recreate, ${update} to revert${replacedText(replaced)}, ${deletes} to delete`,
  actions: {
    create: planned("+", "recreate", "recreated", " (recreate)"),
    update: planned("~", "revert", "reverted", " (revert)"),
    delete: planned("-", "delete", "deleted", " (undo create)"),
    replace: planned("-/+", "revert", "reverted", " (revert)"),
    takeOver: already("live", ""),
    applied: already("applied", ""),
  },
  calls: "to roll back",
  page: {
    changes: "Changes to roll back",
    fields: "From the live state to the state before the apply",
    objects: [
      ["create", "to recreate"],
      ["update", "to revert"],
      ["deletes", "to delete"],
    ],
    calls: "API calls to go back",
  },
};

export const WORDS: ByKey<About, Words> = {
  plan: PLAN,
  drift: DRIFT,
  applied: APPLIED,
  rollback: ROLLBACK,
};
