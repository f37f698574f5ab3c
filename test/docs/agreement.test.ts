import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { allows } from "../../src/csp/index.js";
import { check, equal, evaluate, parse } from "../../src/expression/index.js";
import { comparable, engineTree } from "../expression/engine-tree.js";
import { accepted, pairs, refused } from "../expression/published.js";
import { ROOT } from "../support/cli.js";
import { attemptOf, cspVerdicts, publishedLines, publishedText } from "../support/published.js";

/**
 * Keeps the table in docs/library.md: how often the engines agree with a browser and with the service's own engine.
 * UPDATE_AGREEMENT=1 rewrites the table.
 */
const REGION = /(<!-- measured: agreement -->\n)[\s\S]*?(<!-- end of measured: agreement -->)/;

const CHECKS = "the engines' agreement with the browser and the service";

const observed = cspVerdicts(CHECKS);
// The shapes of the files are described in their README.
const evaluated = publishedLines("data/expression/eval.jsonl", CHECKS) as unknown as readonly {
  readonly expr: string;
  readonly results: readonly boolean[];
}[];
const requests: readonly Record<string, unknown>[] = JSON.parse(
  publishedText("data/expression/requests.json", CHECKS) ?? "[]",
);

interface Row {
  readonly question: string;
  readonly asked: string;
  readonly answers: readonly boolean[];
}

function rows(): readonly Row[] {
  const verdicts = observed.map((each) => ({ observed: each, verdict: allows(attemptOf(each)) }));
  const refusals = refused.filter(({ layer }) => layer === "engine");
  return [
    {
      question: "`csp.allows`: does the browser load the URL",
      asked: "Chromium",
      answers: verdicts.map((each) => each.verdict.allowed === each.observed.allowed),
    },
    {
      question: "`csp.allows`: which directive refused the URL",
      asked: "Chromium",
      answers: verdicts.flatMap((each) =>
        each.observed.allowed ? [] : [each.verdict.directive === each.observed.directive],
      ),
    },
    {
      question: "`expression.parse`: is it accepted, and as which tree",
      asked: "wirefilter",
      answers: accepted.map(({ expr, ast }) => isTree(expr, ast)),
    },
    {
      question: "`expression.check`: is it refused, and at which line and column",
      asked: "wirefilter",
      answers: refusals.map(({ expr, line, column }) => {
        const [first] = check(expr);
        return first?.severity === "error" && first.line === line && first.column === column;
      }),
    },
    {
      question: "`expression.equal`: are they the same tree",
      asked: "wirefilter",
      answers: pairs.map(({ a, b, same_engine_ast }) => equal(a, b) === same_engine_ast),
    },
    {
      question: "`expression.evaluate`: does it match the request",
      asked: "wirefilter",
      answers: evaluated.flatMap(({ expr, results }) =>
        results.map((result, index) => evaluate(expr, requests[index] ?? {}) === result),
      ),
    },
  ];
}

function isTree(text: string, ast: unknown): boolean {
  const parsed = parse(text);
  return parsed.ok && isDeepStrictEqual(plain(engineTree(parsed.tree)), plain(comparable(ast)));
}

/** Drops keys whose value is undefined. */
function plain(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree));
}

function table(of: readonly Row[]): string {
  const lines = of.map(({ question, asked, answers }) => {
    const same = answers.filter((each) => each).length;
    return `| ${question} | ${asked} | ${count(same)} of ${count(answers.length)} |`;
  });
  return ["| question | compared with | the same answer |", "|---|---|---|", ...lines].join("\n");
}

function count(of: number): string {
  return of.toLocaleString("en");
}

test.skipIf(observed.length === 0 || accepted.length === 0)(
  "docs/library.md gives the measured agreement of the engines",
  async () => {
    const file = path.join(ROOT, "docs/library.md");
    const text = await readFile(file, "utf8");
    const measured = text.replace(REGION, (_whole, begin, end) => `${begin}\n${table(rows())}\n\n${end}`);
    if (process.env.UPDATE_AGREEMENT === "1") await writeFile(file, measured);
    else expect(text).toBe(measured);
  },
);
