import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";
const LIVE = {
  id: "9b1f0c6ab5e7441e8f0d7d2c4a91e001",
  description: "Checkout",
  action: "log",
  enabled: true,
  expression: "true",
  value: "script-src https://live.example",
};
const scriptOf = (url: string, n: number) => ({
  id: String(n + 1).repeat(32),
  url,
  first_page_url: "https://shop.example.com/checkout/pay",
  js_integrity_score: 90,
});
const SCRIPTS = ["https://cdn.example/a.js", "https://tag.example/t.js"].map(scriptOf);

async function start(files: string, policies: readonly (typeof LIVE)[] = [LIVE], scripts = SCRIPTS) {
  const shop = { id: ID, settings: { enabled: true }, policies: [...policies], scripts };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": shop } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": files });
  return {
    run: async (...args: readonly string[]) => {
      const said = await zoneward(["suggest", ...args], { cwd, env: reaching(emulator) });
      expect(emulator.log.filter(({ method }) => method !== "GET")).toEqual([]);
      return said;
    },
    file: () => readFile(path.join(cwd, "zoneward.yaml"), "utf8"),
    events: (lines: readonly object[]) =>
      writeFile(path.join(cwd, "events.log"), lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
  };
}

const inFile = (value: string, before = "") => `# Ours
version: 1
${before}zones:
  shop.example.com:
    id: ${ID}
    policies:
      # The shop's till
      - description: Checkout # as they call it
        action: log
        expression: "true"
${value}`;

const MAP = `        value:
          script-src:
            - https://cdn.example # the shop's own
          connect-src: ["'self'"] # and nothing else
`;

test("a suggestion extends the value in the files, and only --write changes the files", async () => {
  const { run, file } = await start(inFile(MAP));
  const { out } = await run();
  expect(out).toContain("value: script-src https://cdn.example https://tag.example; connect-src 'self'\n");
  expect(await file()).toBe(inFile(MAP));
});

test("--write adds missing sources to a map and keeps everything else, comments included", async () => {
  const { run, file } = await start(inFile(MAP));
  const { code, out } = await run("--write");
  expect([code, out]).toEqual([0, expect.stringContaining("    written into zoneward.yaml\n")]);
  expect(await file()).toBe(inFile(MAP.replace("own\n", "own\n            - https://tag.example\n")));
  const again = await run("--write");
  expect(again.out).toContain('"Checkout": nothing to add\n');
});

test("--write leaves out a detected load without a host name", async () => {
  const odd = ["https://*/b.js", "https://*.com/c.js"].map((url, n) => scriptOf(url, n + 2));
  const { run, file } = await start(inFile(MAP), [LIVE], [...SCRIPTS, ...odd]);
  const { code, out } = await run("--write=reported");
  expect([code, out]).toEqual([0, expect.stringContaining("no host name")]);
  expect(await file()).toBe(inFile(MAP.replace("own\n", "own\n            - https://tag.example\n")));
});

test("an unknown policy name is reported", async () => {
  const { run } = await start(inFile(MAP));
  expect((await run("--policy", "Chekout")).out).toBe(
    "shop.example.com\n  no policy of that name limits loads\n",
  );
});

test("--write extends a value that is text", async () => {
  const text = `        value: script-src https://cdn.example # till\n`;
  const { run, file } = await start(inFile(text));
  expect((await run("--write")).out).toContain("written into zoneward.yaml");
  expect(await file()).toBe(inFile(text.replace("cdn.example", "cdn.example https://tag.example")));
});

test("an undeclared policy gets a suggestion for its live value, and is not written", async () => {
  const { run, file } = await start(`version: 1\nzones: { shop.example.com: { id: ${ID} } }\n`);
  const { code, out } = await run("--write");
  expect(code).toBe(0);
  expect(out).toContain('"Checkout" (undeclared): 2 sources to add\n');
  expect(out).toContain("not written: It is undeclared. Declare it first: zoneward adopt --new.");
  expect(await file()).toContain("version: 1\nzones: { shop");
});

test("a value in a template is not written, and its place is shown", async () => {
  const files = `version: 1
templates:
  till:
    policies:
      - { description: Checkout, action: log, expression: "true", value: "script-src https://cdn.example" }
zones:
  shop.example.com: { id: ${ID}, extends: [till] }
`;
  const { run, file } = await start(files);
  const { out } = await run("--write", "--format", "json");
  const [{ policies }] = JSON.parse(out).zones;
  expect(policies).toMatchObject([
    { name: "Checkout", stands: "declared", written: { why: expect.stringContaining("A template") } },
  ]);
  expect(await file()).toBe(files);
});

test("a zone without a policy gets a suggestion for a new one", async () => {
  const { run } = await start(`version: 1\nzones: { shop.example.com: { id: ${ID} } }\n`, []);
  const { out } = await run();
  expect(out).toContain(
    [
      "    to paste into the zone's file:",
      "      policies:",
      "        - description: What was seen",
      "          action: log",
      '          expression: "true"',
      "          value: script-src https://cdn.example https://tag.example; connect-src 'none'",
      "",
    ].join("\n"),
  );
});

/** A flood of reports for a host that the service never saw, and a detected script on a page where it was never seen. */
const FORGED = [
  ...Array.from({ length: 50 }, () => ["https://evil.cdn.example/x.js", "/checkout/pay"] as const),
  ["https://third.cdn.example/x.js", "/checkout/pay"] as const,
  ["https://tag.example/t.js", "/admin"] as const,
].map(([URL, page]) => ({
  CSPDirective: "script-src-elem",
  PageURL: `https://shop.example.com${page}`,
  ResourceType: "script",
  Timestamp: "2026-11-12T10:00:00Z",
  URL,
}));

test.each([
  ["hosts", []],
  ["wildcards, which a forged host could widen", ["--by", "wildcard:2"]],
])("--write leaves out sources that only reports ask for, and says so: %s", async (_, by) => {
  const { run, file, events } = await start(inFile(MAP));
  await events(FORGED);
  const { code, out } = await run("--write", "--events", "events.log", ...by);
  expect(code).toBe(0);
  expect(out).toMatch(/written into zoneward\.yaml, without [12] sources? that only reports ask for\n/);
  expect(await file()).toBe(inFile(MAP.replace("own\n", "own\n            - https://tag.example\n")));
});

test("--write adds nothing for a page that only reports name, even if the script was detected on another page", async () => {
  const admin = inFile(MAP).replace('"true"', `starts_with(http.request.uri.path, "/admin")`);
  const { run, file, events } = await start(admin);
  await events(FORGED);
  const { out } = await run("--write", "--events", "events.log");
  expect(out).toContain("+ https://tag.example  1 script\n");
  expect(out).toContain("not written: Reports only; reports can be forged.");
  expect(await file()).toBe(admin);
});

test("--write=reported also writes sources that only reports ask for", async () => {
  const { run, file, events } = await start(inFile(MAP));
  await events(FORGED);
  const { out } = await run("--write=reported", "--events", "events.log");
  expect(out).toContain("    written into zoneward.yaml\n");
  expect(await file()).toContain("            - https://evil.cdn.example\n");
});
