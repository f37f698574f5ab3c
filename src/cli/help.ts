import type { Command, Flag } from "./command.js";
import { everywhere } from "./flags.js";

/** @param columns the width of a line; null: unlimited */
export function generalHelp(commands: readonly Command[], columns: number | null): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const);
  const intro = "zoneward keeps the security configuration of Cloudflare zones in git.";
  return `${wrapped(intro, columns).join("\n")}

Usage: zoneward COMMAND [flags]

Commands:
${rowsText(rows, columns)}

Try it without an account: zoneward demo
Begin with what is live:   zoneward export
More about a command: zoneward COMMAND --help
`;
}

/** @param columns the width of a line; null: unlimited */
export function commandHelp(command: Command, columns: number | null): string {
  const rows = [...command.flags, ...everywhere].map((flag) => [flagName(flag), flag.help] as const);
  const operands = (command.operands ?? []).map((each) => ` ${each}`).join("");
  return `${wrapped(`zoneward ${command.name}: ${command.summary}.`, columns).join("\n")}

Usage: zoneward ${command.name}${operands} [flags]

Flags:
${rowsText(rows, columns)}

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
function rowsText(rows: readonly (readonly [name: string, text: string])[], columns: number | null): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const beside = columns === null ? null : columns - width - 4;
  return rows
    .flatMap(([name, text]) => {
      if (beside !== null && columns !== null && beside < LEAST_CHARS)
        return [`  ${name}`, ...wrapped(text, columns - BELOW.length).map((line) => `${BELOW}${line}`)];
      const [first = "", ...rest] = wrapped(text, beside);
      return [`  ${name.padEnd(width)}  ${first}`, ...rest.map((line) => `${" ".repeat(width + 4)}${line}`)];
    })
    .join("\n");
}

/** Lines of at most `chars` characters, broken between words. */
function wrapped(text: string, chars: number | null): readonly string[] {
  if (chars === null) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > chars) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
