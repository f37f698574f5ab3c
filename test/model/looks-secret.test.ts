import { expect, test } from "vitest";
import { secretsIn } from "../../src/model/looks-secret.js";

const SECRET = 'https://logs.example/"a"';

test.each([
  ["as written", `# ${SECRET}`],
  ["with JSON escapes", JSON.stringify({ a: SECRET })],
])("finds a secret %s", (_, text) => {
  expect(secretsIn(text, [SECRET, { a: SECRET }, "https://logs.example/other"])).toEqual([SECRET]);
});

test("ignores a secret shorter than 16 characters, which may be an ordinary word", () => {
  expect(secretsIn("abcdefghijklmnop", ["abcdefghijklmno"])).toEqual([]);
  expect(secretsIn("abcdefghijklmnop", ["abcdefghijklmnop"])).toEqual(["abcdefghijklmnop"]);
});
