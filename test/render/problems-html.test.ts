import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { describe, expect, test } from "vitest";
import { problemsHtml } from "../../src/render/plan-html.js";
import { plain } from "../../src/render/safe-text.js";
import { HOSTILE, harmIn } from "../support/hostile.js";

const page = (text: string) =>
  problemsHtml([
    {
      code: "bad",
      severity: "error",
      summary: "Something is wrong",
      detail: text,
      at: { file: `${text}.yaml`, line: 3, column: 5, pointer: "", text },
    },
    { code: "odd", severity: "warning", summary: "Something is odd", detail: text, at: null },
  ]);

describe("problems as a page", () => {
  const expected = elementsIn(parse(page("x")));

  test("shows the number of problems, and each with its place", () => {
    expect(page("x")).toContain("<h1>No plan: 1 error</h1>");
    expect(page("x")).toContain("<code>x.yaml:3:5</code> <strong>Something is wrong</strong>: x</li>");
  });

  test.each(Object.entries(HOSTILE).filter(([, text]) => text.length < 1_000))(
    "has the same elements with any text: %s",
    (_, text) => {
      const document = parse(page(text));
      expect(elementsIn(document)).toEqual(expected);
      expect(textOf(document)).toContain(`Something is odd: ${plain(text)}`);
      expect(harmIn(page(text), "programs")).toEqual([]);
    },
  );
});

function elementsIn(node: DefaultTreeAdapterTypes.Node): readonly string[] {
  const own = "tagName" in node ? [node.tagName] : [];
  return "childNodes" in node ? [...own, ...node.childNodes.flatMap(elementsIn)] : own;
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ("value" in node && node.nodeName === "#text") return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}
