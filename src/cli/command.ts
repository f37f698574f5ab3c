import type { Environment } from "../config/index.js";
import type { Signals } from "../run/exit.js";

/** A flag as the command line, help and completions know it. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** What its value is called in help; a flag without one is on or off. */
  readonly value?: string;
  readonly many?: boolean;
  /** An empty value says something. */
  readonly mayBeEmpty?: true;
  /** What the value can be; anything when absent. */
  readonly choices?: readonly string[];
  /** A value may say which file it is for: `html=plan.html`. Of the others there is one. */
  readonly toFiles?: true;
  /** The flag without which it says nothing. */
  readonly needs?: string;
  readonly help: string;
}

/** A command as a row of the table. Its code is loaded when it runs, so that `version` starts at once. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What may stand beside flags, in this order: `[plan.json]`; `list|show` is a choice of words. */
  readonly operands?: readonly string[];
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
  /** Some commands speak of all of them. */
  load(all: readonly Command[]): Promise<Run>;
}

/** Does the command's work and gives the exit code. */
export type Run = (args: Arguments, terminal: Terminal) => Promise<number>;

/** What the command line said. */
export interface Arguments {
  readonly operands: readonly string[];
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  on(flag: string): boolean;
}

/** The process, as far as commands see it. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly environment: Environment;
  readonly cwd: string;
  /** What nothing that is written shows, files included. More of it becomes known while files are read. */
  readonly redactor: { add(values: readonly string[]): void; in(text: string): string };
  /** Whether a person sits there and can answer. */
  readonly interactive: boolean;
  readonly colors: { readonly out: boolean; readonly err: boolean };
  /** How wide lines of standard output may be; null: as wide as they are. */
  readonly columns: number | null;
  /** Shows a line on the terminal until something else is written; empty: none. Without a terminal, nothing. */
  status(line: string): void;
  /** All of standard input; null when there is more of it. */
  input(limitBytes: number): Promise<Uint8Array | null>;
  /** Standard input, a piece at a time. */
  bytes(): AsyncIterable<Buffer>;
  /** Null: the person ended the input or pressed Ctrl-C instead. */
  ask(question: string): Promise<string | null>;
  readonly signals: Signals;
}
