import { type NamedOption, type Sentences, says } from "../model/sentence.js";
import type { Effect, Origin, PlannedChange } from "../plan/generated/plan-document.js";
import type { Tone } from "./palette.js";

/**
 * What a plan document is shown as: what would change, what was changed outside the files, what an apply has done, or what
 * a rollback would undo.
 */
export type About = "plan" | "drift" | "applied" | "rollback";

export type ByKey<Name extends string, Value> = { readonly [name in Name]: Value };

/** What happens to an object. `takeOver`: it is live already, and the files declare it now. */
type ActionName = PlannedChange["action"] | "replace" | "takeOver";

export function actionNameOf({ action, replaces, taken_over }: PlannedChange): ActionName {
  if (taken_over === true) return "takeOver";
  return replaces === true ? "replace" : action;
}

/** How the same numbers and changes are called in what a document is shown as. Every format takes its words from here. */
export interface Words {
  readonly title: string;
  /** Of a zone that failed. */
  readonly failed: string;
  /** Of a zone of which some sections failed. */
  readonly partly: string;
  /** What it comes to where nothing changes. */
  readonly nothing: string;
  /** The same where something is live that no file declares. */
  readonly nothingDeclared: string;
  /** The same in the zones that did not fail; null: it is called the same there. */
  readonly nothingElsewhere: string | null;
  /** In a zone, in one word. */
  readonly unchanged: string;
  /** Behind what is counted. */
  readonly countsSuffix: string;
  /** What is counted, of one and of several. */
  readonly countWords: ByKey<Effect, { readonly singular: string; readonly plural: string }>;
  /** How many objects something happens to. */
  readonly objects: (numbers: ObjectCounts) => string;
  /** What leads a change. */
  readonly leads: ByKey<Effect, string>;
  /** Behind that. */
  readonly leadNotes: ByKey<ActionName, string>;
  /** What stands above changes. */
  readonly headings: ByKey<Effect, string>;
  /** What a finding says of a change. */
  readonly findings: ByKey<
    Effect,
    { readonly level: "warning" | "note"; readonly title: string; readonly text: string }
  >;
  readonly signs: ByKey<ActionName, string>;
  /** What is or was done to the object. */
  readonly verbs: ByKey<ActionName, string>;
  /** The same once a run has done it. */
  readonly pastVerbs: ByKey<ActionName, string>;
  /** The same as the title of a change. */
  readonly titles: ByKey<ActionName, string>;
  /** The same in a sentence. */
  readonly sentences: ByKey<ActionName, string>;
  /** What stands before what carrying it out does. */
  readonly backLead: string;
  /** What it does to what pages load. */
  readonly impact: ImpactWords;
  /** Where changes come from: what is counted, and what is said of one. */
  readonly origins: { readonly counted: readonly Origin[]; readonly shown: readonly Origin[] };
  /** What has to be known where there is no base; null: nothing. */
  readonly withoutBase: Sentences | null;
  /** How to undo what is told, and how to keep it; null: it is not done, or in the other way. */
  readonly undo: Sentences | null;
  /** What becomes of what nobody declares or lists; null: it is said beside it. */
  readonly undeclaredNote: string | null;
  /** Of a change's fields in a comment: so many lines stand open, more are folded. */
  readonly openLines: number;
  /** Of two sides of a field, which is which; empty: that is clear. */
  readonly sidesNote: string;
  readonly calls: string;
  readonly requests: string;
  /** Headings and captions of the page. */
  readonly page: {
    readonly changes: string;
    readonly matrix: string;
    readonly fields: string;
    readonly tiles: readonly (readonly [of: Tile, name: string])[];
  };
}

/** `would block`, of what pages load. */
export type ImpactWords = ByKey<"does" | "newly_blocked" | "newly_reported" | "newly_allowed", string>;

export interface ObjectCounts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  /** Of those to update. */
  readonly replaced: number;
  /** Live already as the files say. */
  readonly takenOver: number;
  /** Live, and neither declared nor listed. */
  readonly notListed: number;
}

export type Tile = "create" | "update" | "deletes" | "unchanged" | "calls" | "requests";

/** The worst first: what a reviewer has to see. */
export const WORST_FIRST: readonly Effect[] = ["weakens", "unknown", "mixed", "strengthens", "neutral"];

export const TONES: ByKey<Effect, Tone> = {
  weakens: "weaker",
  unknown: "unclear",
  mixed: "unclear",
  strengthens: "stronger",
  neutral: "faint",
};

/** Colour is never alone. */
export const SIGNS: ByKey<Effect, string> = {
  strengthens: "↑",
  weakens: "↓",
  mixed: "↕",
  unknown: "?",
  neutral: "=",
};

const PLAN: Words = {
  title: "Plan",
  failed: "could not be planned",
  partly: "could be planned in part only",
  nothing: "no changes",
  nothingDeclared: "no changes",
  nothingElsewhere: "nothing changes",
  unchanged: "unchanged",
  countsSuffix: "",
  countWords: {
    weakens: { singular: "weakens", plural: "weaken" },
    unknown: { singular: "unknown", plural: "unknown" },
    mixed: { singular: "mixed", plural: "mixed" },
    strengthens: { singular: "strengthens", plural: "strengthen" },
    neutral: { singular: "neutral", plural: "neutral" },
  },
  objects: ({ create, update, delete: deletes, replaced, takenOver }) => {
    const replacing = replaced === 0 ? "" : ` (${replaced} by a new one in its place)`;
    const taken = takenOver === 0 ? "" : `, ${takenOver} taken over from live`;
    return `${create} to create, ${update} to update${replacing}, ${deletes} to delete${taken}`;
  },
  leads: {
    weakens: "weakens",
    unknown: "unknown",
    mixed: "mixed",
    strengthens: "strengthens",
    neutral: "neutral",
  },
  leadNotes: { create: "", update: "", delete: "", replace: "", takeOver: " (taken over)" },
  headings: {
    weakens: "Weakens protection",
    unknown: "Nobody can tell whether it weakens protection",
    mixed: "Weakens and strengthens protection",
    strengthens: "Strengthens protection",
    neutral: "Does nothing to protection",
  },
  findings: {
    weakens: { level: "warning", title: "Weakens protection", text: "weakens protection" },
    unknown: {
      level: "warning",
      title: "May weaken protection",
      text: "may weaken protection: nobody can tell",
    },
    mixed: {
      level: "warning",
      title: "Partly weakens protection",
      text: "weakens and strengthens protection",
    },
    strengthens: { level: "note", title: "Strengthens protection", text: "strengthens protection" },
    neutral: { level: "note", title: "Does nothing to protection", text: "does nothing to protection" },
  },
  signs: { create: "+", update: "~", delete: "-", replace: "-/+", takeOver: "=" },
  verbs: { create: "create", update: "update", delete: "delete", replace: "replace", takeOver: "take over" },
  pastVerbs: {
    create: "created",
    update: "updated",
    delete: "deleted",
    replace: "replaced",
    takeOver: "taken over",
  },
  titles: {
    create: "Create",
    update: "Update",
    delete: "Delete",
    replace: "Replace",
    takeOver: "Taken over from live:",
  },
  sentences: {
    create: "would be created",
    update: "would be updated",
    delete: "would be deleted",
    replace: "would be replaced",
    takeOver: "is taken over from live",
  },
  backLead: "",
  impact: {
    does: "would ",
    newly_blocked: "block",
    newly_reported: "report",
    newly_allowed: "allow",
  },
  origins: { counted: ["conflict", "drift", "mixed"], shown: ["conflict", "drift", "mixed"] },
  withoutBase: null,
  undo: null,
  undeclaredNote: null,
  openLines: 0,
  sidesNote: "",
  calls: "to make",
  requests: "made to plan",
  page: {
    changes: "Changes",
    matrix: "What changes in each zone, by kind, and what that does to protection",
    fields: "From what is live to what the files say",
    tiles: [
      ["create", "to create"],
      ["update", "to update"],
      ["deletes", "to delete"],
      ["unchanged", "unchanged"],
      ["calls", "calls to make"],
      ["requests", "requests to plan"],
    ],
  },
};

/** What was done is in the past, and told as it happened: what the plan of it would create was deleted. */
const APPLY: NamedOption = { command: "apply", otherwise: "the command apply" };
const ADOPT: NamedOption = { command: "adopt", otherwise: "zoneward adopt, where the files are," };

const DRIFT: Words = {
  title: "Drift",
  failed: "could not be looked at",
  partly: "could be looked at in part only",
  nothing: "nothing changed outside the files",
  nothingDeclared: "nothing that is declared changed outside the files",
  nothingElsewhere: null,
  unchanged: "nothing moved",
  countsSuffix: " outside the files",
  countWords: {
    weakens: { singular: "weakened", plural: "weakened" },
    unknown: { singular: "changed with unknown effect", plural: "changed with unknown effect" },
    mixed: { singular: "weakened and strengthened", plural: "weakened and strengthened" },
    strengthens: { singular: "strengthened", plural: "strengthened" },
    neutral: { singular: "changed", plural: "changed" },
  },
  objects: ({ create, update, delete: deletes, notListed }) => {
    const undeclared = notListed === 0 ? "" : `, ${notListed} neither declared nor listed`;
    return `outside the files ${update} changed, ${create} deleted, ${deletes} added${undeclared}`;
  },
  leads: {
    weakens: "weakened outside the files",
    unknown: "changed outside the files, effect unknown",
    mixed: "weakened and strengthened outside the files",
    strengthens: "strengthened outside the files",
    neutral: "changed outside the files",
  },
  leadNotes: { create: " (added)", update: "", delete: " (deleted)", replace: "", takeOver: "" },
  headings: {
    weakens: "Weakened outside the files",
    unknown: "Changed outside the files, effect unknown",
    mixed: "Weakened and strengthened outside the files",
    strengthens: "Strengthened outside the files",
    neutral: "Changed outside the files, protection is the same",
  },
  findings: {
    weakens: { level: "warning", title: "Weakened outside the files", text: "weakened protection" },
    unknown: {
      level: "warning",
      title: "Changed outside the files, effect unknown",
      text: "may have weakened protection: nobody can tell",
    },
    mixed: {
      level: "warning",
      title: "Weakened and strengthened outside the files",
      text: "weakened and strengthened protection",
    },
    strengthens: { level: "note", title: "Strengthened outside the files", text: "strengthened protection" },
    neutral: { level: "note", title: "Changed outside the files", text: "did nothing to protection" },
  },
  signs: { create: "+", update: "~", delete: "-", replace: "~", takeOver: "=" },
  verbs: {
    create: "added",
    update: "changed",
    delete: "deleted",
    replace: "changed",
    takeOver: "taken over",
  },
  pastVerbs: PLAN.pastVerbs,
  titles: {
    create: "Added outside:",
    update: "Changed outside:",
    delete: "Deleted outside:",
    replace: "Changed outside:",
    takeOver: "Taken over:",
  },
  sentences: {
    create: "was added outside the files",
    update: "was changed outside the files",
    delete: "was deleted outside the files",
    replace: "was changed outside the files",
    takeOver: "is taken over from live",
  },
  backLead: "going back: ",
  impact: {
    does: "going back would ",
    newly_blocked: "block",
    newly_reported: "report",
    newly_allowed: "allow",
  },
  // That there is drift is not said of drift.
  origins: { counted: ["conflict"], shown: ["conflict", "mixed"] },
  withoutBase: says`Without ${{ flag: "base" }}, changes to the files that were not applied yet count too.`,
  undo: says`To undo it, ${APPLY} puts back what the files say. To keep it, ${ADOPT} writes what is live into the files.`,
  undeclaredNote: "What nobody declares stays all the same: remove it in the dashboard, or list it as known.",
  // What moved is why somebody reads it.
  openLines: 15,
  sidesNote: ": as declared (-) and live (+)",
  calls: "to go back",
  requests: "made to look",
  page: {
    changes: "What moved outside the files",
    matrix: "What was changed outside the files in each zone, by kind, and what that did to protection",
    fields: "From what the files say to what is live",
    tiles: [
      ["deletes", "added outside"],
      ["update", "changed outside"],
      ["create", "deleted outside"],
      ["unchanged", "unchanged"],
      ["calls", "calls to go back"],
      ["requests", "requests to look"],
    ],
  },
};

/** What an apply has done, whose zones are all as the plan says. */
const APPLIED: Words = {
  ...PLAN,
  title: "Applied",
  nothing: "nothing was to be changed",
  nothingDeclared: "nothing was to be changed",
  nothingElsewhere: "nothing was changed",
  countWords: {
    weakens: { singular: "weakened", plural: "weakened" },
    unknown: { singular: "changed with unknown effect", plural: "changed with unknown effect" },
    mixed: { singular: "weakened and strengthened", plural: "weakened and strengthened" },
    strengthens: { singular: "strengthened", plural: "strengthened" },
    neutral: { singular: "neutral", plural: "neutral" },
  },
  objects: ({ create, update, delete: deletes, replaced, takenOver }) => {
    const replacing = replaced === 0 ? "" : ` (${replaced} by a new one in its place)`;
    const taken = takenOver === 0 ? "" : `, ${takenOver} taken over from live`;
    return `${create} created, ${update} updated${replacing}, ${deletes} deleted${taken}`;
  },
  leads: {
    weakens: "weakened",
    unknown: "effect unknown",
    mixed: "weakened and strengthened",
    strengthens: "strengthened",
    neutral: "neutral",
  },
  headings: {
    weakens: "Weakened protection",
    unknown: "Nobody can tell whether it weakened protection",
    mixed: "Weakened and strengthened protection",
    strengthens: "Strengthened protection",
    neutral: "Did nothing to protection",
  },
  findings: {
    weakens: { level: "warning", title: "Weakened protection", text: "weakened protection" },
    unknown: {
      level: "warning",
      title: "May have weakened protection",
      text: "may have weakened protection: nobody can tell",
    },
    mixed: {
      level: "warning",
      title: "Partly weakened protection",
      text: "weakened and strengthened protection",
    },
    strengthens: { level: "note", title: "Strengthened protection", text: "strengthened protection" },
    neutral: { level: "note", title: "Did nothing to protection", text: "did nothing to protection" },
  },
  verbs: PLAN.pastVerbs,
  titles: {
    create: "Created",
    update: "Updated",
    delete: "Deleted",
    replace: "Replaced",
    takeOver: "Taken over from live:",
  },
  sentences: {
    create: "was created",
    update: "was updated",
    delete: "was deleted",
    replace: "was replaced",
    takeOver: "was taken over from live",
  },
  impact: {
    does: "now ",
    newly_blocked: "blocks",
    newly_reported: "reports",
    newly_allowed: "allows",
  },
  calls: "made",
  page: {
    changes: "What was changed",
    matrix: "What was changed in each zone, by kind, and what that did to protection",
    fields: "From what was live to what the files say",
    tiles: [
      ["create", "created"],
      ["update", "updated"],
      ["deletes", "deleted"],
      ["unchanged", "unchanged"],
      ["calls", "calls made"],
      ["requests", "requests to plan"],
    ],
  },
};

/** What an apply did is undone: what it had created goes, and what it had deleted comes back. */
const ROLLBACK: Words = {
  ...PLAN,
  title: "Rollback plan",
  nothing: "nothing to revert",
  nothingDeclared: "nothing to revert",
  nothingElsewhere: "nothing is reverted",
  objects: ({ create, update, delete: deletes, replaced }) => {
    const replacing = replaced === 0 ? "" : ` (${replaced} by a new one in its place)`;
    return `${create} to recreate, ${update} to revert${replacing}, ${deletes} to delete`;
  },
  leadNotes: {
    create: " (is recreated)",
    update: " (is reverted)",
    delete: " (is deleted again)",
    replace: " (is reverted)",
    takeOver: "",
  },
  verbs: { ...PLAN.verbs, create: "recreate", update: "revert", replace: "revert" },
  pastVerbs: { ...PLAN.pastVerbs, create: "recreated", update: "reverted", replace: "reverted" },
  titles: { ...PLAN.titles, create: "Recreate", update: "Revert", replace: "Revert" },
  sentences: {
    create: "would be recreated",
    update: "would be reverted",
    delete: "would be deleted again",
    replace: "would be reverted",
    takeOver: "is taken over from live",
  },
  calls: "to go back",
  page: {
    ...PLAN.page,
    changes: "What goes back",
    matrix: "What goes back in each zone, by kind, and what that does to protection",
    fields: "From what is live to what was before the apply",
    tiles: [
      ["create", "to recreate"],
      ["update", "to revert"],
      ["deletes", "to delete"],
      ["unchanged", "unchanged"],
      ["calls", "calls to go back"],
      ["requests", "requests to plan"],
    ],
  },
};

export const WORDS: ByKey<About, Words> = {
  plan: PLAN,
  drift: DRIFT,
  applied: APPLIED,
  rollback: ROLLBACK,
};
