import { check } from "./check.js";
import { SERVICE_DIRECTIVES } from "./directives.js";
import type { Finding } from "./finding.js";
import { type Lint, lint } from "./lint/lint.js";

interface Review {
  /** What is wrong, and what protects little, in the order of the text. */
  readonly findings: readonly Finding[];
  readonly missing: Lint["missing"];
}

/** Everything that can be said about a value on its own. Of a place about which something is wrong, nothing more. */
export function review(text: string, knownDirectives: Iterable<string> = SERVICE_DIRECTIVES): Review {
  const wrong = check(text, knownDirectives);
  const { written, missing } = lint(text);
  const places = new Set(wrong.map(({ start }) => start));
  const findings = [...wrong, ...written.filter(({ start }) => !places.has(start))];
  return { findings: findings.sort((a, b) => a.start - b.start), missing };
}
