import { expect, test } from "vitest";
import { isId } from "../../src/model/read-api.js";

test("an id is letters, digits, - and _, of a sane length, and nothing else", () => {
  for (const good of ["353c0a7bd4b64b40a2f6ff8d9cd1a9b6", "a", "A-b_9", "1234"])
    expect(isId(good)).toBe(true);
  for (const bad of ["", "..", "a/b", "a b", "a\n", "é", "a?b", "%2e", "a".repeat(65)])
    expect(isId(bad)).toBe(false);
});
