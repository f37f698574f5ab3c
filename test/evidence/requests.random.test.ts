import { expect, test } from "vitest";
import { askingLines } from "../../src/evidence/request-counts.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { parsedExpression } from "../../src/expression/parse/parse.js";
import { fc, runs, untilMet } from "../support/random.js";
import { type LoggedRequest, loggedRequest, tellable, untellable } from "../support/request-lines.js";

const LINES = 250;
const many = fc.array(loggedRequest, { minLength: LINES, maxLength: LINES });

/** What lines answer: `true`, `false`, or `unknown`. */
function answersOf(text: string, requests: readonly LoggedRequest[]): readonly string[] {
  const parsed = parsedExpression(text);
  if (!parsed.ok) throw new Error(text);
  const asked = askingLines([parsed.tree]);
  return requests.map(({ line }) => {
    // As a file has it.
    const answer = asked(JSON.parse(JSON.stringify(line)))(parsed.tree);
    return typeof answer === "boolean" ? String(answer) : "unknown";
  });
}

test("lines answer what the engine answers of what they tell", async () => {
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

test("what a line decides is so of the whole request, and of headers that it does not have nothing is decided", async () => {
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
