import { parseArgs } from "node:util";
import { didYouMean, suggest } from "../model/did-you-mean.js";
import type { Arguments, Command, Flag } from "./command.js";
import { flagInstead } from "./other-tools.js";
import { config, everywhere, format } from "./shared-flags.js";

type Parsed =
  | { readonly ok: true; readonly args: Arguments }
  | {
      readonly ok: false;
      readonly complaint: string;
      /** Whether the complaint is printed as JSON. */
      readonly json: boolean;
    };

/** Reads the words after the command's name. */
export function readArguments(command: Command, argv: readonly string[]): Parsed {
  const flags = [...command.flags, ...everywhere];
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionsOf(flags),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const json =
    flags.some(({ name, choices }) => name === format.name && choices?.includes("json") === true) &&
    tokens.some((token) => token.kind === "option" && token.name === format.name && token.value === "json");
  const wrong = (complaint: string) => ({ ok: false, complaint, json }) as const;
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  /** The flag that further operands are values of. */
  let open: string | null = null;
  for (const token of tokens) {
    if (token.kind === "positional" && open !== null) values.get(open)?.push(token.value);
    else if (token.kind === "positional") operands.push(token.value);
    // The shell expands `-c zones/*.yaml` to several words, each a file.
    open = token.kind === "positional" ? open : openAfter(command, token);
    if (token.kind !== "option") continue;
    const flag = flags.find((each) => each.name === token.name);
    const complaint =
      flag === undefined ? unknownFlag(token.rawName, flags, command) : faultIn(flag, token, values);
    if (complaint !== null) return wrong(complaint);
    values.set(token.name, [...(values.get(token.name) ?? []), token.value ?? ""]);
  }
  const idle = flags.find(({ name, needs }) => values.has(name) && needs !== undefined && !values.has(needs));
  if (idle !== undefined)
    return wrong(`--${idle.name} has no effect without --${idle.needs}. Add --${idle.needs}.`);
  const surplus = takesMany(command) ? undefined : operands[command.operands?.length ?? 0];
  if (surplus !== undefined) return wrong(tooMuch(surplus, command));
  return {
    ok: true,
    args: {
      operands,
      text: (flag) => values.get(flag)?.at(-1),
      texts: (flag) => values.get(flag) ?? [],
      on: (flag) => values.has(flag),
    },
  };
}

/** For a command without operands, words after `-c FILE` are further files. */
function openAfter(
  { operands = [], flags }: Command,
  token: { readonly kind: string; readonly name?: string },
) {
  const isConfig = token.kind === "option" && token.name === config.name && flags.includes(config);
  return isConfig && operands.length === 0 ? config.name : null;
}

function takesMany({ operands = [] }: Command): boolean {
  return operands.at(-1)?.endsWith("…]") === true;
}

function tooMuch(operand: string, { name, operands = [], flags }: Command): string {
  const takes = takenText(operands);
  const advice = flags.includes(config) ? ` To name a file, pass -c ${operand}.` : "";
  return `Unexpected argument ${operand}. zoneward ${name} takes ${takes}.${advice}`;
}

function takenText(operands: readonly string[]): string {
  if (operands.length === 0) return "no arguments";
  return `${operands.length === 1 ? "one argument" : `${operands.length} arguments`}: ${operands.join(" ")}`;
}

function optionsOf(flags: readonly Flag[]) {
  return Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      {
        type: flag.value === undefined ? "boolean" : "string",
        multiple: true,
        ...(flag.short === undefined ? {} : { short: flag.short }),
      } as const,
    ]),
  );
}

function unknownFlag(name: string, flags: readonly Flag[], command: Command): string {
  const names = flags.map((flag) => flag.name);
  const otherwise = `See zoneward ${command.name} --help.`;
  const advice =
    flagInstead(name, flags) ?? didYouMean(name.replace(/^-+/, ""), names, otherwise, (near) => `--${near}`);
  return `Unknown flag ${name} for zoneward ${command.name}. ${advice}`;
}

function faultIn(
  flag: Flag,
  {
    value,
    inlineValue: isInline,
  }: { readonly value: string | undefined; readonly inlineValue: boolean | undefined },
  values: ReadonlyMap<string, readonly string[]>,
): string | null {
  // A flag with an optional choice: `--who`, `--who=role`.
  if (flag.value === undefined && (value === undefined || flag.choices?.includes(value) === true))
    return null;
  if (flag.value === undefined && value !== undefined && flag.choices !== undefined)
    return `--${flag.name} takes no value, or --${flag.name}=${flag.choices.join(` or --${flag.name}=`)}.`;
  if (flag.value === undefined) return `--${flag.name} takes no value.`;
  if (value === undefined || (value === "" && flag.mayBeEmpty !== true))
    return `--${flag.name} needs a value: --${flag.name} ${flag.value}.`;
  if (value.startsWith("-") && value.length > 1 && isInline !== true)
    return `--${flag.name} needs a value, but ${value} looks like a flag. To pass it as the value, write --${flag.name}=${value}.`;
  if (value === "-" && flag.value === "FILE")
    return `--${flag.name} needs a file name, and - is not one. For a file named -, write --${flag.name} ./-.`;
  if (flag.many !== true && values.has(flag.name)) return `--${flag.name} is given twice. Pass it once.`;
  const [chosen, file] = flag.toFiles === true ? splitFile(value) : [value, null];
  if (file === "") return `--${flag.name} ${value} has no file name. Write --${flag.name} ${chosen}=FILE.`;
  if (
    flag.toFiles === true &&
    file === null &&
    values.get(flag.name)?.some((each) => splitFile(each)[1] === null)
  )
    return `--${flag.name} is given twice without a file. Only one format can go to standard output: write --${flag.name} ${chosen}=FILE.`;
  if (flag.choices === undefined || flag.choices.includes(chosen)) return null;
  return notAChoice(flag.name, flag.choices, chosen);
}

function notAChoice(flag: string, choices: readonly string[], chosen: string): string {
  const close = suggest(chosen, choices);
  const advice = close === null ? "" : ` Did you mean ${close}?`;
  return `--${flag} must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}, not ${chosen}.${advice}`;
}

/** `html=plan.html` → format and file. A null file is standard output, also written as `-`. */
export function splitFile(value: string): readonly [chosen: string, file: string | null] {
  const at = value.indexOf("=");
  if (at === -1) return [value, null];
  const file = value.slice(at + 1);
  return [value.slice(0, at), file === "-" ? null : file];
}
