import { stringify } from "yaml";
import type { JsonObject } from "../model/json.js";
import type {
  AskingLoad,
  RefusedLoad,
  SuggestedSource,
  SuggestedValue,
  SuggestReport,
} from "../model/suggestion.js";
import { readUrl } from "../model/url.js";
import { reportsText } from "./impact-moves.js";
import type { Palette } from "./palette.js";
import { count, daysText, plain } from "./safe-text.js";
import { quoted, urlOnPage } from "./values.js";

/** Suggested sources for each policy, zone by zone, with the loads that ask for them, and refused loads. */
export function suggestText({ zones }: SuggestReport, colors: Palette): string {
  const lines = zones.flatMap(({ zone, found }) =>
    found.ok
      ? [
          colors.strong(plain(zone)),
          ...(found.value.length === 0 ? ["  no policy of that name limits loads"] : []),
          ...found.value.flatMap((each) => valueLines(each, colors)),
        ]
      : [],
  );
  return lines.map((line) => `${line}\n`).join("");
}

function valueLines(suggested: SuggestedValue, colors: Palette): readonly string[] {
  const { name, stands, declare, proposed, added, refused, written } = suggested;
  const sourcesText = added.length === 0 ? "nothing to add" : `${count(added.length, "source")} to add`;
  const title = name === null ? "a new policy, action: log" : quoted(name);
  return [
    `  ${title}${stands === "live" ? " (undeclared)" : ""}: ${sourcesText}`,
    ...(added.length === 0 ? [] : [`    value: ${plain(proposed, MOST_VALUE_CHARS)}`]),
    ...(added.length === 0 || declare === undefined ? [] : pasteLines(declare)),
    ...(written === undefined ? [] : [`    ${writtenText(written, colors)}`]),
    ...added.flatMap((source) => [
      `    ${colors.add(`+ ${plain(source.source)}`)}  ${askedText(source)}`,
      ...loadLines(source.loads),
    ]),
    ...shortened(refused, (each) => `    not ${urlOnPage(each)}: ${WHY[each.why]}`),
  ];
}

/** Lines to paste into the zone's body in a file. */
function pasteLines(declare: JsonObject): readonly string[] {
  const lines = stringify(declare, { lineWidth: 0 }).trimEnd().split("\n");
  return [
    "    to paste into the zone's file:",
    ...lines.map((line) => `      ${plain(line, MOST_VALUE_CHARS)}`),
  ];
}

function writtenText(written: NonNullable<SuggestedValue["written"]>, colors: Palette): string {
  if ("file" in written) {
    const { file, left } = written;
    const without = `, without ${count(left.length, "source")} that only reports ask for`;
    return `written into ${plain(file)}${left.length === 0 ? "" : colors.warning(without)}`;
  }
  return colors.warning(`not written: ${plain(written.why)}`);
}

/** More than the service allows in a value. */
const MOST_VALUE_CHARS = 20_000;

/** The loads that ask for a source, and whether the service detected them. */
function askedText({ kind, loads }: SuggestedSource): string {
  const detected = loads.filter(({ id }) => id !== null);
  const isJudged = detected.every(({ malicious }) => malicious === false);
  const notes = [...reportedText(loads, detected), ...(isJudged ? [] : ["unjudged"])];
  return `${count(loads.length, kind)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

/** The hosts of a source that only reports ask for. Detected hosts are judged load by load. */
function reportedText(loads: readonly AskingLoad[], detected: readonly AskingLoad[]): readonly string[] {
  const seen = new Set(detected.map(hostOf));
  if (loads.every((each) => seen.has(hostOf(each)))) return [];
  const forgeryNote = "reports can be forged";
  if (seen.size === 0) return [`reports only; ${forgeryNote}`];
  const hosts = seen.size > MOST_HOSTS ? count(seen.size, "host") : plain([...seen].join(", "));
  return [`detected: ${hosts}; the rest are reports only, and ${forgeryNote}`];
}

const MOST_HOSTS = 3;

function hostOf({ url }: AskingLoad): string {
  return readUrl(url)?.host ?? url;
}

function loadLines(loads: readonly AskingLoad[]): readonly string[] {
  return shortened(loads, (load) => {
    const more = load.pages > 1 ? ` and ${count(load.pages - 1, "more page")}` : "";
    const days = plain(daysText({ first: load.first_seen, last: load.last_seen }));
    const seen = days === "" ? "" : `, seen ${days}`;
    return `      ${urlOnPage(load)}${more}${seen}${reportsText(load)}`;
  });
}

function shortened<T>(all: readonly T[], line: (each: T) => string): readonly string[] {
  const rest = all.length - MOST_SHOWN;
  return [...all.slice(0, MOST_SHOWN).map(line), ...(rest > 0 ? [`      and ${rest} more`] : [])];
}

const MOST_SHOWN = 10;

const WHY: { readonly [why in RefusedLoad["why"]]: string } = {
  malicious: "malicious",
  scheme: "only a whole scheme would allow it; pass --scheme to permit that",
  beside_malicious: "its source would also allow something malicious",
  insecure: "not loaded over https: or wss:",
  too_many: "the value has no room for more sources; the most seen and reported come first",
  own_machine: "on the visitor's own machine",
  no_host: "no host name",
  url_hash: "newer browsers ignore hosts next to a URL hash; remove the hash first",
  no_source: "no source can allow it",
};
