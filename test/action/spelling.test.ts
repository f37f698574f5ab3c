import { expect, test } from "vitest";
import { inputsOf } from "../../src/action/option-names.js";
import { lifting, type Sentences, says, textOf } from "../../src/model/sentence.js";

const DIGEST = `sha256:${"0".repeat(64)}`;

const CASES: readonly (readonly [onCommandLine: string, said: Sentences, inStep: string])[] = [
  [
    "If this is intended, pass --allow weakens.",
    says`If this is intended, ${lifting("weakens")}.`,
    `If this is intended, set the input allow: weakens@${DIGEST}.`,
  ],
  [
    "Apply only once, with --allow create_unlisted, what is",
    says`Apply only once, with ${{ flag: "allow", value: "create_unlisted" }}, what is`,
    `Apply only once, with the input allow: create_unlisted@${DIGEST}, what is`,
  ],
  [
    "--zone nosuch matches none.",
    says`${{ flag: "zone", value: "nosuch" }} matches none.`,
    "The input zone nosuch matches none.",
  ],
  [
    "Mend that. --base x cannot be read.",
    says`Mend that. ${{ flag: "base", value: "x" }} cannot be read.`,
    "Mend that. The input base x cannot be read.",
  ],
  ["name one with --base.", says`name one with ${{ flag: "base" }}.`, "name one with the input base."],
  [
    "Name the file with -c, or run zoneward elsewhere.",
    says`Name the file with ${{ flag: "config" }}, or run zoneward elsewhere.`,
    "Name the file with the input config, or run zoneward elsewhere.",
  ],
  [
    "Try again, or wait longer with --timeout.",
    says`Try again${{ flag: "timeout", lead: ", or wait longer with " }}.`,
    "Try again.",
  ],
  [
    "and --max-wait is 5 s",
    says`and ${{ flag: "max-wait", otherwise: "the longest wait" }} is 5 s`,
    "and the longest wait is 5 s",
  ],
  [
    "Set CLOUDFLARE_API_TOKEN. `zoneward demo` needs none.",
    says`${{ flag: "api-token", isAdvice: true, tail: ", or set", otherwise: "Set" }} CLOUDFLARE_API_TOKEN.${{ command: "demo", lead: " `", tail: "` needs none." }}`,
    "Give the input api-token, or set CLOUDFLARE_API_TOKEN.",
  ],
  [
    "To apply a file, run zoneward apply -c a.yaml.",
    says`To apply a file, ${{ command: "apply", flag: "config", value: "a.yaml", isAdvice: true }}.`,
    "To apply a file, set the input config: a.yaml.",
  ],
  [
    "Write plan files with zoneward plan -o.",
    says`Write plan files with ${{ command: "plan", flag: "out" }}.`,
    "Write plan files with the command plan with the input plan-file.",
  ],
];

test.each(CASES)("%s", (onCommandLine, said, inStep) => {
  expect(textOf(said)).toBe(onCommandLine);
  expect(textOf(said, inputsOf(DIGEST))).toBe(inStep);
});

test("explains where to find the digest of a plan that is not made yet", () => {
  expect(textOf([lifting("drift")], inputsOf(null))).toContain(
    "drift@DIGEST, with the digest that the plan shows",
  );
});

test("leaves a value alone that looks like a flag", () => {
  const said = says`There is no ${"a--zone and --allow"}; name one with ${{ flag: "zone", value: "--base" }}.`;
  expect(textOf(said, inputsOf(null))).toBe(
    "There is no a--zone and --allow; name one with the input zone --base.",
  );
});
