import { parseArgs } from "node:util";
import { failed, ok, problem, type Result } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import { EXIT } from "../process.js";
import { plain } from "../render/plain.js";
import { problemsJson } from "../render/problems.js";
import type { Arguments, Command, Flag, Terminal } from "./command.js";
import { config, everywhere, format } from "./flags.js";

type Parsed =
  | { readonly ok: true; readonly args: Arguments }
  | {
      readonly ok: false;
      readonly message: string;
      /** Whether what is said is to be JSON. */
      readonly json: boolean;
    };

/** Reads what stands after the command's name. */
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
  const wrong = (message: string) => ({ ok: false, message, json }) as const;
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const flag = flags.find((each) => each.name === token.name);
    const complaint =
      flag === undefined ? unknownFlag(token.rawName, flags, command) : faultIn(flag, token, values);
    if (complaint !== null) return wrong(complaint);
    values.set(token.name, [...(values.get(token.name) ?? []), token.value ?? ""]);
  }
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

/** The last operand may stand any number of times: `[ZONE…]`. */
function takesMany({ operands = [] }: Command): boolean {
  return operands.at(-1)?.endsWith("…]") === true;
}

function tooMuch(operand: string, { name, operands = [], flags }: Command): string {
  const takes = takenText(operands);
  const advice = flags.includes(config) ? ` To name a file, say -c ${operand}.` : "";
  return `zoneward ${name} takes ${takes}: ${operand} is too much.${advice}`;
}

function takenText(operands: readonly string[]): string {
  if (operands.length === 0) return "no operand";
  return `${operands.length === 1 ? "one operand" : `${operands.length} operands`}, ${operands.join(" ")}`;
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

function unknownFlag(written: string, flags: readonly Flag[], command: Command): string {
  const close = suggest(
    written.replace(/^-+/, ""),
    flags.map((flag) => flag.name),
  );
  const advice = close === null ? `See zoneward ${command.name} --help.` : `Did you mean --${close}?`;
  return `zoneward ${command.name} has no flag ${written}. ${advice}`;
}

function faultIn(
  flag: Flag,
  {
    value,
    inlineValue: isInline,
  }: { readonly value: string | undefined; readonly inlineValue: boolean | undefined },
  given: ReadonlyMap<string, readonly string[]>,
): string | null {
  if (flag.value === undefined) return value === undefined ? null : `--${flag.name} takes no value.`;
  if (value === undefined || (value === "" && flag.mayBeEmpty !== true))
    return `--${flag.name} needs a value: --${flag.name} ${flag.value}.`;
  if (value.startsWith("-") && value.length > 1 && isInline !== true)
    return `--${flag.name} needs a value, and ${value} looks like a flag. Write --${flag.name}=${value} if it is meant.`;
  if (flag.many !== true && given.has(flag.name)) return `--${flag.name} is given twice.`;
  const [chosen, file] = flag.toFiles === true ? splitFile(value) : [value, null];
  if (file === "") return `--${flag.name} ${value} names no file. Write --${flag.name} ${chosen}=FILE.`;
  if (
    flag.toFiles === true &&
    file === null &&
    given.get(flag.name)?.some((each) => splitFile(each)[1] === null)
  )
    return `--${flag.name} is given twice without a file. One is for standard output; write --${flag.name} ${chosen}=FILE.`;
  if (flag.choices === undefined || flag.choices.includes(chosen)) return null;
  const close = suggest(chosen, flag.choices);
  return `--${flag.name} can be ${flag.choices.join(", ")}, not ${chosen}.${close === null ? "" : ` Did you mean ${close}?`}`;
}

/** `html=plan.html`: a value and the file that it is for; null: for standard output. */
export function splitFile(value: string): readonly [chosen: string, file: string | null] {
  const at = value.indexOf("=");
  return at === -1 ? [value, null] : [value.slice(0, at), value.slice(at + 1)];
}

/** One line on stderr about the command line itself, which may have anything in it; or JSON on stdout. */
export function complain(message: string, terminal: Terminal, json = false): number {
  if (json) terminal.out(problemsJson([problem("bad_command_line", "A wrong command line", message)], false));
  else terminal.err(`zoneward: error: ${plain(message)}\n`);
  return EXIT.error;
}

/** The number that a flag has; null: it is not given. */
export function readNumber(args: Arguments, flag: string): Result<number | null> {
  const text = args.text(flag);
  if (text === undefined) return ok(null);
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return ok(value);
  return failed(
    problem("bad_flag", "A flag that is not a number", `--${flag} is ${text}; it takes a number.`),
  );
}
