/**
 * An option of the program, named in a text. It is data: the command line writes `--allow weakens`, a workflow step its
 * input, and a shell without the option omits it.
 */
export interface NamedOption {
  /** The name on the command line, without dashes. */
  readonly flag?: string;
  /** The command of the option, if it is another one. */
  readonly command?: string;
  readonly value?: string;
  /** An instruction to the reader: `pass --allow weakens`. */
  readonly isAdvice?: true;
  /** Text before and after the option, omitted together with it. */
  readonly lead?: string;
  readonly tail?: string;
  /** The text of a shell without the option; absent: none. */
  readonly otherwise?: string;
}

/** Sentences that name options. */
export type Sentences = readonly (string | NamedOption)[];

/** Names an option for a shell; null: it has none. `begins`: the name starts a sentence. */
export type Spelling = (option: NamedOption, begins: boolean) => string | null;

/** A template of texts and options: says`Name one with ${{ flag: "base" }}.` */
export function says(texts: TemplateStringsArray, ...values: readonly (string | NamedOption)[]): Sentences {
  return texts.flatMap((text, index) => [text, values[index] ?? ""]).filter((each) => each !== "");
}

/** How to lift a guardrail, as part of a sentence. */
export function lifting(guardrail: string): NamedOption {
  return { flag: "allow", value: guardrail, isAdvice: true };
}

export function textOf(sentences: string | Sentences, spelling: Spelling = onCommandLine): string {
  if (typeof sentences === "string") return sentences;
  return sentences.reduce<string>(
    (text, each) => text + (typeof each === "string" ? each : spelled(each, text, spelling)),
    "",
  );
}

/** An option within a sentence. */
export function spellOption(option: NamedOption, spelling: Spelling): string {
  return spelled(option, ", ", spelling);
}

function spelled(option: NamedOption, before: string, spelling: Spelling): string {
  const { lead = "", tail = "", otherwise = "" } = option;
  const name = spelling(option, lead === "" && /(?:^|[.!?]\s)$/.test(before));
  return name === null ? otherwise : `${lead}${name}${tail}`;
}

/** The spelling of plan documents, JSON and the library too. */
export function onCommandLine({ flag, command, value, isAdvice }: NamedOption): string | null {
  if (flag !== undefined && NOT_FLAGS.includes(flag)) return null;
  const words = [
    ...(isAdvice === true ? [command === undefined ? "pass" : "run"] : []),
    ...(command === undefined ? [] : ["zoneward", command]),
    ...(flag === undefined ? [] : [SHORT[flag] ?? `--${flag}`]),
    ...(value === undefined ? [] : [value]),
  ];
  return words.join(" ");
}

/** Options that only the environment has. */
const NOT_FLAGS: readonly string[] = ["api-token"];

const SHORT: { readonly [flag: string]: string } = { config: "-c", out: "-o" };
