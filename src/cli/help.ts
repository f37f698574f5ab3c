import type { Command, Flag } from "./command.js";
import { everywhere } from "./flags.js";

export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const rows = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `zoneward keeps the security configuration of Cloudflare zones in git.

Usage: zoneward COMMAND [flags]

Commands:
${rows.join("\n")}

Try it without an account: zoneward demo
More about a command: zoneward COMMAND --help
`;
}

export function commandHelp(command: Command): string {
  const flags = [...command.flags, ...everywhere];
  const names = flags.map(flagName);
  const width = Math.max(...names.map((name) => name.length));
  const rows = flags.map((flag, index) => `  ${(names[index] ?? "").padEnd(width)}  ${flag.help}`);
  const operands = (command.operands ?? []).map((each) => ` ${each}`).join("");
  return `zoneward ${command.name}: ${command.summary}.

Usage: zoneward ${command.name}${operands} [flags]

Flags:
${rows.join("\n")}

Examples:
${command.examples.map((example) => `  ${example}`).join("\n")}
`;
}

function flagName({ name, short, value }: Flag): string {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? `    ${long}` : `-${short}, ${long}`;
}
