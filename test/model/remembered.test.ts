import { expect, test } from "vitest";
import { rememberedText } from "../../src/model/remembered.js";

/** A remembered function, and the texts that it was computed for, in order. */
function watched() {
  const computed: string[] = [];
  const length = rememberedText((text) => {
    computed.push(text);
    return text.length;
  });
  return { computed, length };
}

test("a result is computed once for each text", () => {
  const { computed, length } = watched();
  expect([length("ab"), length("abc"), length("ab"), length(""), length("")]).toEqual([2, 3, 2, 0, 0]);
  expect(computed).toEqual(["ab", "abc", ""]);
});

test("a result is forgotten after 10,000 other texts", () => {
  const { computed, length } = watched();
  for (let index = 0; index < 10_000; index += 1) length(`zone ${index}`);
  length("zone 0");
  expect(computed.filter((each) => each === "zone 0")).toHaveLength(2);
});

test("few results for long texts are kept", () => {
  const { computed, length } = watched();
  const long = (index: number) => `${index}`.padEnd(400_000, "x");
  for (const index of [0, 1, 2, 3, 4, 5, 0]) length(long(index));
  expect(computed).toHaveLength(7);
  length(long(5));
  expect(computed).toHaveLength(7);
});
