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

/** Codes with one summary share it. A summary that is the code in words is left out. */
function grouped(codes, found) {
  const bySummary = new Map();
  for (const code of codes) {
    const [first = ""] = found.get(code) ?? [];
    const summary = first.replace(/:? ("…"|…)$/, "");
    const shown = summary.toLowerCase() === code.replace(FAMILY, "").replaceAll("_", " ") ? "" : summary;
    bySummary.set(shown, [...(bySummary.get(shown) ?? []), `\`${code}\``]);
  }
  return [...bySummary].map(([summary, each]) =>
    `${each.join(", ")} ${summary.replaceAll(/[|<*]/g, "\\$&")}`.trim(),
  );
}

const FAMILY = /^(csp|expression|yaml)_/;

function refuse(what, codes) {
  if (codes.length > 0) throw new Error(`docs/problems.md ${what}: ${codes.join(", ")}.`);
}
