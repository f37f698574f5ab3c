import { problem } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import { EXIT } from "../process.js";
import { complain, readArguments } from "./arguments.js";
import type { Arguments, Command, Terminal } from "./command.js";
import { commands } from "./commands.js";
import { commandHelp, generalHelp } from "./help.js";

/** Runs the command that the words after `zoneward` name, and gives the exit code. */
export async function main([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return showHelp(rest[0], terminal);
  const command = commandOf(name);
  if (command === undefined) return complain(unknownCommand(name), terminal);
  if (rest.includes("--help") || rest.includes("-h")) return showHelp(command.name, terminal);
  const parsed = readArguments(command, rest);
  if (!parsed.ok) return complain(parsed.message, terminal, parsed.json);
  const run = await command.load(commands);
  const interrupted = terminal.signals.interrupted.then(() => interruption(parsed.args, terminal));
  return Promise.race([run(parsed.args, terminal), interrupted]);
}

/** What commands that write to the service say of an interruption, they say themselves. */
async function interruption(args: Arguments, terminal: Terminal): Promise<number> {
  const { refuse } = await import("./show.js");
  const detail = "It was stopped before anything was written to the service.";
  return refuse([problem("interrupted", "Interrupted", detail)], args, terminal, EXIT.interrupted);
}

function commandOf(name: string): Command | undefined {
  const wanted = name === "--version" || name === "-V" ? "version" : name;
  return commands.find((each) => each.name === wanted);
}

function showHelp(name: string | undefined, terminal: Terminal): number {
  const command = name === undefined ? undefined : commandOf(name);
  if (name !== undefined && command === undefined) return complain(unknownCommand(name), terminal);
  const { columns } = terminal;
  terminal.out(command === undefined ? generalHelp(commands, columns) : commandHelp(command, columns));
  return EXIT.done;
}

function unknownCommand(name: string): string {
  const close = suggest(
    name,
    commands.map((each) => each.name),
  );
  return `There is no command ${name}. ${close === null ? "See zoneward --help." : `Did you mean ${close}?`}`;
}
