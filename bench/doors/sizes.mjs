import { readFileSync } from "node:fs";
import path from "node:path";

/** The sizes of some types that a maintainer has to remember. */
export function sizesOf(root, files) {
  const textOf = (file) => readFileSync(path.join(root, "src", file), "utf8");
  const kind = textOf("kinds/kind.ts");
  return {
    "lines in them": files.reduce((sum, file) => sum + linesIn(textOf(file)), 0),
    "members of a kind": ["Kind", "Handling", "Meaning"].reduce(
      (sum, name) => sum + membersOf(kind, name),
      0,
    ),
    "members of a zone's plan": membersOf(textOf("model/plan.ts"), "ZonePlan"),
    "lines of runPlan": linesOfFunction(textOf("run/plan.ts"), "runPlan"),
    "files that read live state": files.filter((file) => !file.startsWith("kinds/") && reads(textOf(file)))
      .length,
  };
}

function linesIn(text) {
  return text.split("\n").length - 1;
}

/** The members on an interface's own lines, indented by two spaces. */
function membersOf(text, name) {
  const body = new RegExp(`^(?:export )?interface ${name}\\b[^\\n]*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(
    text,
  )?.[1];
  return [...(body ?? "").matchAll(/^ {2}(?:readonly )?\w+\??[:(<]/gm)].length;
}

function linesOfFunction(text, name) {
  const body = new RegExp(`^(?:export )?(?:async )?function ${name}\\b[\\s\\S]*?^\\}`, "m").exec(text)?.[0];
  return body === undefined ? 0 : linesIn(`${body}\n`);
}

function reads(text) {
  return /\bkind\.read\(|\breadLive\(/.test(text);
}
