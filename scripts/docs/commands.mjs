import { code, escaped, fenced, listed, table } from "./markdown.mjs";

/** A flag of at least this many commands is explained once, except --format, whose values differ. */
const SHARED_FROM = 2;

/** The page shows at most this many examples per command. The help shows all. */
const MOST_EXAMPLES = 2;

/** The parts of docs/commands.md that come from the table of commands: one for each group, and the common flags. */
export function commandParts({ commands, everywhere, planning, service, kinds }) {
  const sets = [
    { name: "planning flags", flags: planning },
    { name: "service flags", flags: service },
  ];
  const distinct = commands.filter((each) => twinOf(each, commands) === null);
  const common = [...commonFlags(distinct, [...planning, ...service]), ...everywhere];
  const groups = [...new Set(commands.map(({ group }) => group))];
  const inGroup = (group) => commands.filter((each) => each.group === group);
  return {
    common: flagTable(common),
    planning: flagTable(planning),
    service: flagTable(service),
    ...Object.fromEntries(
      groups.map((group) => [
        group.toLowerCase().replaceAll(" ", "-"),
        [`## ${group}`, ...inGroup(group).map((each) => commandSection(each, commands, sets, common))].join(
          "\n\n",
        ),
      ]),
    ),
    permissions: table(["section", "to plan", "to apply", "in the account"], permissionsOf(kinds)),
  };
}

/** The permissions for each section. Sections with equal permissions share a row. */
function permissionsOf(kinds) {
  const sections = new Map();
  for (const { section, service } of kinds) {
    const { read, write, account = "" } = service.permissions;
    const needed = [read, write, account].join("|");
    sections.set(needed, [...(sections.get(needed) ?? []), section]);
  }
  return [...sections].map(([needed, each]) => [listed(each), ...needed.split("|")]);
}

/** Flags with the same help. The values of --format differ. */
function commonFlags(commands, sets) {
  const all = commands.flatMap(({ flags }) => flags);
  const takenBy = (flag) => commands.filter(({ flags }) => has(flags, flag)).length;
  return all.filter(
    (flag, at) =>
      all.findIndex((each) => isSame(each, flag)) === at &&
      takenBy(flag) >= SHARED_FROM &&
      !has(sets, flag) &&
      flag.toFiles !== true,
  );
}

/** An earlier command with the same flags. */
function twinOf({ name, flags }, commands) {
  const twin = commands.find((each) => isSame(each.flags, flags));
  return twin.name === name ? null : twin;
}

function has(flags, flag) {
  return flags.some((each) => isSame(each, flag));
}

function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function flagTable(flags) {
  return table(
    ["flag", "meaning"],
    flags.map((flag) => [code(written(flag)), helpOf(flag)]),
  );
}

/** Another page explains the guardrails, so their names are not listed here. */
function helpOf({ value, choices, help }) {
  const text = escaped(help);
  return value === "GUARDRAIL"
    ? text.replace(choices.join(", "), "[one of these](safety.md#guardrails)")
    : text;
}

function flagList(flags, earlier) {
  return flags
    .map((flag) => {
      const first = earlier.find((command) => has(command.flags, flag));
      const help = first === undefined ? helpOf(flag) : `as for [${code(first.name)}](#${first.name}).`;
      return `- ${code(written(flag))}: ${help}`;
    })
    .join("\n");
}

function commandSection({ name, summary, operands = [], flags, examples }, commands, sets, common) {
  const twin = twinOf({ name, flags }, commands);
  const whole = sets.filter((set) => set.flags.every((flag) => has(flags, flag)));
  const rest = flags.filter((flag) => !whole.some((set) => has(set.flags, flag)));
  const shared = [...common, ...sets.flatMap((set) => set.flags)];
  const own = rest.filter((flag) => !has(shared, flag));
  const also = [
    ...rest.filter((flag) => has(shared, flag)).map((flag) => `\`--${flag.name}\``),
    ...whole.map(({ name }) => name),
  ];
  const usage = ["zoneward", name, ...operands, ...(flags.length === 0 ? [] : ["[flags]"])].join(" ");
  // A call without operands and flags looks like the usage.
  const shown = examples.slice(0, MOST_EXAMPLES).filter((line) => line !== `zoneward ${name}`);
  const flagTexts = [
    ...(own.length === 0
      ? []
      : [
          flagList(
            own,
            commands.slice(
              0,
              commands.findIndex((each) => each.name === name),
            ),
          ),
        ]),
    ...(also.length === 0 ? [] : [`${own.length === 0 ? "Flags" : "Also"}: ${also.join(", ")}.`]),
  ];
  return [
    `### ${name}`,
    `${summary}: \`${usage}\`.`,
    ...(own.length > 0 && twin !== null ? [`Flags: those of [\`${twin.name}\`](#${twin.name}).`] : flagTexts),
    ...(shown.length === 0 ? [] : [fenced("sh", shown.join("\n"))]),
  ].join("\n\n");
}

function written({ name, short, value }) {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
