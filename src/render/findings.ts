import { groupBy } from "../model/group-by.js";
import type { Problem } from "../model/problem.js";
import type {
  Diagnostic,
  PlanDocument,
  PlannedChange,
  SourcePlace,
  UnmanagedObject,
} from "../plan/generated/plan-document.js";
import { plain } from "./plain.js";
import { reviewFirst } from "./review-first.js";
import { doesText, listingLine, notListed, PRESENCE, undeclaredName } from "./undeclared.js";
import { quoted } from "./values.js";
import type { ChangeView, PlanView } from "./view.js";
import { WORST_FIRST, type Words } from "./words.js";

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
export function planFindings(view: PlanView): readonly Finding[] {
  const { document, about } = view;
  const { first, others } = reviewFirst(document.diagnostics);
  const told = others.map(diagnosticFinding);
  const changed = [...changeFindings(view), ...undeclaredFindings(document)];
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
  return notListed(document.unmanaged).map((each) => ({
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

/** Each change, the worst first; then each that the files did not bring about. */
function changeFindings({ about, words, changes }: PlanView): readonly Finding[] {
  const worstFirst = WORST_FIRST.flatMap((effect) => changes.filter((each) => each.effect === effect));
  if (about === "drift") return worstFirst.map((each) => outsideFinding(each, words));
  const news = ORIGINS.flatMap((origin) => changes.filter(({ change }) => change.origin === origin));
  return [...worstFirst.map((each) => effectFinding(each, words)), ...news.map(originFinding)];
}

const ORIGINS = ["conflict", "mixed", "drift"] as const;

function effectFinding({ change, effect, sentence }: ChangeView, words: Words): Finding {
  const { title, text, level } = words.findings[effect];
  const { dimensions } = change;
  const telling = level === "note" ? dimensions : dimensions.filter((each) => each.effect !== "strengthens");
  const why = whyText(telling);
  return {
    ...placeOf(change),
    rule: `change/${effect}`,
    level,
    title,
    text: `${objectName(change)} ${sentence}, which ${text}${why === "" ? "" : `: ${why}`}.`,
  };
}

function whyText(dimensions: PlannedChange["dimensions"]): string {
  return dimensions.map((each) => plain(each.why, WHY_CHARS)).join("; ");
}

/** What was done outside the files: all of it was done already. */
function outsideFinding({ change, effect, sentence }: ChangeView, words: Words): Finding {
  const { level, title, text } = words.findings[effect];
  const why = whyText(change.dimensions);
  const both = change.origin === "conflict" ? " The files change it too." : "";
  const back = why === "" ? "" : ` Going back: ${why}.`;
  return {
    ...placeOf(change),
    rule: `drift/${effect}`,
    level,
    title,
    text: `${objectName(change)} ${sentence}, which ${text}.${both}${back}`,
  };
}

const WHY_CHARS = 600;

function originFinding({ change, origin }: ChangeView): Finding {
  return {
    ...placeOf(change),
    rule: `origin/${change.origin}`,
    level: "warning",
    title: ORIGIN_TITLES[change.origin === "conflict" ? "conflict" : "drift"],
    text: `${objectName(change)}: ${origin ?? change.origin}.`,
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
