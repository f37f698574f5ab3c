import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, zoneward } from "../support/cli.js";
import { readDocuments } from "../support/documents.js";

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

test("editors are led to the schema of this version, in the package that is published", async () => {
  const { version, files } = JSON.parse(read("package.json"));
  const [, minor = ""] = /^(\d+\.\d+)\./.exec(version) ?? [];
  const url = `https://unpkg.com/zoneward@${minor}/schemas/zoneward.schema.json`;
  expect(files).toContain("schemas");
  const settings = readDocuments()
    .flatMap(({ blocks }) => blocks)
    .find(({ text }) => text.includes('"yaml.schemas"'));
  expect(Object.keys(JSON.parse(settings?.text ?? "{}")["yaml.schemas"])).toEqual([url]);
  expect(read("docs/file-format.md")).toContain(`# yaml-language-server: $schema=${url}\n`);
  expect(read("src/export/file-text.ts")).toContain(url);
  const entry = JSON.parse(read("docs/schemastore.json"));
  expect(entry.url).toBe("https://unpkg.com/zoneward/schemas/zoneward.schema.json");
  expect(entry.fileMatch).toEqual(["zoneward.yaml", "zoneward.yml"]);
});

test("-c - is the standard input", async () => {
  const good = "version: 1\nzones: { shop.example.com: { settings: { enabled: true } } }\n";
  expect(await zoneward(["validate", "-c", "-"], { input: good })).toMatchObject({ code: 0, err: "" });
  const bad = await zoneward(["validate", "-c", "-"], { input: good.replace("enabled", "enabed") });
  expect([bad.code, bad.err]).toEqual([1, expect.stringContaining("-:2:42: error: An unknown key")]);
  const twice = await zoneward(["plan", "-c", "-", "--events", "-"], {
    input: good,
    env: { CLOUDFLARE_API_TOKEN: "x".repeat(40), CLOUDFLARE_BASE_URL: "http://127.0.0.1:9" },
  });
  expect([twice.code, twice.err]).toEqual([1, expect.stringContaining("One input for two")]);
});
