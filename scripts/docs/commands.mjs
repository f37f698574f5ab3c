import { code, escaped, fenced, table } from "./markdown.mjs";

/** A flag that so many commands take is explained once. */
const SHARED_FROM = 3;

/** The parts of docs/commands.md that the table of commands says. */
export function commandParts({ commands, everywhere, kinds }) {
  const shared = sharedFlags(commands);
  const common = [...shared, ...everywhere];
  return {
    list: table(
      ["command", ""],
      commands.map(({ name, summary }) => [`[${code(name)}](#${name})`, summary]),
    ),
    flags: table(
      ["flag", "meaning", "commands"],
      common.map((flag) => [code(written(flag)), escaped(flag.help), takers(flag, commands, everywhere)]),
    ),
    commands: commands.map((command) => commandSection(command, shared)).join("\n\n"),
    permissions: table(
      ["section", "to plan", "to apply", "in the account"],
      kinds.map(({ section, service }) => {
        const { read, write, account = "" } = service.permissions;
        return [code(section), read, write, account];
      }),
    ),
  };
}

/** Flags that are told apart by what help says of them: `--format` has other values elsewhere. */
function sharedFlags(commands) {
  const all = commands.flatMap(({ flags }) => flags);
  const takenBy = (flag) => commands.filter(({ flags }) => flags.some((each) => isSame(each, flag))).length;
  return all.filter(
    (flag, at) => all.findIndex((each) => isSame(each, flag)) === at && takenBy(flag) >= SHARED_FROM,
  );
}

function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function takers(flag, commands, everywhere) {
  if (everywhere.includes(flag)) return "all";
  return commands
    .filter(({ flags }) => flags.some((each) => isSame(each, flag)))
    .map(({ name }) => `\`${name}\``)
    .join(", ");
}

function commandSection({ name, summary, operands = [], flags, examples }, shared) {
  const own = flags.filter((flag) => !shared.some((each) => isSame(each, flag)));
  const others = flags.filter((flag) => !own.includes(flag));
  const usage = ["zoneward", name, ...operands, "[flags]"].join(" ");
  return [
    `### ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    fenced("", usage),
    ...(own.length === 0
      ? []
      : [
          table(
            ["flag", "meaning"],
            own.map((flag) => [code(written(flag)), escaped(flag.help)]),
          ),
        ]),
    ...(others.length === 0
      ? []
      : [
          `${own.length === 0 ? "Flags" : "And"}, [explained above](#flags-of-several-commands): ${others.map(({ name: flag }) => `\`--${flag}\``).join(", ")}.`,
        ]),
    fenced("sh", examples.join("\n")),
  ].join("\n\n");
}

function written({ name, short, value }) {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
