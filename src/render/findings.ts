import { hash } from "node:crypto";
import { cut, firstFew } from "../model/cut.js";
import { type Group, groupBy } from "../model/group-by.js";
import type { Problem } from "../model/problem.js";
import type {
  PlannedChange,
  PlannedPart,
  SourcePlace,
  UnmanagedObject,
} from "../plan/generated/plan-document.js";
import type { Columns, FieldView, ShownField } from "./field-view.js";
import {
  breachText,
  type FoldedGuardrail,
  type FoldedMessage,
  type FoldedProblem,
  foldMessages,
  groupProblems,
  zonesOf,
} from "./fold.js";
import { loadText } from "./impact-moves.js";
import { acceptedText } from "./problems.js";
import { movedTexts } from "./request-lines.js";
import { titled } from "./review-first.js";
import { capital, plain } from "./safe-text.js";
import { doesText, listingLine, notListed, undeclaredName } from "./undeclared.js";
import { quoted, shownSides, valueText } from "./values.js";
import { type ChangeGroup, type ChangeView, linkIn, type PlanView } from "./view.js";
import { EFFECTS } from "./words.js";

/** A message for a reviewer at a line of the files, once for all its zones. */
export interface Finding {
  /**
   * Stable, for filters: `change/weakens`, `impact/newly_blocked`, `origin/drift`, `drift/weakens`, `guardrail/weakens`,
   * `problem/CODE`.
   */
  readonly rule: string;
  readonly level: "error" | "warning" | "note";
  /** A few words. Data in it is made visible. */
  readonly title: string;
  /** Full sentences. */
  readonly text: string;
  /** In the plan's order. Empty: the finding is about the run, or about the files. */
  readonly zones: readonly string[];
  readonly place: SourcePlace | null;
  /** Identifies the finding when lines have moved. */
  readonly subject: string;
  /** The reason why the files accept the warning. */
  readonly accepted?: string;
}

/** The findings of a plan or of drift, the most important first. */
export function planFindings(view: PlanView): readonly Finding[] {
  const { about, messages } = view;
  const first = foldMessages(messages.first).flatMap(messageFindings);
  const errors = messages.errors.flatMap(messageFindings);
  const warnings = messages.warnings.flatMap(messageFindings);
  const guards = messages.guardrails.flatMap((guardrail) => guardrailFindings(guardrail, view));
  const changed = [...changeFindings(view), ...undeclaredFindings(view.document.unmanaged)];
  const alarming = changed.filter(({ level }) => level === "warning");
  return [
    ...first,
    // For drift, the changes come before the guardrails against going back.
    ...(about === "drift" ? [...errors, ...alarming, ...guards] : [...guards, ...errors, ...alarming]),
    ...warnings,
    ...messages.accepted.flatMap(messageFindings),
    ...changed.filter(({ level }) => level === "note"),
  ];
}

/** Groups members by their line. */
function byLine<Each>(
  all: Group<Each>,
  lineOf: (each: Each) => SourcePlace | null,
): readonly { readonly place: SourcePlace | null; readonly peers: Group<Each> }[] {
  const groups = groupBy(all, (each) => JSON.stringify(lineOf(each)));
  return [...groups.values()].map((peers) => ({ place: lineOf(peers[0]), peers }));
}

/** A warning is shown at each of its lines. An error is shown once: it stops the plan, wherever it stands. */
function messageFindings({ severity, code, message, members }: FoldedMessage): readonly Finding[] {
  const [first] = members;
  const { title, text } = titled({ severity, code, message });
  return byLine(members, (each) => (severity === "error" ? first : each).source ?? null).map(
    ({ place, peers }) => ({
      rule: `problem/${code}`,
      level: severity,
      title: plain(title),
      text: plain(text),
      zones: zonesOf(peers),
      place,
      subject: "",
      ...acceptedAs(first),
    }),
  );
}

function acceptedAs({ accepted }: Pick<Problem, "accepted">): Pick<Finding, "accepted"> {
  return accepted === undefined ? {} : { accepted: plain(acceptedText(accepted)) };
}

/** A guardrail is shown at the change that it refuses, or else at the worst change of the zone or run. */
function guardrailFindings(
  { name, allowed, parts, wayOn }: FoldedGuardrail,
  { groups, words }: PlanView,
): readonly Finding[] {
  if (allowed) return [];
  const worstFirst = groups.flatMap(({ members }) => members);
  const placed = worstFirst.filter(({ line }) => line !== null);
  const worstOf = groupBy(placed, ({ change }) => change.zone);
  const rankOf = new Map(placed.map((each, rank) => [each.n, rank]));
  return parts.flatMap((part) => {
    const lines = byLine(part.members, ({ zone, changes: changeNumbers = [] }) => {
      const [offending] = changeNumbers.flatMap((n) => rankOf.get(n) ?? []).toSorted((a, b) => a - b);
      const [worst] = zone === undefined ? placed : (worstOf.get(zone) ?? []);
      return (offending === undefined ? worst : placed[offending])?.line ?? null;
    });
    return lines.map(({ place, peers }) => {
      const message = breachText(part, peers);
      return {
        rule: `guardrail/${name}`,
        level: "error" as const,
        title: `${capital(words.refusal(name))} guardrail ${name}`,
        text: plain(wayOn === "" ? message : `${message} ${wayOn}`),
        zones: zonesOf(peers),
        place,
        subject: "",
      };
    });
  });
}

/** The changes, the worst first; then their impact; then those with an origin outside the files. */
function changeFindings(view: PlanView): readonly Finding[] {
  const { about, groups } = view;
  const findingsOf = (
    toFinding: (group: ChangeGroup, view: PlanView) => Omit<Finding, "zones" | "place"> | null,
  ) =>
    groups.flatMap((group) =>
      byLine(group.members, ({ line }) => line).flatMap(({ place, peers }) => {
        const finding = toFinding({ ...group, members: peers }, view);
        return finding === null ? [] : [{ ...finding, zones: peers.map(({ change }) => change.zone), place }];
      }),
    );
  if (about === "drift") return findingsOf(effectFinding);
  const impacts = IMPACTS.flatMap((rule) => impactFindings(rule, view));
  const news = ORIGINS.map((origin) => findingsOf((group) => originFinding(group, origin)));
  return [...findingsOf(effectFinding), ...impacts, ...news.flat()];
}

function effectFinding({ members }: ChangeGroup, { about, words }: PlanView) {
  const [first] = members;
  const { change, effect, sentence, reasons } = first;
  const { heading, predicate, level } = EFFECTS[effect];
  const why = whyText(reasons.dimensions);
  const reason = why === "" || reasons.lead !== "" ? "" : `: ${why}`;
  const isDrift = about === "drift";
  const more = isDrift ? `${outsideText(first, why)}${lookText(members)}` : "";
  return {
    rule: `${isDrift ? "drift" : "change"}/${effect}`,
    level,
    title: isDrift ? `Drift: ${heading.toLowerCase()}` : heading,
    text: `${objectName(change)} ${sentence}. This ${predicate}${reason}.${more}${requestsText(members, words)}`,
    subject: subjectOf(change),
  };
}

/** About a change that was made outside the files. */
function outsideText({ change, reasons, fields }: ChangeView, why: string): string {
  const isUpdate = change.action === "update" && fields.length > 0;
  const moved = isUpdate ? ` ${fieldsText(fields)}.` : "";
  const both = change.origin === "conflict" ? " The files change it too." : "";
  const back = why === "" || reasons.lead === "" ? "" : ` ${capital(reasons.lead)}${why}.`;
  return `${moved} Run adopt to keep it, apply to undo it.${both}${back}`;
}

/** The reasons; with the sign of the effect of each, where they differ. */
function whyText(dimensions: ChangeView["reasons"]["dimensions"]): string {
  const areAlike = new Set(dimensions.map(({ effect }) => effect)).size <= 1;
  return dimensions
    .map(({ effect, why }) => `${areAlike ? "" : `${EFFECTS[effect].sign} `}${plain(why, WHY_CHARS)}`)
    .join("; ");
}

const WHY_CHARS = 600;

/** What request logs say about the change, as sentences. */
function requestsText(members: Group<ChangeView>, { backLead }: PlanView["words"]): string {
  const texts = movedTexts(members).map((each) => plain(each, WHY_CHARS).replace(/\.?$/, "."));
  return texts.length === 0 ? "" : ` ${capital(backLead) || "Requests: "}${texts.join(" ")}`;
}

/** The first few fields, from the declared to the live value. */
function fieldsText(fields: readonly FieldView[]): string {
  const shown = fields
    .slice(0, MAX_FIELDS)
    .map((field) => `${plain(field.path)}: ${cut(fieldText(field.shown), FIELD_CHARS)}`);
  const more = fields.length > shown.length ? [`and ${fields.length - shown.length} more fields`] : [];
  return [...shown, ...more].join("; ");
}

const MAX_FIELDS = 5;
const FIELD_CHARS = 300;

function fieldText(field: ShownField): string {
  switch (field.as) {
    case "columns":
      return field.columns.map(columnsText).join("; ");
    case "parts":
      return field.parts.map(partText).join("; ");
    case "added":
    case "removed":
      return valueText(field.value);
    case "changed":
      return field.sides.join(" → ");
  }
}

function columnsText({ part, states }: Columns): string {
  const text = states.map((state) => state.join(" ")).join(", ");
  return part === "" ? text : `${plain(part)}: ${text}`;
}

function partText(changed: PlannedPart): string {
  const { added, removed } = shownSides(changed);
  const members = [...added.map((each) => `+ ${each}`), ...removed.map((each) => `- ${each}`)].join(" ");
  return changed.part === "" ? members : `${plain(changed.part)}: ${members}`;
}

/** A link to the dashboard, for a single zone. */
function lookText(all: readonly { readonly dashboard?: string | null }[]): string {
  const [only, ...otherLinks] = all;
  return otherLinks.length > 0 || only?.dashboard == null ? "" : ` In the dashboard: ${only.dashboard}`;
}

interface ImpactRule {
  readonly move: "newly_allowed" | "newly_blocked";
  readonly title: string;
  /** Whether the rule is about a detection that moves. */
  readonly isAffected: (each: { readonly malicious: boolean | null }) => boolean;
  readonly description: string;
  /** The description where some detections are known from reports only. */
  readonly ifReported: string;
}

/** Blocked loads that pages need today, and allowed loads that are malicious. */
const IMPACTS: readonly ImpactRule[] = [
  {
    move: "newly_allowed",
    title: "Allows malicious loads",
    isAffected: ({ malicious }) => malicious === true,
    description: "Malicious.",
    ifReported: "Malicious.",
  },
  {
    move: "newly_blocked",
    title: "Blocks loads that pages use today",
    isAffected: ({ malicious }) => malicious !== true,
    description: "Pages load these today.",
    ifReported: "Pages load these today, or only reports say so.",
  },
];

/** Only for the zones whose pages have such loads. */
function impactFindings(rule: ImpactRule, { groups, words }: PlanView) {
  const { move, title, isAffected, description, ifReported } = rule;
  const loadsOf = ({ change: { impact } }: ChangeView) =>
    [impact?.scripts, impact?.connections].flatMap((each) => (each?.[move] ?? []).filter(isAffected));
  return groups.flatMap(({ members }) => {
    const [first, ...others] = members.filter((each) => loadsOf(each).length > 0);
    if (first === undefined) return [];
    return byLine([first, ...others], ({ line }) => line).map(({ place, peers }): Finding => {
      const [{ change }] = peers;
      const all = peers.flatMap(loadsOf);
      const loads = [...new Set(all.map(loadText))];
      return {
        rule: `impact/${move}`,
        level: "warning",
        title,
        text: `${objectName(change)} ${words.impact.does}${words.impact[move]} ${firstFew(loads, MAX_LOADS)}. ${all.some(({ id }) => id === null) ? ifReported : description}`,
        zones: peers.map((each) => each.change.zone),
        place,
        subject: subjectOf(change),
      };
    });
  });
}

const MAX_LOADS = 3;

const ORIGINS = ["conflict", "mixed", "drift"] as const;

function originFinding({ members: [first] }: ChangeGroup, wanted: (typeof ORIGINS)[number]) {
  const { change, origin } = first;
  if (change.origin !== wanted) return null;
  return {
    rule: `origin/${wanted}`,
    level: "warning" as const,
    title: ORIGIN_TITLES[wanted],
    text: `${objectName(change)}: ${origin ?? wanted}.`,
    subject: subjectOf(change),
  };
}

const ORIGIN_TITLES = {
  drift: "Changed outside the files",
  mixed: "Changed outside the files",
  conflict: "Changed since the base, in the files and outside them",
} as const;

function subjectOf({ kind, key }: PlannedChange): string {
  return `${kind} ${key}`;
}

function objectName({ kind, key }: PlannedChange): string {
  return key === kind ? plain(kind) : `${plain(kind)} ${quoted(key, NAME_CHARS)}`;
}

const NAME_CHARS = 200;

/** Undeclared objects have no line. */
function undeclaredFindings(unmanaged: readonly UnmanagedObject[]): readonly Finding[] {
  const findings = notListed(unmanaged).map((object) => {
    const { effect, list, key, id, zone } = object;
    return {
      rule: `undeclared/${effect}`,
      level: EFFECTS[effect].level,
      title: `Undeclared live object: ${effect}`,
      text: `${undeclaredName(object, NAME_CHARS)} ${doesText(object)}. This object is undeclared and left alone.${adviceFor(object)}`,
      zones: [zone],
      place: null,
      subject: `${list} ${id ?? key}`,
      dashboard: linkIn(object),
    };
  });
  const groups = groupBy(findings, ({ rule, text }) => JSON.stringify([rule, text]));
  return [...groups.values()].map((group) => {
    const [{ dashboard: _, ...first }] = group;
    const text = `${first.text}${lookText(group)}`;
    return { ...first, text, zones: group.flatMap(({ zones }) => zones) };
  });
}

function adviceFor(object: UnmanagedObject): string {
  const line = listingLine([object]);
  return line === null ? "" : ` To acknowledge, add to the zone: ${plain(line)}`;
}

/** The problems of the files, errors first. */
export function problemFindings(problems: readonly Problem[]): readonly Finding[] {
  const findings = groupProblems(problems).flatMap(problemFinding);
  return [
    ...findings.filter(({ level }) => level === "error"),
    ...findings.filter(({ level }) => level === "warning"),
    ...findings.filter(({ accepted }) => accepted !== undefined),
  ];
}

const TITLE_CHARS = 200;

/** A problem at each of its lines, as in messageFindings(). */
function problemFinding({ problem, zones, members }: FoldedProblem): readonly Finding[] {
  const { code, severity, summary, detail, at: first } = problem;
  const finding = (at: Problem["at"], findingZones: readonly string[]): Finding => ({
    rule: `problem/${code}`,
    level: severity,
    title: plain(summary, TITLE_CHARS),
    text: plain(detail),
    zones: findingZones,
    place: sourcePlaceOf(at),
    subject: at?.pointer ?? "",
    ...acceptedAs(problem),
  });
  if (severity === "error" || zones.length === 0) return [finding(first, zones)];
  return byLine(members, ({ at }) => sourcePlaceOf(at)).map(({ peers }) =>
    finding(peers[0].at, zonesOf(peers)),
  );
}

function sourcePlaceOf(at: Problem["at"]): SourcePlace | null {
  return at === null ? null : { file: at.file, line: at.line, column: at.column };
}

/** Fingerprints that stay the same when lines move. Equal findings are numbered. */
export function fingerprints(findings: readonly Finding[]): readonly string[] {
  const seen = new Map<string, number>();
  return findings.map(({ rule, zones, subject, place }) => {
    const identity = JSON.stringify([
      rule,
      zones.length > 1 ? null : (zones[0] ?? null),
      subject,
      place?.file ?? null,
    ]);
    const nth = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, nth);
    return `${hash("sha256", identity).slice(0, 32)}:${nth}`;
  });
}
