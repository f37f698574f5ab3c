import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { createEmulator, type Seed } from "../emulator/index.js";
import { EXIT } from "../process.js";
import { palette } from "../render/palette.js";
import { readArguments } from "./arguments.js";
import type { Command, Run, Terminal } from "./command.js";

const CONFIG = "examples/complete.yaml";
const LIVE = "examples/complete.live.yaml";

/** What the example takes from the environment: the destination that one of the zones has already. */
const DESTINATION = "s3://logs.example/http_requests?region=eu-west-1&access-key-id=EXAMPLE";

/** The whole loop on two zones that have drifted: check, plan, apply, and a second plan that is empty. */
export function demoOf(commands: readonly Command[]): Run {
  return (_args, terminal) => demo(terminal, commands);
}

async function demo(terminal: Terminal, commands: readonly Command[]): Promise<number> {
  const root = packageRoot();
  const seed = parse(readFileSync(path.join(root, LIVE), "utf8")) as Seed; // createEmulator checks it
  const emulator = await createEmulator({ seed });
  const { strong, faint } = palette(terminal.colors.out);
  // A folder of its own, since what apply writes down is not for the folder where the program is installed.
  const folder = mkdtempSync(path.join(tmpdir(), "zoneward-demo-"));
  cpSync(path.join(root, CONFIG), path.join(folder, CONFIG));
  const at: Terminal = {
    ...terminal,
    cwd: folder,
    environment: {
      CLOUDFLARE_API_TOKEN: emulator.token,
      CLOUDFLARE_BASE_URL: emulator.url,
      LOGPUSH_DESTINATION: DESTINATION,
    },
  };
  const fromHere = (file: string) => quoted(namedFrom(terminal.cwd, path.join(root, file)));
  const step = async (why: string, ...argv: readonly string[]): Promise<number> => {
    terminal.out(`${faint(`# ${why}`)}\n${strong(`$ zoneward ${argv.join(" ")}`)}\n`);
    const code = await runCommand(argv, at, commands);
    terminal.out("\n");
    return code;
  };
  try {
    terminal.out(`An emulator of the API runs at ${emulator.url}. Nothing leaves this machine.\n\n`);
    const codes = [
      await step("Are the files right? Nothing is sent for that.", "validate", "-c", CONFIG),
      await step("What differs between the files and what is live?", "plan", "-c", CONFIG),
      await step(
        "Make it so. On a terminal, apply asks first; --yes answers.",
        "apply",
        "-c",
        CONFIG,
        "--yes",
        "--quiet",
      ),
      await step("Is anything left to do?", "plan", "-c", CONFIG, "--detailed-exitcode"),
    ];
    const failed = codes.some((code) => code !== EXIT.done);
    terminal.out(
      failed
        ? "Something went wrong above.\n"
        : `The files: ${fromHere(CONFIG)}. What was live before: ${fromHere(LIVE)}. All of it was in memory, the journal too.\nTo go on by hand: zoneward emulator --seed ${fromHere(LIVE)}\n`,
    );
    return failed ? EXIT.error : EXIT.done;
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runCommand(
  [name, ...argv]: readonly string[],
  terminal: Terminal,
  commands: readonly Command[],
): Promise<number> {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new Error(`the demo runs a command that exists, not ${name}`);
  const parsed = readArguments(command, argv);
  if (!parsed.ok) throw new Error(parsed.complaint(() => null));
  const run = await command.load(commands);
  return run(parsed.args, terminal);
}

/** As a shell in the folder takes it: what is not below it is named in whole. */
function namedFrom(cwd: string, file: string): string {
  const below = path.relative(cwd, file);
  return below.startsWith("..") || path.isAbsolute(below) ? file : below;
}

function quoted(file: string): string {
  return /^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

/** The folder that has the examples, in a clone and in an installed package. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, CONFIG))) folder = path.dirname(folder);
  return folder;
}
