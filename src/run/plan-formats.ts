import { kindNamed, kinds } from "../kinds/index.js";
import type { Json } from "../model/json.js";
import { jsonText } from "../model/json-text.js";
import type { PartChange } from "../model/plan.js";
import { onCommandLine, type Spelling } from "../model/sentence.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { palette } from "../render/palette.js";
import { planText } from "../render/plan-text.js";
import { type PlanView, viewOf } from "../render/view.js";
import type { About } from "../render/words.js";
import type { FileKind } from "./write-files.js";

export type PlanFormat = "text" | "json" | "markdown" | "html" | "sarif" | "codequality" | "junit";

/** Recognizes files that `plan` has written, in each format: a plan, or the errors in its place. */
export const FILES_IN: Readonly<Record<PlanFormat, FileKind>> = {
  text: {
    noun: "text",
    name: "plan.txt",
    called: "a plan that zoneward wrote as text",
    // Its last line.
    recognizes: (text) =>
      /(?:^|\n)(?:(?:Plan|Drift): [^\n]*\bzones?\b[^\n]*|No plan(?:: \d+ errors?)?)\.\n$/.test(
        text.slice(-2_000),
      ),
  },
  json: {
    noun: "plan",
    name: "plan.json",
    recognizes: (text) => /^\s*\{\s*(?:"format_version"|"ok": false,\s*"problems")/.test(text),
  },
  markdown: {
    noun: "Markdown",
    name: "plan.md",
    called: "a plan that zoneward wrote as Markdown",
    recognizes: (text) => /^(?:Digest of the whole plan: |### No plan\b)/m.test(text),
  },
  html: {
    noun: "page",
    name: "plan.html",
    called: "a page that zoneward wrote",
    recognizes: (text) => /^<!doctype html>/i.test(text) && /<title>zoneward[ :]/.test(text.slice(0, 4_000)),
  },
  codequality: {
    noun: "report",
    name: "plan-codequality.json",
    called: "a Code Quality report that zoneward wrote",
    recognizes: (text) => /^\[\s*(?:\]\s*$|\{\s*"description")/.test(text),
  },
  junit: {
    noun: "JUnit report",
    name: "plan-junit.xml",
    called: "a JUnit report that zoneward wrote",
    recognizes: (text) => /^<\?xml [^>]*>\s*<testsuites name="zoneward"/.test(text.slice(0, 1_000)),
  },
  sarif: {
    noun: "SARIF",
    name: "plan.sarif",
    called: "SARIF that zoneward wrote",
    recognizes: (text) => /^\{\s*"\$schema"/.test(text) && /"name":\s*"zoneward"/.test(text.slice(0, 1_000)),
  },
};

export interface PlanShape {
  readonly color: boolean;
  /** The terminal's width in characters. Null: no terminal. */
  readonly width: number | null;
  /** Whether text shows the calls. The other formats always have them. */
  readonly verbose: boolean;
  /** The limit of Markdown. */
  readonly maxBytes: number;
  /** How options are written. Absent: as on the command line. */
  readonly spelling?: Spelling;
}

/** Renders a plan document. Null: as text. Formats are loaded on demand. */
export async function planIn(
  format: PlanFormat | null,
  document: PlanDocument,
  about: About,
  { color, width, verbose, maxBytes, spelling }: PlanShape,
): Promise<string> {
  const view = () => planView(document, about, spelling);
  switch (format) {
    case "json":
      return jsonText(document);
    case "markdown":
      return (await import("../render/plan-markdown.js")).planMarkdown(view(), maxBytes);
    case "html":
      return (await import("../render/plan-html.js")).planHtml(view());
    case "codequality":
      return (await import("../render/code-quality.js")).planCodeQuality(view());
    case "sarif":
      return (await import("../render/sarif.js")).planSarif(view());
    case "junit":
      return (await import("../render/junit.js")).planJunit(document);
    case "text":
    case null:
      return planText(view(), { colors: palette(color), width, verbose });
  }
}

export function showPlan(
  document: PlanDocument,
  color: boolean,
  verbose: boolean,
  about: About = "plan",
  width: number | null = null,
): string {
  return planText(planView(document, about), { colors: palette(color), width, verbose });
}

export function planView(document: PlanDocument, about: About, spelling: Spelling = onCommandLine): PlanView {
  const names = kinds.map(({ name, section }) => ({ name, section }));
  return viewOf(document, about, { explain, partsOf, kinds: names, spelling });
}

function explain(kind: string, field: string, value: Json): string | null {
  return kindNamed(kind)?.fields[field]?.show?.(value) ?? null;
}

function partsOf(kind: string, field: string, before: Json, after: Json): readonly PartChange[] | null {
  if (before === null || after === null) return null;
  return kindNamed(kind)?.fields[field]?.parts?.(before, after) ?? null;
}
