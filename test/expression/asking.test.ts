import { expect, test } from "vitest";
import { evaluator } from "../../src/expression/evaluate/asking.js";
import { requestOf } from "../../src/expression/evaluate/request.js";
import { parse } from "../../src/expression/parse/parse.js";
import type { Expression } from "../../src/expression/tree.js";

test("answers requests in any order, even after one request exceeds its budget", () => {
  const ask = evaluator();
  const one = ask(requestTo("/a"));
  expect(one(treeOf('http.request.uri.path eq "/a"')).answer).toBe(true);
  const long = ask(requestTo(`/${letters(60_000)}`));
  const patterns = Array.from(
    { length: 20 },
    (_, n) => `http.request.uri.path matches "(a|b)*a(a|b){${80 + n}}c"`,
  );
  expect(long(treeOf(patterns.join(" or "))).answer).toEqual([]);
  expect(one(treeOf('starts_with(http.request.uri.path, "/a")')).answer).toBe(true);
});

test("an answer takes the same work after its expression was read again", () => {
  const text = `ip.src in {${Array.from({ length: 200 }, (_, n) => `192.0.2.${n}`).join(" ")}}`;
  const tree = treeOf(text);
  const ask = evaluator();
  const workOf = (each: Expression) => ask({ "ip.src": "198.51.100.1" })(each).work;
  const [first, again, readAgain] = [tree, tree, treeOf(text)].map(workOf);
  expect([first, again]).toEqual([readAgain, readAgain]);
});

/** Letters in a fixed, non-repeating order. Patterns match repeating letters too quickly for this test. */
function letters(count: number): string {
  let state = 7;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % 65_536 < 32_768 ? "a" : "b";
  }).join("");
}

function requestTo(path: string) {
  const made = requestOf(`https://shop.example.com${path}`);
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  return made.value;
}

function treeOf(text: string): Expression {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.tree;
}
