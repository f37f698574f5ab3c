import { writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { lineEvaluator } from "../../src/evidence/line-counts.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { parsedExpression } from "../../src/expression/parse/parse.js";
import { folderWith, zoneward } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { type LoggedRequest, loggedRequest, tellable, untellable } from "../support/request-lines.js";

const LINES = 250;
const many = fc.array(loggedRequest, { minLength: LINES, maxLength: LINES });

/** The answer for a set of lines: `true`, `false` or `unknown`. */
function answersOf(text: string, requests: readonly LoggedRequest[]): readonly string[] {
  const parsed = parsedExpression(text);
  if (!parsed.ok) throw new Error(text);
  const asked = lineEvaluator([parsed.tree]);
  return requests.map(({ line }) => {
    // Through JSON, as a log file has it.
    const answer = asked(JSON.parse(JSON.stringify(line)))(parsed.tree);
    return typeof answer === "boolean" ? String(answer) : "unknown";
  });
}

test("a line answers as the engine does for the fields that the line has", async () => {
  await untilMet(
    { true: 50, false: 50, unknown: 50 },
    (met) =>
      fc.property(tellable, many, (text, requests) => {
        const answers = answersOf(text, requests);
        for (const each of answers) met(each);
        expect(answers).toEqual(requests.map(({ told }) => String(evaluate(text, told))));
      }),
    runs(400),
  );
});

test("an answer from a line holds for the whole request, and missing headers decide nothing", async () => {
  await untilMet(
    { decided: 50, undecided: 50 },
    (met) =>
      fc.property(untellable, many, (text, requests) => {
        const answers = answersOf(text, requests);
        const wholes = requests.map(({ whole }) => String(evaluate(text, whole)));
        for (const [index, answer] of answers.entries()) {
          met(answer === "unknown" ? "undecided" : "decided");
          if (answer !== "unknown") expect(answer).toBe(wholes[index]);
        }
      }),
    runs(400),
  );
});

/** Lines of other datasets and invalid lines. */
const NOISE = [
  '{"Action":"log","CSPDirective":"script-src","PolicyID":"p","URL":"inline","URLHost":""}',
  '{"Action":"block","ClientRequestHost":"shop.example.com","ClientRequestPath":"/","Datetime":1}',
  '{"ClientRequestURI":"/cut',
  "[]",
];

/** The same time in all forms that log-push jobs write. */
const TIMES = [1_793_577_600, 1_793_577_600_000, "1793577600000000000", "2026-11-02T00:00:00Z"];

test("counts over compressed, mixed and truncated files equal the engine's answers line by line", async () => {
  const folder = await folderWith({});
  const noisy = fc.array(
    fc.tuple(loggedRequest, fc.option(fc.constantFrom(...NOISE)), fc.constantFrom(...TIMES)),
    {
      minLength: LINES,
      maxLength: LINES,
    },
  );
  await untilMet(
    { matches: 50, other: 50, undecided: 50, noise: 50 },
    (met) =>
      fc.asyncProperty(tellable, noisy, async (text, requests) => {
        const expected = { true: 0, false: 0, unknown: 0 };
        for (const { told } of requests.map(([request]) => request)) expected[`${evaluate(text, told)}`] += 1;
        const lines = requests.flatMap(([{ line }, noise, time]) => [
          `${JSON.stringify({ ...line, RayID: "a", EdgeStartTimestamp: time, ClientRequestPath: undefined })}\n`,
          ...(noise === null ? [] : [`${noise}\n`]),
        ]);
        const half = lines.length >> 1;
        const members = [lines.slice(0, half), lines.slice(half)].map((some) => gzipSync(some.join("")));
        await writeFile(path.join(folder, "a.log.gz"), Buffer.concat(members));
        const args = ["expression", "match", text, "--requests", "a.log.gz", "--format", "json"];
        const { code, out } = await zoneward(args, { cwd: folder });
        expect(code).toBe(0);
        const { matches, does_not_match, undecided, left_out } = JSON.parse(out);
        const noise = requests.filter(([, each]) => each !== null).length;
        expect({
          true: matches.lines,
          false: does_not_match.lines,
          unknown: undecided.lines,
          noise: left_out.other_datasets + left_out.broken,
        }).toEqual({ ...expected, noise });
        met("matches", expected.true);
        met("other", expected.false);
        met("undecided", expected.unknown);
        met("noise", noise);
      }),
    runs(400),
  );
});
