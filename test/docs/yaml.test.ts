import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { guardrailsFrom, readText } from "../../src/config/index.js";
import { validate } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { folderWith, ROOT } from "../support/cli.js";
import { itIs } from "../support/clock.js";
import { readDocuments } from "../support/documents.js";

/** A block with `version:` is a whole file. */
const files = readDocuments().flatMap(({ file, blocks }) =>
  blocks
    .filter(({ language, text }) => language === "yaml" && /^version: 1$/m.test(text))
    .map(({ text }, index) => ({ name: `${file}, file ${index + 1}`, text })),
);

describe("the desired-state files in the documents", () => {
  test.each(files)("$name is valid", async ({ text }) => {
    itIs("2026-11-24");
    const cwd = await folderWith({ "zoneward.yaml": text });
    const { ok, problems } = await validate({ cwd, environment: {} });
    expect({ ok, problems: problems.filter(({ accepted }) => accepted === undefined) }).toEqual({
      ok: true,
      problems: [],
    });
  });
});

test("the guardrails example is a valid guardrails file", async () => {
  const read = await readText("examples/guardrails.yaml", ROOT);
  if (!read.ok) throw new Error("examples/guardrails.yaml is unreadable");
  expect(guardrailsFrom(read.value)).toMatchObject({ ok: true, value: { limits: { max_deletes: 3 } } });
});

describe("the examples of the file format", () => {
  test("exist for every section, and each is valid", async () => {
    const names = await readdir(path.join(ROOT, "docs/examples"));
    expect(names.sort()).toEqual(kinds.map(({ section }) => `${section}.yaml`).sort());
    for (const config of names)
      expect(await validate({ cwd: path.join(ROOT, "docs/examples"), config, environment: {} })).toEqual({
        ok: true,
        problems: [],
      });
  });
});
