import { expect, test } from "vitest";
import { textInStepWords } from "../../src/action/step-words.js";

const DIGEST = `sha256:${"0".repeat(64)}`;

test.each([
  ["If that is meant, say --allow weakens.", `If that is meant, set the input allow: weakens@${DIGEST}.`],
  [
    "Apply only once, with --allow create_unlisted, what is",
    `Apply only once, with the input allow: create_unlisted@${DIGEST}, what is`,
  ],
  ["--zone nosuch matches none.", "The input zone nosuch matches none."],
  ["Mend that. --base x cannot be read.", "Mend that. The input base x cannot be read."],
  ["name one with --base.", "name one with the input base."],
  [
    "It is lifted by --allow\n  shop.example.com is",
    "It is lifted by the input allow\n  shop.example.com is",
  ],
  ["Try again, or give it longer with --timeout.", "Try again."],
  ["Wait, or lower --rate-limit.", "Wait."],
  [
    "Set CLOUDFLARE_API_TOKEN to an API token. `zoneward demo` needs none.",
    "Give the input api-token, or set CLOUDFLARE_API_TOKEN.",
  ],
  ["To apply a file, say zoneward apply -c a.yaml.", "To apply a file, name a.yaml as the input config."],
  ["policy a--zone and ---allow", "policy a--zone and ---allow"],
])("%s", (said, told) => {
  expect(textInStepWords(said, DIGEST)).toBe(told);
});

test("of a plan that is not known yet, it is said where its digest is", () => {
  expect(textInStepWords("say --allow drift.", null)).toContain(
    "drift@DIGEST, with the digest that the plan shows",
  );
});
