import type { SourcePlace } from "../plan/generated/plan-document.js";

/** Something that a reviewer has to see at its line. */
export interface Finding {
  /** Stable, for who filters: `change/weakens`, `origin/drift`, `drift/weakens`, `guardrail/weakens`, `problem/CODE`. */
  readonly rule: string;
  readonly level: "error" | "warning" | "note";
  /** In a few words, without data from outside. */
  readonly title: string;
  /** In full sentences. */
  readonly text: string;
  readonly zone: string | null;
  readonly place: SourcePlace | null;
  /** What it is about, by which it is known again when lines have moved. */
  readonly subject: string;
}
