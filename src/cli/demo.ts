import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import liveText from "../../examples/complete.live.yaml" with { type: "text" };
import configText from "../../examples/complete.yaml" with { type: "text" };
import { createEmulator, type DetectionSeed, type Seed } from "../emulator/index.js";
import { palette } from "../render/palette.js";
import { EXIT } from "../run/exit-codes.js";
import { readArguments } from "./arguments.js";
import type { Command, Run, Terminal } from "./command.js";
import { writeLogs } from "./made-up-logs.js";
import { refuse } from "./show.js";

/** Where the repository has the files; the demo's own folder has the first there too. */
const CONFIG = "examples/complete.yaml";
const LIVE = "examples/complete.live.yaml";

/** The example reads its destination from the environment; one of its zones already has it. */
const DESTINATION = "s3://logs.example/http_requests?region=eu-west-1&access-key-id=EXAMPLE";

/** The example's policy that only reports, until the demo's last step makes it block. */
const REPORTING = "Storefront scripts";
const LOGS = "logs";

/** The test that the demo adds to the file. */
const TEST = `
tests:
  - page: https://\${zone}/account
    scripts: { allowed: [/own.js, https://tags.stats.example/collect.js] }
`;

/**
 * The whole loop on two zones with drift: check, plan, apply, and an empty second plan. Then a policy moves from
 * reporting to blocking, on evidence from logs.
 */
export function demoOf(commands: readonly Command[]): Run {
  return (_args, terminal) => demo(terminal, commands);
}

async function demo(terminal: Terminal, commands: readonly Command[]): Promise<number> {
  const seed = parse(liveText) as Seed; // createEmulator checks it
  const emulator = await createEmulator({ seed: seenFor(seed, DAYS_SEEN) });
  const { strong, faint } = palette(terminal.colors.out);
  // A temporary folder: apply must not write its journal where the program is installed.
  const folder = mkdtempSync(path.join(tmpdir(), "zoneward-demo-"));
  const file = path.join(folder, CONFIG);
  mkdirSync(path.dirname(file));
  writeFileSync(file, configText);
  const sandbox: Terminal = {
    ...terminal,
    cwd: folder,
    environment: {
      CLOUDFLARE_API_TOKEN: emulator.token,
      CLOUDFLARE_BASE_URL: emulator.url,
      LOGPUSH_DESTINATION: DESTINATION,
    },
  };
  const step = async (why: string, ...argv: readonly string[]): Promise<number> => {
    terminal.out(`${faint(`# ${why}`)}\n${strong(`$ zoneward ${argv.map(quoted).join(" ")}`)}\n`);
    const code = await runCommand(argv, sandbox, commands);
    terminal.out("\n");
    return code;
  };
  try {
    terminal.out(`The emulator runs at ${emulator.url}. Nothing leaves this machine.\n\n`);
    const codes = [
      await step("Are the files valid? This check is offline.", "validate", "-c", CONFIG),
      await step("What differs between the files and the live state?", "plan", "-c", CONFIG),
      await step(
        "Apply it. On a terminal, apply asks first; --yes skips the question.",
        "apply",
        "-c",
        CONFIG,
        "--yes",
        "--quiet",
      ),
      await step("Is anything left to change?", "plan", "-c", CONFIG, "--detailed-exitcode"),
    ];
    const edit = (change: (text: string) => string) =>
      writeFileSync(file, change(readFileSync(file, "utf8")));
    const logs = await writeLogs(path.join(folder, LOGS), emulator.state(), new Date());
    const about = ["shop.example.com", "-c", CONFIG, "--policy", REPORTING, "--events", LOGS] as const;
    terminal.out(
      `${LOGS}/ holds logs of the last days, as log-push jobs write them. "${REPORTING}" only reports so far.\n\n`,
    );
    codes.push(
      logs.ok ? EXIT.done : EXIT.error,
      await step("Is it ready to block?", "ready", ...about),
      await step(
        "Which sources does it need? Write them into the file, also those that are only reported.",
        "suggest",
        ...about,
        "--write=reported",
      ),
    );
    edit((text) => text + TEST);
    terminal.out(`${faint("# A test in the file says what must keep working:")}${TEST}\n`);
    codes.push(
      await step("Does it pass?", "validate", "-c", CONFIG),
      await step("Report with the new value first.", "apply", "-c", CONFIG, "--yes", "--quiet"),
      await step("Is it ready now?", "ready", ...about),
    );
    edit((text) => text.replace(BEFORE_BLOCKING, "$1allow"));
    terminal.out(`${faint("# It is ready. Let it block: action: allow.")}\n`);
    codes.push(await step("What does that change?", "plan", "-c", CONFIG, "--events", LOGS));
    const failed = codes.some((code) => code !== EXIT.done);
    terminal.out(
      failed
        ? "Something went wrong above.\n"
        : `Nothing was kept. The repository has the files: ${CONFIG}, ${LIVE}.\nTo continue by hand there: zoneward emulator --seed ${LIVE}\n`,
    );
    return failed ? EXIT.error : EXIT.done;
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Matches the action of the policy that only reports. */
const BEFORE_BLOCKING = new RegExp(`(description: ${REPORTING}\\n.*\\n *action: )log`);

const DAYS_SEEN = 20;
const DAY_MS = 86_400_000;

/** The seed with detections that were first seen this many days ago. */
function seenFor(seed: Seed, days: number): Seed {
  const first_seen_at = new Date(Date.now() - days * DAY_MS).toISOString();
  const dated = (seeds: readonly DetectionSeed[] = []) => seeds.map((each) => ({ ...each, first_seen_at }));
  const zones = Object.entries(seed.zones).map(
    ([name, zone]) =>
      [name, { ...zone, scripts: dated(zone.scripts), connections: dated(zone.connections) }] as const,
  );
  return { ...seed, zones: Object.fromEntries(zones) };
}

async function runCommand(
  [name, ...argv]: readonly string[],
  terminal: Terminal,
  commands: readonly Command[],
): Promise<number> {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new Error(`the demo runs a command that exists, not ${name}`);
  const parsed = readArguments(command, argv);
  if (!parsed.ok) throw new Error(parsed.complaint);
  const run = await command.load(commands);
  const ended = await run(parsed.args, terminal);
  return typeof ended === "number" ? ended : refuse(ended, parsed.args, terminal);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
