import { problemCodes } from "./codes.mjs";

/** A row: codes, and their fix. */
const ROW = /^\| (`.*) \| (.*) \|$/gm;

/** docs/problems.md with the summaries of src: codes and fixes are written by hand, a row for each fix. */
export function problemsPage(text) {
  const found = problemCodes();
  const named = [];
  const page = text.replace(ROW, (_, cell, fix) => {
    const codes = [...cell.matchAll(/`([a-z_\d]+)`/g)].map(([, code]) => code);
    named.push(...codes);
    return `| ${grouped(codes, found).join("; ")} | ${fix} |`;
  });
  refuse(
    "lacks",
    [...found.keys()].filter((code) => !named.includes(code)),
  );
  refuse(
    "has codes that src does not have",
    named.filter((code) => !found.has(code)),
  );
  refuse(
    "names twice",
    named.filter((code, index) => named.indexOf(code) !== index),
  );
  return page;
}

/** Codes with one summary share it. A summary that says little more than its code is left out. */
function grouped(codes, found) {
  const bySummary = new Map();
  for (const code of codes) {
    const [first = ""] = found.get(code) ?? [];
    const summary = first.replace(/:? ("…"|…)$/, "");
    const shown = isInCode(summary, code) ? "" : summary;
    bySummary.set(shown, [...(bySummary.get(shown) ?? []), `\`${code}\``]);
  }
  return [...bySummary].map(([summary, each]) =>
    `${each.join(", ")} ${summary.replaceAll(/[|<*]/g, "\\$&")}`.trim(),
  );
}

/** Whether a code of several words has all words of the summary, or all but one. */
function isInCode(summary, code) {
  const inCode = wordsOf(code);
  const words = wordsOf(summary);
  const further = words.filter((word) => !inCode.includes(word));
  return further.length === 0 || (further.length === 1 && words.length > 1 && inCode.length > 1);
}

function wordsOf(text) {
  return text
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "" && !SMALL.includes(word))
    .map((word) => SAME_WORDS[word] ?? word.replace(/s$/, ""));
}

const SMALL =
  "a an be by cannot csp expression file for has have in is live log of on push s service the to value yaml".split(
    " ",
  );

const SAME_WORDS = { invalid: "bad", missing: "no", unusable: "bad", without: "no" };

function refuse(what, codes) {
  if (codes.length > 0) throw new Error(`docs/problems.md ${what}: ${codes.join(", ")}.`);
}
