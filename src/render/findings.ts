import { groupBy } from "../model/group-by.js";
import type {
  Diagnostic,
  Effect,
  PlanDocument,
  PlannedChange,
  SourcePlace,
} from "../plan/generated/plan-document.js";
import { quoted } from "./changed.js";
import { originText } from "./origin-text.js";
import { plain } from "./plain.js";
import { reviewFirst } from "./review-first.js";

/** Something that a reviewer has to see at its line. */
export interface Finding {
  /** Stable, for who filters: `change/weakens`, `origin/drift`, `guardrail/max_changes`, `problem/CODE`. */
  readonly rule: string;
  readonly level: "error" | "warning";
  /** In a few words, without data from outside. */
  readonly title: string;
  /** In full sentences. */
  readonly text: string;
  readonly zone: string | null;
  readonly place: SourcePlace | null;
  /** What it is about, by which it is known again when lines have moved. */
  readonly subject: string;
}

/** What is to be said about a plan, the most important first. */
export function planFindings(document: PlanDocument): readonly Finding[] {
  const { changes, diagnostics } = document;
  const { first, others } = reviewFirst(diagnostics);
  const told = others.map(diagnosticFinding);
  return [
    ...first.map(diagnosticFinding),
    ...guardrailFindings(document),
    ...told.filter(({ level }) => level === "error"),
    ...ALARMING.flatMap(({ effect, title, text }) =>
      changes
        .filter((change) => change.effect === effect)
        .map((change) => effectFinding(change, title, text)),
    ),
    ...ORIGINS.flatMap((origin) => changes.filter((change) => change.origin === origin).map(originFinding)),
    ...told.filter(({ level }) => level === "warning"),
  ];
}

const ALARMING = [
  { effect: "weakens", title: "Weakens protection", text: "weakens protection" },
  { effect: "unknown", title: "May weaken protection", text: "may weaken protection: nobody can tell" },
  { effect: "mixed", title: "Partly weakens protection", text: "weakens and strengthens protection" },
] as const satisfies readonly { readonly effect: Effect; readonly title: string; readonly text: string }[];

const ORIGINS = ["conflict", "mixed", "drift"] as const;

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

function effectFinding(change: PlannedChange, title: string, text: string): Finding {
  const alarming = change.dimensions.filter(({ effect }) => effect !== "strengthens");
  const why = alarming.map((each) => plain(each.why, WHY_CHARS)).join("; ");
  return {
    ...about(change),
    rule: `change/${change.effect}`,
    title,
    text: `${titleOf(change)} ${ACTIONS[change.action]}, which ${text}${why === "" ? "" : `: ${why}`}.`,
  };
}

const WHY_CHARS = 600;

const ACTIONS = {
  create: "would be created",
  update: "would be updated",
  delete: "would be deleted",
} as const;

function originFinding(change: PlannedChange): Finding {
  return {
    ...about(change),
    rule: `origin/${change.origin}`,
    title: ORIGIN_TITLES[change.origin === "conflict" ? "conflict" : "drift"],
    text: `${titleOf(change)}: ${originText(change) ?? change.origin}.`,
  };
}

const ORIGIN_TITLES = {
  drift: "Changed outside the files",
  conflict: "Changed in the files and outside them",
} as const;

function about(change: PlannedChange): Pick<Finding, "level" | "zone" | "place" | "subject"> {
  const { zone, kind, key, source } = change;
  return { level: "warning", zone, place: source, subject: `${kind} ${key}` };
}

const NAME_CHARS = 200;

function titleOf({ kind, key }: PlannedChange): string {
  return key === kind ? plain(kind) : `${plain(kind)} ${quoted(key, NAME_CHARS)}`;
}
