import { type NamedOption, type Sentences, says } from "../model/sentence.js";
import type { Effect, Origin, PlannedChange } from "../plan/generated/plan-document.js";
import type { Tone } from "./palette.js";

/** What a document shows: planned changes, drift, the result of an apply, or a planned rollback. */
export type About = "plan" | "drift" | "applied" | "rollback";

export type ByKey<Name extends string, Value> = { readonly [name in Name]: Value };

/** What happens to an object. `takeOver`: the files now declare a value that is live already. */
type ActionName = PlannedChange["action"] | "replace" | "takeOver";

export function actionNameOf({ action, replaces, taken_over }: PlannedChange): ActionName {
  if (taken_over === true) return "takeOver";
  return replaces === true ? "replace" : action;
}

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
  /** The verdict for the zones that did not fail. Null: the same as `nothing`. */
  readonly nothingElsewhere: string | null;
  /** For a zone without changes, in one word. */
  readonly unchanged: string;
  /** A suffix for counts. */
  readonly countsSuffix: string;
  readonly countWords: ByKey<Effect, { readonly singular: string; readonly plural: string }>;
  readonly objects: (numbers: ObjectCounts) => string;
  /** The lead of a change. */
  readonly leads: ByKey<Effect, string>;
  /** A suffix for the lead. */
  readonly leadNotes: ByKey<ActionName, string>;
  readonly headings: ByKey<Effect, string>;
  readonly findings: ByKey<
    Effect,
    { readonly level: "warning" | "note"; readonly title: string; readonly text: string }
  >;
  readonly signs: ByKey<ActionName, string>;
  readonly verbs: ByKey<ActionName, string>;
  /** Verbs for a finished run. */
  readonly pastVerbs: ByKey<ActionName, string>;
  /** Verbs for the title of a change. */
  readonly titles: ByKey<ActionName, string>;
  /** Verbs for a sentence. */
  readonly sentences: ByKey<ActionName, string>;
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
  /** Undeclared, and not listed as known. */
  readonly notListed: number;
}

export type Tile = "create" | "update" | "deletes" | "unchanged" | "calls" | "requests";

/** The worst first, for reviewers. */
export const WORST_FIRST: readonly Effect[] = ["weakens", "unknown", "mixed", "strengthens", "neutral"];

export const TONES: ByKey<Effect, Tone> = {
  weakens: "weaker",
  unknown: "unclear",
  mixed: "unclear",
  strengthens: "stronger",
  neutral: "faint",
};

/** Signs, so that colour is never the only mark. */
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
  // In a document about drift, `drift` goes without saying.
  origins: { counted: ["conflict"], shown: ["conflict", "mixed"] },
  withoutBase: says`Without ${{ flag: "base" }}, changes to the files that were not applied yet count too.`,
  undo: says`To undo it, ${APPLY} puts back what the files say. To keep it, ${ADOPT} writes what is live into the files.`,
  undeclaredNote: "What nobody declares stays all the same: remove it in the dashboard, or list it as known.",
  // The fields are what the reader looks for.
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

/** The result of an apply whose zones are all as planned. */
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

/** A rollback deletes the objects that the apply created, and recreates the objects that it deleted. */
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
