import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { code, escaped, table } from "./markdown.mjs";

/** The parts of docs/github-action.md that come from action.yml. */
export async function actionParts() {
  const { inputs, outputs } = parse(await readFile("action.yml", "utf8"));
  return {
    inputs: table(
      ["input", "default", "meaning"],
      Object.entries(inputs).map(([name, { description, required, default: byDefault }]) => [
        `${code(name)}${required === true ? " (required)" : ""}`,
        byDefault === undefined || byDefault === "" ? "" : code(String(byDefault)),
        escaped(description),
      ]),
    ),
    outputs: table(
      ["output", "meaning"],
      Object.entries(outputs).map(([name, { description }]) => [code(name), escaped(description)]),
    ),
  };
}
