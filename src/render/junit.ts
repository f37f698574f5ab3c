import { groupBy } from "../model/group-by.js";
import type { Problem, Span } from "../model/problem.js";
import { visible } from "./plain.js";

/** A test of the files as JUnit has it, with what does not pass of it. */
export interface TestCase {
  readonly zone: string;
  readonly name: string;
  readonly at: Span;
  readonly problems: readonly Problem[];
}

/**
 * Tests as JUnit XML: a suite for each zone, a case for each test. Other errors of the files are a suite of their own: with
 * such an error no test was run, and whoever reads nothing but this must not take that for a success.
 */
export function junit(cases: readonly TestCase[], others: readonly Problem[]): string {
  const suites = [
    ...[...groupBy(cases, ({ zone }) => zone)].map(([zone, own]) => suiteOf(zone, own.map(caseOf))),
    ...(others.length === 0 ? [] : [suiteOf("files", others.map(otherCase))]),
  ];
  const failing = suites.reduce((sum, each) => sum + each.failing, 0);
  const all = suites.reduce((sum, each) => sum + each.all, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="zoneward" tests="${all}" failures="${failing}">`,
    ...suites.map(({ text }) => text),
    "</testsuites>",
    "",
  ].join("\n");
}

interface Case {
  readonly isFailing: boolean;
  /** Its element. */
  readonly text: (zone: string) => string;
}

function suiteOf(name: string, cases: readonly Case[]) {
  const failing = cases.filter(({ isFailing }) => isFailing).length;
  const open = `  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failing}">`;
  return {
    failing,
    all: cases.length,
    text: [open, ...cases.map(({ text }) => text(name)), "  </testsuite>"].join("\n"),
  };
}

function caseOf({ name, at, problems }: TestCase): Case {
  return caseWith(name, at, problems);
}

function otherCase(problem: Problem): Case {
  return caseWith(problem.summary, problem.at, [problem]);
}

function caseWith(name: string, at: Span | null, problems: readonly Problem[]): Case {
  const place = at === null ? "" : ` file="${escaped(at.file)}" line="${at.line}"`;
  return {
    isFailing: problems.length > 0,
    text: (zone) => {
      const open = `    <testcase classname="${escaped(zone)}" name="${escaped(name)}"${place}`;
      if (problems.length === 0) return `${open}/>`;
      return [`${open}>`, ...problems.map(failureOf), "    </testcase>"].join("\n");
    },
  };
}

function failureOf({ code, summary, detail, at }: Problem): string {
  const where = at === null ? "" : `${at.file}:${at.line}:${at.column}: `;
  return `      <failure type="${escaped(code)}" message="${escaped(summary)}">${escaped(`${where}${detail}`)}</failure>`;
}

/** What XML cannot have at all is made visible before. */
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
