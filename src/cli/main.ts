import { didYouMean } from "../model/did-you-mean.js";
import { EXIT } from "../run/exit-codes.js";
import { readArguments } from "./arguments.js";
import type { Command, Refusal, Terminal } from "./command.js";
import { commands } from "./commands.js";
import { commandHelp, generalHelp } from "./help.js";
import { commandInstead } from "./other-tools.js";

/** Runs the command named on the command line, and returns the exit code. */
export async function main([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return showHelp(rest[0], terminal);
  const command = commandOf(name);
  if (command === undefined) return refuseLine(unknownCommand(name), terminal);
  if (rest.includes("--help") || rest.includes("-h")) return showHelp(command.name, terminal);
  const parsed = readArguments(command, rest);
  if (!parsed.ok) return refuseLine(parsed.complaint, terminal, parsed.json);
  const run = await command.load(commands);
  const interrupted = terminal.signals.interrupted.then(interruption);
  const ended = await Promise.race([run(parsed.args, terminal), interrupted]);
  return typeof ended === "number" ? ended : (await import("./show.js")).refuse(ended, parsed.args, terminal);
}

/** For commands that only read. Commands that write report their interruptions themselves. */
async function interruption(): Promise<Refusal> {
  const { failed, problem } = await import("../model/problem.js");
  const why = problem("interrupted", "Interrupted", "Nothing was written to the service.");
  return { ...failed(why), code: EXIT.interrupted };
}

function commandOf(name: string): Command | undefined {
  const commandName = name === "--version" || name === "-V" ? "version" : name;
  return commands.find((each) => each.name === commandName);
}

async function showHelp(name: string | undefined, terminal: Terminal): Promise<number> {
  const command = name === undefined ? undefined : commandOf(name);
  if (name !== undefined && command === undefined) return refuseLine(unknownCommand(name), terminal);
  const columns = Math.min(terminal.columns ?? HELP_COLUMNS, MOST_HELP_COLUMNS);
  terminal.out(command === undefined ? generalHelp(commands, columns) : commandHelp(command, columns));
  return EXIT.done;
}

/** Through a pipe. */
const HELP_COLUMNS = 80;
/** Longer lines are hard to read. */
const MOST_HELP_COLUMNS = 120;

async function refuseLine(complaint: string, terminal: Terminal, json = false): Promise<number> {
  const { complain } = await import("./complain.js");
  const safe = complaint.replace(AS_LONG_AS_A_CREDENTIAL, "(hidden: it may be a credential)");
  return complain(safe, terminal, json);
}

/** Credentials are this long. Ordinary words are broken up by other characters, and ids are shorter. */
const AS_LONG_AS_A_CREDENTIAL = /[\w-]{37,}/g;

function unknownCommand(name: string): string {
  if (name.startsWith("-")) return "The command comes before its flags. See zoneward --help.";
  const names = commands.map((each) => each.name);
  const advice = commandInstead(name) ?? didYouMean(name, names, "See zoneward --help.");
  return `Unknown command ${name}. ${advice}`;
}
