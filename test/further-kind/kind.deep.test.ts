import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import type { Seed } from "../../src/index.js";
import { folderWith, ROOT } from "../support/cli.js";

/**
 * CONTRIBUTING.md says what a new kind needs: a folder in src/kinds and a line in the registry; except for a phase of rules,
 * a resource of the emulator and lines in its registry; scenarios, an example, and generated files. This test adds a
 * collection, an object and a phase in that way to a copy of the source. Their files are beside this one, in the folders
 * where they belong. The added lines are below.
 */
const FIXTURE = path.join(ROOT, "test/further-kind");

/** By file: the text to find, and its replacement. */
const lines: { readonly [file: string]: readonly (readonly [found: RegExp, put: string])[] } = {
  "src/kinds/index.ts": [
    [/^/, 'import { configRule } from "./config-rules/index.js";\n'],
    [/^/, 'import { lockdown } from "./lockdown/index.js";\n'],
    [/^/, 'import { urlNormalization } from "./url-normalization/index.js";\n'],
    [/(?<=kinds: readonly Kind\[\] = \[[^\]]*)\]/, "  lockdown,\n  urlNormalization,\n  configRule,\n]"],
  ],
  "src/emulator/resources/index.ts": [
    [/^/, 'import { lockdowns } from "./lockdowns.js";\n'],
    [/^/, 'import { urlNormalization } from "./url-normalization.js";\n'],
    [
      /(?<=zoneResources: readonly Resource<ZoneSeed>\[\] = \[[^\]]*)\]/,
      "  lockdowns,\n  urlNormalization,\n]",
    ],
    [
      /(?<=interface ZoneSeed [^}]*)\}/,
      "  readonly lockdowns?: readonly JsonObject[];\n  readonly url_normalization?: JsonObject;\n}",
    ],
  ],
};

const COPIED = [
  ...["src", "test", "scripts", "docs", "schemas", "examples", "bench"],
  ...["package.json", "tsconfig.json", "vitest.config.ts", "action.yml", "README.md", "CONTRIBUTING.md"],
  ...["biome.json", "CHANGELOG.md"],
];

let copy: string;
let generated: string;

beforeAll(() => {
  // Next to the installed packages, in a folder that no tool takes for a part of the project.
  copy = mkdtempSync(path.join(ROOT, "node_modules/.further-kind-"));
  for (const each of COPIED) cpSync(path.join(ROOT, each), path.join(copy, each), { recursive: true });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  for (const each of ["test/further-kind", "test/scenarios"])
    rmSync(path.join(copy, each), { recursive: true });
  for (const each of added) cpSync(path.join(FIXTURE, each), path.join(copy, each));
  for (const [file, changes] of Object.entries(lines)) {
    const text = changes.reduce((before, [found, put]) => replaced(before, found, put), textOf(copy, file));
    writeFileSync(path.join(copy, file), text);
  }
  generated = runs("scripts/generate.mjs");
}, 300_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The added files. */
const added = filesIn(FIXTURE).filter((file) => !file.endsWith(".deep.test.ts"));

test("a new kind is a folder, a scenario, an example, usually a resource, and lines in two registries", () => {
  const folders = new Set(added.map((file) => (file.startsWith("src/kinds/") ? path.dirname(file) : file)));
  expect([...folders].sort()).toEqual([
    "docs/examples/config_rules.yaml",
    "docs/examples/lockdowns.yaml",
    "docs/examples/url_normalization.yaml",
    "src/emulator/resources/lockdowns.ts",
    "src/emulator/resources/url-normalization.ts",
    "src/kinds/config-rules",
    "src/kinds/lockdown",
    "src/kinds/url-normalization",
    "test/scenarios/config-rules.txt",
    "test/scenarios/lockdowns.txt",
  ]);
  expect(Object.keys(lines)).toEqual(["src/kinds/index.ts", "src/emulator/resources/index.ts"]);
});

test("all other differences come from the generator", () => {
  const before = new Set(filesIn(ROOT, COPIED));
  const differing = filesIn(copy, COPIED).filter(
    (file) => !before.has(file) || textOf(copy, file) !== textOf(ROOT, file),
  );
  const written = /Wrote (.*)\.\n/.exec(generated)?.[1]?.split(", ") ?? [];
  expect(written.length).toBeGreaterThan(0);
  expect(differing.sort()).toEqual([...new Set([...added, ...Object.keys(lines), ...written])].sort());
});

test("a new kind type-checks", () => {
  // The other tests do not import it.
  const project = { extends: "./tsconfig.json", include: ["src", "test/scenarios.test.ts"] };
  writeFileSync(path.join(copy, "tsconfig.further.json"), JSON.stringify(project));
  expect(runs("node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.further.json")).toBe("");
});

test("the general tests pass with a scenario of each new kind, and no other file contains their names", () => {
  const stories = added.filter((file) => file.startsWith("test/scenarios/"));
  const files = [
    ...["test/scenarios.test.ts", "test/architecture.test.ts", "test/docs/yaml.test.ts"],
    ...["test/emulator/permissions.test.ts", "test/config/bad-input.test.ts", "test/cli/doctor.test.ts"],
    ...["test/cli/export-template.test.ts", "test/cli/export-fields.test.ts"],
    "test/strength/single-changes.test.ts",
  ];
  writeFileSync(path.join(copy, ONE_PROJECT), oneProject(files));
  runs(
    "node_modules/vitest/vitest.mjs",
    "run",
    `--config=${ONE_PROJECT}`,
    "--reporter=default",
    "--reporter=json",
    "--outputFile=report.json",
  );
  const report: Report = JSON.parse(textOf(copy, "report.json"));
  const passed = files.map((file) => report.testResults.find(({ name }) => name === path.join(copy, file)));
  expect(passed[0]?.assertionResults, "each in each dialect").toHaveLength(2 * stories.length);
  expect(passed.every((each) => each?.status === "passed")).toBe(true);
  if (process.env.UPDATE_SCENARIOS !== "1") return;
  for (const each of stories) cpSync(path.join(copy, each), path.join(FIXTURE, each));
});

test("a phase of rules takes at most 150 lines", () => {
  const lines = added
    .filter((file) => file.startsWith("src/kinds/config-rules/"))
    .map((file) => textOf(copy, file).split("\n").length);
  expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(150);
});

test("a new kind can be exported, compared, adopted and rolled back", async () => {
  const program = await bundled();
  const zone = "shop.example.com";
  const configurations = [{ target: "ip", value: "192.0.2.7" }];
  const admin = { description: "Admin", urls: ["shop.example.com/admin*"], configurations };
  const zones = { [zone]: { lockdowns: [admin] } } as Seed["zones"]; // the types in this file do not have the new kinds
  const emulator = await program.createEmulator({ seed: { zones } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
  const service = { cwd, environment, rateLimit: "off" };

  const exported = await program.exportZones({ ...service, zones: [zone] });
  expect(exported.problems).toEqual([]);
  const lockdowns = [{ description: "Admin", urls: admin.urls, addresses: ["192.0.2.7"], paused: false }];
  expect(parse(exported.text ?? "").zones[zone].lockdowns).toEqual(lockdowns);
  const file = path.join(cwd, "zoneward.yaml");
  const declare = (body: object) =>
    writeFileSync(file, JSON.stringify({ version: 1, zones: { [zone]: body } }));
  declare({ lockdowns });
  expect((await program.plan(service)).document?.calls).toEqual([]);

  const [live] = Object.values(emulator.state().zones).flatMap(lockdownsOf);
  await fetch(`${emulator.url}/zones/${emulator.zones[zone]}/firewall/lockdowns/${live?.id}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${emulator.token}` },
    body: JSON.stringify({ ...admin, paused: true }),
  });
  const moved = await program.drift(service);
  expect(moved.document?.changes).toMatchObject([
    { kind: "lockdown", key: "Admin", drift_effect: "weakens" },
  ]);
  expect((await program.adopt(service)).adoption?.files).toEqual(["zoneward.yaml"]);
  expect(parse(readFileSync(file, "utf8")).zones[zone].lockdowns).toMatchObject([{ paused: true }]);

  const before = emulator.state();
  declare({ lockdowns: lockdowns.map((each) => ({ ...each, addresses: ["198.51.100.0/24"] })) });
  const { report } = await program.apply(service);
  expect(report?.converged).toBe(true);
  expect(emulator.state()).not.toEqual(before);
  const back = await program.rollback(report?.journal ?? "", service);
  expect(back.report?.converged).toBe(true);
  expect(emulator.state()).toEqual(before);
});

const ONE_PROJECT = "one-project.config.mjs";

/** The copy's configuration with one project for these files. Each project and each worker would load the source again. */
function oneProject(files: readonly string[]): string {
  return `import config from "./vitest.config.ts";
const { projects, ...test } = config.test;
const once = { maxWorkers: 1, experimental: { fsModuleCache: false } };
export default { ...config, test: { ...test, ...once, include: ${JSON.stringify(files)} } };
`;
}

/** The library of the copy. */
async function bundled(): Promise<typeof import("../../src/index.js")> {
  const outfile = path.join(copy, "library.mjs");
  await build({
    absWorkingDir: copy,
    entryPoints: ["src/index.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
  });
  return import(outfile);
}

/** The parts of vitest's JSON report that are read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

function lockdownsOf(zone: object): readonly { readonly id: string }[] {
  return (zone as { lockdowns?: readonly { id: string }[] }).lockdowns ?? []; // the types in this file do not have lockdowns
}

/** The output of a program in the copy. Throws the output if the program fails. */
function runs(...argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  if (status !== 0) throw new Error(`${argv.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout + stderr;
}

function replaced(text: string, found: RegExp, put: string): string {
  if (!found.test(text)) throw new Error(`${found} is not found`);
  return text.replace(found, put);
}

function textOf(folder: string, file: string): string {
  return readFileSync(path.join(folder, file), "utf8");
}

/** The files of a folder by path, limited to the files and folders in `among`. */
function filesIn(folder: string, among: readonly string[] = ["."]): readonly string[] {
  return among.flatMap((each) => {
    const at = path.join(folder, each);
    if (statSync(at).isFile()) return [each];
    const entries = readdirSync(at, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  });
}
