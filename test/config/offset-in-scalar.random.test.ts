import { describe, expect, test } from "vitest";
import { Document, isScalar, parseDocument, Scalar } from "yaml";
import { offsetInScalar } from "../../src/config/place.js";
import { fc, runs } from "../support/random.js";

const STYLES = ["PLAIN", "QUOTE_SINGLE", "QUOTE_DOUBLE", "BLOCK_LITERAL", "BLOCK_FOLDED"] as const;

/** Each character of the text at `a`, and its end, with the rest of the line where it stands. */
const written: readonly [sentence: string, file: string, places: readonly (readonly [string, string])[]][] = [
  [
    "a plain text is its own source",
    "a: b c",
    [
      ["b", "b c"],
      [" ", " c"],
      ["c", "c"],
      ["", ""],
    ],
  ],
  [
    "a line break that is a space stands behind the word before",
    "a: b  \n   c",
    [
      ["b", "b  "],
      [" ", "  "],
      ["c", "c"],
      ["", ""],
    ],
  ],
  [
    "empty lines of a plain text are line breaks",
    "a: b\n\n\n   c",
    [
      ["b", "b"],
      ["\n", ""],
      ["\n", ""],
      ["c", "c"],
      ["", ""],
    ],
  ],
  [
    "two single quotes are one",
    "a: 'b''c'",
    [
      ["b", "b''c'"],
      ["'", "''c'"],
      ["c", "c'"],
      ["", "'"],
    ],
  ],
  [
    "blanks at the ends of a quoted text belong to it",
    "a: ' b '",
    [
      [" ", " b '"],
      ["b", "b '"],
      [" ", " '"],
      ["", "'"],
    ],
  ],
  [
    "escapes stand for characters",
    'a: "\\x62\\u0063\\U0001F600\\"\\\\\\t\\nd"',
    [
      ["b", '\\x62\\u0063\\U0001F600\\"\\\\\\t\\nd"'],
      ["c", '\\u0063\\U0001F600\\"\\\\\\t\\nd"'],
      ["\ud83d", '\\U0001F600\\"\\\\\\t\\nd"'],
      ["\ude00", '\\U0001F600\\"\\\\\\t\\nd"'],
      ['"', '\\"\\\\\\t\\nd"'],
      ["\\", '\\\\\\t\\nd"'],
      ["\t", '\\t\\nd"'],
      ["\n", '\\nd"'],
      ["d", 'd"'],
      ["", '"'],
    ],
  ],
  [
    "an escaped line break is nothing, and an escaped blank one after it is kept",
    'a: "b\\\n   \\ c \\\n  d"',
    [
      ["b", "b\\"],
      [" ", "\\ c \\"],
      ["c", "c \\"],
      [" ", " \\"],
      ["d", 'd"'],
      ["", '"'],
    ],
  ],
  [
    "a block text is indented",
    "a: |\n  b\n    c\n",
    [
      ["b", "b"],
      ["\n", ""],
      [" ", "  c"],
      [" ", " c"],
      ["c", "c"],
      ["\n", ""],
      ["", ""],
    ],
  ],
  [
    "an indicator says where the text of a block begins, and comments are none of it",
    "a: |1- # b\n   b\n\n",
    [
      [" ", "  b"],
      [" ", " b"],
      ["b", "b"],
      ["", ""],
    ],
  ],
  [
    "a folded text has spaces for line breaks",
    "a: >-\n  b\n  c\n\n  d\n",
    [
      ["b", "b"],
      [" ", ""],
      ["c", "c"],
      ["\n", ""],
      ["d", "d"],
      ["", ""],
    ],
  ],
  [
    "what a folded text has indented further is kept",
    "a: >\n\n  b\n   c\n",
    [
      ["\n", ""],
      ["b", "b"],
      ["\n", ""],
      [" ", " c"],
      ["c", "c"],
      ["\n", ""],
      ["", ""],
    ],
  ],
  [
    "what stands after a last line break stands behind the last word",
    "a: |+\n  b\n\n\n",
    [
      ["b", "b"],
      ["\n", ""],
      ["\n", ""],
      ["\n", ""],
      ["", ""],
    ],
  ],
  ["an empty text stands where its quotes do", 'a: ""', [["", '""']]],
];

describe("where a text stands", () => {
  test.each(written)("%s", (_, file, places) => {
    expect(placesIn(file)).toEqual(places);
    expect(placesIn(file.replaceAll("\n", "\r\n"))).toEqual(places);
  });

  /** Words that come out in many styles, with what the styles treat in their own ways. */
  const piece = fc.constantFrom(
    ...["a", "b'", '"c', "\\", "#", ": d", "- ", "😀", "\u00a0", "\u0085", "\u2028", "{", ",", "é"],
    ...[" ", "  ", "\t", "\n", "\n\n", "\n  ", " \n"],
  );
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.lorem({ maxCount: 40 }),
  );

  test("is found in every style, at each character or its escape, and at a blank for each blank", () => {
    const cases = fc.record({
      text: texts,
      style: fc.constantFrom(...STYLES),
      lineWidth: fc.constantFrom(0, 10, 25),
      isFlow: fc.boolean(),
      isWindows: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ text, style, lineWidth, isFlow, isWindows }) => {
        const scalar = Object.assign(new Scalar(text), { type: style });
        const doc = new Document({ before: 1, list: [{ key: null }], after: 2 });
        doc.setIn(["list", 0, "key"], scalar);
        if (isFlow) doc.set("list", doc.createNode([text], { flow: true }));
        const file = doc.toString({ lineWidth, minContentWidth: 0 });
        expectFound(isWindows ? file.replaceAll("\n", "\r\n") : file, [
          "list",
          0,
          ...(isFlow ? [] : ["key"]),
        ]);
      }),
      { numRuns: runs(3_000) },
    );
  });

  /** Sources rather than values: much of what they have the library would never write. */
  const source = fc.record({
    open: fc.constantFrom("", "'", '"', "|\n ", ">\n ", "|2-\n ", ">1+ # c\n ", "|-\n\n ", ">\n\n   "),
    inside: fc.array(
      fc.constantFrom(
        ...["a", "b", "''", '\\"', "\\ ", "\\\n  ", "\\x20", "\\n", "\\U0001F600", "😀", "\\/"],
        ...[" ", "\t", "\n ", "\n  ", "\n   ", "\n\n ", " \n  ", "\n \n  "],
      ),
      { maxLength: 20 },
    ),
  });

  test("is found in whatever is written by hand", () => {
    fc.assert(
      fc.property(source, fc.boolean(), ({ open, inside }, isWindows) => {
        const close = /^["']/.test(open) ? open : "";
        const file = `before: 1\nlist:\n- key: ${open}${inside.join("")}${close}\nafter: 2\n`;
        expectFound(isWindows ? file.replaceAll("\n", "\r\n") : file, ["list", 0, "key"]);
      }),
      { numRuns: runs(5_000) },
    );
  });

  // Who begins anew for each character does not come to an end.
  test("is found in a text of any length", () => {
    const value = `${"a b ".repeat(500_000)}c`;
    const found = offsetInScalar({ source: `"${value}"`, style: "QUOTE_DOUBLE", value });
    for (let offset = 0; offset < value.length; offset += 10) found(offset);
    expect(found(value.length)).toBe(value.length + 1);
  });
});

function placesIn(file: string): readonly (readonly [string, string])[] {
  const { value, start, inSource } = scalarAt(file, ["a"]) ?? { value: "", start: 0, inSource: () => 0 };
  return [...value.split(""), ""].map((char, offset) => [
    char,
    file.slice(start + inSource(offset)).split(/\r?\n/, 1)[0] ?? "",
  ]);
}

function scalarAt(file: string, path: readonly (string | number)[]) {
  const doc = parseDocument(file);
  // The library may break a line within an escape, and cannot read that then.
  if (doc.errors.length > 0) return null;
  const node = doc.getIn(path, true);
  if (!isScalar(node) || typeof node.value !== "string" || !node.range) return null;
  const { value, range } = node;
  const style = STYLES.find((each) => each === node.type) ?? "PLAIN";
  const source = file.slice(range[0], range[1]);
  return { value, style, source, start: range[0], inSource: offsetInScalar({ source, style, value }) };
}

const ESCAPE = /^\\(?:x..|u....|U........|.)/s;

function expectFound(file: string, path: readonly (string | number)[]): void {
  const found = scalarAt(file, path);
  if (found === null || found.value.trim() === "") return;
  const { value, style, source, inSource } = found;
  let before = 0;
  for (const [offset, char] of value.split("").entries()) {
    const at = inSource(offset);
    const there = source.slice(at);
    const [escaped] = (style === "QUOTE_DOUBLE" && ESCAPE.exec(there)) || [];
    if (escaped !== undefined) expect(parseDocument(`"${escaped}"`).toJS()).toContain(char);
    else if (style === "QUOTE_SINGLE" && char === "'") expect(there.slice(0, 2)).toBe("''");
    else if (/[ \t\n]/.test(char)) expect(there).toMatch(/^(?:[ \t\r\n]|$)/);
    else expect(there.charAt(0)).toBe(char);
    expect(at).toBeGreaterThanOrEqual(before);
    before = at;
  }
  expect(inSource(value.length)).toBeGreaterThanOrEqual(before);
  expect(inSource(value.length)).toBeLessThanOrEqual(source.length);
}
