import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readArguments } from "../../src/cli/arguments.js";
import { commands } from "../../src/cli/commands.js";
import { everywhere } from "../../src/cli/flags.js";
import { EXIT } from "../../src/run/exit.js";
import { ROOT } from "../support/cli.js";
import { commandLines } from "../support/command-lines.js";
import { type MarkdownFile, readDocuments, readMarkdown } from "../support/documents.js";

const documents = readDocuments();
const flags = new Set([...commands.flatMap((each) => each.flags), ...everywhere].map(({ name }) => name));

/** CONTRIBUTING is about the scripts of the repository. */
const forUsers = documents.filter(({ file }) => file !== "CONTRIBUTING.md");

/** Words of other programs. */
const foreign = /^(cloudflare_.*|for_each|workflow_dispatch)$/;

describe("the documents", () => {
  test.each(documents)("$file has only command lines that zoneward understands", (document) => {
    expect(linesOf(document).flatMap((line) => refusal(line) ?? [])).toEqual([]);
  });

  test.each(forUsers)("$file names only flags that there are", ({ codes }) => {
    const named = codes.flatMap((code) => /^--([\w-]+)/.exec(code)?.[1] ?? []);
    expect(named.filter((name) => !flags.has(name))).toEqual([]);
  });

  // The generator of docs/problems.md compares its codes with src, which puts some of them together.
  test.each(documents.filter(({ file }) => file !== "docs/problems.md"))(
    "$file names only keys and words that there are",
    ({ codes }) => {
      const named = codes.filter((code) => /^[a-z]+(_[a-z]+)+$/.test(code) && !foreign.test(code));
      expect(named.filter((word) => !new RegExp(`\\b${word}\\b`).test(source))).toEqual([]);
    },
  );

  test("have lines to look at", () => {
    expect(documents.flatMap(linesOf).length).toBeGreaterThan(40);
  });

  test("tell every exit code and every variable that the program looks at", () => {
    const { codes } = readMarkdown("docs/commands.md");
    const text = readFileSync(path.join(ROOT, "docs/commands.md"), "utf8");
    for (const code of Object.values(EXIT)) expect(text).toContain(`\n| ${code} |`);
    const variables = new Set(source.match(/\b(CLOUDFLARE|ZONEWARD)_[A-Z]+(_[A-Z]+)*\b/g));
    expect([...variables].filter((name) => !codes.some((code) => code.startsWith(name)))).toEqual([]);
  });
});

const source = [
  ...readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join("src", file)),
  "schemas/zoneward.schema.json",
  "schemas/plan.schema.json",
  "schemas/doctor.schema.json",
]
  .map((file) => readFileSync(path.join(ROOT, file), "utf8"))
  .join("\n");

function linesOf({ blocks, codes }: MarkdownFile): readonly (readonly string[])[] {
  const scripts = blocks.filter(({ language }) => ["", "sh", "console", "yaml"].includes(language));
  return [
    ...scripts.map(({ text }) => text),
    ...codes.filter((code) => /^(npx )?zoneward [a-z]/.test(code)),
  ].flatMap(commandLines);
}

/** What the program would say of the line; null: it is understood. */
function refusal([name = "", ...rest]: readonly string[]): string | null {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return `There is no command ${name}.`;
  const parsed = readArguments(command, rest);
  return parsed.ok ? null : `zoneward ${[name, ...rest].join(" ")}: ${parsed.complaint}`;
}
