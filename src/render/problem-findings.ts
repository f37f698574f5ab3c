import type { Problem } from "../model/problem.js";
import type { Finding } from "./finding.js";
import { plain } from "./plain.js";

/** What is wrong with the files, errors first. */
export function problemFindings(problems: readonly Problem[]): readonly Finding[] {
  const findings = problems.map(
    ({ code, severity, summary, detail, at }): Finding => ({
      rule: `problem/${code}`,
      level: severity,
      title: plain(summary, TITLE_CHARS),
      text: plain(detail),
      zone: null,
      place: at === null ? null : { file: at.file, line: at.line, column: at.column },
      subject: at?.pointer ?? "",
    }),
  );
  return [
    ...findings.filter(({ level }) => level === "error"),
    ...findings.filter(({ level }) => level === "warning"),
  ];
}

const TITLE_CHARS = 200;
