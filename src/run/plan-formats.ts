import { kinds } from "../kinds/index.js";
import type { Json } from "../model/json.js";
import { jsonText } from "../model/json-text.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { palette } from "../render/palette.js";
import { planText } from "../render/plan-text.js";
import { type PlanView, viewOf } from "../render/view.js";
import type { About } from "../render/words.js";

export interface PlanShape {
  readonly color: boolean;
  /** With the calls: in text, the other formats have them anyway. */
  readonly verbose: boolean;
  /** Of Markdown. */
  readonly maxBytes: number;
}

/** A plan document in the format that was asked for: text where none was. Each is loaded when it is. */
export async function planIn(
  format: string | undefined,
  document: PlanDocument,
  about: About,
  { color, verbose, maxBytes }: PlanShape,
): Promise<string> {
  switch (format) {
    case "json":
      return jsonText(document);
    case "markdown":
      return (await import("../render/plan-markdown.js")).planMarkdown(planView(document, about), maxBytes);
    case "html":
      return (await import("../render/plan-html.js")).planHtml(planView(document, about));
    case "sarif":
      return (await import("../render/sarif.js")).planSarif(planView(document, about));
    default:
      return showPlan(document, color, verbose, about);
  }
}

/** A plan document as text, in the words of its kinds. */
export function showPlan(
  document: PlanDocument,
  color: boolean,
  verbose: boolean,
  about: About = "plan",
): string {
  return planText(planView(document, about), { colors: palette(color), verbose });
}

/** A plan document as it is shown, in the words of its kinds. */
export function planView(document: PlanDocument, about: About): PlanView {
  return viewOf(document, about, { explain, kinds: kinds.map(({ name, section }) => ({ name, section })) });
}

function explain(kind: string, field: string, value: Json): string | null {
  return kinds.find((each) => each.name === kind)?.explain(field, value) ?? null;
}

/** How long a plan in Markdown may be. Comments at GitHub may have 65,536 characters, with what others add. */
export const DEFAULT_BYTES = 60_000;

/** What a verdict and a digest take. */
export const LEAST_BYTES = 1_000;
