import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { ROOT } from "../support/cli.js";
import { type Block, readDocuments } from "../support/documents.js";
import { type InstalledPackage, installPackage } from "../support/package.js";
import { makeWorlds, missingPrograms, session, type Worlds } from "./sessions.js";

/** Every piece of code in the documents, as it stands, with the package as it is installed from a registry. */
interface Snippet extends Block {
  readonly file: string;
}

const snippets: readonly Snippet[] = readDocuments()
  .filter(({ file }) => file === "README.md" || file.startsWith("docs/"))
  .flatMap(({ file, blocks }) => blocks.map((block) => ({ file, ...block })));

/** What becomes of a sort of snippets. */
type Fate =
  | { readonly here: "run" }
  /** The test that holds them. */
  | { readonly heldBy: string }
  /** Why nobody can run them. */
  | { readonly notRun: string };

/** A snippet is of the first sort that it fits. */
const SORTS: readonly (readonly [what: string, is: (snippet: Snippet) => boolean, fate: Fate])[] = [
  [
    "scripts of a clone",
    ({ text }) => /^npm (run|test)\b/.test(text),
    { notRun: "the package does not have them; .ci/run runs them in the clone" },
  ],
  ["commands", ({ language }) => language === "sh", { here: "run" }],
  ["a transcript", ({ language, text }) => language === "" && text.startsWith("$ "), { here: "run" }],
  [
    "the plan of the demo",
    ({ file, language, text }) => file === "README.md" && language === "" && text.startsWith("  - weakens "),
    { heldBy: "test/docs/readme.test.ts" },
  ],
  ["a picture", ({ text }) => text.startsWith("files · base · journal"), { notRun: "it is no code" }],
  ["what a step shows", ({ file, language }) => file in TUTORIALS && language === "", { here: "run" }],
  [
    "output",
    ({ language, text }) =>
      language === "" && /^( {2}~ | {6}value \(|newly |shop\.example\.com\n)/.test(text),
    { notRun: "it shows what a command says of somebody's own logs" },
  ],
  [
    "a file beside one of Terraform",
    ({ file, language }) => file === "docs/terraform.md" && language === "yaml",
    { heldBy: "test/docs/terraform.process.test.ts" },
  ],
  [
    "a file",
    ({ language, text }) => language === "yaml" && /^version: 1$/m.test(text),
    { heldBy: "test/docs/yaml.test.ts" },
  ],
  ["a seed", ({ text }) => text.startsWith("# seed.yaml\n"), { here: "run" }],
  ["an edit", ({ language, text }) => language === "yaml" && /^ {8}\w+: /.test(text), { here: "run" }],
  ["a part of a file", ({ text }) => /^(tests|guardrails):$/m.test(text), { here: "run" }],
  [
    "a workflow, or a part of one",
    ({ language, text }) => language === "yaml" && /^(jobs:|with:|- uses: .*)$/m.test(text),
    { heldBy: "test/docs/workflows.test.ts" },
  ],
  [
    "what another CI or a hook takes",
    ({ language, text }) =>
      language === "groovy" || (language === "yaml" && /^(include|repos):$/m.test(text)),
    { heldBy: "test/docs/other-ci.process.test.ts" },
  ],
  [
    "where the schema is",
    ({ text }) => /yaml-language-server|yaml\.schemas/.test(text),
    { heldBy: "test/docs/schema-url.test.ts" },
  ],
  [
    "a program",
    ({ language, text }) => language === "ts" && / from "zoneward["/]/.test(text),
    { here: "run" },
  ],
  [
    "a policy for conftest",
    ({ language }) => language === "rego",
    { heldBy: "test/docs/plan-document.test.ts" },
  ],
  ["a block for Terraform", ({ language }) => language === "hcl", { notRun: "it is Terraform's own" }],
];

const sortOf = (snippet: Snippet) => SORTS.find(([, is]) => is(snippet));
const named = (what: string) => snippets.filter((each) => sortOf(each)?.[0] === what);

describe("every snippet of the documents", () => {
  test("is run, or somebody says why not", () => {
    const strangers = snippets.filter((each) => sortOf(each) === undefined);
    expect(strangers.map(({ file, text }) => `${file}: ${text.split("\n", 1)}`)).toEqual([]);
  });

  test.each(SORTS)("has a sort that there is: %s", (what, _is, fate) => {
    expect(named(what).length).toBeGreaterThan(0);
    if ("heldBy" in fate) expect(existsSync(path.join(ROOT, fate.heldBy)), fate.heldBy).toBe(true);
  });
});

let installed: InstalledPackage;
let worlds: Worlds;

beforeAll(async () => {
  const root = await mkdtemp(path.join(tmpdir(), "zoneward-worlds-"));
  installed = await installPackage();
  worlds = await makeWorlds(root, installed);
  return () =>
    Promise.all([installed.folder, root].map((each) => rm(each, { recursive: true, force: true })));
}, 120_000);

interface Session {
  readonly name: string;
  readonly world: keyof Worlds;
  readonly lines: readonly string[];
}

const examples = new Set(commands.flatMap((each) => each.examples));

/** Documents that are read from the top, in one folder. In others each snippet stands by itself. */
const TUTORIALS: Readonly<Record<string, keyof Worlds>> = {
  "README.md": "beginner",
  "docs/tutorial.md": "newcomer",
  "docs/blocking.md": "newcomer",
  "docs/terraform.md": "beginner",
  "docs/other-ci.md": "at work",
};

/** An edited line takes the place of the line with the same key. */
const edited = (line: string) => `sed -i "s|^ *${line.trim().split(":", 1)}: .*|${line}|" zoneward.yaml`;

const sessions: readonly Session[] = [
  ...Object.entries(TUTORIALS).map(([file, world]) => ({
    name: file,
    world,
    lines: snippets.filter((each) => each.file === file).flatMap(stepsOf),
  })),
  ...named("commands")
    .filter(({ file }) => !(file in TUTORIALS))
    // Examples of a command are what can be said, and not what is said in a row.
    .flatMap(({ file, text }) =>
      examples.has(linesOf(text)[0] ?? "")
        ? linesOf(text).map((line) => ({ file, lines: [line] }))
        : [{ file, lines: linesOf(text) }],
    )
    .map(({ file, lines }) => ({ name: `${file}: ${lines[0]}`, world: worldOf(lines), lines })),
];

/** Of a tutorial: what it says to write is written, what it says to run is run. */
function stepsOf({ text, ...snippet }: Snippet): readonly string[] {
  const [what] = sortOf({ text, ...snippet }) ?? [];
  const write = (to: string) => [`cat ${to} <<'END_OF_FILE'\n${text}END_OF_FILE`];
  if (what === "commands") return linesOf(text);
  if (what === "a file") return write("> zoneward.yaml");
  if (what === "a seed") return write("> seed.yaml");
  if (what === "an edit") return linesOf(text).map(edited);
  return what === "a part of a file" ? write(">> zoneward.yaml") : [];
}

/** Whole commands: what goes on in the next line is one with it. */
function linesOf(text: string): readonly string[] {
  const whole = text.replace(/\\\n\s*/g, "").replace(/(\||&&)\n\s*/g, "$1 ");
  return whole.split("\n").filter((line) => line.trim() !== "");
}

function worldOf(lines: readonly string[]): keyof Worlds {
  if (lines.some((line) => line.includes("-c examples/complete.yaml"))) return "bad day";
  const isFirst = (line: string) => line.startsWith("zoneward export") && !line.includes("--base");
  return lines.some(isFirst) ? "beginner" : "at work";
}

/** What stands for something that only a reader has. */
const READERS_OWN: readonly (readonly [what: RegExp, here: string])[] = [
  [/^export CLOUDFLARE_API_TOKEN=…$/, ":"], // the environment has it
  [/ -c zones\/team-a /, " -c zones "],
  [/^zoneward apply (\S+) --digest sha256:…/, "zoneward apply $1 --digest $(jq -r .digest $1)"], // whoever approved the plan has it
  [/ --port \d+/, " --port 0"], // a free one
  [
    /^(zoneward emulator .*|zoneward emulator)(?<!&)$/,
    "$1 > started & until [ -s started ] || ! kill -0 $!; do sleep 0.1; done; kill $!; wait $!",
  ],
  [/^terraform [^>]*/, ":"],
  [/ && conftest .*/, ""],
  [/ \| source$/, " > completion.fish"], // test/cli/completion.process.test.ts has it read by fish
];

/** What does not end with 0, and is not to. */
const ENDS: Readonly<Record<string, number>> = {
  "zoneward drift --base git:origin/main --detailed-exitcode": 2,
};

/** Lines that a session shows, in their order. */
function expectShown(lines: readonly string[], shown: string): void {
  const all = shown.split("\n");
  let at = 0;
  for (const line of lines) {
    at = all.indexOf(line, at);
    expect(at, `${line}\n\n${shown}`).toBeGreaterThanOrEqual(0);
  }
}

const asRun = (line: string) => READERS_OWN.reduce((said, [what, here]) => said.replace(what, here), line);

const missing = missingPrograms();
if (missing.length > 0)
  console.warn(`SKIPPED: what the documents say to run, runs; there is no ${missing.join(", ")}`);

describe.skipIf(missing.length > 0)("what the documents say to run, runs", () => {
  test.each(sessions.map((each) => [each.name, each] as const))("%s", async (name, { lines, world }) => {
    const { shown, others, posted } = await session(lines.map(asRun), worlds[world], installed.bin);
    // Rehearsing a bad day, the first run stops on purpose.
    const ends = lines.map((line, index) => (world === "bad day" && index === 1 ? 1 : (ENDS[line] ?? 0)));
    expect(
      others.map(({ line, code }) => [line, code]),
      shown,
    ).toEqual(lines.flatMap((line, index) => (ends[index] === 0 ? [] : [[asRun(line), ends[index]]])));
    const steps = named("what a step shows").filter(({ file }) => file === name);
    expectShown(
      steps.flatMap(({ text }) => text.trimEnd().split("\n")),
      shown,
    );
    if (lines.some((line) => line.includes("WEBHOOK_URL")))
      expect(posted).toEqual([expect.stringMatching(/^\{/)]);
  });

  test("nothing is provided for that no document has", () => {
    const lines = sessions.flatMap((each) => each.lines);
    expect(READERS_OWN.filter(([what]) => !lines.some((line) => what.test(line)))).toEqual([]);
    expect(Object.keys(ENDS).filter((line) => !lines.includes(line))).toEqual([]);
    expect(sessions.filter(({ name, lines: its }) => name in TUTORIALS && its.length === 0)).toEqual([]);
  });

  test.each(named("a transcript"))("and says what $file shows", async ({ text }) => {
    const isSaid = (line: string) => !line.startsWith("$ ") && !line.startsWith("    ");
    const typed = linesOf(text).flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
    const { shown, others } = await session(typed, worlds["at work"], installed.bin);
    expect(others, shown).toEqual([]);
    expectShown(text.trimEnd().split("\n").filter(isSaid), shown);
  });
});

describe("the programs in the documents", () => {
  const programs = named("a program");
  const run = promisify(execFile);

  test("run as they stand", async () => {
    for (const [index, { text }] of programs.entries()) {
      await writeFile(path.join(installed.folder, `example-${index}.js`), text);
      await run(process.execPath, [`example-${index}.js`], {
        cwd: installed.folder,
        env: { PATH: process.env.PATH },
      });
    }
  });

  test("are typed as they stand", async () => {
    const { compilerOptions } = JSON.parse(await readFile(path.join(ROOT, "tsconfig.json"), "utf8"));
    const options = { ...compilerOptions, typeRoots: [path.join(ROOT, "node_modules/@types")] };
    for (const [index, { text }] of programs.entries())
      await writeFile(path.join(installed.folder, `example-${index}.ts`), text);
    await writeFile(
      path.join(installed.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["*.ts"] }),
    );
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
    await expect(run(process.execPath, [tsc, "-p", installed.folder])).resolves.toMatchObject({ stdout: "" });
  });
});
