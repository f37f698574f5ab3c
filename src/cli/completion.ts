import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { entryName } from "../kinds/kind.js";
import { EXIT } from "../run/exit-codes.js";
import { type FilesInput, readDesired } from "../run/files.js";
import { type Command, type Flag, NAME_LISTS, type NameList, type Run } from "./command.js";
import { complain } from "./complain.js";
import { filesInput } from "./inputs.js";
import { everywhere, policy } from "./shared-flags.js";

const SHELLS: { readonly [shell: string]: (commands: readonly Command[]) => string } = { bash, zsh, fish };

/** The command that prints completion scripts for these commands. */
export function completionOf(commands: readonly Command[]): Run {
  return async (args, terminal) => {
    const [shell = "", wanted = ""] = args.operands;
    if (shell === "names") {
      const list = NAME_LISTS.find((each) => each === wanted);
      if (list === undefined)
        return complain(`Name what to list: zoneward completion names ${NAME_LISTS.join("|")}.`, terminal);
      terminal.out(linesOf(list, await namesInFiles(filesInput(args, terminal))));
      return EXIT.done;
    }
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined) {
      const complaint = shell === "" ? "Name a shell" : `Unknown shell ${shell}`;
      return complain(`${complaint}: zoneward completion ${Object.keys(SHELLS).join("|")}.`, terminal);
    }
    terminal.out(script(commands));
    return EXIT.done;
  };
}

/** The zones of the files, and what `--only` can name there: kinds, and objects with their kind. */
async function namesInFiles(
  input: FilesInput,
): Promise<{ readonly zones: readonly string[]; readonly objects: readonly string[] }> {
  const { desired } = await readDesired(input, "check");
  const zones = desired?.zones ?? [];
  const objects = zones.flatMap((zone) => {
    const { sections } = zone.open();
    return kinds.flatMap((kind) =>
      declaredIn(kind, sections).map((each) => `${kind.name}/${entryName(kind, each)}`),
    );
  });
  return {
    zones: zones.map(({ name }) => name),
    objects: [...kinds.map(({ name }) => name), ...new Set(objects)],
  };
}

/** One name a line. A name with a line end or another control character cannot be completed. */
function linesOf(list: NameList, { zones, objects }: Awaited<ReturnType<typeof namesInFiles>>): string {
  const ofPolicies = `${policy.name}/`;
  const names = {
    zones,
    objects,
    "policy-names": objects.flatMap((each) =>
      each.startsWith(ofPolicies) ? [each.slice(ofPolicies.length)] : [],
    ),
  }[list];
  return names.map((name) => (/[\u0000-\u001f\u007f-\u009f]/.test(name) ? "" : `${name}\n`)).join("");
}

function flagsOf(command: Command): readonly Flag[] {
  return [...command.flags, ...everywhere];
}

function words(command: Command): string {
  return flagsOf(command)
    .flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])])
    .join(" ");
}

/** The choices or names of each flag that has some. Other flags with a value complete files. */
function valueCases(command: Command): string {
  return flagsOf(command)
    .flatMap(({ name, choices, names }) => {
      if (names !== undefined) return [`${command.name}:--${name}) names=${names} ;;`];
      return choices === undefined ? [] : [`${command.name}:--${name}) words="${choices.join(" ")}" ;;`];
    })
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
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" names="" before="" file name at
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
    if [ -z "$words$names" ] && [[ "$current" == -* ]]; then
      case "\${COMP_WORDS[1]}" in
      ${caseLines(commands, words)}
      esac
    elif [ -z "$words$names" ] && [ "$COMP_CWORD" -eq 2 ]; then
      case "\${COMP_WORDS[1]}" in
      ${caseLines(commands, operandWords)}
      esac
    fi
  fi
  COMPREPLY=()
  if [ -n "$names" ]; then
    local -a config=()
    for ((at = 2; at < COMP_CWORD; at++)); do
      case "\${COMP_WORDS[at-1]}" in -c|--config) config+=(-c "\${COMP_WORDS[at]}") ;; esac
    done
    # Not compgen -W, which would run what is in a name.
    while IFS= read -r name; do
      file="$(printf %q "$name")"
      if [[ "$file" == "$current"* || "$name" == "$current"* ]]; then COMPREPLY+=("$before$file"); fi
    done < <(zoneward completion names "$names" "\${config[@]}" 2>/dev/null)
  elif [ -n "$words" ]; then
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
  return `${FISH_CONFIG}${lines.join("\n")}\n`;
}

/** The files of the command line. */
const FISH_CONFIG = `function __zoneward_config
  set -l isnext
  for word in (commandline -opc)
    if set -q isnext[1]
      printf '%s\\n' -c $word
      set isnext
    else if contains -- $word -c --config
      set isnext yes
    end
  end
end
`;

function fishOperand(command: Command): readonly string[] {
  const choices = operandWords(command);
  if (choices === "") return [];
  return [`complete -c zoneward -f -n '__fish_seen_subcommand_from ${command.name}' -a ${quoted(choices)}`];
}

function fishFlag(command: Command, { name, short, value, choices, names, help }: Flag): string {
  const shortPart = short === undefined ? "" : ` -s ${short}`;
  const listed =
    names === undefined
      ? choices?.join(" ")
      : `(zoneward completion names ${names} (__zoneward_config) 2>/dev/null)`;
  const values = listed === undefined ? (value === undefined ? "" : " -r -F") : ` -x -a ${quoted(listed)}`;
  return `complete -c zoneward -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${shortPart}${values} -d ${quoted(help)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
