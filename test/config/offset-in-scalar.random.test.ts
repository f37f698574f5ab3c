import { describe, expect, test } from "vitest";
import { Document, isScalar, parseDocument, Scalar } from "yaml";
import { offsetInScalar } from "../../src/config/place.js";
import { fc, runs } from "../support/random.js";

const STYLES = ["PLAIN", "QUOTE_SINGLE", "QUOTE_DOUBLE", "BLOCK_LITERAL", "BLOCK_FOLDED"] as const;

/** For each character of the text at `a`, and for its end: the rest of the source line. */
const written: readonly [sentence: string, file: string, places: readonly (readonly [string, string])[]][] = [
  [
    "a plain text equals its source",
    "a: b c",
    [
      ["b", "b c"],
      [" ", " c"],
      ["c", "c"],
      ["", ""],
    ],
  ],
  [
    "a line break read as a space is placed after the word before",
    "a: b  \n   c",
    [
      ["b", "b  "],
      [" ", "  "],
      ["c", "c"],
      ["", ""],
    ],
  ],
  [
    "empty lines in a plain text are line breaks",
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
    "two single quotes are one character",
    "a: 'b''c'",
    [
      ["b", "b''c'"],
      ["'", "''c'"],
      ["c", "c'"],
      ["", "'"],
    ],
  ],
  [
    "spaces at the ends of a quoted text belong to the text",
    "a: ' b '",
    [
      [" ", " b '"],
      ["b", "b '"],
      [" ", " '"],
      ["", "'"],
    ],
  ],
  [
    "escapes are one character",
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
    "an escaped line break is dropped, and an escaped space after the break is kept",
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
    "a literal block is indented",
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
    "an indentation indicator is respected, and comments are skipped",
    "a: |1- # b\n   b\n\n",
    [
      [" ", "  b"],
      [" ", " b"],
      ["b", "b"],
      ["", ""],
    ],
  ],
  [
    "a folded block has spaces for line breaks",
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
    "deeper indentation in a folded block is kept",
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
    "characters after a last line break are placed after the last word",
    "a: |+\n  b\n\n\n",
    [
      ["b", "b"],
      ["\n", ""],
      ["\n", ""],
      ["\n", ""],
      ["", ""],
    ],
  ],
  ["an empty text is placed at its quotes", 'a: ""', [["", '""']]],
];

describe("the place of a character in a text", () => {
  test.each(written)("%s", (_, file, places) => {
    expect(placesIn(file)).toEqual(places);
    expect(placesIn(file.replaceAll("\n", "\r\n"))).toEqual(places);
  });

  /** Parts of texts that YAML styles treat differently. */
  const piece = fc.constantFrom(
    ...["a", "b'", '"c', "\\", "#", ": d", "- ", "😀", "\u00a0", "\u0085", "\u2028", "{", ",", "é"],
    ...[" ", "  ", "\t", "\n", "\n\n", "\n  ", " \n"],
  );
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.lorem({ maxCount: 40 }),
  );

  test("is right in every style, at the character or its escape, and at a space for a space", () => {
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

  /** Sources written by hand, many of which the library would never write. */
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

  test("is right in any source", () => {
    fc.assert(
      fc.property(source, fc.boolean(), ({ open, inside }, isWindows) => {
        const close = /^["']/.test(open) ? open : "";
        const file = `before: 1\nlist:\n- key: ${open}${inside.join("")}${close}\nafter: 2\n`;
        expectFound(isWindows ? file.replaceAll("\n", "\r\n") : file, ["list", 0, "key"]);
      }),
      { numRuns: runs(5_000) },
    );
  });

  // Starting again for each character would not finish.
  test("is found in linear time", () => {
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
  // The library may break a line within an escape, and then cannot read its own output.
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
