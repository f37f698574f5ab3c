import { groupBy } from "../model/group-by.js";
import type { Diagnostic, PlanDocument, UnmanagedObject } from "../plan/generated/plan-document.js";
import { changeFindings, outsideFindings } from "./change-findings.js";
import type { Finding } from "./finding.js";
import { plain } from "./plain.js";
import { reviewFirst } from "./review-first.js";
import { doesText, listingLine, notListed, PRESENCE, undeclaredName } from "./undeclared.js";
import type { PlanView } from "./view.js";

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
