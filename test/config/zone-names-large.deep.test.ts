import { describe, expect, test } from "vitest";
import { desiredFrom, secretVariables } from "../../src/config/index.js";

/** Formats problems as `line:column code: detail`. */
function problemLines(text: string): readonly string[] {
  const { problems } = desiredFrom([{ file: "a.yaml", text }], {}, "plan");
  return problems.map(({ code, detail, at }) => `${at?.line}:${at?.column} ${code}: ${detail}`);
}

describe("a file that expands to more text than allowed", () => {
  const many = (count: number, text: string) => Array.from({ length: count }, () => text).join("");
  const long = `vars: { A: ${many(200_000, "a")} }`;
  const policy = "description: a, action: log";
  const listing = (texts: string) => `unmanaged: { policies: [${texts}] }`;

  test.each([
    ["in one text", `zones: { a.example: { ${long}, ${listing(`"${many(1200, "${vars.A}")}"`)} } }`],
    [
      "in many zones",
      `templates: { t: { ${long}, policies: [{ ${policy}, expression: "true", value: "script-src 'self' \${vars.A}" }] } }\nzones:\n${Array.from({ length: 1_200 }, (_, index) => `  z${index}.example: { extends: [t] }\n`).join("")}`,
    ],
    [
      "by empty values",
      `templates: { t: { vars: { A: "" }, ${listing(`"${many(100_000, "${vars.A}")}"`)} } }\nzones:\n${Array.from({ length: 200 }, (_, index) => `  z${index}.example: { extends: [t] }\n`).join("")}`,
    ],
  ])("is refused: %s", (_, rest) => {
    expect(problemLines(`version: 1\n${rest}\n`)).toEqual([
      expect.stringMatching(/ too_much_text: .* 50 million characters/),
    ]);
  });

  test("is refused: by templates with many entries, in many zones", () => {
    const policies = many(3_000, `{ ${policy}, expression: "true", value: "script-src 'self'" }, `);
    const zones = Array.from({ length: 3_000 }, (_, index) => `  z${index}.example: { extends: [t] }\n`);
    expect(
      problemLines(`version: 1\ntemplates: { t: { policies: [${policies}] } }\nzones:\n${zones.join("")}`),
    ).toEqual([expect.stringMatching(/ too_much_text: .* 50 million characters/)]);
  });

  test("is refused: by lists that differ in each zone", () => {
    const templates = `t: { ${listing(many(30_000, "a, "))}, policies: [{ ${policy}, expression: 'http.host eq "\${zone}"', value: "script-src 'self'" }] }`;
    const zones = Array.from({ length: 1_200 }, (_, index) => `  z${index}.example: { extends: [t] }\n`).join(
      "",
    );
    expect(problemLines(`version: 1\ntemplates: { ${templates} }\nzones:\n${zones}`)).toEqual([
      expect.stringMatching(/ too_much_text: .* 50 million characters/),
    ]);
  });

  test.each([
    ["a destination", "${vars.A}"],
    ["the name of a secret", "${secret:LOGS_${vars.A}}"],
  ])("finds the secrets of 20,000 jobs and 20,000 zones: %s", (_, destination) => {
    const jobs = Array.from(
      { length: 20_000 },
      (_, index) => `{ name: "${index}", destination_conf: "${destination}${index % 900}" }`,
    );
    const zones = Array.from(
      { length: 20_000 },
      (_, index) => `  z${index}.example: { vars: { A: "\${env:V${index}}" } }`,
    );
    const yaml = `version: 1\ntemplates: { t: { logpush_jobs: [${jobs.join(",")}] } }\nzones:\n${zones.join("\n")}\n`;
    const environment = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        [`V${index}`, String(index)],
        [`LOGS_${index}`, "x"],
      ]).flat(),
    );
    expect(secretVariables([{ file: "a.yaml", text: yaml }], environment).length).toBeGreaterThan(99);
  });

  test("treats all variables as secrets if there are too many generated names", () => {
    const jobs = Array.from(
      { length: 2_000 },
      (_, index) => `{ destination_conf: "\${secret:A\${vars.A}${index}}" }`,
    );
    const yaml = `version: 1\ntemplates: { t: { logpush_jobs: [${jobs.join(",")}] } }\n`;
    expect(secretVariables([{ file: "a.yaml", text: yaml }], { B: "b" }).map(({ name }) => name)).toEqual([
      "B",
    ]);
  });

  test("is scanned once per text, however many aliases refer to it", () => {
    const yaml = `version: 1\nzones: { a.example: { ${listing(`&a "\\x24{secret:S}${many(1_000_000, "a")}"${many(600, ", *a")}`)} } }\n`;
    const names = secretVariables([{ file: "a.yaml", text: yaml }], {}).map(({ name }) => name);
    expect(names).toEqual([`S`]);
  });

  test.each([
    ["${", 400_000],
    ["${secret:${a", 80_000],
    ["${a${b", 150_000],
    ["${secret:A_${vars.", 60_000],
    ["${env:A:-", 120_000],
    ["${secret:A_${vars.B}", 50_000],
    ["vars.${env:", 100_000],
  ])("is scanned in linear time: %s, %d times", (part, count) => {
    const problems = problemLines(
      `version: 1\nzones: { a.example: { ${listing(`'${many(count, part)}'`)} } }\n`,
    );
    expect(problems.length).toBeGreaterThan(0);
  });
});
