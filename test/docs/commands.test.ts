import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readArguments } from "../../src/cli/arguments.js";
import { commands } from "../../src/cli/commands.js";
import { everywhere } from "../../src/cli/shared-flags.js";
import { EXIT } from "../../src/run/exit-codes.js";
import { ROOT } from "../support/cli.js";
import { commandLines } from "../support/command-lines.js";
import { type MarkdownFile, readDocuments, readMarkdown } from "../support/documents.js";

const documents = readDocuments();
const flags = new Set([...commands.flatMap((each) => each.flags), ...everywhere].map(({ name }) => name));

/** CONTRIBUTING.md is left out: its flags belong to the scripts of this repository. */
const forUsers = documents.filter(({ file }) => file !== "CONTRIBUTING.md");

/** Names that belong to other programs. */
const foreign = /^(cloudflare_.*|for_each|workflow_dispatch)$/;

describe("the documents", () => {
  test.each(documents)("$file has only command lines that zoneward understands", (document) => {
    expect(linesOf(document).flatMap((line) => refusal(line) ?? [])).toEqual([]);
  });

  test.each(forUsers)("$file names only existing flags", ({ codes }) => {
    const named = codes.flatMap((code) => /^--([\w-]+)/.exec(code)?.[1] ?? []);
    expect(named.filter((name) => !flags.has(name))).toEqual([]);
  });

  // The generator of docs/problems.md compares its codes with src, which puts some of them together.
  test.each(documents.filter(({ file }) => file !== "docs/problems.md"))(
    "$file names only keys that exist in the source",
    ({ codes }) => {
      const named = codes.filter((code) => /^[a-z]+(_[a-z]+)+$/.test(code) && !foreign.test(code));
      expect(named.filter((word) => !new RegExp(`\\b${word}\\b`).test(source))).toEqual([]);
    },
  );

  test("contain at least 40 command lines", () => {
    expect(documents.flatMap(linesOf).length).toBeGreaterThan(40);
  });

  test("list every exit code and every environment variable", () => {
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

/** Why the program refuses the command line; null if it accepts it. */
function refusal([name = "", ...rest]: readonly string[]): string | null {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return `Unknown command ${name}.`;
  const parsed = readArguments(command, rest);
  return parsed.ok ? null : `zoneward ${[name, ...rest].join(" ")}: ${parsed.complaint}`;
}
