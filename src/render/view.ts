import type { FieldWords } from "./field-lines.js";

/** How a plan document is to be shown. */
export interface PlanView {
  /** Of `drift`, changes are what was done outside the files: the words say so. */
  readonly about: "plan" | "drift";
  readonly explain: FieldWords;
  /** In the registry's order. */
  readonly kinds: readonly { readonly name: string; readonly section: string }[];
}
