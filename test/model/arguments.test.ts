import { describe, expect, test } from "vitest";
import { csp, expression } from "../../src/index.js";

/** A program without types can pass anything. */
type Untyped = (...args: readonly unknown[]) => unknown;
const untyped = (name: string, call: unknown) => [name, call as Untyped] as const; // Typed calls would not compile with wrong arguments.

const attempt = { page: "https://a.example/", csp: "script-src 'self'", kind: "script", url: "/a.js" };

describe("an invalid attempt is refused with its mistake", () => {
  const cases: readonly (readonly [wrong: unknown, says: string])[] = [
    [{ ...attempt, kind: "connect" }, 'kind has to be "script" or "connection", not "connect".'],
    [{ ...attempt, kind: undefined }, 'kind has to be "script" or "connection", not undefined.'],
    [{ ...attempt, kind: "constructor" }, 'kind has to be "script" or "connection", not "constructor".'],
    [{ ...attempt, page: null }, "page has to be a string, not null."],
    [{ ...attempt, csp: ["script-src"] }, "csp has to be a string, not an array."],
    [{ ...attempt, url: new URL("https://a.example/") }, "url has to be a string, not of the type object."],
    [{ ...attempt, nonce: 5 }, "nonce has to be a string, not of the type number."],
    [{ ...attempt, inserted: "page" }, 'inserted has to be "parser" or "script", not "page".'],
    [undefined, "An attempt has to be an object, not undefined."],
  ];
  test.each(cases)("%j", (wrong, says) => {
    for (const [, call] of [untyped("allows", csp.allows), untyped("explain", csp.explain)])
      expect(() => call(wrong, csp.allows({ ...attempt, kind: "script" }))).toThrow(new TypeError(says));
  });
});

describe("an argument that is not a string is refused", () => {
  const ofCsp = [
    untyped("parse", csp.parse),
    untyped("check", csp.check),
    untyped("lint", csp.lint),
    untyped("oneLine", csp.oneLine),
    untyped("equal", csp.equal),
    untyped("diff", csp.diff),
    untyped("includes", csp.includes),
    untyped("witness", csp.witness),
  ];
  const ofExpressions = [
    untyped("parse", expression.parse),
    untyped("check", expression.check),
    untyped("equal", expression.equal),
    untyped("coverage", expression.coverage),
    untyped("witness", expression.witness),
    untyped("evaluate", expression.evaluate),
  ];
  test.each(ofCsp)("csp.%s", (_name, call) => {
    expect(() => call(undefined, "")).toThrow(
      new TypeError("A CSP value has to be a string, not undefined."),
    );
  });
  test.each(ofExpressions)("expression.%s", (_name, call) => {
    expect(() => call(7, "ssl")).toThrow(
      new TypeError("An expression has to be a string, not of the type number."),
    );
  });
});

test("a request that is not an object is refused", () => {
  const [, evaluate] = untyped("evaluate", expression.evaluate);
  expect(() => evaluate("ssl", null)).toThrow(new TypeError("A request has to be an object, not null."));
});
