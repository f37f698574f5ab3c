import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { ROOT } from "../support/cli.js";
import { type Block, readDocuments } from "../support/documents.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { type InstalledPackage, installPackage } from "../support/package.js";
import { type ShellProgram, shellProgram } from "../support/shell-program.js";
import { makeWorlds, missingPrograms, session, type Worlds } from "./sessions.js";

/** Every code block of the documents. */
interface Snippet extends Block {
  readonly file: string;
}

const snippets: readonly Snippet[] = readDocuments()
  .filter(({ file }) => file === "README.md" || file.startsWith("docs/"))
  .flatMap(({ file, blocks }) => blocks.map((block) => ({ file, ...block })));

/** How the blocks of one sort are checked. */
type Fate =
  | { readonly here: "run" }
  /** The test file that checks these blocks. */
  | { readonly heldBy: string }
  /** Why these blocks cannot be run. */
  | { readonly notRun: string };

/** The first matching sort counts. */
const SORTS: readonly (readonly [what: string, is: (snippet: Snippet) => boolean, fate: Fate])[] = [
  [
    "scripts of a clone",
    ({ text }) => /^npm (run|test)\b/.test(text),
    { notRun: "the package lacks these scripts; .ci/run runs them in the clone" },
  ],
  ["commands", ({ language }) => language === "sh", { here: "run" }],
  ["a transcript", ({ language, text }) => language === "" && text.startsWith("$ "), { here: "run" }],
  [
    "the plan of the demo",
    ({ file, language, text }) => file === "README.md" && language === "" && text.startsWith("  - weakens "),
    { heldBy: "test/docs/readme.test.ts" },
  ],
  ["a picture", ({ text }) => text.startsWith("files · base · journal"), { notRun: "not code" }],
  ["what a step shows", ({ file, language }) => file in TUTORIALS && language === "", { here: "run" }],
  [
    "output",
    ({ language, text }) =>
      language === "" && /^( {2}~ | {6}value \(|newly |shop\.example\.com\n)/.test(text),
    { notRun: "output about the reader's own logs" },
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
    "the address of the schema",
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
  [
    "a block for Terraform",
    ({ language }) => language === "hcl",
    { notRun: "Terraform code without zoneward" },
  ],
];

const sortOf = (snippet: Snippet) => SORTS.find(([, is]) => is(snippet));
const named = (what: string) => snippets.filter((each) => sortOf(each)?.[0] === what);

describe("the code blocks of the documents", () => {
  test("each belong to a known sort", () => {
    const strangers = snippets.filter((each) => sortOf(each) === undefined);
    expect(strangers.map(({ file, text }) => `${file}: ${text.split("\n", 1)}`)).toEqual([]);
  });

  test.each(SORTS)("include at least one of this sort: %s", (what, _is, fate) => {
    expect(named(what).length).toBeGreaterThan(0);
    if ("heldBy" in fate) expect(existsSync(path.join(ROOT, fate.heldBy)), fate.heldBy).toBe(true);
  });
});

let installed: InstalledPackage;
let program: ShellProgram;
let worlds: Worlds;

beforeAll(async () => {
  const root = await mkdtemp(path.join(tmpdir(), "zoneward-worlds-"));
  installed = await installPackage();
  program = await shellProgram();
  worlds = await makeWorlds(root, installed.folder, program.bin);
  return async () => {
    await program.close();
    await Promise.all([installed.folder, root].map((each) => rm(each, { recursive: true, force: true })));
  };
}, 120_000);

interface Session {
  readonly name: string;
  readonly world: keyof Worlds;
  readonly lines: readonly string[];
}

const examples = new Set(commands.flatMap((each) => each.examples));

/** Documents whose blocks run in order in one folder. In all others each block runs alone. */
const TUTORIALS: Readonly<Record<string, keyof Worlds>> = {
  "README.md": "beginner",
  "docs/tutorial.md": "newcomer",
  "docs/blocking.md": "newcomer",
  "docs/terraform.md": "beginner",
  "docs/other-ci.md": "at work",
};

/** Replaces the line that has the same key. */
const edited = (line: string) => `sed -i "s|^ *${line.trim().split(":", 1)}: .*|${line}|" zoneward.yaml`;

const sessions: readonly Session[] = [
  ...Object.entries(TUTORIALS).map(([file, world]) => ({
    name: file,
    world,
    lines: snippets.filter((each) => each.file === file).flatMap(stepsOf),
  })),
  ...named("commands")
    .filter(({ file }) => !(file in TUTORIALS))
    // Examples of a command are alternatives, not steps to run one after another.
    .flatMap(({ file, text }) =>
      examples.has(linesOf(text)[0] ?? "")
        ? linesOf(text).map((line) => ({ file, lines: [line] }))
        : [{ file, lines: linesOf(text) }],
    )
    .map(({ file, lines }) => ({ name: `${file}: ${lines[0]}`, world: worldOf(lines), lines })),
];

/** The steps of a tutorial: files to write and commands to run. */
function stepsOf({ text, ...snippet }: Snippet): readonly string[] {
  const [what] = sortOf({ text, ...snippet }) ?? [];
  const write = (to: string) => [`cat ${to} <<'END_OF_FILE'\n${text}END_OF_FILE`];
  if (what === "commands") return linesOf(text);
  if (what === "a file") return write("> zoneward.yaml");
  if (what === "a seed") return write("> seed.yaml");
  if (what === "an edit") return linesOf(text).map(edited);
  return what === "a part of a file" ? write(">> zoneward.yaml") : [];
}

/** Whole commands, with continuation lines joined. */
function linesOf(text: string): readonly string[] {
  const whole = text.replace(/\\\n\s*/g, "").replace(/(\||&&)\n\s*/g, "$1 ");
  return whole.split("\n").filter((line) => line.trim() !== "");
}

function worldOf(lines: readonly string[]): keyof Worlds {
  if (lines.some((line) => line.includes("-c examples/complete.yaml"))) return "bad day";
  const isFirst = (line: string) => line.startsWith("zoneward export") && !line.includes("--base");
  return lines.some(isFirst) ? "beginner" : "at work";
}

/** Replacements for things that only a reader has. */
const READERS_OWN: readonly (readonly [what: RegExp, here: string])[] = [
  [/^export CLOUDFLARE_API_TOKEN=…$/, ":"], // already in the environment
  [/ -c zones\/team-a /, " -c zones "],
  [/^zoneward apply (\S+) --digest sha256:…/, "zoneward apply $1 --digest $(jq -r .digest $1)"], // the reader copies it from the approval
  [/ --port \d+/, " --port 0"], // any free port
  [
    /^(zoneward emulator .*|zoneward emulator)(?<!&)$/,
    "$1 > started & until [ -s started ] || ! kill -0 $!; do sleep 0.1; done; kill $!; wait $!",
  ],
  [/^terraform [^>]*/, ":"],
  [/ && conftest .*/, ""],
  [/ \| source$/, " > completion.fish"], // test/cli/completion.process.test.ts loads the script in fish
];

/** Lines that must exit with a code other than 0. */
const ENDS: Readonly<Record<string, number>> = {
  "zoneward drift --base git:origin/main --detailed-exitcode": 2,
};

/** Expects the lines in the output, in this order. */
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
if (missing.length > 0) console.warn(`SKIPPED: the documented commands; missing: ${missing.join(", ")}`);

describe.skipIf(missing.length > 0)("the documented commands run as shown", () => {
  test.each(sessions.map((each) => [each.name, each] as const))("%s", async (name, { lines, world }) => {
    onTestFinished(endOfWaiting());
    // The newcomer's first commands are the installed program's, at a terminal.
    const { bin } = name === "README.md" ? installed : program;
    const { shown, others, posted } = await session(lines.map(asRun), worlds[world], bin);
    // On the bad day, the first run is made to stop half way.
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

  test("every replacement and expected exit code is used by a document", () => {
    const lines = sessions.flatMap((each) => each.lines);
    expect(READERS_OWN.filter(([what]) => !lines.some((line) => what.test(line)))).toEqual([]);
    expect(Object.keys(ENDS).filter((line) => !lines.includes(line))).toEqual([]);
    expect(sessions.filter(({ name, lines: its }) => name in TUTORIALS && its.length === 0)).toEqual([]);
  });

  test.each(named("a transcript"))("print the output shown in $file", async ({ text }) => {
    const isSaid = (line: string) => !line.startsWith("$ ") && !line.startsWith("    ");
    const typed = linesOf(text).flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
    const { shown, others } = await session(typed, worlds["at work"], program.bin);
    expect(others, shown).toEqual([]);
    expectShown(text.trimEnd().split("\n").filter(isSaid), shown);
  });
});

describe("the programs in the documents", () => {
  const programs = named("a program");
  const run = promisify(execFile);

  test("run unchanged", async () => {
    for (const [index, { text }] of programs.entries()) {
      await writeFile(path.join(installed.folder, `example-${index}.js`), text);
      await run(process.execPath, [`example-${index}.js`], {
        cwd: installed.folder,
        env: { PATH: process.env.PATH },
      });
    }
  });

  test("type-check unchanged", async () => {
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
