import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { FileText } from "../../src/config/files.js";
import { desiredFrom } from "../../src/config/index.js";
import { hasErrors, type Span } from "../../src/model/problem.js";
import { fc, runs } from "../support/random.js";

const example = readFileSync(path.join(import.meta.dirname, "../../examples/complete.yaml"), "utf8");

/** Characters and words with a meaning in YAML, in references or in the shape of a file. */
const fragments = [
  ..."{}[]:,-?&*!|>'\"%@`#~\t\r\n \\$\0\u0018\u001f\ufeff😀",
  ...[
    "- ",
    ": ",
    "? ",
    "<<: ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "\r\n",
    "&a ",
    "*a",
    "!!str ",
    "|2\n",
    "${",
    "${env:A}",
    "$${",
  ],
  ...[
    "version: 1\n",
    "zones:\n",
    "  a.example:\n",
    "policies",
    "settings",
    "null",
    "__proto__",
    "1e999",
    '"\\ud800"',
  ],
];

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((parts) => parts.join("")),
);

/** The example file with some pieces cut out and others inserted. */
const broken = fc
  .array(fc.tuple(fc.nat(), fc.nat(30), fc.constantFrom("", ...fragments)), { minLength: 1, maxLength: 4 })
  .map((edits) =>
    edits.reduce((text, [at, cut, piece]) => {
      const start = at % text.length;
      return text.slice(0, start) + piece + text.slice(start + cut);
    }, example),
  );

const words = [
  "a",
  "shop",
  "log",
  "absent",
  "policies",
  "script-src 'self'",
  "${env:A}",
  "ab12",
  "a.example",
  "isPrototypeOf",
  "",
];
const keys = [
  ...["version", "account_id", "defaults", "templates", "zones", "service", "limits", "extra_csp_directives"],
  ...["guardrails", "max_changes", "forbid"],
  ...["id", "extends", "settings", "policies", "prune", "enabled", "use_service_reporting_endpoint"],
  ...[
    "description",
    "renamed_from",
    "ensure",
    "action",
    "expression",
    "value",
    "script-src",
    "shop",
    "a.example",
    "isPrototypeOf",
  ],
];

/** Values that occur in files, mostly in wrong places. */
const { odd } = fc.letrec((tie) => ({
  odd: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...words, 0, 1, -1, 1.5, true, false, null),
    fc.array(tie("odd"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie("odd"), { maxKeys: 5 }),
  ),
}));

const policies = fc.array(
  fc.dictionary(fc.constantFrom("description", "id", "renamed_from", "ensure", "action", "value"), odd, {
    maxKeys: 4,
  }),
  { maxLength: 4 },
);
const body = fc.record(
  { extends: odd, settings: odd, policies: fc.oneof(odd, policies), prune: odd },
  { requiredKeys: [] },
);
const bodies = fc.dictionary(
  fc.constantFrom("a.example", "shop", "b.example.", "a", "isPrototypeOf"),
  fc.oneof(odd, body),
  { maxKeys: 3 },
);
const nearlyRight = fc.record(
  {
    version: fc.constant(1),
    templates: bodies,
    zones: bodies,
    defaults: fc.oneof(body, odd),
    guardrails: odd,
    service: odd,
    account_id: odd,
  },
  { requiredKeys: ["version"] },
);

const anyFile = fc.oneof(
  anyText,
  broken,
  fc
    .oneof(odd, nearlyRight, fc.jsonValue())
    .chain((value) =>
      fc.constantFrom(
        stringify(value ?? null),
        JSON.stringify(value ?? null),
        JSON.stringify(value ?? null, null, 2),
      ),
    ),
);

describe("any files", () => {
  test("are accepted or refused, and each problem points inside its file", () => {
    fc.assert(
      fc.property(fc.array(anyFile, { minLength: 1, maxLength: 3 }), (texts) => {
        const files = texts.map((text, index) => ({ file: `${index}.yaml`, text }));
        const { desired, problems } = desiredFrom(files, { A: "a", HOST: "a.example" });
        expect(desired === null).toBe(hasErrors(problems));
        for (const zone of desired?.zones ?? []) zone.open();
        for (const { at, detail } of problems) {
          if (at !== null) expectInside(at, files);
          expect(detail).toMatch(/[.?]$/);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("give the same problems twice", () => {
    fc.assert(
      fc.property(anyFile, (text) => {
        const files = [{ file: "a.yaml", text }];
        expect(desiredFrom(files, {}).problems).toEqual(desiredFrom(files, {}).problems);
      }),
      { numRuns: runs(200) },
    );
  });
});

function expectInside(at: Span, files: readonly FileText[]): void {
  const content = files.find(({ file }) => file === at.file)?.text ?? "";
  expect(isMaskOf(at.text, content.split(/\r?\n/)[at.line - 1])).toBe(true);
  expect(at.column).toBeGreaterThanOrEqual(1);
  expect(at.column).toBeLessThanOrEqual(at.text.length + 1);
  expect(at.pointer).toMatch(/^(\/|$)/);
}

/** Possibly sensitive characters of a line are shown as stars. */
function isMaskOf(shown: string, line: string | undefined): boolean {
  const fits = (char: string, index: number) => char === line?.charAt(index) || char === "*";
  return shown.length === line?.length && shown.split("").every(fits);
}
