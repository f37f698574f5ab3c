import { expect, test } from "vitest";
import { secretsIn } from "../../src/model/secrets-in-text.js";

const SECRET = 'https://logs.example/"a"';

test.each([
  ["as it is", `# ${SECRET}`],
  ["as JSON spells it", JSON.stringify({ a: SECRET })],
])("a secret is found %s", (_, text) => {
  expect(secretsIn(text, [SECRET, { a: SECRET }, "https://logs.example/other"])).toEqual([SECRET]);
});

test("a text of less than 16 characters is taken for a word that any object may have", () => {
  expect(secretsIn("abcdefghijklmnop", ["abcdefghijklmno"])).toEqual([]);
  expect(secretsIn("abcdefghijklmnop", ["abcdefghijklmnop"])).toEqual(["abcdefghijklmnop"]);
});
