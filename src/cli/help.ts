import type { Command, Flag } from "./command.js";
import { connection, everywhere } from "./shared-flags.js";

/** @param columns the width of a line */
export function generalHelp(commands: readonly Command[], columns: number): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const groups = [...new Set(commands.map(({ group }) => group))].map((group) => {
    const rows = commands
      .filter((each) => each.group === group)
      .map((each) => [each.name, each.summary] as const);
    return `${group}:\n${rowsText(rows, columns, width)}`;
  });
  const intro = "zoneward keeps the security configuration of Cloudflare zones in git.";
  return `${wrapped(intro, columns).join("\n")}

Usage: zoneward COMMAND [flags]

${groups.join("\n\n")}

Without an account: zoneward demo
With your zones:    zoneward export
Help on a command:  zoneward COMMAND --help
`;
}

/** @param columns the width of a line */
export function commandHelp(command: Command, columns: number): string {
  const isConnection = (flag: Flag) => connection.includes(flag);
  const sections = [
    ["Flags", [...command.flags.filter((flag) => !isConnection(flag)), ...everywhere]],
    ["Connection", command.flags.filter(isConnection)],
  ] as const;
  const texts = sections.flatMap(([heading, flags]) => {
    const rows = flags.map((flag) => [flagName(flag), flag.help] as const);
    return rows.length === 0 ? [] : [`${heading}:\n${rowsText(rows, columns)}`];
  });
  const operands = (command.operands ?? []).map((each) => ` ${each}`).join("");
  return `${wrapped(`${command.summary}.`, columns).join("\n")}

Usage: zoneward ${command.name}${operands} [flags]

${texts.join("\n\n")}

Examples:
${command.examples.map((example) => `  ${example}`).join("\n")}
`;
}

function flagName({ name, short, value }: Flag): string {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? `    ${long}` : `-${short}, ${long}`;
}

/** With less room beside the names, the texts go below them. */
const LEAST_CHARS = 32;
const BELOW = " ".repeat(8);

/** Two columns: names and their texts. */
function rowsText(
  rows: readonly (readonly [name: string, text: string])[],
  columns: number,
  width = Math.max(...rows.map(([name]) => name.length)),
): string {
  const beside = columns - width - 4;
  return rows
    .flatMap(([name, text]) => {
      if (beside < LEAST_CHARS)
        return [`  ${name}`, ...wrapped(text, columns - BELOW.length).map((line) => `${BELOW}${line}`)];
      const [first = "", ...rest] = wrapped(text, beside);
      return [`  ${name.padEnd(width)}  ${first}`, ...rest.map((line) => `${" ".repeat(width + 4)}${line}`)];
    })
    .join("\n");
}

/** Lines of at most `chars` characters, broken between words. */
function wrapped(text: string, chars: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > chars) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
