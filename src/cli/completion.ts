import { EXIT } from "../run/exit.js";
import type { Command, Flag, Run } from "./command.js";
import { complain } from "./complain.js";
import { everywhere } from "./flags.js";

const SHELLS: { readonly [shell: string]: (commands: readonly Command[]) => string } = { bash, zsh, fish };

/** The command that prints completion scripts for these commands. */
export function completionOf(commands: readonly Command[]): Run {
  return async (args, terminal) => {
    const shell = args.operands[0] ?? "";
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined) {
      const complaint = shell === "" ? "Name a shell" : `There is no completion for ${shell}`;
      return complain(`${complaint}: zoneward completion ${Object.keys(SHELLS).join("|")}.`, terminal);
    }
    terminal.out(script(commands));
    return EXIT.done;
  };
}

function flagsOf(command: Command): readonly Flag[] {
  return [...command.flags, ...everywhere];
}

function words(command: Command): string {
  return flagsOf(command)
    .flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])])
    .join(" ");
}

/** The choices of each flag that has some. Other flags with a value complete files. */
function valueCases(command: Command): string {
  return flagsOf(command)
    .flatMap(({ name, choices }) =>
      choices === undefined ? [] : [`${command.name}:--${name}) words="${choices.join(" ")}" ;;`],
    )
    .join("\n      ");
}

/** The choices of the first operand: `list|show`, `[config|plan]`. */
function operandWords({ operands }: Command): string {
  const [first = ""] = operands ?? [];
  return first.includes("|") ? first.replace(/^\[|\]$/g, "").replaceAll("|", " ") : "";
}

/** One script line for each command that has such words. */
function caseLines(commands: readonly Command[], of: (command: Command) => string): string {
  const lines = commands.map((command) => ({ name: command.name, words: of(command) }));
  return lines
    .flatMap(({ name, words }) => (words === "" ? [] : [`${name}) words="${words}" ;;`]))
    .join("\n      ");
}

function bash(commands: readonly Command[]): string {
  const names = commands.map((command) => command.name).join(" ");
  return `_zoneward() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" before="" file
  # --format=json is three words; to zsh it is one.
  if [ -n "\${ZSH_VERSION-}" ] && [[ "$current" == --*=* ]]; then
    previous="\${current%%=*}" before="\${current%%=*}=" current="\${current#*=}"
  fi
  if [ "$current" = "=" ]; then current=""; fi
  if [ "$previous" = "=" ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${names}"
  else
    case "\${COMP_WORDS[1]}:$previous" in
      ${commands
        .map(valueCases)
        .filter((text) => text !== "")
        .join("\n      ")}
    esac
    if [ -z "$words" ] && [[ "$current" == -* ]]; then
      case "\${COMP_WORDS[1]}" in
      ${caseLines(commands, words)}
      esac
    elif [ -z "$words" ] && [ "$COMP_CWORD" -eq 2 ]; then
      case "\${COMP_WORDS[1]}" in
      ${caseLines(commands, operandWords)}
      esac
    fi
  fi
  COMPREPLY=()
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -P "$before" -W "$words" -- "$current"))
  else
    # Only here: a word of which there is a folder, too, is none. Older shells do not have it.
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do COMPREPLY+=("$before$file"); done < <(compgen -f -- "$current")
  fi
}
complete -F _zoneward zoneward
`;
}

function zsh(commands: readonly Command[]): string {
  return `#compdef zoneward
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c zoneward -f -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    ...fishOperand(command),
    ...flagsOf(command).map((flag) => fishFlag(command, flag)),
  ]);
  return `${lines.join("\n")}\n`;
}

function fishOperand(command: Command): readonly string[] {
  const choices = operandWords(command);
  if (choices === "") return [];
  return [`complete -c zoneward -f -n '__fish_seen_subcommand_from ${command.name}' -a ${quoted(choices)}`];
}

function fishFlag(command: Command, { name, short, value, choices, help }: Flag): string {
  const shortPart = short === undefined ? "" : ` -s ${short}`;
  const values =
    choices === undefined ? (value === undefined ? "" : " -r -F") : ` -x -a ${quoted(choices.join(" "))}`;
  return `complete -c zoneward -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${shortPart}${values} -d ${quoted(help)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
