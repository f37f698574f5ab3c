import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import type { Json } from "../../src/model/json.js";
import { type Alter, altering } from "../support/altering-service.js";
import { folderWith, zoneward } from "../support/cli.js";

const FILE = `version: 1
zones:
  good.example:
    policies: [{ description: Kept, action: allow, expression: "true", value: "script-src 'self'" }]
  odd.example:
    policies: [{ description: Kept, action: allow, expression: "true", value: "script-src 'self'" }]
`;

const KEPT = {
  description: "Kept",
  action: "allow",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
};

/** Plans two zones and alters the answers for one of them. Only that zone may fail, with one error. */
async function planned(path: RegExp, alter: (text: string) => string) {
  const zone = { policies: [KEPT, { ...KEPT, description: "Other" }] };
  const emulator = await createEmulator({ seed: { zones: { "good.example": zone, "odd.example": zone } } });
  onTestFinished(() => emulator.close());
  const odd = emulator.zones["odd.example"] ?? "";
  const alterOdd: Alter = (at, text) => (at.includes(odd) && path.test(at) ? alter(text) : undefined);
  const env = await altering(emulator, alterOdd);
  const cwd = await folderWith({ "zoneward.yaml": FILE });
  const ran = await zoneward(["plan", "--format", "json"], { cwd, env });
  return { ...ran, document: JSON.parse(ran.out) };
}

function changed(text: string, change: (envelope: { result: Json[]; [key: string]: Json }) => Json): string {
  return JSON.stringify(change(JSON.parse(text)));
}

const POLICIES = /page_shield\/policies/;

const odd: readonly (readonly [sentence: string, alter: (text: string) => string, says: RegExp])[] = [
  [
    "is nested too deeply",
    () => `{"success":true,"result":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    /GET \S+policies returned HTTP 200 and a body of more than 100 levels/,
  ],
  [
    "reports more policies than it has",
    (text) =>
      changed(text, ({ result, ...rest }) => ({
        ...rest,
        result: result.slice(1),
        result_info: { page: 1, per_page: 1, count: 1, total_count: 2, total_pages: 2 },
      })),
    /1 items? of a list that counts 2/,
  ],
  [
    "has two policies with the same id",
    (text) =>
      changed(text, ({ result, ...rest }) => ({
        ...rest,
        result: result.map((each) => ({ ...(each as object), id: "a".repeat(32) })),
      })),
    /two objects with the id a{32}/,
  ],
  [
    "has a policy whose description is not text",
    (text) =>
      changed(text, ({ result, ...rest }) => ({
        ...rest,
        result: result.map((each) => ({ ...(each as object), description: 5 })),
      })),
    /with the description 5, which is not a string/,
  ],
];

describe("an answer", () => {
  test.each(odd)("that %s fails its own zone only", async (_sentence, alter, says) => {
    const { code, err, document } = await planned(POLICIES, alter);
    expect(code).toBe(1);
    expect(document.calls).toEqual([]);
    expect(document.zones).toMatchObject([
      { zone: "good.example", status: "planned" },
      { zone: "odd.example", status: "failed" },
    ]);
    expect(JSON.stringify(document.zones[1])).toMatch(says);
    expect(err).not.toMatch(/^\s+at /m);
  });
});

describe("a file that is nested too deeply", () => {
  test.each([
    ["in brackets", `version: 1\nzones: ${"[".repeat(5000)}${"]".repeat(5000)}\n`, 2],
    ["in lists", `version: 1\nzones:\n  ${"- ".repeat(5000)}x\n`, 3],
    [
      "in maps",
      `version: 1\nzones:\n${Array.from({ length: 5000 }, (_, n) => `${" ".repeat(n + 1)}a:\n`).join("")}`,
      43,
    ],
  ])("%s is reported at its place", async (_how, text, line) => {
    const cwd = await folderWith({ "zoneward.yaml": text });
    const { code, err } = await zoneward(["validate"], { cwd });
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^zoneward\\.yaml:${line}:\\d+: error: `, "m"));
    expect(err).toContain("levels deep");
    expect(err).not.toMatch(/^\s+at /m);
  });

  test("in the filter of a job is reported at its place", async () => {
    const filter = `{"where":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    const job = `{ name: a, dataset: http_requests, destination_conf: "\${secret:D}", fields: [ClientIP], extra: { filter: '${filter}' } }`;
    const text = `version: 1\nzones:\n  a.example:\n    logpush_jobs:\n      - ${job}\n`;
    const cwd = await folderWith({ "zoneward.yaml": text });
    const { code, err } = await zoneward(["validate"], { cwd, env: { D: "s3://a/b" } });
    expect(code).toBe(1);
    expect(err).toMatch(/^zoneward\.yaml:5:\d+: error: Invalid filter/m);
  });
});
