/**
 * The words after `zoneward` in each command line of a script, a transcript or a workflow. Usage lines, which end with
 * `[flags]`, are left out.
 */
export function commandLines(script: string): readonly (readonly string[])[] {
  const joined = script.replace(/\\\n\s*/g, " ").replace(/\|\n\s*/g, "| ");
  return joined
    .split("\n")
    .filter((line) => !line.endsWith("[flags]"))
    .flatMap((line) =>
      [...line.matchAll(COMMAND)].map(({ index, 0: found }) => line.slice(index + found.length)),
    )
    .map(wordsOf)
    .filter((words) => words.length > 0);
}

/** Places where a command can start: the beginning, after a prompt, an operator or variables, and after `run:`. */
const COMMAND = /(?:^\s*(?:- )?(?:run: )?|[|&;(`]\s*|\$ )(?:[A-Z_]+=\S+ )*(?:npx )?zoneward (?=[a-z-])/g;

/** Splits words as a shell does, up to the end of the command. */
function wordsOf(rest: string): readonly string[] {
  const words: string[] = [];
  for (const [token] of rest.matchAll(TOKEN)) {
    if (/^([|&;<>#)`]|\d?>)/.test(token)) break;
    words.push(
      token.replace(
        QUOTED,
        (_, single: string | undefined, double: string | undefined) =>
          single ?? (double ?? "").replace(/\\(["\\$`])/g, "$1"),
      ),
    );
  }
  return words;
}

const TOKEN = /\d?>+|[|&;<>)`]|#.*|(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s|&;<>'"`)])+/g;
const QUOTED = /'([^']*)'|"((?:\\.|[^"\\])*)"/g;
