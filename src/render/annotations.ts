import { cut } from "../model/cut.js";
import type { Problem } from "../model/problem.js";
import { type Finding, planFindings, problemFindings } from "./findings.js";
import { isNamedIn } from "./fold.js";
import { count, plain } from "./safe-text.js";
import type { PlanView } from "./view.js";

/** A plan as commands to GitHub's runner, which shows them at the lines of the files. Notes are left out. */
export function planAnnotations(view: PlanView): string {
  return annotations(planFindings(view));
}

/** Problems as commands to GitHub's runner. */
export function problemsAnnotations(problems: readonly Problem[]): string {
  return annotations(problemFindings(problems));
}

/** A step may have ten errors and ten warnings. GitHub silently drops the rest. */
const MAX_SHOWN = 10;

function annotations(findings: readonly Finding[]): string {
  const notes = merged(findings);
  return LEVELS.flatMap((level) => {
    const sameLevel = notes.filter((each) => each.level === level);
    if (sameLevel.length <= MAX_SHOWN) return sameLevel.map(commandOf);
    const shown = sameLevel.slice(0, MAX_SHOWN - 1);
    return [...shown.map(commandOf), moreText(level, sameLevel.length - shown.length)];
  })
    .map((line) => `${line}\n`)
    .join("");
}

const LEVELS = ["error", "warning"] as const;

/** All findings about one subject at one line, in all zones. */
interface Note extends Pick<Finding, "level" | "place"> {
  readonly titles: Set<string>;
  readonly texts: Set<string>;
  readonly zones: Set<string>;
}

function merged(findings: readonly Finding[]): readonly Note[] {
  const notes = new Map<string, Note>();
  for (const { level, place, subject, title, text, zones } of findings) {
    // Findings without a subject are about different things.
    const key = JSON.stringify([level, place, subject, subject === "" ? [zones, title, text] : null]);
    const note = notes.get(key) ?? { level, place, titles: new Set(), texts: new Set(), zones: new Set() };
    notes.set(key, note);
    note.titles.add(title);
    note.texts.add(text);
    for (const zone of zones) note.zones.add(zone);
  }
  return [...notes.values()];
}

function commandOf({ level, place, titles, texts, zones }: Note): string {
  const properties = [
    ...(place === null
      ? []
      : [`file=${property(plain(place.file))}`, `line=${place.line}`, `col=${place.column}`]),
    `title=${property(cut([...titles].join("; "), TITLE_CHARS))}`,
  ];
  const text = [...texts].join(" ");
  return `::${level} ${properties.join(",")}::${escapedData(cut(`${text}${zonesText([...zones], text)}`, TEXT_CHARS))}`;
}

const TITLE_CHARS = 200;
const TEXT_CHARS = 4_000;

function zonesText(zones: readonly string[], text: string): string {
  const [only, ...otherZones] = zones;
  if (only === undefined) return "";
  if (otherZones.length > 0) return ` (in ${count(zones.length, "zone")})`;
  return isNamedIn(text, only) ? "" : ` (${plain(only)})`;
}

function moreText(level: Finding["level"], n: number): string {
  return `::${level} title=${n} more::${count(n, `more ${level}`)}: a step shows no more than ${MAX_SHOWN}. All are in the log and in the report.`;
}

/** Escapes that the runner reverses: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts */
export function escapedData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return escapedData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
