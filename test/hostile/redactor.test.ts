import { expect, test } from "vitest";
import { Redactor } from "../../src/run/redact.js";

const SECRET = "s3://bucket/logs?access-key=AKIA-0123456789";

test.each([
  ["a whole secret", `is ${SECRET}.`, "is [redacted]."],
  ["the start of a secret before a cut", 'is "x s3://bucket/lo…"', 'is "x [redacted]…"'],
  [
    "the end of a secret after a cut",
    "…(31 characters left out)…-0123456789",
    "…(31 characters left out)…[redacted]",
  ],
  [
    "both ends of a secret",
    "s3://buc…(9 characters left out)…3456789!",
    "[redacted]…(9 characters left out)…[redacted]!",
  ],
  ["the start of a secret in capitals", "S3://BUCK…", "[redacted]…"],
])("%s is not shown", (_, text, shown) => {
  expect(new Redactor([SECRET]).in(text)).toBe(shown);
});

test("a text that is cut elsewhere stays", () => {
  const text = "s3://bucket of logs…(3 characters left out)…the end 0123456789";
  expect(new Redactor([SECRET]).in(text)).toBe(text);
});

test("a secret with letters of another script is not shown in its spelled-out form", () => {
  expect(new Redactor(["p\u0430ssw\u043erd"]).in("is p\\u{430}ssw\\u{43e}rd")).toBe("is [redacted]");
});
