import { groupBy } from "../model/group-by.js";
import type { Problem } from "../model/problem.js";
import type {
  Diagnostic,
  Effect,
  PlanDocument,
  PlannedChange,
  SourcePlace,
  UnmanagedObject,
} from "../plan/generated/plan-document.js";
import { originText } from "./origin-text.js";
import { OUTSIDE_ACTIONS, outsideEffect, WORST_FIRST } from "./outside.js";
import { plain } from "./plain.js";
import { reviewFirst } from "./review-first.js";
import { doesText, listingLine, notListed, PRESENCE, undeclaredName } from "./undeclared.js";
import { quoted } from "./values.js";
import type { PlanView } from "./view.js";

/** Something that a reviewer has to see at its line. */
export interface Finding {
  /** Stable, for who filters: `change/weakens`, `origin/drift`, `drift/weakens`, `guardrail/weakens`, `problem/CODE`. */
  readonly rule: string;
  readonly level: "error" | "warning" | "note";
  /** In a few words, without data from outside. */
  readonly title: string;
  /** In full sentences. */
  readonly text: string;
  readonly zone: string | null;
  readonly place: SourcePlace | null;
  /** What it is about, by which it is known again when lines have moved. */
  readonly subject: string;
}

/** What is to be said about a plan, or about what was changed outside the files, the most important first. */
export function planFindings(document: PlanDocument, about: PlanView["about"] = "plan"): readonly Finding[] {
  const { changes, diagnostics } = document;
  const { first, others } = reviewFirst(diagnostics);
  const told = others.map(diagnosticFinding);
  const ofChanges = about === "drift" ? outsideFindings(changes) : changeFindings(changes);
  const changed = [...ofChanges, ...undeclaredFindings(document)];
  const alarming = changed.filter(({ level }) => level === "warning");
  const guards = guardrailFindings(document);
  const errors = told.filter(({ level }) => level === "error");
  return [
    ...first.map(diagnosticFinding),
    // What was done comes before what stands against going back.
    ...(about === "drift" ? [...errors, ...alarming, ...guards] : [...guards, ...errors, ...alarming]),
    ...told.filter(({ level }) => level === "warning"),
    ...changed.filter(({ level }) => level === "note"),
  ];
}

/** What is live and nobody declares has no line. */
function undeclaredFindings(document: PlanDocument): readonly Finding[] {
  return notListed(document).map((each) => ({
    rule: `undeclared/${each.effect}`,
    level: each.effect === "strengthens" || each.effect === "neutral" ? "note" : "warning",
    title: `Live, and neither declared nor listed: ${PRESENCE[each.effect]}`,
    text: `${undeclaredName(each, NAME_CHARS)} ${doesText(each)}. It stays as it is.${adviceFor(each)}`,
    zone: each.zone,
    place: null,
    subject: `${each.list} ${each.id ?? each.key}`,
  }));
}

function adviceFor(each: UnmanagedObject): string {
  const line = listingLine([each]);
  return line === null ? "" : ` To list it as known, in the zone: ${plain(line)}`;
}

const NAME_CHARS = 200;

function diagnosticFinding({ severity, code, message, zone, source }: Diagnostic): Finding {
  return {
    rule: `problem/${code}`,
    level: severity,
    title: code.replaceAll("_", " "),
    text: plain(message),
    zone: zone ?? null,
    place: source ?? null,
    subject: "",
  };
}

/** A guardrail has no line: those of its zone, or else of the plan, that change something are what it is about. */
function guardrailFindings({ guardrails, changes }: PlanDocument): readonly Finding[] {
  const sourced = changes.filter(({ source }) => source !== null);
  const byZone = groupBy(sourced, ({ zone }) => zone);
  return guardrails
    .filter(({ allowed }) => !allowed)
    .map(({ name, zone, message }) => ({
      rule: `guardrail/${name}`,
      level: "error",
      title: `Guardrail ${name} says no`,
      text: plain(message),
      zone: zone ?? null,
      place: (zone === undefined ? sourced : byZone.get(zone))?.[0]?.source ?? null,
      subject: "",
    }));
}

/** Each change, and each that the files did not bring about. */
function changeFindings(changes: readonly PlannedChange[]): readonly Finding[] {
  return [
    ...byEffect(changes, ({ effect }) => effect).map(effectFinding),
    ...ORIGINS.flatMap((origin) => changes.filter((change) => change.origin === origin).map(originFinding)),
  ];
}

/** What was done outside the files: all of it was done already. */
function outsideFindings(changes: readonly PlannedChange[]): readonly Finding[] {
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
    text: `${objectName(change)} ${doing}, which ${text}${why === "" ? "" : `: ${why}`}.`,
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
    text: `${objectName(change)} was ${OUTSIDE_ACTIONS[change.action]} outside the files, which ${text}.${both}${back}`,
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
    text: `${objectName(change)}: ${originText(change) ?? change.origin}.`,
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

const KEY_CHARS = 200;

function objectName({ kind, key }: PlannedChange): string {
  return key === kind ? plain(kind) : `${plain(kind)} ${quoted(key, KEY_CHARS)}`;
}

/** What is wrong with the files, errors first. */
export function problemFindings(problems: readonly Problem[]): readonly Finding[] {
  const findings = problems.map(
    ({ code, severity, summary, detail, at }): Finding => ({
      rule: `problem/${code}`,
      level: severity,
      title: plain(summary, TITLE_CHARS),
      text: plain(detail),
      zone: null,
      place: at === null ? null : { file: at.file, line: at.line, column: at.column },
      subject: at?.pointer ?? "",
    }),
  );
  return [
    ...findings.filter(({ level }) => level === "error"),
    ...findings.filter(({ level }) => level === "warning"),
  ];
}

const TITLE_CHARS = 200;
