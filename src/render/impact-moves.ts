import type { Reports } from "../model/detection.js";
import { groupBy } from "../model/group-by.js";
import type {
  MovedDetection,
  MovedDetections,
  PlannedImpact,
  UndecidedDetection,
} from "../plan/generated/plan-document.js";
import { count, daysText, grouped } from "./plain.js";
import { urlOnPage } from "./values.js";

/** Detections of one kind with the same outcome. */
export interface Move {
  readonly heading: string;
  /** `3 scripts (1 malicious)`. */
  readonly sum: string;
  /** Whether something malicious would be allowed. */
  readonly isDanger: boolean;
  /** Whether pages lose loads of today. */
  readonly isLoss: boolean;
  /** The first few, the most important first. */
  readonly shown: readonly ShownDetection[];
  readonly rest: number;
}

export interface ShownDetection {
  readonly isMalicious: boolean;
  /** A note before the URL, which can have any text in it. Often empty. */
  readonly mark: string;
  readonly url: string;
  readonly page: string | null;
  /** Reports by browsers, in parentheses. Often empty. */
  readonly reports: string;
}

/** The impact of a change on what pages load, move by move. */
export function impactMoves(impact: PlannedImpact, maxShown: number): readonly Move[] {
  return MOVES.flatMap((move) =>
    KINDS.flatMap((kind) => movesOfKind(move, kind, impact[kind]?.[move.name] ?? [], maxShown)),
  );
}

/** The impact of one change in several zones, added up. */
export function sumOf(impacts: readonly PlannedImpact[]): PlannedImpact {
  const entriesOf = (kind: Kind) => impacts.flatMap((impact) => impact[kind] ?? []);
  const mergedMoves = (impacts: readonly MovedDetections[]): MovedDetections => ({
    newly_blocked: impacts.flatMap((each) => each.newly_blocked),
    newly_reported: impacts.flatMap((each) => each.newly_reported),
    newly_allowed: impacts.flatMap((each) => each.newly_allowed),
    undecided: impacts.flatMap((each) => each.undecided),
  });
  const readKinds = KINDS.filter((kind) => entriesOf(kind).length > 0);
  const unseen = impacts.find((impact) => impact.unseen !== undefined)?.unseen;
  return {
    ...Object.fromEntries(readKinds.map((kind) => [kind, mergedMoves(entriesOf(kind))])),
    ...(unseen === undefined ? {} : { unseen }),
  };
}

type Kind = "scripts" | "connections";
type Entry = MovedDetection | UndecidedDetection;

const KINDS: readonly Kind[] = ["scripts", "connections"];
const NOUNS: { readonly [kind in Kind]: string } = { scripts: "script", connections: "connection" };

/** Notes for zones whose detections were not read. */
export function untriedTexts(impacts: readonly PlannedImpact[]): readonly string[] {
  const isTried = (impact: PlannedImpact) => KINDS.some((kind) => impact[kind] !== undefined);
  return inZones(impacts, (impact) =>
    impact.unseen !== undefined || isTried(impact) ? null : "impact unknown: detections were not read",
  );
}

/** Notes for zones for which it is unknown what their pages load. */
export function unseenTexts(impacts: readonly PlannedImpact[]): readonly string[] {
  const hasList = impactMoves(sumOf(impacts), 0).length > 0;
  const consequence = hasList ? "this list may be incomplete" : "impact unknown";
  return inZones(impacts, ({ unseen }) =>
    unseen === undefined ? null : `${UNSEEN[unseen]}: ${consequence}`,
  );
}

/** Notes with the number of zones, unless a note holds in all zones. */
function inZones(
  impacts: readonly PlannedImpact[],
  textOf: (impact: PlannedImpact) => string | null,
): readonly string[] {
  const groups = groupBy(
    impacts.flatMap((impact) => textOf(impact) ?? []),
    (text) => text,
  );
  return [...groups].map(([text, { length }]) =>
    length === impacts.length ? text : `in ${count(length, "zone")}: ${text}`,
  );
}

const UNSEEN: { readonly [why in NonNullable<PlannedImpact["unseen"]>]: string } = {
  detection_off: "detection was off",
  detection_unread: "detection settings could not be read",
  nothing_seen: "nothing detected here yet",
};

/** The order of the shown detections. Blocked ones: harmless first, as a loss. */
const LOSSES: readonly Mark[] = ["own", "", "malicious"];
const DANGERS: readonly Mark[] = ["malicious", "unjudged", "", "own"];

const MOVES = [
  { name: "newly_blocked", heading: "newly blocked", order: LOSSES },
  { name: "newly_reported", heading: "newly reported", order: LOSSES },
  { name: "newly_allowed", heading: "newly allowed", order: DANGERS },
  { name: "undecided", heading: "undecided", order: DANGERS },
] as const;

type Mark = "malicious" | "unjudged" | "own" | "";

const MARKS: { readonly [mark in Mark]: string } = {
  malicious: "malicious",
  unjudged: "not judged",
  own: "Cloudflare's own",
  "": "",
};

function movesOfKind(
  { name, heading, order }: (typeof MOVES)[number],
  kind: Kind,
  entries: readonly Entry[],
  maxShown: number,
): readonly Move[] {
  if (entries.length === 0) return [];
  const marked = entries.map((entry) => ({ entry, mark: markOf(entry, order) }));
  const shown = order
    .flatMap((mark) => marked.filter((each) => each.mark === mark))
    .slice(0, maxShown)
    .map(({ entry, mark }) => ({
      isMalicious: mark === "malicious",
      mark: markText(entry, mark),
      url: entry.url,
      page: entry.page,
      reports: reportsText(entry),
    }));
  const malicious = entries.filter((each) => each.malicious === true).length;
  const sum = `${count(entries.length, NOUNS[kind])}${splitText(malicious, entries.length)}`;
  const isDanger = name === "newly_allowed" && malicious > 0;
  const isLoss = name === "newly_blocked";
  return [{ heading, sum, isDanger, isLoss, shown, rest: entries.length - shown.length }];
}

function markOf({ malicious, own }: Entry, order: readonly Mark[]): Mark {
  if (malicious === true) return "malicious";
  if (own) return "own";
  return malicious === null && order.includes("unjudged") ? "unjudged" : "";
}

function markText(entry: Entry, mark: Mark): string {
  const may =
    "may_be" in entry ? `may be ${entry.may_be.map((each) => each.replace("_", " ")).join(" or ")}` : "";
  return [MARKS[mark], may].filter((each) => each !== "").join(", ");
}

/** `https://cdn.example/app.js on https://shop.example/ (1 report from all pages)`. */
export function loadText(load: Pick<Entry, "url" | "page" | "id" | "reports">): string {
  const reports = reportsText(load);
  return `${urlOnPage(load)}${reports === "" ? "" : ` ${reports}`}`;
}

/** `(1,204 reports from all pages, 2026-11-02 to 2026-11-21)`. */
export function reportsText({ id, reports }: Pick<Entry, "id" | "reports">): string {
  if (reports === undefined) return "";
  return `(${timesText(reports)}${id === null ? ", never detected" : ""})`;
}

/** `1,204 reports from all pages, 2026-11-02 to 2026-11-21`, including pages that the change does not affect. */
export function timesText(reports: Reports): string {
  const days = daysText(reports);
  const times = `${grouped(reports.count)} ${reports.count === 1 ? "report" : "reports"} from all pages`;
  const redirected = reports.origin_only === true ? "; redirected, path unknown" : "";
  const folded = reports.path_prefix === true ? "; all URLs with this prefix" : "";
  return `${times}${days === "" ? "" : `, ${days}`}${redirected}${folded}`;
}

function splitText(malicious: number, all: number): string {
  if (malicious === 0) return "";
  return malicious === all ? " (malicious)" : ` (${malicious} malicious)`;
}
