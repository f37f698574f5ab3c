import { cut } from "../model/cut.js";
import type { Detected, Happening, ImpactEntry, Moved } from "../model/detection.js";
import type { Page } from "./page.js";

/** Something that happens, or may happen, to a detection on a page. */
export interface Finding {
  readonly detected: Detected;
  readonly entry: ImpactEntry;
  readonly happening: Happening;
  readonly happens: true | "unknown";
}

export function entryOf({ id, url, malicious, own }: Detected, { named }: Page): ImpactEntry {
  const page = named === null ? null : cut(named, MOST_CHARS);
  return { id, url: cut(url, MOST_CHARS), malicious, page, own };
}

/** Texts of others can be of any length, and a plan is to be read. */
const MOST_CHARS = 2000;

/** Findings, those of one detection next to each other → each detection with the first of its pages. */
export function movedOf(findings: readonly Finding[]): Moved {
  const sure = findings.filter(({ happens }) => happens === true);
  const entriesOf = (what: Happening) =>
    firstOfEach(sure.filter(({ happening }) => happening === what)).map(({ entry }) => entry);
  return {
    newly_blocked: entriesOf("newly_blocked"),
    newly_reported: entriesOf("newly_reported"),
    newly_allowed: entriesOf("newly_allowed"),
    undecided: undecided(findings.filter(({ happens }) => happens === "unknown")),
  };
}

function firstOfEach(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ detected }, index) => detected !== findings[index - 1]?.detected);
}

function undecided(findings: readonly Finding[]): Moved["undecided"] {
  const all: (ImpactEntry & { readonly may_be: Happening[] })[] = [];
  for (const [index, { detected, entry, happening }] of findings.entries()) {
    const last = detected === findings[index - 1]?.detected ? all.at(-1) : undefined;
    if (last === undefined) all.push({ ...entry, may_be: [happening] });
    else if (!last.may_be.includes(happening)) last.may_be.push(happening);
  }
  return all;
}
