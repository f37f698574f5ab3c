import type { Effect, PlannedChange } from "../plan/generated/plan-document.js";
import { quoted } from "./changed.js";
import type { Finding } from "./finding.js";
import { originText } from "./origin-text.js";
import { OUTSIDE_ACTIONS, outsideEffect, WORST_FIRST } from "./outside.js";
import { plain } from "./plain.js";

/** Each change, and each that the files did not bring about. */
export function changeFindings(changes: readonly PlannedChange[]): readonly Finding[] {
  return [
    ...byEffect(changes, ({ effect }) => effect).map(effectFinding),
    ...ORIGINS.flatMap((origin) => changes.filter((change) => change.origin === origin).map(originFinding)),
  ];
}

/** What was done outside the files: all of it was done already. */
export function outsideFindings(changes: readonly PlannedChange[]): readonly Finding[] {
  return byEffect(changes, outsideEffect).map(outsideFinding);
}

/** The worst first. */
function byEffect(
  changes: readonly PlannedChange[],
  effectOf: (change: PlannedChange) => Effect,
): readonly PlannedChange[] {
  return WORST_FIRST.flatMap((effect) => changes.filter((change) => effectOf(change) === effect));
}

const ORIGINS = ["conflict", "mixed", "drift"] as const;

function effectFinding(change: PlannedChange): Finding {
  const { effect, dimensions, action, replaces } = change;
  const { title, text, level } = EFFECTS[effect];
  const doing = replaces === true ? "would be replaced" : ACTIONS[action];
  const telling = level === "note" ? dimensions : dimensions.filter((each) => each.effect !== "strengthens");
  const why = whyText(telling);
  return {
    ...placeOf(change),
    rule: `change/${effect}`,
    level,
    title,
    text: `${titleOf(change)} ${doing}, which ${text}${why === "" ? "" : `: ${why}`}.`,
  };
}

const EFFECTS: {
  readonly [effect in Effect]: Pick<Finding, "level" | "title" | "text">;
} = {
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
};

function whyText(dimensions: PlannedChange["dimensions"]): string {
  return dimensions.map((each) => plain(each.why, WHY_CHARS)).join("; ");
}

function outsideFinding(change: PlannedChange): Finding {
  const effect = outsideEffect(change);
  const { level, title, text } = OUTSIDE_EFFECTS[effect];
  const why = whyText(change.dimensions);
  const both = change.origin === "conflict" ? " The files change it too." : "";
  const back = why === "" ? "" : ` Going back: ${why}.`;
  return {
    ...placeOf(change),
    rule: `drift/${effect}`,
    level,
    title,
    text: `${titleOf(change)} was ${OUTSIDE_ACTIONS[change.action]} outside the files, which ${text}.${both}${back}`,
  };
}

const OUTSIDE_EFFECTS: typeof EFFECTS = {
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
  strengthens: {
    level: "note",
    title: "Strengthened outside the files",
    text: "strengthened protection",
  },
  neutral: { level: "note", title: "Changed outside the files", text: "did nothing to protection" },
};

const WHY_CHARS = 600;

const ACTIONS = {
  create: "would be created",
  update: "would be updated",
  delete: "would be deleted",
} as const;

function originFinding(change: PlannedChange): Finding {
  return {
    ...placeOf(change),
    rule: `origin/${change.origin}`,
    level: "warning",
    title: ORIGIN_TITLES[change.origin === "conflict" ? "conflict" : "drift"],
    text: `${titleOf(change)}: ${originText(change) ?? change.origin}.`,
  };
}

const ORIGIN_TITLES = {
  drift: "Changed outside the files",
  conflict: "Changed in the files and outside them",
} as const;

function placeOf(change: PlannedChange): Pick<Finding, "zone" | "place" | "subject"> {
  const { zone, kind, key, source } = change;
  return { zone, place: source, subject: `${kind} ${key}` };
}

const NAME_CHARS = 200;

function titleOf({ kind, key }: PlannedChange): string {
  return key === kind ? plain(kind) : `${plain(kind)} ${quoted(key, NAME_CHARS)}`;
}
