import type { PlanDocument } from "../plan/generated/plan-document.js";
import { DEFAULT_BYTES, LEAST_BYTES } from "../render/markdown/fit-to-size.js";
import { planHtml } from "../render/plan-html.js";
import { planMarkdown } from "../render/plan-markdown.js";
import { planSarif } from "../render/sarif.js";
import { planView, showPlan } from "./plan-formats.js";

/** How a plan document is shown. */
export interface RenderOptions {
  /** What the document is of: a `plan` (when absent), or `drift`, whose changes are what was done outside the files. */
  readonly about?: "plan" | "drift";
}

/** How a plan document is shown as Markdown. */
export interface MarkdownOptions extends RenderOptions {
  /**
   * The most bytes of UTF-8 that the text may have; 60,000 when absent. Details go first, then changes; the verdict and
   * the digest of the whole plan always stand there. They need 1,000: a smaller number counts as that.
   */
  readonly maxBytes?: number;
}

/** How a plan document is shown as text. */
export interface TextOptions extends RenderOptions {
  /** With the escapes of terminals for colors; without when absent. */
  readonly color?: boolean;
  /** With the calls; without when absent. */
  readonly verbose?: boolean;
}

/** Renders a plan document for a terminal or a log. */
export function text(document: PlanDocument, options: TextOptions = {}): string {
  const { color = false, verbose = false, about = "plan" } = options;
  return showPlan(document, color, verbose, about);
}

/** Renders a plan document as GitHub-flavoured Markdown, for a comment or a summary. */
export function markdown(document: PlanDocument, options: MarkdownOptions = {}): string {
  const { maxBytes = DEFAULT_BYTES, about = "plan" } = options;
  return planMarkdown(planView(document, about), Math.max(LEAST_BYTES, maxBytes));
}

/** Renders a plan document as one HTML page without scripts or other files. */
export function html(document: PlanDocument, options: RenderOptions = {}): string {
  return planHtml(planView(document, options.about ?? "plan"));
}

/** Renders a plan document as SARIF 2.1.0, for code scanning. */
export function sarif(document: PlanDocument, options: RenderOptions = {}): string {
  return planSarif(planView(document, options.about ?? "plan"));
}
