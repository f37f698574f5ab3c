import { expect, test } from "vitest";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify, visit } from "yaml";
import { type Layer, locate, mergeLayers } from "../../src/config/layers.js";
import { valueAt } from "../../src/config/place.js";
import { parseSource } from "../../src/config/source.js";
import type { Path } from "../../src/model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { fc, runs } from "../support/random.js";

const flag = fc.constantFrom(true, false, null);
const settings = fc
  .constantFrom("use_service_reporting_endpoint", "use_cloudflare_reporting_endpoint")
  .chain((name) =>
    fc.dictionary(fc.constantFrom("enabled", "use_connection_url_path", "isPrototypeOf", name), flag),
  );
const sources = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 });
const value = fc.oneof(
  fc.constantFrom("script-src a", null),
  fc.dictionary(fc.constantFrom("script-src", "img-src"), fc.option(sources), { maxKeys: 2 }),
);
const policy = fc.record(
  {
    description: fc.constantFrom("p", "q", "r", "valueOf"),
    action: fc.constantFrom("log", "allow", null),
    value,
  },
  { requiredKeys: ["description"] },
);
const body: fc.Arbitrary<JsonObject> = fc.record(
  {
    settings: fc.option(settings),
    policies: fc.option(fc.uniqueArray(policy, { selector: ({ description }) => description, maxLength: 3 })),
    prune: fc.option(fc.array(fc.constant("policies"), { maxLength: 2 })),
    account_id: fc.constantFrom("ab", "cd", null),
  },
  { requiredKeys: [] },
);
const bodies = fc.array(body, { minLength: 1, maxLength: 4 });

test("merging layers equals merging trees with policies keyed by name", () => {
  fc.assert(
    fc.property(bodies, (given) => {
      expect(mergeLayers(layersOf(given))).toEqual(mergeAsTrees(given));
    }),
    { numRuns: runs(1_000) },
  );
});

test("a merged value is located at its place in the file", () => {
  fc.assert(
    fc.property(bodies, (given) => {
      const layers = layersOf(given);
      const merged = mergeLayers(layers);
      const nodes = nodesOf(textOf(given));
      for (const path of pathsIn(merged)) {
        const at = locate(layers, merged, path);
        const whole = valueAt(merged, path);
        const there = nodes.get(`${at?.line}:${at?.column}`) ?? [];
        expect(there.some((node) => isOf(node, whole, path))).toBe(true);
      }
    }),
    { numRuns: runs(500) },
  );
});

function textOf(given: readonly JsonObject[]): string {
  return stringify({
    version: 1,
    templates: Object.fromEntries(given.map((each, index) => [`t${index}`, each])),
  });
}

function layersOf(given: readonly JsonObject[]): readonly Layer[] {
  const source = parseSource("a.yaml", textOf(given));
  if (!source.ok) throw new Error("the generated text must be valid");
  return given.map((_, index) => {
    const base = ["templates", `t${index}`];
    const written = valueAt(source.value.value, base);
    return { source: source.value, base, body: isObject(written) ? written : {} };
  });
}

type Branches = ReadonlyMap<string, Tree>;
type Tree = Json | Branches;

function hasBranches(tree: Tree | undefined): tree is Branches {
  return tree instanceof Map;
}

/** A slow and simple reference implementation. */
function mergeAsTrees(given: readonly JsonObject[]): Json {
  const trees = given.map((each) => treeOf(each));
  const nothing: Tree = new Map();
  return jsonOf(trees.reduce((under, over) => laid(under, over) ?? nothing, nothing));
}

function treeOf(value: Json, key = ""): Tree {
  if (key === "policies" && isList(value)) {
    return new Map(value.map((each) => [isObject(each) ? String(each.description) : "", treeOf(each)]));
  }
  if (!isObject(value)) return value;
  return new Map(
    Object.entries(value).map(([name, each]) => {
      return [name.replace("use_service_", "use_cloudflare_"), treeOf(each, name)];
    }),
  );
}

/** undefined: the value is removed. */
function laid(under: Tree | undefined, over: Tree): Tree | undefined {
  if (over === null) return under === undefined || under === null ? null : undefined;
  if (!hasBranches(under) || !hasBranches(over)) return over;
  const merged = new Map(under);
  for (const [name, each] of over) {
    const result = laid(merged.get(name), each);
    if (result === undefined) merged.delete(name);
    else merged.set(name, result);
  }
  return merged;
}

function jsonOf(tree: Tree, key = ""): Json {
  if (!hasBranches(tree)) return tree;
  const entries = [...tree].map(([name, each]) => [name, jsonOf(each, name)] as const);
  return key === "policies" ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** Maps a line and column to the nodes that begin there. A map begins at its first key. */
function nodesOf(content: string): ReadonlyMap<string, readonly Node[]> {
  const lineCounter = new LineCounter();
  const nodes = new Map<string, Node[]>();
  visit(parseDocument(content, { lineCounter }), {
    Node: (_, node) => {
      const { line, col } = lineCounter.linePos(node.range?.[0] ?? 0);
      nodes.set(`${line}:${col}`, [...(nodes.get(`${line}:${col}`) ?? []), node]);
    },
  });
  return nodes;
}

/** A layer may have only a part of a map or of a list of policies. */
function isOf(node: Node, whole: Json | undefined, path: Path): boolean {
  if (isObject(whole)) return isMap(node);
  if (path.length === 1 && path[0] === "policies") return isSeq(node) || (whole === null && isScalar(node));
  return JSON.stringify(node) === JSON.stringify(whole);
}

function pathsIn(value: Json, path: Path = []): readonly Path[] {
  const entries = isList(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return entries.flatMap(([step, each]) => [[...path, step], ...pathsIn(each, [...path, step])]);
}
