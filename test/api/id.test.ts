import { expect, test } from "vitest";
import { isId } from "../../src/model/read-api.js";

test("an id consists of at most 64 letters, digits, - and _", () => {
  for (const good of ["353c0a7bd4b64b40a2f6ff8d9cd1a9b6", "a", "A-b_9", "1234"])
    expect(isId(good)).toBe(true);
  for (const bad of ["", "..", "a/b", "a b", "a\n", "é", "a?b", "%2e", "a".repeat(65)])
    expect(isId(bad)).toBe(false);
});
