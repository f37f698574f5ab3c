import { expect, test } from "vitest";
import { advice, check } from "../../src/expression/check/check.js";
import { parse } from "../../src/expression/parse/parse.js";
import type { ExpressionProblem } from "../../src/expression/problem.js";
import { equal } from "../../src/expression/spelling/canonical.js";
import { render } from "../../src/expression/spelling/render.js";
import { fc, runs } from "../support/random.js";
import { anyTree, withoutPlaces } from "./trees.js";

test("parsing a rendered tree gives the same tree", () => {
  fc.assert(
    fc.property(anyTree, (tree) => {
      const parsed = parse(render(tree));
      expect(parsed.ok ? withoutPlaces(parsed.tree) : parsed.problem).toEqual(withoutPlaces(tree));
    }),
    { numRuns: runs(500) },
  );
});

test("rendering is idempotent", () => {
  fc.assert(
    fc.property(anyTree, (tree) => {
      const text = render(tree);
      const parsed = parse(text);
      expect(parsed.ok && render(parsed.tree)).toBe(text);
      expect(equal(text, `\n(${text}) `)).toBe(true);
    }),
  );
});

/** Rendered expressions with a few characters changed. */
const nearlyExpressions = fc
  .tuple(
    anyTree.map(render),
    fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.string({ unit: "binary", maxLength: 2 }))),
  )
  .map(([text, edits]) =>
    edits.reduce((edited, [seed, removed, added]) => {
      const at = seed % (edited.length + 1);
      return edited.slice(0, at) + added + edited.slice(at + removed);
    }, text),
  );

const words = fc
  .array(
    fc.constantFrom(
      ...[
        "http.host",
        "ip.src",
        "ssl",
        "cf.edge.server_port",
        "eq",
        "in",
        "{",
        "}",
        "(",
        ")",
        "not",
        "and",
        "or",
      ],
      ...[
        "any(",
        "lower(",
        ",",
        '"a"',
        '"',
        "r#",
        "80",
        "1.2.3.4",
        "/8",
        "..",
        "[*]",
        "[",
        "]",
        " ",
        "\n",
        "\t",
        "é",
        "\\",
      ],
    ),
  )
  .map((each) => each.join(" "));

test("no text makes parse or check throw, and every problem points inside the text", () => {
  const texts = fc.oneof(fc.string({ unit: "binary" }), nearlyExpressions, words);
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parse(text);
      const problems = [
        ...check(text, { phase: "page_shield_policy" }),
        ...(parsed.ok ? advice(text, parsed.tree) : []),
      ];
      for (const problem of problems) expectPlace(text, problem);
    }),
    { numRuns: runs(2000) },
  );
});

function expectPlace(text: string, { start, end, shown, line, column, message }: ExpressionProblem): void {
  expect(start).toBeGreaterThanOrEqual(0);
  expect(end).toBeGreaterThanOrEqual(start);
  expect(end).toBeLessThanOrEqual(text.length);
  expect(shown.start).toBeGreaterThanOrEqual(0);
  expect(shown.end).toBeGreaterThanOrEqual(shown.start);
  expect(shown.end).toBeLessThanOrEqual(text.length);
  expect(text.slice(shown.start, shown.end)).not.toContain("\n");
  const lines = text.slice(0, start).split("\n");
  expect([line, column]).toEqual([lines.length, Buffer.byteLength(lines.at(-1) ?? "") + 1]);
  expect(message).toMatch(/^.+\S$/su);
}
