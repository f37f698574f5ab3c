import { groupBy } from "../model/group-by.js";
import type { Problem } from "../model/problem.js";
import type { TestResult } from "../model/zone-tests.js";
import type { Diagnostic, PlanDocument, SourcePlace } from "../plan/generated/plan-document.js";
import { visible } from "./safe-text.js";

/** A test or an error, as a JUnit case. */
interface Case {
  /** The name of its zone. */
  readonly suite: string;
  readonly name: string;
  readonly place: SourcePlace | null;
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly code: string;
  readonly title: string;
  readonly text: string;
  readonly place: SourcePlace | null;
}

/**
 * Tests of the files. Other errors of the files are a suite of their own: with such an error no test ran, and a reader of
 * only this report must not take that for success.
 */
export function testsJunit(
  tested: readonly { readonly zone: string; readonly tests: readonly TestResult[] }[],
  fileProblems: readonly Problem[],
): string {
  const tests = tested.flatMap(({ zone, tests: zoneTests }) =>
    zoneTests.map(({ name, at, problems }) => ({
      suite: zone,
      name,
      place: at(),
      failures: problems.map(failureOf),
    })),
  );
  const errors = fileProblems
    .filter(({ severity }) => severity === "error")
    .map((each) => ({ suite: FILES, name: each.summary, place: each.at, failures: [failureOf(each)] }));
  return junit([...tests, ...errors]);
}

const FILES = "files";

function failureOf({ code, summary, detail, at }: Problem): Failure {
  return { code, title: summary, text: detail, place: at };
}

/** Tests of the state after a plan. No test ran in a zone that could not be planned. */
export function planJunit({ zones, diagnostics }: PlanDocument): string {
  const tests = zones.flatMap(({ zone, tests: zoneTests = [] }) =>
    zoneTests.map(({ name, source, failures }) => ({
      suite: zone,
      name,
      place: source,
      failures: failures.map(failureIn),
    })),
  );
  const failed = new Set(
    zones.flatMap(({ tests: zoneTests = [] }) =>
      zoneTests.flatMap(({ failures }) => failures.map(identityOf)),
    ),
  );
  const errors = [...zones.flatMap(({ problem }) => problem ?? []), ...diagnostics].filter(
    (each) => each.severity === "error" && !failed.has(identityOf(each)),
  );
  const uniqueErrors = new Map(errors.map((each) => [identityOf(each), each]));
  const errorCases = [...uniqueErrors.values()].map((error) => ({
    suite: error.zone ?? FILES,
    name: wordsOf(error),
    place: error.source ?? null,
    failures: [failureIn(error)],
  }));
  return junit([...tests, ...errorCases]);
}

function failureIn(error: Diagnostic): Failure {
  return { code: error.code, title: wordsOf(error), text: error.message, place: error.source ?? null };
}

function wordsOf({ code }: Diagnostic): string {
  return code.replaceAll("_", " ");
}

function identityOf({ zone, code, message, source }: Diagnostic): string {
  return JSON.stringify([zone, code, message, source]);
}

/** JUnit XML: a suite for each zone, a case for each test. */
function junit(cases: readonly Case[]): string {
  const suites = [...groupBy(cases, ({ suite }) => suite)].map(([name, list]) => suiteOf(name, list));
  const failing = cases.filter(isFailing).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="zoneward" tests="${cases.length}" failures="${failing}">`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

function isFailing({ failures }: Case): boolean {
  return failures.length > 0;
}

function suiteOf(name: string, cases: readonly Case[]): string {
  const failing = cases.filter(isFailing).length;
  const open = `  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failing}">`;
  return [open, ...cases.map(caseText), "  </testsuite>"].join("\n");
}

function caseText({ suite, name, place, failures }: Case): string {
  const where = place === null ? "" : ` file="${escaped(place.file)}" line="${place.line}"`;
  const open = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}"${where}`;
  if (failures.length === 0) return `${open}/>`;
  return [`${open}>`, ...failures.map(failureText), "    </testcase>"].join("\n");
}

function failureText({ code, title, text, place }: Failure): string {
  const where = place === null ? "" : `${place.file}:${place.line}:${place.column}: `;
  return `      <failure type="${escaped(code)}" message="${escaped(title)}">${escaped(`${where}${text}`)}</failure>`;
}

/** Characters that XML does not allow are made visible first. */
function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
}

const SIGNS: { readonly [sign: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
