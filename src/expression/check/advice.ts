import { type ExpressionProblem, problemAt } from "../problem.js";
import { aboutFields } from "../tables/fields.js";
import type { Comparison, Expression } from "../tree.js";
import { comparisonsOf, valuesOf } from "../visit.js";
import { type TextCompared, textsCompared } from "./advice-texts.js";

/** What is allowed and yet surely not meant, in the order of the text. */
export function advice(text: string, tree: Expression): readonly ExpressionProblem[] {
  const comparisons = comparisonsOf(tree);
  return [
    ...deprecated(text, tree),
    ...comparisons.flatMap((comparison) => [...emptySet(text, comparison), ...dashedRange(text, comparison)]),
    ...comparisons.flatMap(textsCompared).flatMap((compared) => neverTrue(text, compared)),
  ].sort((a, b) => a.start - b.start);
}

function deprecated(text: string, tree: Expression): readonly ExpressionProblem[] {
  return valuesOf(tree).flatMap(({ name, start }) => {
    const replacement = aboutFields.get(name)?.replacement;
    if (replacement !== undefined) {
      const message = `\`${name}\` is deprecated. Write \`${replacement}\`.`;
      return [problemAt(text, "warning", "expression_deprecated_field", message, start, start + name.length)];
    }
    if (name !== "cf.threat_score") return [];
    const message = "`cf.threat_score` is always 0 by now. Leave out what depends on it.";
    return [problemAt(text, "warning", "expression_deprecated_field", message, start, start + name.length)];
  });
}

function emptySet(text: string, { test, start, end }: Comparison): readonly ExpressionProblem[] {
  if (test.as !== "in" || test.ranges.length > 0) return [];
  const message = "The set is empty, so this is never true.";
  return [problemAt(text, "warning", "expression_never_true", message, start, end)];
}

/** `{80-90}` is read as 80 and -90. */
function dashedRange(text: string, { left, test, end }: Comparison): readonly ExpressionProblem[] {
  if (test.as !== "in" || test.ranges[0]?.type !== "Int") return [];
  return [...text.slice(left.end, end).matchAll(/([0-9a-fA-Fx]+)-([0-9]+)/g)].map(
    ({ 0: written, 1: from, 2: to, index }) => {
      const message = `This is read as two numbers, ${from} and -${to}. A range is written \`${from}..${to}\`.`;
      const start = left.end + index;
      return problemAt(text, "warning", "expression_dashed_range", message, start, start + written.length);
    },
  );
}

function neverTrue(text: string, compared: TextCompared): readonly ExpressionProblem[] {
  const found = rules.find(({ applies }) => applies(compared));
  if (found === undefined) return [];
  const { start, end } = compared.place;
  return [problemAt(text, "warning", found.code ?? "expression_never_true", found.message, start, end)];
}

interface Rule {
  readonly applies: (compared: TextCompared) => boolean;
  readonly message: string;
  readonly code?: string;
}

const rules: readonly Rule[] = [
  {
    applies: ({ name, text }) => name === "http.host" && /[/\s]/.test(text),
    message: "`http.host` is only the name of a host, without a scheme and a path, so this is never true.",
  },
  {
    applies: ({ name, how, text }) =>
      isPath(name) && (how === "equals" || how === "begins") && text !== "" && !text.startsWith("/"),
    message: "A path always begins with `/`, and this text does not, so this is never true.",
  },
  {
    applies: ({ name, text, how }) => isPath(name) && how !== "wildcard" && text.includes("?"),
    message: "A path never has a `?`, so this is never true. What follows it is in `http.request.uri.query`.",
  },
  {
    applies: ({ name, how, text }) =>
      name.endsWith("http.request.uri.path.extension") && how !== "wildcard" && text.includes("."),
    message: "The extension comes without its dot, so this is never true.",
  },
  {
    applies: ({ name, how, text }) =>
      /^ip\.(?:src|geoip)\.country$/.test(name) && how === "equals" && /[a-z]/.test(text),
    message: "Codes of countries are in upper case, so this is never true.",
  },
  {
    applies: ({ through, how, text }) => through === "lower" && how !== "wildcard" && /[A-Z]/.test(text),
    message: "`lower` gives no upper-case letters, so this is never true. Write the text in lower case.",
  },
  {
    applies: ({ through, how, text }) => through === "upper" && how !== "wildcard" && /[a-z]/.test(text),
    message: "`upper` gives no lower-case letters, so this is never true. Write the text in upper case.",
  },
  {
    applies: ({ how, text }) => how === "wildcard" && text.includes("?") && !/[?&][^=*]*=/.test(text),
    message: "In a wildcard pattern `?` is only a question mark; `*` alone stands for something else.",
    code: "expression_literal_question_mark",
  },
];

function isPath(name: string): boolean {
  return name === "http.request.uri.path" || name === "raw.http.request.uri.path";
}
