import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NODE_24 } from "../support/github-step.js";
import { installPackage } from "../support/package.js";

/** All files of the package. Each must exist, and no others. */
const contents = [
  /^package\.json$/,
  /^README\.md$/,
  /^CHANGELOG\.md$/,
  /^LICENSE$/,
  /^dist\/(cli|index|csp|expression)\.js$/,
  /^dist\/chunks\/[\w-]+\.js$/,
  /^dist\/types\/((csp|expression)\/)?index\.d\.ts$/,
  /^dist\/types\/([\w-]+\/)+[\w-]+\.d\.ts$/,
  /^dist\/THIRD-PARTY-LICENSES\.txt$/,
  /^schemas\/(zoneward|guardrails|plan|doctor)\.schema\.json$/,
  /^examples\/[\w.-]+\.yaml$/,
  /^examples\/github\/[\w.-]+\.yml$/,
  /^examples\/fleet\/[\w.-]+\.ya?ml$/,
  /^examples\/jenkins\/Jenkinsfile(\.apply)?$/,
];

const run = promisify(execFile);

let folder: string;
let packed: readonly string[];
let tarball: string;

beforeAll(async () => {
  ({ folder, packed, tarball } = await installPackage());
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the package", () => {
  test("contains exactly the expected files", () => {
    expect(packed.filter((file) => !contents.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(contents.filter((pattern) => !packed.some((file) => pattern.test(file)))).toEqual([]);
  });

  test("passes publint", async () => {
    const { buffer } = await readFile(tarball);
    const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer as ArrayBuffer } });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("depends on no other package", async () => {
    const lock = JSON.parse(await readFile(path.join(folder, "package-lock.json"), "utf8")) as {
      packages: object;
    }; // npm's own format
    expect(Object.keys(lock.packages)).toEqual(["", "node_modules/zoneward"]);
  });

  test("has the licence of each bundled package", async () => {
    const text = await readFile(
      path.join(folder, "node_modules/zoneward/dist/THIRD-PARTY-LICENSES.txt"),
      "utf8",
    );
    for (const name of ["undici", "yaml"])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(\\w+\\)$`, "m"));
  });

  test.each([
    ["node16", { module: "Node16", moduleResolution: "Node16" }],
    ["bundler", { module: "ESNext", moduleResolution: "Bundler" }],
    ["nodenext", { module: "NodeNext", moduleResolution: "NodeNext" }],
  ])("type-checks a program that uses the library, with %s", async (name, resolution) => {
    const program = `
      import { createEmulator, csp, plan, type PlanDocument, type Problem } from "zoneward";
      import { allows, type Verdict } from "zoneward/csp";
      import { evaluate, type Truth } from "zoneward/expression";
      const emulator = await createEmulator({ seed: { zones: { "example.com": {} } } });
      const environment = { CLOUDFLARE_API_TOKEN: emulator.token };
      const { document, problems } = await plan({ config: ["zones/"], baseUrl: emulator.url, environment });
      export const planned: PlanDocument | null = document;
      export const found: readonly Problem[] = problems;
      const page = "https://shop.example/";
      export const verdict: Verdict = allows({ page, csp: "script-src 'self'", kind: "script", url: "/a.js" });
      export const truth: Truth = evaluate("ssl", { ssl: true });
      export const same: boolean = csp.equal("img-src a.example b.example", "img-src b.example a.example");
    `;
    const options = {
      strict: true,
      noEmit: true,
      target: "ES2022",
      lib: ["ES2023"],
      types: ["node"],
      ...resolution,
    };
    const typeRoots = [path.resolve("node_modules/@types")];
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, "main.ts"), program);
    await writeFile(
      path.join(folder, name, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...options, typeRoots } }),
    );
    const tsc = path.resolve("node_modules/typescript/bin/tsc");
    await expect(run(process.execPath, [tsc, "-p", name], { cwd: folder })).resolves.toMatchObject({
      stdout: "",
    });
  });
});

describe("the engines, as subpaths of the package", () => {
  const CODE: readonly (readonly [name: string, code: string, says: string])[] = [
    [
      "csp",
      'import { equal } from "zoneward/csp"; console.log(equal("img-src a b", "img-src B A"));',
      "true\n",
    ],
    [
      "expression",
      'import { evaluate } from "zoneward/expression"; console.log(evaluate("ssl", {}));',
      "unknown\n",
    ],
  ];

  test.each(CODE)("zoneward/%s can be imported", async (_name, code, says) => {
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], { cwd: folder });
    expect(stdout).toBe(says);
  });

  test.each(["csp", "expression"])(
    "zoneward/%s exports the same as the library's namespace",
    async (name) => {
      const code = `
      import * as library from "zoneward";
      import * as alone from "zoneward/${name}";
      const inside = library[${JSON.stringify(name)}];
      console.log(Object.keys(alone).every((each) => alone[each] === inside[each]), Object.keys(inside).length - Object.keys(alone).length);
    `;
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], { cwd: folder });
      expect(stdout).toBe("true 0\n");
    },
  );

  test("load no code for the API or for files", async () => {
    const whole = await loadedBy("index.js");
    expect(whole.packages).toEqual(expect.arrayContaining(["undici", "yaml"]));
    expect(whole.generated).not.toEqual([]);
    const csp = await loadedBy("csp.js");
    expect(csp.packages).toEqual(["csp_evaluator", "fast-deep-equal", "fastest-levenshtein"]);
    const expression = await loadedBy("expression.js");
    expect(expression.packages).toEqual(["fast-deep-equal", "fastest-levenshtein"]);
    for (const engine of [csp, expression]) {
      expect(engine.generated).toEqual([]);
      expect(engine.sizeBytes).toBeLessThan(whole.sizeBytes / 4);
    }
  });
});

/**
 * Everything that an entry of the package loads, directly or not: other packages, generated code such as validators, and the
 * total size. The bundler leaves each file's name at the start of its code.
 */
async function loadedBy(entry: string) {
  const library = path.join(folder, "node_modules/zoneward/dist");
  const files = new Map<string, string>();
  const open = [path.join(library, entry)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    const text = await readFile(file, "utf8");
    files.set(file, text);
    for (const [, chunk = ""] of text.matchAll(/"(\.[^"]*\/[\w-]+\.js)"/g)) {
      if (/chunks\/|^\.\/[\w-]+\.js$/.test(chunk)) open.push(path.join(path.dirname(file), chunk));
    }
  }
  const named = (pattern: RegExp) =>
    [
      ...new Set(
        [...files.values()].flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name)),
      ),
    ].sort();
  return {
    sizeBytes: [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    packages: named(/^ *\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm),
    generated: named(/^ *\/\/ (src\/\S*\/generated\/\S+)/gm),
  };
}

describe("the installed program", () => {
  test("prints its version", async () => {
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string }; // this project's own
    expect(await zoneward(["version"])).toMatchObject({ stdout: `${version}\n`, stderr: "" });
  });

  test("finds files by a pattern, with no package from folders around it", async () => {
    const stranger = path.join(folder, "node_modules/picomatch");
    await mkdir(stranger);
    await writeFile(path.join(stranger, "index.js"), 'console.error("a package of this folder was loaded");');
    await writeFile(path.join(folder, "one.zone.yaml"), "version: 1\nzones: { one.example: {} }\n");
    await writeFile(path.join(folder, "two.zone.yaml"), "version: 1\nzones: { two.example: {} }\n");
    expect(await zoneward(["validate", "-c", "*.zone.yaml"])).toMatchObject({
      stdout: "Valid: 2 zones.\n",
      stderr: "",
    });
  });

  test.skipIf(!existsSync(NODE_24))("keeps Node's compile cache only in its own folder", async () => {
    const elsewhere = path.join(folder, "elsewhere");
    await mkdir(elsewhere);
    const program = path.join(folder, "node_modules/zoneward/dist");
    const env = { HOME: elsewhere, TMPDIR: elsewhere, XDG_CACHE_HOME: elsewhere };
    await run(NODE_24, [path.join(program, "cli.js"), "expression", "check", "ssl"], { cwd: elsewhere, env });
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await readdir(program)).toContain(".compiled");
  });

  test("finds its schemas as subpaths of the package", async () => {
    const code = `
      import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      for (const name of ["schema.json", "plan.schema.json", "guardrails.schema.json"]) console.log(require("zoneward/" + name).$schema);
    `;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], { cwd: folder });
    expect(stdout).toBe("https://json-schema.org/draft/2020-12/schema\n".repeat(3));
  });

  test("plans against its own emulator", async () => {
    const emulator = await startEmulator();
    try {
      await writeFile(
        path.join(folder, "zoneward.yaml"),
        "version: 1\nzones: { example.com: { settings: { enabled: true } } }\n",
      );
      const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
      const { stdout } = await zoneward(["plan", "--format", "json"], environment);
      expect(JSON.parse(stdout)).toMatchObject({ summary: { zones: 1, update: 1, calls: 1 } });
    } finally {
      emulator.process.kill();
      await once(emulator.process, "exit");
    }
  });
});

/** The command, linked as npm links it. */
function program(): string {
  return path.join(folder, "node_modules/.bin/zoneward");
}

function zoneward(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  return run(program(), args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } });
}

async function startEmulator(): Promise<{
  readonly process: ChildProcess;
  readonly url: string;
  readonly token: string;
}> {
  const child = spawn(program(), ["emulator"], { stdio: ["ignore", "pipe", "inherit"] });
  const [ready] = await once(createInterface(child.stdout), "line");
  return { process: child, ...JSON.parse(ready) };
}
