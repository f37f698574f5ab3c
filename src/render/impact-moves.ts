import type { Reports } from "../model/detection.js";
import { groupBy } from "../model/group-by.js";
import type { MovedDetection, PlannedImpact, UndecidedDetection } from "../plan/generated/plan-document.js";
import { count, daysText, grouped } from "./safe-text.js";
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
  /** The most important first. */
  readonly detections: readonly ShownDetection[];
}

export interface ShownDetection {
  readonly load: Entry;
  readonly isMalicious: boolean;
  /** A note before the URL, which can have any text in it. Often empty. */
  readonly mark: string;
}

/** The impact of a change on what pages load, in all its zones together. */
export interface ImpactView {
  readonly moves: readonly Move[];
  /** Notes for zones for which it is unknown what their pages load. */
  readonly unseen: readonly string[];
  /** Notes for zones whose detections were not read. */
  readonly untried: readonly string[];
}

export function impactView(impacts: readonly PlannedImpact[]): ImpactView {
  const moves = MOVES.flatMap((move) =>
    KINDS.flatMap((kind) => {
      const entries = impacts.flatMap((impact): readonly Entry[] => impact[kind]?.[move.name] ?? []);
      return entries.length === 0 ? [] : [moveOf(move, kind, entries)];
    }),
  );
  const consequence = moves.length > 0 ? "this list may be incomplete" : "impact unknown";
  return {
    moves,
    unseen: inZones(impacts, ({ unseen }) =>
      unseen === undefined ? null : `${UNSEEN[unseen]}: ${consequence}`,
    ),
    untried: inZones(impacts, (impact) =>
      impact.unseen !== undefined || KINDS.some((kind) => impact[kind] !== undefined)
        ? null
        : "impact unknown: detections were not read",
    ),
  };
}

type Kind = "scripts" | "connections";
type Entry = MovedDetection | UndecidedDetection;

const KINDS: readonly Kind[] = ["scripts", "connections"];
const NOUNS: { readonly [kind in Kind]: string } = { scripts: "script", connections: "connection" };

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

function moveOf(
  { name, heading, order }: (typeof MOVES)[number],
  kind: Kind,
  entries: readonly Entry[],
): Move {
  const marked = entries.map((load) => ({ load, mark: markOf(load, order) }));
  const detections = order
    .flatMap((mark) => marked.filter((each) => each.mark === mark))
    .map(({ load, mark }) => ({ load, isMalicious: mark === "malicious", mark: markText(load, mark) }));
  const malicious = entries.filter((each) => each.malicious === true).length;
  return {
    heading,
    sum: `${count(entries.length, NOUNS[kind])}${splitText(malicious, entries.length)}`,
    isDanger: name === "newly_allowed" && malicious > 0,
    isLoss: name === "newly_blocked",
    detections,
  };
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
  return `${urlOnPage(load)}${reportsText(load)}`;
}

/** ` (1,204 reports from all pages, 2026-11-02 to 2026-11-21)`; empty: no reports. */
export function reportsText({ id, reports }: Pick<Entry, "id" | "reports">): string {
  if (reports === undefined) return "";
  return ` (${timesText(reports)}${id === null ? ", never detected" : ""})`;
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
