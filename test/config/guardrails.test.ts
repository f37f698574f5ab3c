import { describe, expect, test } from "vitest";
import { guardrailsFrom } from "../../src/config/index.js";
import { FORBIDDABLE, type Guardrails } from "../../src/model/guardrails.js";
import { limitNames } from "../../src/model/limits.js";
import { readDesired } from "../../src/run/files.js";
import { choices } from "../support/choices.js";
import { linesOf } from "./bad-input/bad-input.js";
import { folderOf } from "./folder.js";
import { text } from "./text.js";

const ZONES = "zones: { a.example: {} }\n";

describe("a guardrails file", () => {
  test("may contain the content of guardrails:", () => {
    const content =
      "max_changes: 10\nmax_deletes: 0\nmax_changed_share: 0.2\nforbid: [service_off, deletes]\n";
    expect(guardrailsFrom({ file: "g.yaml", text: content })).toEqual({
      ok: true,
      value: {
        limits: { max_changes: 10, max_deletes: 0, max_changed_share: 0.2 },
        forbid: ["deletes", "service_off"],
      },
    });
  });

  test.each<[sentence: string, content: string, problems: string]>([
    [
      "must have its keys at the top",
      "guardrails: { max_deletes: 3 }\n",
      text`
        g.yaml:1:1 unknown_key /guardrails
          The file has no such key. Keys here: ${limitNames.join(", ")}, evidence_days, forbid.
      `,
    ],
    [
      "must not be empty",
      "# nothing\n",
      text`
        g.yaml:1:1 empty_file
          It declares nothing. Write what apply must refuse, such as forbid: [deletes].
      `,
    ],
    [
      "must be a map",
      "[deletes]\n",
      text`
        g.yaml:1:1 wrong_type
          The file is a list. It must be a map.
      `,
    ],
    [
      "takes no variables, and all problems are reported at once",
      'max_deletes: "${env:MANY}"\nforbid: ["${env:WHAT}", drift]\n',
      text`
        g.yaml:1:14 wrong_type /max_deletes
          max_deletes is "\${env:MANY}". It must be a whole number.
        g.yaml:2:10 wrong_value /forbid/0
          Item 1 of forbid is "\${env:WHAT}". It must be ${choices(FORBIDDABLE)}.
      `,
    ],
    [
      "must be YAML",
      "forbid: [deletes\n",
      text`
        g.yaml:1:9 yaml_not_closed
          No ] closes this [. Write ] where it ends, and indent every line up to it with spaces.
      `,
    ],
  ])("%s", (_, content, problems) => {
    const read = guardrailsFrom({ file: "g.yaml", text: content });
    expect(linesOf(read.ok ? [] : read.problems)).toBe(problems);
  });
});

describe("guardrails in the files and in a separate file", () => {
  test.each<[sentence: string, own: string, beside: string | null, held: Guardrails]>([
    [
      "hold if they are in the files",
      "guardrails: { max_deletes: 3 }\n",
      null,
      { limits: { max_deletes: 3 }, forbid: [] },
    ],
    ["are empty if there are none", "", null, { limits: {}, forbid: [] }],
    [
      "come from the separate file if the files have none",
      "",
      "forbid: [deletes]\n",
      { limits: {}, forbid: ["deletes"] },
    ],
    [
      "are never loosened by the separate file",
      "guardrails: { max_deletes: 3, forbid: [deletes] }\n",
      "max_deletes: 300\nforbid: []\n",
      { limits: { max_deletes: 3 }, forbid: ["deletes"] },
    ],
    [
      "are tightened by the separate file",
      "guardrails: { max_deletes: 3 }\n",
      "max_deletes: 1\nmax_changes: 5\nforbid: [weakens]\n",
      { limits: { max_deletes: 1, max_changes: 5 }, forbid: ["weakens"] },
    ],
  ])("%s", async (_, own, beside, held) => {
    const cwd = await folderOf({
      "a.yaml": `version: 1\n${ZONES}`,
      "b.yaml": `version: 1\n${own}`,
      "g.yaml": beside ?? "{}",
    });
    const guardrails = beside === null ? undefined : "g.yaml";
    const { guardrails: all, problems } = await readDesired({
      config: ["a.yaml", "b.yaml"],
      guardrails,
      cwd,
      environment: {},
    });
    expect(problems).toEqual([]);
    expect(all).toEqual(held);
  });

  test("give no desired state if the separate file is invalid, and all problems are reported", async () => {
    const cwd = await folderOf({ "a.yaml": `version: 2\n${ZONES}`, "g.yaml": "forbid: [all]\n" });
    const read = (guardrails: string) =>
      readDesired({ config: ["a.yaml"], guardrails, cwd, environment: {} });
    const wrong = await read("g.yaml");
    expect(wrong.problems.map(({ at }) => at?.file)).toEqual(["a.yaml", "g.yaml"]);
    const missing = await read("none.yaml");
    expect(missing.desired).toBeNull();
    expect(missing.problems.map(({ code }) => code)).toEqual(["wrong_value", "unreadable_file"]);
  });
});
