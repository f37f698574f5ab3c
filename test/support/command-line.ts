import { complain, readArguments } from "../../src/cli/arguments.js";
import type { Terminal } from "../../src/cli/command.js";
import { commands } from "../../src/cli/commands.js";

import { Hiding } from "../../src/run/redact.js";
import type { Ran } from "./cli.js";

export interface Setting {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly color?: boolean;
  readonly input?: string;
}

/** Runs a command in this process, as the command line does: a table of thousands of runs has no time for processes. */
export async function runCommand(
  [name = "", ...rest]: readonly string[],
  { cwd, env, color = false, input = "" }: Setting,
): Promise<Ran> {
  const said = { out: "", err: "" };
  const hiding = new Hiding([]);
  const terminal: Terminal = {
    out(text) {
      said.out += hiding.in(text);
    },
    err(text) {
      said.err += hiding.in(text);
    },
    hiding,
    environment: env,
    cwd,
    interactive: false,
    colors: { out: color, err: color },
    input: async () => Buffer.from(input),
    ask: async () => null,
    interrupted: new Promise(() => {}),
    catchSignals: () => new AbortController().signal,
  };
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return { code: complain(`There is no command ${name}.`, terminal), ...said };
  const parsed = readArguments(command, rest);
  const code = parsed.ok
    ? await (await command.load())(parsed.args, terminal)
    : complain(parsed.message, terminal, parsed.json);
  return { code, ...said };
}
