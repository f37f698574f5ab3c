import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planAnnotations, problemsAnnotations } from "../../src/render/annotations.js";
import { plain } from "../../src/render/safe-text.js";
import { planView } from "../../src/run/plan-formats.js";
import { HOSTILE } from "../support/hostile.js";
import { hostilePlan } from "../support/hostile-plan.js";
import { fc } from "../support/random.js";
import golden from "./golden/plan.json" with { type: "json" };

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

interface Annotation {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** Parses commands as the runner does: src/Runner.Common/ActionCommand.cs of github.com/actions/runner. */
function readByRunner(output: string): readonly Annotation[] {
  return output
    .split(/\r\n|\r|\n/)
    .filter((line) => line !== "")
    .map((line) => {
      const end = line.indexOf("::", 2);
      const head = line.slice(2, end);
      const blank = head.indexOf(" ");
      const command = blank < 0 ? head : head.slice(0, blank);
      const pairs = (blank < 0 ? "" : head.slice(blank + 1)).split(",").map((pair) => pair.split("="));
      return {
        command: line.startsWith("::") ? command : `no command: ${line}`,
        properties: Object.fromEntries(
          pairs.map(([name = "", ...value]) => [
            name,
            undone(value.join("="), ["%0D", "\r"], ["%0A", "\n"], ["%3A", ":"], ["%2C", ","], ["%25", "%"]),
          ]),
        ),
        message: undone(line.slice(end + 2), ["%0D", "\r"], ["%0A", "\n"], ["%25", "%"]),
      };
    });
}

function undone(text: string, ...pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((all, [written, meant]) => all.replaceAll(written, meant), text);
}

const problem = (detail: string, severity: "error" | "warning" = "error", file = "a.yaml", line = 1) => ({
  code: "bad",
  severity,
  summary: "Bad: a, b",
  detail,
  at: { file, line, column: 2, pointer: `/${line}`, text: "" },
});

describe("a problem as a command to the runner", () => {
  test("has a place, a title and a message", () => {
    expect(problemsAnnotations([problem("100% bad: really, yes")])).toBe(
      "::error file=a.yaml,line=1,col=2,title=Bad%3A a%2C b::100%25 bad: really, yes\n",
    );
  });

  test("has no place if the problem has none", () => {
    expect(problemsAnnotations([{ ...problem("Oh.", "warning"), at: null }])).toBe(
      "::warning title=Bad%3A a%2C b::Oh.\n",
    );
  });

  test("is parsed back unchanged and is always exactly one command", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(..."::%0AD25,=# \r\n[]a") }),
      fc.constantFrom(...Object.values(HOSTILE).filter((text) => text.length < 1_000)),
    );
    fc.assert(
      fc.property(anything, anything, (text, file) => {
        const commands = readByRunner(problemsAnnotations([problem(text, "error", file)]));
        expect(commands).toEqual([
          {
            command: "error",
            properties: { file: plain(file), line: "1", col: "2", title: "Bad: a, b" },
            message: plain(text),
          },
        ]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the limit of ten errors and ten warnings", () => {
  const many = (n: number) =>
    Array.from({ length: n }, (_, index) => problem(`No. ${index}`, "error", "a.yaml", index));
  const warned = (n: number) => many(n).map((each) => ({ ...each, severity: "warning" as const }));

  test("ten findings are all shown", () => {
    const shown = readByRunner(problemsAnnotations([...warned(10), ...many(10)]));
    expect(shown.map(({ command }) => command)).toEqual([
      ...Array(10).fill("error"),
      ...Array(10).fill("warning"),
    ]);
    expect(shown[9]?.message).toBe("No. 9");
  });

  test("of more findings, the last one counts the rest", () => {
    const shown = readByRunner(problemsAnnotations([...many(25), ...warned(11)]));
    expect(shown).toHaveLength(20);
    expect(shown[9]?.properties).toEqual({ title: "16 more" });
    expect(shown[9]?.message).toMatch(/^16 more errors:/);
    expect(shown[19]?.message).toMatch(/^2 more warnings:/);
  });
});

describe("a plan as commands to the runner", () => {
  const shown = readByRunner(planAnnotations(planView(plan, "plan")));

  test("has refusing guardrails as errors", () => {
    expect(
      shown.filter(({ command }) => command === "error").map(({ properties }) => properties.title),
    ).toEqual([
      "Apply would be refused by guardrail weakens",
      "Apply would be refused by guardrail allows_malicious",
      "Not permitted",
    ]);
  });

  test("merges the same finding at one line in many zones", () => {
    const brands = shown.filter(({ properties }) => properties.file === "templates/brand.yaml");
    expect(brands.map(({ message }) => message)).toEqual([
      'policy "All pages" would be updated. This weakens protection: script-src gains https://tags.example: more scripts may load. (in 6 zones)',
    ]);
  });

  test("merges all findings about one change at its line", () => {
    const [checkout] = shown.filter(
      ({ properties }) => properties.line === "17" && properties.title?.includes(";"),
    );
    expect(checkout?.properties).toEqual({
      file: "zones/shop.yaml",
      line: "17",
      col: "9",
      title:
        "Weakens protection; Allows malicious loads; Blocks loads that pages use today; Changed outside the files",
    });
  });

  test("has only warnings and errors", () => {
    expect(planAnnotations(planView(plan, "plan"))).not.toMatch(/^::(?!error |warning )/m);
  });

  test("of drift has only changes that weakened protection outside", () => {
    const changes = (["weakens", "strengthens"] as const).map((drift_effect) => ({
      ...plan.changes[0],
      ...{ drift_effect, key: drift_effect, effect: "weakens", origin: "drift" },
    })) as PlanDocument["changes"]; // copies of a valid change
    const drift = readByRunner(
      planAnnotations(planView({ ...plan, changes, zones: [], guardrails: [], diagnostics: [] }, "drift")),
    );
    expect(drift.map(({ command, properties }) => [command, properties.title])).toEqual([
      ["warning", "Drift: weakens protection"],
      ["warning", "Undeclared live object: weakens"],
    ]);
  });

  test("omits strengthening and neutral changes of the files", () => {
    expect(shown.filter(({ properties }) => properties.file === "zones/pay.yaml")).toHaveLength(1);
  });

  test.each(Object.entries(HOSTILE).filter(([, text]) => text.length < 1_000))(
    "has the same number of commands with any text in it: %s",
    (_, text) => {
      const commands = readByRunner(planAnnotations(planView(hostilePlan(plan, text), "plan"))).map(
        ({ command }) => command,
      );
      expect(commands).toEqual(shown.map(({ command }) => command));
    },
  );
});
