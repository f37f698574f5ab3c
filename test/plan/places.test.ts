import { expect, onTestFinished, test } from "vitest";
import { createEmulator, plan } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

const live = {
  settings: { enabled: true },
  policies: [
    { description: "A", action: "allow", expression: "true", value: "script-src 'self'", enabled: true },
    { description: "B", action: "log", expression: "true", value: "img-src 'self'", enabled: true },
  ],
};

const FILE = `version: 1
templates:
  pages:
    policies:
      - description: B
        action: log
        expression: "true"
        value: img-src *
        enabled: true
zones:
  a.example.com:
    extends: [pages]
    policies:
      - description: A
        action: allow
        expression: "true"
        value:
          script-src: ["'self'", cdn.example.com]
        enabled: true
      - description: New
        action: log
        expression: "true"
        value: img-src 'self'
        enabled: true
  b.example.com:
    policies:
      - description: A
        action: log
        expression: "true"
        value: script-src 'self'
        enabled: true
guardrails:
  forbid: [weakens]
`;

async function planned() {
  const zones = { "a.example.com": live, "b.example.com": live };
  const emulator = await createEmulator({ seed: { zones } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": FILE });
  const { document, problems } = await plan({ cwd, environment: reaching(emulator) });
  if (document === null) throw new Error(JSON.stringify(problems));
  return document;
}

test("a changed field has the place of its key, in a template too; fields of a new object have none", async () => {
  const { changes } = await planned();
  const places = changes.map(({ zone, key, fields }) => [
    zone.slice(0, 1),
    key,
    fields.flatMap(({ path, source }) =>
      source === undefined ? [] : [`${path} ${source.line}:${source.column}`],
    ),
  ]);
  expect(places).toEqual([
    ["a", "B", ["value 8:9"]],
    ["a", "A", ["value 18:11"]],
    ["a", "New", []],
    ["b", "A", ["action 28:9"]],
  ]);
});

test("a changed directive of a CSP map has the place of its own key", async () => {
  const zones = {
    "a.example.com": {
      policies: [
        { description: "Own", value: "default-src 'self'; script-src 'self'; img-src 'self'" },
        { description: "Template", value: "default-src 'self'; script-src 'self'" },
        { description: "Gone", value: "default-src 'self'; script-src 'self'" },
      ].map((each) => ({ ...each, action: "allow", expression: "true", enabled: true })),
    },
  };
  const emulator = await createEmulator({ seed: { zones } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1
templates:
  pages:
    policies:
      - description: Template
        value:
          default-src: ["'self'"]
          script-src:
            - "'self'"
            - cdn.example.com
zones:
  a.example.com:
    extends: [pages]
    policies:
      - description: Own
        value:
          default-src: ["'self'"]
          script-src: ["'self'"]
          img-src:
            - "'self'"
            - cdn.example.com
      - description: Gone
        value:
          default-src: ["'self'"]
`,
  });
  const { document } = await plan({ cwd, environment: reaching(emulator) });
  const places = document?.changes.map(({ key, fields }) => [key, fields.map(({ source }) => source?.line)]);
  expect(places).toEqual([
    ["Template", [8]],
    ["Own", [19]],
    ["Gone", [23]],
  ]);
});

test("a refusal names its changes", async () => {
  const { guardrails, changes } = await planned();
  expect(guardrails.map(({ zone, changes: own }) => [zone, own])).toEqual([
    ["a.example.com", [0, 1]],
    ["b.example.com", [3]],
  ]);
  for (const { zone, changes: own = [] } of guardrails)
    for (const each of own) expect(changes[each]).toMatchObject({ zone, effect: "weakens" });
});

test("a zone that cannot be planned has its error first", async () => {
  const emulator = await createEmulator({ seed: { zones: { "a.example.com": live } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1
service: { limits: { policies: 2 } }
zones:
  a.example.com:
    policies:
      - { description: C, action: log, expression: "true", value: "img-src 'self'" }
`,
  });
  const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
  expect(document?.diagnostics.map(({ code }) => code)).toEqual(["looks_renamed", "quota_full"]);
  expect(document?.zones.map(({ problem }) => problem?.code)).toEqual(["quota_full"]);
});
