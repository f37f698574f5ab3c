import { expect, test } from "vitest";
import { GUARDRAILS } from "../../src/model/guardrails.js";
import { readDocuments } from "../support/documents.js";

test("docs/safety.md explains every guardrail", () => {
  const { codes = [] } = readDocuments().find(({ file }) => file === "docs/safety.md") ?? {};
  const explained = codes.flatMap((code) => code.match(/\w+/g) ?? []);
  expect(explained).toEqual(expect.arrayContaining([...GUARDRAILS]));
});
