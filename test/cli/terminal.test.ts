import { describe, expect, onTestFinished, test } from "vitest";
import type { Terminal } from "../../src/cli/command.js";
import { commands } from "../../src/cli/commands.js";
import { commandHelp, generalHelp } from "../../src/cli/help.js";
import { main } from "../../src/cli/main.js";
import { openTerminal } from "../../src/cli/terminal.js";
import { createEmulator } from "../../src/index.js";
import { Redactor } from "../../src/run/redact.js";
import { folderWith, reaching } from "../support/cli.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
`;

/** A terminal with a user, and all that is written to it. */
function seated(answer: string | null, more: Partial<Terminal> = {}) {
  const written = { out: "", err: "", questions: [] as string[] };
  const terminal: Terminal = {
    out: (text) => (written.out += text),
    err: (text) => (written.err += text),
    redactor: new Redactor([]),
    environment: {},
    cwd: ".",
    interactive: true,
    colors: { out: false, err: false },
    columns: null,
    status: () => {},
    input: async () => null,
    async *bytes() {},
    ask: async (question) => {
      written.questions.push(question);
      return answer;
    },
    signals: { interrupted: new Promise(() => {}), caught: () => new AbortController().signal },
    ...more,
  };
  return { terminal, written };
}

describe("apply asks", () => {
  async function answered(config: string, answer: string | null) {
    const emulator = await createEmulator({
      seed: { zones: { "shop.example.com": {}, "blog.example.com": {} } },
    });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({ "zoneward.yaml": config });
    const { terminal, written } = seated(answer, { cwd, environment: reaching(emulator) });
    const code = await main(["apply"], terminal);
    return { code, writes: emulator.writes().length, ...written };
  }

  test("what to do and where", async () => {
    const { code, questions, writes } = await answered(CONFIG, "yes");
    expect(questions).toEqual([
      "Apply: create 1 and update 1 objects in shop.example.com, with 2 calls (2 strengthen)? Type yes to continue: ",
    ]);
    expect([code, writes]).toEqual([0, 2]);
  });

  test("once for several zones", async () => {
    const { questions } = await answered(
      `${CONFIG}  blog.example.com:\n    settings: { enabled: true }\n`,
      "no",
    );
    expect(questions).toEqual([
      "Apply: create 1 and update 2 objects in 2 zones, with 3 calls (3 strengthen)? Type yes to continue: ",
    ]);
  });

  test.each([
    ["no", 1],
    ["y", 1],
    ["", 1],
    [null, 130],
  ])("and writes nothing after the answer %j", async (answer, expected) => {
    const { code, writes } = await answered(CONFIG, answer);
    expect([code, writes]).toEqual([expected, 0]);
  });
});

describe("help", () => {
  test("is 80 columns wide in a pipe", async () => {
    const { terminal, written } = seated(null, { interactive: false });
    await main(["plan", "--help"], terminal);
    const lines = (written.out.split("\nExamples:\n")[0] ?? "").split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(lines.length).toBeGreaterThan(40);
  });

  test("has summaries of at most 72 characters", () => {
    expect(commands.filter(({ summary }) => summary.length > 72).map(({ name }) => name)).toEqual([]);
  });

  const widths = [48, 60, 72, 80, 100, 200];

  test.each(widths)("fits a terminal of %d columns unless a word is longer", (columns) => {
    const texts = [generalHelp(commands, columns), ...commands.map((each) => commandHelp(each, columns))];
    const lines = texts.flatMap((text) => (text.split("\nExamples:\n")[0] ?? "").split("\n"));
    // Usage lines and single words are not wrapped.
    const long = lines.filter(
      (line) => line.length > columns && !line.startsWith("Usage: ") && line.trim().includes(" "),
    );
    expect(long).toEqual([]);
  });

  test.each(widths)("has the same words in %d columns as in very wide lines", (columns) => {
    const words = (text: string) => text.split(/\s+/).join(" ");
    for (const command of commands)
      expect(words(commandHelp(command, columns))).toBe(words(commandHelp(command, 10_000)));
  });
});

describe("a terminal", () => {
  function opened(isTTY: boolean) {
    const written: string[] = [];
    const stream = { isTTY, columns: 72, on: () => {}, write: (text: string) => written.push(text) };
    const process = { env: {}, argv: [], stdout: stream, stderr: stream, stdin: { isTTY }, on: () => {} };
    // openTerminal only uses these parts of a process.
    return {
      terminal: openTerminal(process as unknown as NodeJS.Process, new Redactor(["secret-value"]), "/"),
      written,
    };
  }

  test("clears its progress line before other output", () => {
    const { terminal, written } = opened(true);
    terminal.status("applying: 0 of 2 zones");
    terminal.err("Journal: a.jsonl\n");
    terminal.status("applying: 1 of 2 zones");
    terminal.status("applying: 2 of 2 zones");
    terminal.out("done\n");
    terminal.out("and more\n");
    expect(written.join("")).toBe(
      [
        "applying: 0 of 2 zones\r\u001b[KJournal: a.jsonl\n",
        "applying: 1 of 2 zones\r\u001b[Kapplying: 2 of 2 zones\r\u001b[Kdone\nand more\n",
      ].join(""),
    );
  });

  test("cuts its progress line to the width, so that it can be cleared", () => {
    const { terminal, written } = opened(true);
    terminal.status("x".repeat(100));
    terminal.out("done\n");
    expect(written.map((each) => each.length)).toEqual([71, 4, 5]);
  });

  test("shows no progress line without a terminal, and no secret in the line", () => {
    const none = opened(false);
    none.terminal.status("applying");
    expect(none.written).toEqual([]);
    const { terminal, written } = opened(true);
    terminal.status("applying secret-value");
    expect(written.join("")).not.toContain("secret-value");
  });
});
