/**
 * An option of the program where a text names it. It is data: the command line spells it `--allow weakens`, a step of a
 * workflow as its input, and a shell that does not have it leaves it out.
 */
export interface NamedOption {
  /** As the command line calls it, without dashes. */
  readonly flag?: string;
  /** The command that it goes with, where it is not the one that runs. */
  readonly command?: string;
  readonly value?: string;
  /** It is told to whoever reads: `say --allow weakens`. */
  readonly isAdvice?: true;
  /** What stands before and after it, and goes with it. */
  readonly lead?: string;
  readonly tail?: string;
  /** What stands in its place where there is no such option; nothing when absent. */
  readonly otherwise?: string;
}

/** Sentences in which options are named. */
export type Sentences = readonly (string | NamedOption)[];

/** How a shell names an option; null: it has none. `begins`: it is the first word of a sentence. */
export type Spelling = (option: NamedOption, begins: boolean) => string | null;

/** A template whose values are texts and options: says`Name one with ${{ flag: "base" }}.` */
export function says(texts: TemplateStringsArray, ...values: readonly (string | NamedOption)[]): Sentences {
  return texts.flatMap((text, index) => [text, values[index] ?? ""]).filter((each) => each !== "");
}

/** How to lift a guardrail, as part of a sentence. */
export function lifting(guardrail: string): NamedOption {
  return { flag: "allow", value: guardrail, isAdvice: true };
}

export function textOf(said: string | Sentences, spelling: Spelling = onCommandLine): string {
  if (typeof said === "string") return said;
  return said.reduce<string>(
    (text, each) => text + (typeof each === "string" ? each : spelled(each, text, spelling)),
    "",
  );
}

/** An option as it stands within a sentence. */
export function named(option: NamedOption, spelling: Spelling): string {
  return spelled(option, ", ", spelling);
}

function spelled(option: NamedOption, before: string, spelling: Spelling): string {
  const { lead = "", tail = "", otherwise = "" } = option;
  const name = spelling(option, lead === "" && /(?:^|[.!?]\s)$/.test(before));
  return name === null ? otherwise : `${lead}${name}${tail}`;
}

/** The words of plan documents, of JSON, and of the library too. */
export function onCommandLine({ flag, command, value, isAdvice }: NamedOption): string | null {
  if (flag !== undefined && NOT_FLAGS.includes(flag)) return null;
  const words = [
    ...(isAdvice === true ? ["say"] : []),
    ...(command === undefined ? [] : ["zoneward", command]),
    ...(flag === undefined ? [] : [SHORT[flag] ?? `--${flag}`]),
    ...(value === undefined ? [] : [value]),
  ];
  return words.join(" ");
}

/** They come from the environment alone. */
const NOT_FLAGS: readonly string[] = ["api-token"];

const SHORT: { readonly [flag: string]: string } = { config: "-c", out: "-o" };
