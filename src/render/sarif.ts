import { firstFew } from "../model/cut.js";
import { jsonText } from "../model/json-text.js";
import type { Problem } from "../model/problem.js";
import { onCommandLine, type Sentences, type Spelling, says, textOf as spell } from "../model/sentence.js";
import type { SourcePlace } from "../plan/generated/plan-document.js";
import { type Finding, fingerprints, planFindings, problemFindings } from "./findings.js";
import { isNamedIn } from "./fold.js";
import { count, visible } from "./safe-text.js";
import { narrowedText } from "./verdict.js";
import type { PlanView } from "./view.js";

/** A plan as SARIF 2.1.0. Code scanning shows it at the lines of the files. */
export function planSarif(view: PlanView): string {
  return sarif(planFindings(view), view.spelling, narrowedText(view));
}

export function problemsSarif(problems: readonly Problem[], spelling: Spelling = onCommandLine): string {
  return sarif(problemFindings(problems), spelling);
}

/** @param narrowed the limits of a narrowed plan; empty: the plan is whole */
function sarif(all: readonly Finding[], spelling: Spelling, narrowed = ""): string {
  const findings = limited(all);
  const rules = new Map(findings.map((finding) => [finding.rule, ruleOf(finding, spelling)]));
  const ids = [...rules.keys()];
  const prints = fingerprints(findings);
  const fallbackPlace = {
    ...(findings.find(({ place }) => place !== null)?.place ?? DEFAULT),
    line: 1,
    column: 1,
  };
  return jsonText({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "zoneward",
            informationUri: "https://github.com/zoneward/zoneward",
            rules: [...rules.values()],
          },
        },
        ...(narrowed === "" ? {} : { invocations: [invocationOf(narrowed)] }),
        columnKind: "utf16CodeUnits",
        results: findings.map((finding, index) => ({
          ruleId: finding.rule,
          ruleIndex: ids.indexOf(finding.rule),
          level: finding.level,
          message: message(textOf(finding)),
          locations: [locationOf(finding.place ?? fallbackPlace)],
          ...relatedZones(finding, fallbackPlace),
          ...(finding.accepted === undefined
            ? {}
            : { suppressions: [{ kind: "inSource", justification: finding.accepted }] }),
          partialFingerprints: { "zonewardFinding/v1": prints[index] },
        })),
      },
    ],
  });
}

function invocationOf(text: string) {
  const note = { level: "note", message: message(text) };
  return { executionSuccessful: true, toolExecutionNotifications: [note] };
}

/**
 * Code scanning shows this many results, and refuses a file with more than 25,000:
 * https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
 */
const MAX_RESULTS = 5_000;

/** The most important findings. The last one counts the rest. */
function limited(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_RESULTS) return findings;
  const shown = findings.slice(0, MAX_RESULTS - 1);
  return [...shown, restFinding(findings.slice(shown.length))];
}

function restFinding(rest: readonly Finding[]): Finding {
  const worst = (["error", "warning"] as const).find((level) => rest.some((each) => each.level === level));
  const errors = rest.filter(({ level }) => level === "error").length;
  const ofThem = errors === 0 ? "" : ` (${count(errors, "error")})`;
  return {
    rule: "rest/left_out",
    level: worst ?? "note",
    title: "More findings than code scanning shows",
    text: `${count(rest.length, "more finding")}${ofThem}: only ${MAX_RESULTS} are shown here. The format json has all.`,
    zones: [],
    place: null,
    subject: "",
  };
}

/** Code scanning refuses results without a place, so the start of a file stands for it. */
const DEFAULT = { file: "zoneward.yaml" };

function ruleOf({ rule, title, level }: Finding, spelling: Spelling) {
  const [group = "", name = ""] = rule.split("/");
  return {
    id: rule,
    shortDescription: message(title),
    help: message(spell(HELP.get(group) ?? `${name.replaceAll("_", " ")}.`, spelling)),
    defaultConfiguration: { level },
  };
}

/** Help for each group of rules. */
const HELP = new Map<string, string | Sentences>([
  [
    "change",
    "The plan changes an object in the zone. The level shows the effect on protection. Check that each weakening is intended. The guardrail weakens refuses such plans.",
  ],
  [
    "origin",
    "The live state differs from the files before this change: it was changed in the dashboard or through the API. Applying the plan undoes that. To keep it, take it into the files.",
  ],
  [
    "impact",
    "The plan changes how scripts and connections seen on the zone's pages are treated. Check each URL: allow wanted ones in the policy.",
  ],
  [
    "drift",
    "The live state differs from the files: it was changed in the dashboard or through the API. Applying the files undoes that. To keep it, take it into the files.",
  ],
  [
    "undeclared",
    "A managed section has an undeclared live object. Check its effect. Declare it, remove it in the dashboard, or acknowledge it under unmanaged in the zone.",
  ],
  [
    "guardrail",
    says`A guardrail refuses the plan, and nothing is written. Change the plan, or lift the guardrail for one run with ${{ flag: "allow", value: "NAME" }}.`,
  ],
  [
    "rest",
    says`Some findings are left out. The format json has all of them. ${{ flag: "zone" }} checks fewer zones at once.`,
  ],
  ["problem", "A problem of the files or of the zone. The message says what to do."],
]);

export function textOf({ title, text, zones, rule }: Finding): string {
  const lead = rule.startsWith("problem/") && title !== "" ? `${title}: ` : "";
  return `${lead}${text}${zonesText(zones, text)}`;
}

/** ` (a.example)`, ` (in 20 zones: a.example, b.example, c.example and 17 more)`. Empty: the text names the zone. */
function zonesText(zones: readonly string[], text: string): string {
  const [only, ...otherZones] = zones;
  if (only === undefined) return "";
  if (otherZones.length === 0) return isNamedIn(text, only) ? "" : ` (${visible(only)})`;
  return ` (in ${count(zones.length, "zone")}: ${firstFew(zones, MAX_ZONES, visible)})`;
}

const MAX_ZONES = 3;

/** All zones of a result with several zones. */
function relatedZones({ zones, place }: Finding, fallbackPlace: SourcePlace) {
  if (zones.length <= 1) return {};
  const location = locationOf(place ?? fallbackPlace);
  return {
    relatedLocations: zones.map((zone) => ({ ...location, message: message(visible(zone)) })),
  };
}

/** Escapes `[text](target)`, which would be a link, and `{0}`, which would be a placeholder. */
function message(text: string) {
  const inert = text.replace(/\{(\d+)\}/g, "{{$1}}");
  return { text: /\]\(/.test(inert) ? inert.replace(/[\\[\]]/g, "\\$&") : inert };
}

function locationOf({ file, line, column }: SourcePlace) {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: { startLine: Math.max(1, line), startColumn: Math.max(1, column) },
    },
  };
}

/** A relative path stays relative: code scanning finds the file by it. */
function uriOf(file: string): string {
  // Half of a surrogate pair cannot be encoded.
  const whole = file.replaceAll("\\", "/").replace(/\p{Cs}/gu, "\ufffd");
  const parts = whole.split("/").map(encodeURIComponent);
  return `${file.startsWith("/") ? "file://" : ""}${parts.join("/")}`;
}
