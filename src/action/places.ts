import path from "node:path";
import type { Problem } from "../model/problem.js";
import type { PlanDocument, SourcePlace } from "../plan/generated/plan-document.js";

/** GitHub shows annotations and SARIF at files as the repository has them; a plan names them from where it ran. */
export interface Places {
  document(document: PlanDocument): PlanDocument;
  problems(problems: readonly Problem[]): readonly Problem[];
}

export function placesBelow(workspace: string, cwd: string): Places {
  const named = (file: string) => {
    const below = path.relative(workspace, path.resolve(cwd, file));
    return below.startsWith("..") || path.isAbsolute(below) ? file : below.split(path.sep).join("/");
  };
  const placed = <T extends { source?: SourcePlace | null }>(each: T): T =>
    each.source == null ? each : { ...each, source: { ...each.source, file: named(each.source.file) } };
  return {
    document: (document) => ({
      ...document,
      changes: document.changes.map((each) => placed(each)),
      diagnostics: document.diagnostics.map((each) => placed(each)),
    }),
    problems: (problems) =>
      problems.map((each) =>
        each.at === null ? each : { ...each, at: { ...each.at, file: named(each.at.file) } },
      ),
  };
}
