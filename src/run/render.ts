import type { PlanDocument } from "../plan/generated/plan-document.js";
import { DEFAULT_BYTES, LEAST_BYTES } from "../render/markdown/fit-to-size.js";
import { planHtml } from "../render/plan-html.js";
import { planMarkdown } from "../render/plan-markdown.js";
import { planSarif } from "../render/sarif.js";
import { planView, showPlan } from "./plan-formats.js";

/** The options of every format. */
export interface RenderOptions {
  /** `plan`, the default, or `drift`: the document shows changes made outside the files. */
  readonly about?: "plan" | "drift";
}

/** The options of Markdown. */
export interface MarkdownOptions extends RenderOptions {
  /**
   * The most bytes of UTF-8. Default: 60,000. Details are dropped first, then changes. The verdict and the digest of the whole
   * plan always stay. They need 1,000 bytes, so a smaller number counts as 1,000.
   */
  readonly maxBytes?: number;
}

/** The options of text. */
export interface TextOptions extends RenderOptions {
  /** Whether to use terminal colors. Default: false. */
  readonly color?: boolean;
  /** Whether to show the calls. Default: false. */
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
