import { describe, expect, test } from "vitest";
import { isMap, isSeq, type Node, parse } from "yaml";
import { placesIn } from "../../src/config/place.js";
import { readSyntax } from "../../src/config/syntax.js";
import { atEnd, editList, editMap } from "../../src/config/write-yaml/collections.js";
import { find, type MapNode, pageOf, type Splice, spliced } from "../../src/config/write-yaml/layout.js";
import { replaceBlock, replaceValue } from "../../src/config/write-yaml/value-text.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { HOSTILE } from "../support/hostile.js";

function at(text: string, path: readonly (string | number)[]) {
  const read = readSyntax(text, placesIn("f.yaml", text));
  if (!read.ok) throw new Error(read.problems[0]?.detail);
  const found = find(read.value, path, "add");
  if (found === null) throw new Error("no node at the path");
  return { ...found, page: pageOf(text) };
}

function done(text: string, splices: readonly Splice[] | null): string | null {
  return splices === null ? null : spliced(text, splices);
}

function listEdited(text: string, removed: readonly number[], added: readonly Json[]): string | null {
  const { node, page, after } = at(text, ["a"]);
  return isSeq<Node>(node) ? done(text, editList(page, node, after, removed, added.map(atEnd))) : null;
}

function mapEdited(text: string, removed: readonly number[], added: JsonObject): string | null {
  const { node, page, after } = at(text, ["a"]);
  return isMap(node) ? done(text, editMap(page, node as MapNode, after, removed, added)) : null;
}

describe("a list", () => {
  const block =
    "a: # of a\n  # of x\n  - x # x\n\n  # apart\n\n  # of y\n  - y\n  # of z\n  - z # z\n# end\nb: 1\n";

  test.each<[string, string, number[], Json[], string]>([
    ["loses its first item with its comments", block, [0], [], block.replace("  # of x\n  - x # x\n", "")],
    ["loses a middle item with its comments", block, [1], [], block.replace("  # of y\n  - y\n", "")],
    ["loses its last item", block, [2], [], block.replace("  # of z\n  - z # z\n", "")],
    ["gains an item at its end", block, [], ["n"], block.replace("- z # z\n", "- z # z\n  - n\n")],
    [
      "loses and gains items",
      block,
      [2],
      ["n", { k: "v", l: [1] }],
      block.replace("  # of z\n  - z # z\n", "  - n\n  - k: v\n    l: [1]\n"),
    ],
    ["loses all items", "a: # of a\n  # of x\n  - x # x\n  - y\nb: 1\n", [0, 1], [], "a: [] # of a\nb: 1\n"],
    ["that ends a file without a line end gains an item", "a:\n- x", [], ["y"], "a:\n- x\n- y"],
    ["with CR LF", "a:\r\n  - x\r\n  - y\r\n", [0], ["z"], "a:\r\n  - y\r\n  - z\r\n"],
    ["of maps", "a:\n  - k: 1\n    l: |\n      # text\n      more\n  - k: 2\n", [0], [], "a:\n  - k: 2\n"],
    [
      "of block texts",
      "a:\n  - |\n    x\n  - >-\n    y\n    z\n  - w\n",
      [1],
      [],
      "a:\n  - |\n    x\n  - w\n",
    ],
    ["in flow style loses its first item", "a: [x, y, z] # three\n", [0], [], "a: [y, z] # three\n"],
    ["in flow style loses its last item", "a: [ x, y, z ]\n", [2], [], "a: [ x, y ]\n"],
    ["in flow style loses two items", "a: [x, y, z]\n", [0, 2], [], "a: [y]\n"],
    ["in flow style gains and loses items", "a: [x, 'y']\n", [1], ["n, n"], 'a: [x, "n, n"]\n'],
    ["in flow style loses all items and gains one", "a: [x]\n", [0], ["n"], "a: [n]\n"],
    ["in flow style gains its first item", "a: []\n", [], ["n", "o"], "a: [n, o]\n"],
    ["in flow style loses all items", "a: [x, y]\n", [0, 1], [], "a: []\n"],
    ["with a trailing comma", "a: [x, y, ]\n", [1], ["z"], "a: [x, z, ]\n"],
    [
      "in flow style over several lines",
      "a: [\n  x, # of x\n  # on y\n  y, # of y\n  z # of z\n]\n",
      [1],
      [],
      "a: [\n  x, # of x\n  z # of z\n]\n",
    ],
    [
      "in flow style over several lines loses its last item",
      "a: [\n  x, # of x\n  z # of z\n]\n",
      [1],
      ["n"],
      "a: [\n  x, n, # of x\n]\n",
    ],
  ])("%s", (_, text, removed, added, expected) => {
    const edited = listEdited(text, removed, added);
    expect(edited).toBe(expected);
    const before = parse(text).a as Json[];
    expect(parse(edited ?? "").a).toEqual([
      ...before.filter((_, index) => !removed.includes(index)),
      ...added,
    ]);
  });

  test("inside another list on the same line is not edited", () => {
    expect(listEdited("a:\n  - - x\n    - y\n", [], ["z"])).toBe("a:\n  - - x\n    - y\n  - z\n");
    const { node, page, after } = at("a:\n  - - x\n    - y\n", ["a", 0]);
    expect(isSeq<Node>(node) ? editList(page, node, after, [0], []) : "no list").toBe(null);
  });
});

describe("a map", () => {
  test.each<[string, string, number[], JsonObject, string]>([
    [
      "loses its first key with its comments",
      "a: # a\n  # k\n  k: 1 # 1\n  # l\n  l: 2\n",
      [0],
      {},
      "a: # a\n  # l\n  l: 2\n",
    ],
    [
      "loses a key with its content",
      "a:\n  k:\n    - x\n    # y\n    - y\n\n  l: 2\n",
      [0],
      {},
      "a:\n\n  l: 2\n",
    ],
    ["gains a key", "a:\n  k: [1]\n# end\n", [], { l: ["x", "y"] }, "a:\n  k: [1]\n  l: [x, y]\n# end\n"],
    ["loses and gains keys", "a:\n  k: 1\n", [0], { "l: m": "n # o" }, 'a:\n  "l: m": "n # o"\n'],
    ["loses all keys", "a: # a\n  k: 1\n  l: 2\nb: 1\n", [0, 1], {}, "a: {} # a\nb: 1\n"],
    ["in flow style loses a key", "a: { k: 1, l: 2 }\n", [0], {}, "a: { l: 2 }\n"],
    ["in flow style loses all keys but one", "a: { k: 1, l: 2, m: 3 }\n", [0, 2], {}, "a: { l: 2 }\n"],
    ["in flow style loses all keys", "a: { k: 1, l: 2 }\n", [0, 1], {}, "a: {}\n"],
    ["in flow style gains and loses keys", "a: { k: 1, l: 2 }\n", [1], { m: true }, "a: { k: 1, m: true }\n"],
    ["as JSON", '{"a": {"k": 1}}\n', [], { l: "x" }, '{"a": {"k": 1, l: x}}\n'],
  ])("%s", (_, text, removed, added, expected) => {
    const edited = mapEdited(text, removed, added);
    expect(edited).toBe(expected);
    expect(parse(edited ?? "").a).toEqual({
      ...Object.fromEntries(
        Object.entries(parse(text).a as JsonObject).filter((_, index) => !removed.includes(index)),
      ),
      ...added,
    });
  });

  test("after a dash loses its first key, and the next key takes its place", () => {
    const { node, page, after } = at("a:\n  - k: 1\n    l: 2\n", ["a", 0]);
    const edits = isMap(node) ? editMap(page, node as MapNode, after, [0], {}) : null;
    expect(done(page.text, edits)).toBe("a:\n  - l: 2\n");
  });
});

describe("a value", () => {
  const texts = [
    "plain",
    "a: b",
    "a #b",
    "it's",
    'say "x"',
    "true",
    "12",
    "",
    " x ",
    "[x",
    "{",
    "*x",
    "&x",
    "!x",
    "- x",
    "a,b",
  ];
  const hostile = Object.values(HOSTILE).filter((each) => each.length < 1_000);
  const places = [
    "a: x # c\n",
    "a: 'x' # c\n",
    'a: "x"\n',
    "a: {k: x}\n",
    "a: [x]\n",
    "a: >-\n  x\n  y\nb: 1\n",
    "a: |\n  x\nb: 1\n",
    "a: !!str x\n",
    "a:\n  x\n  y\nb: 2\n",
  ];

  test.each([...texts, ...hostile, 5, true, ["p", "q, r"]])(
    "%j is read back unchanged from any place",
    (value) => {
      for (const text of places) {
        if (text.includes("!!str") && typeof value !== "string") continue;
        const inside = text.includes("{") ? ["a", "k"] : text.includes("[") ? ["a", 0] : ["a"];
        const { node, page } = at(text, inside);
        if (node === null) throw new Error("no node at the path");
        const edited =
          done(text, [replaceValue(page, node, value, inside.length > 1 ? "flow" : "block")]) ?? "";
        const read = parse(edited);
        const found = inside.slice(1).reduce((each, step) => each[step], read.a);
        const isBlock = /[>|]/.test(text) && typeof value === "string";
        expect(isBlock ? String(found).replace(/\n$/, "") : found, edited).toEqual(
          isBlock ? value.replace(/\n$/, "") : value,
        );
        expect(edited.includes("# c")).toBe(text.includes("# c"));
        expect(read.b).toEqual(parse(text).b);
      }
    },
  );
});

test("finds no node for an edit that would change an alias or anchor elsewhere", () => {
  const text = "a: &x [1]\nb: *x\nc: &y 2\nd: { e: *x }\nf: { g: &z 1 }\nh: *z\n";
  const read = readSyntax(text, placesIn("f.yaml", text));
  const touches = (...path: string[]) =>
    (["add", "remove", "replace"] as const).filter(
      (touch) => read.ok && find(read.value, path, touch) !== null,
    );
  expect({
    a: touches("a"),
    b: touches("b"),
    c: touches("c"),
    d: touches("d"),
    "d/e": touches("d", "e"),
    f: touches("f"),
    "f/g": touches("f", "g"),
  }).toEqual({
    a: [],
    b: ["remove"],
    c: ["add", "remove", "replace"],
    d: ["add", "remove"],
    "d/e": ["remove"],
    f: ["add"],
    "f/g": [],
  });
});

describe("a block replaced by a value on one line", () => {
  function blockReplaced(text: string, value: Json): string | null {
    const { node, page, after } = at(text, ["a"]);
    return node === null ? null : done(text, replaceBlock(page, after, node, value));
  }

  test.each<[string, string, Json, string | null]>([
    [
      "loses its own comments, and the comments of its key stay",
      "a: # why\n  # x\n  - x # x\n# b\nb: 1\n",
      "all",
      "a: all # why\n# b\nb: 1\n",
    ],
    ["of a map", "a:\n  k:\n    - x\nb: 1\n", ["y"], "a: [y]\nb: 1\n"],
    ["with CR LF", "a:\r\n  - x\r\nb: 1\r\n", "all", "a: all\r\nb: 1\r\n"],
    ["that ends with a block text", "a:\n  - |\n    x\nb: 1\n", "all", "a: all\nb: 1\n"],
    ["that ends the file without a line end", "a:\n- x", "all", "a: all\n"],
    ["is not replaced if it has an anchor", "a: &x\n  - x\nb: 1\n", "all", null],
  ])("%s", (_, text, value, expected) => {
    expect(blockReplaced(text, value)).toBe(expected);
  });
});
