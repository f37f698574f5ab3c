import type { Environment } from "../config/index.js";
import type { Problem } from "../model/problem.js";
import type { Signals } from "../run/end-process.js";

/** A flag as the command line, help and completions know it. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** The value's name in help. A flag without one is on or off. */
  readonly value?: string;
  readonly many?: boolean;
  /** Whether an empty value has a meaning. */
  readonly mayBeEmpty?: true;
  /** The allowed values. Absent: any. */
  readonly choices?: readonly string[];
  /** Each value may name its own file: `html=plan.html`. At most one value may lack a file. */
  readonly toFiles?: true;
  /** What of the files a shell completes the value from. */
  readonly names?: NameList;
  /** The flag that this flag has no effect without. */
  readonly needs?: string;
  readonly help: string;
}

/** Names in the files: of zones, of objects with their kinds as `--only` takes them, of policies. */
export const NAME_LISTS = ["zones", "objects", "policy-names"] as const;
export type NameList = (typeof NAME_LISTS)[number];

/** A row of the command table. A command's code is loaded when it runs, so that `version` starts at once. */
export interface Command {
  readonly name: string;
  /** The heading of the help that the command stands under. */
  readonly group: string;
  /** At most 72 characters, verb first. */
  readonly summary: string;
  /** Operands in order: `[plan.json]`. `list|show` is a choice of words. */
  readonly operands?: readonly string[];
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
  /** Help and completion need the whole table. */
  load(commands: readonly Command[]): Promise<Run>;
}

export type Run = (args: Arguments, terminal: Terminal) => Promise<Ended>;

/** The exit code of a command, or why it could not be carried out. */
export type Ended = number | Refusal;

/** A failed `Result` is a refusal too. */
export interface Refusal {
  readonly ok: false;
  readonly problems: readonly Problem[];
  /** Absent: that of an error. */
  readonly code?: number;
  /** Problems that these zones share are shown once. Absent: all are shown. */
  readonly zones?: readonly string[];
}

/** The parsed command line. */
export interface Arguments {
  readonly operands: readonly string[];
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  on(flag: string): boolean;
}

/** The process, as commands see it. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly environment: Environment;
  readonly cwd: string;
  /** Redacts all output, files included. Reading files adds secrets to it. */
  readonly redactor: { add(values: readonly string[]): void; in(text: string): string };
  /** Whether a person can answer questions. */
  readonly interactive: boolean;
  readonly colors: { readonly out: boolean; readonly err: boolean };
  /** The width of standard output; null: it is no terminal. */
  readonly columns: number | null;
  /** Shows a line on the terminal until the next output; empty clears it. Without a terminal, it does nothing. */
  status(line: string): void;
  /** All of standard input; null: it exceeds the limit. */
  input(limitBytes: number): Promise<Uint8Array | null>;
  /** Standard input, in chunks. */
  bytes(): AsyncIterable<Buffer>;
  /** Null: the person ended the input or pressed Ctrl-C. */
  ask(question: string): Promise<string | null>;
  readonly signals: Signals;
}
