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
    "usage",
    ({ language, text }) => language === "" && /^zoneward .*\[flags\]\n$/.test(text),
    { notRun: "it says what may stand where; made of the table of commands" },
  ],
  [
    "the plan of the demo",
    ({ file, language, text }) =>
      file === "README.md" && language === "" && text.includes("\nshop.example.com "),
    { heldBy: "test/docs/readme.test.ts" },
  ],
  ["a picture", ({ text }) => text.startsWith("files · base · journal"), { notRun: "it is no code" }],
  [
    "output",
    ({ language, text }) =>
      language === "" && /^( {2}~ | {6}value \(|newly |shop\.example\.com\n)/.test(text),
    { notRun: "it shows what a command says of somebody's own logs" },
  ],
  [
    "a file",
    ({ language, text }) => language === "yaml" && /^version: 1$/m.test(text),
    { heldBy: "test/docs/yaml.test.ts" },
  ],
  ["a part of a file", ({ text }) => /^(tests|guardrails):$/m.test(text), { here: "run" }],
  [
    "a workflow, or a part of one",
    ({ language, text }) => language === "yaml" && /^(jobs:|with:|- uses: .*)$/m.test(text),
    { heldBy: "test/docs/workflows.test.ts" },
  ],
  [
    "what another CI or a hook takes",
    ({ language, text }) => language === "yaml" && /^(include|repos):$/m.test(text),
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
    "a declaration",
    ({ file, language }) => file === "docs/library.md" && language === "ts",
    { notRun: "it is a type, not a program; made from the source by `npm run generate`" },
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
  "docs/blocking.md": "beginner",
  "docs/terraform.md": "beginner",
  "docs/other-ci.md": "at work",
};

/** What the text around snippets says to do. */
const IN_WORDS = [
  ["zoneward suggest shop.example.com", "zoneward suggest shop.example.com --events logs/ --write=reported"],
  ["guardrails:\n  forbid: [unproven]", "sed -i 's/action: log/action: allow/' zoneward.yaml"],
] as const;

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
  const write = (how: string) => `cat ${how} zoneward.yaml <<'END_OF_FILE'\n${text}END_OF_FILE`;
  const inWords = IN_WORDS.flatMap(([after, line]) => (text.startsWith(after) ? [line] : []));
  if (what === "commands") return [...linesOf(text), ...inWords];
  if (what === "a file") return [write(">"), ...inWords];
  return what === "a part of a file" ? [write(">>"), ...inWords] : [];
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
  [
    /^export VIOLATIONS_BUCKET=….*$/,
    "export VIOLATIONS_BUCKET='s3://logs.example/violations?region=eu-west-1'",
  ],
  [
    /^export VIOLATIONS_PROOF=….*$/, // the emulator has no bucket: the token is the name of the file
    "export VIOLATIONS_PROOF=$(zoneward logpush challenge violations --yes --format json | jq -r '.calls[0].filename' | xargs basename -s .txt)",
  ],
  [/ \/var\/lib\/node_exporter\//, " node_exporter/"],
  [/ -c zones\/team-a /, " -c zones "],
  [/^zoneward apply (\S+) --digest sha256:…/, "zoneward apply $1 --digest $(jq -r .digest $1)"], // whoever approved the plan has it
  [/ --port \d+/, " --port 0"], // a free one
  [
    /^(zoneward emulator .*|zoneward emulator)(?<!&)$/,
    "$1 > started & until [ -s started ] || ! kill -0 $!; do sleep 0.1; done; kill $!; wait $!",
  ],
  [/^terraform .*/, ":"],
  [/ && conftest .*/, ""],
  [/ \| source$/, " > completion.fish"], // test/cli/completion.process.test.ts has it read by fish
];

/** What does not end with 0, and is not to. */
const ENDS: Readonly<Record<string, number>> = {
  "zoneward drift --base git:origin/main --detailed-exitcode": 2,
};

/** What a reader who does as a document says is to be told. */
const TOLD: Readonly<Record<string, string>> = {
  "docs/blocking.md": '"Checkout": ready to block',
  "docs/terraform.md": "Plan: no changes",
};

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
    expect(shown).toContain(TOLD[name] ?? "");
    if (lines.some((line) => line.includes("WEBHOOK_URL")))
      expect(posted).toEqual([expect.stringMatching(/^\{/)]);
  });

  test("nothing is provided for that no document has", () => {
    const lines = sessions.flatMap((each) => each.lines);
    expect(READERS_OWN.filter(([what]) => !lines.some((line) => what.test(line)))).toEqual([]);
    expect(Object.keys(ENDS).filter((line) => !lines.includes(line))).toEqual([]);
    expect(IN_WORDS.filter(([, line]) => !lines.includes(line))).toEqual([]);
    expect(
      Object.keys({ ...TUTORIALS, ...TOLD }).filter((file) => !sessions.some(({ name }) => name === file)),
    ).toEqual([]);
  });

  test.each(named("a transcript"))("and says what $file shows", async ({ text }) => {
    const isSaid = (line: string) => !line.startsWith("$ ") && !line.startsWith("    ");
    const typed = linesOf(text).flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
    const { shown, others } = await session(typed, worlds["at work"], installed.bin);
    expect(others, shown).toEqual([]);
    const lines = shown.split("\n");
    let at = 0;
    for (const line of text.trimEnd().split("\n").filter(isSaid)) {
      at = lines.indexOf(line, at);
      expect(at, `${line}\n\n${shown}`).toBeGreaterThanOrEqual(0);
    }
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
