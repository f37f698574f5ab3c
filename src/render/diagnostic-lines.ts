import type { Diagnostic } from "../plan/generated/plan-document.js";
import { ownMessage } from "./own-message.js";
import type { Palette } from "./palette.js";
import { plain } from "./plain.js";
import { RELEASED, REVIEW_CHANGES, reviewFirst } from "./review-first.js";

/** What changes the review itself, a line each. */
export function reviewLines(diagnostics: readonly Diagnostic[], colors: Palette): readonly string[] {
  return reviewFirst(diagnostics).first.map((each) => {
    const { code, source } = each;
    const place = source === undefined ? "" : colors.faint(`  ${plain(source.file)}:${source.line}`);
    return `${titledText(each, REVIEW_CHANGES.get(code) ?? code, colors)}${place}`;
  });
}

/** What was taken out of the files and stays live. */
export function releasedLine(diagnostic: Diagnostic, colors: Palette): string {
  return titledText(diagnostic, RELEASED.get(diagnostic.code) ?? diagnostic.code, colors);
}

function titledText(diagnostic: Diagnostic, title: string, colors: Palette): string {
  return `${colors.warning(`! ${plain(title)}:`)} ${plain(ownMessage(diagnostic, title))}`;
}
