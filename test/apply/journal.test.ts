import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/index.js";
import { readJournal } from "../../src/plan/read-journal.js";
import { rechecked } from "../support/journals.js";
import { applyIn, quickFolder } from "./run.js";
import { stories } from "./stories.js";

const [, changed] = stories;
if (changed === undefined) throw new Error("expected a story of changes");

const FOLDER = ".zoneward/journal";

async function begin(seed = changed?.seed, config = changed?.config ?? "") {
  const emulator = await createEmulator({ ...(seed === undefined ? {} : { seed }), now: () => new Date(0) });
  onTestFinished(() => emulator.close());
  return { emulator, cwd: await quickFolder(config) };
}

async function applied() {
  const { emulator, cwd } = await begin();
  const { report } = await applyIn(cwd, emulator);
  const file = report?.journal ?? "";
  return { emulator, cwd, report, file, text: await readFile(path.join(cwd, file), "utf8") };
}

function callsOf(emulator: Emulator) {
  return emulator.writes().map(({ method, path: at }) => ({ method, path: at }));
}

describe("the journal", () => {
  test("records each call before sending, its outcome, and the former objects", async () => {
    const { emulator, report, file, text } = await applied();
    const read = readJournal(file, text);
    if (!read.ok) throw new Error(read.problems[0]?.detail);
    const { begin: header, zones, end, warnings } = read.value;
    expect(header).toMatchObject({ format_version: "1", config: ["zoneward.yaml"], zones: [] });
    const [zone] = zones;
    expect(zone?.calls.map(({ intent: { method, path: at } }) => ({ method, path: at }))).toEqual(
      callsOf(emulator),
    );
    expect(zone?.calls.map(({ outcome }) => outcome?.status)).toEqual(zone?.calls.map(() => "done"));
    expect(zone?.converged).toBe(true);
    const seen = zone?.before.seen.find(({ key }) => key === "One")?.state;
    expect(seen).toMatchObject({ description: "One", value: "script-src 'self'" });
    expect(zone?.before.raw.find(({ key }) => key === "ours")?.raw).toMatchObject({
      id: 7,
      name: "ours",
      dataset: "http_requests",
      enabled: true,
      logpull_options: null,
      output_options: expect.anything(),
    });
    const { done, failed, not_started } = report?.summary ?? {};
    expect(end).toEqual({ type: "end", done, failed, not_started, interrupted: false });
    expect(warnings).toEqual([]);
  });

  test("is one file per run in a folder ignored by git, and is not written without calls to apply", async () => {
    const { cwd, emulator, report } = await applied();
    const second = await applyIn(cwd, emulator);
    expect(second.report).toMatchObject({ journal: null, converged: true, summary: { done: 0 } });
    expect((await readdir(path.join(cwd, FOLDER))).sort()).toEqual([
      ".gitignore",
      path.basename(report?.journal ?? ""),
    ]);
    expect(await readFile(path.join(cwd, FOLDER, ".gitignore"), "utf8")).toBe("*\n");
  });

  test("that cannot be written stops the run before any call", async () => {
    const { emulator, cwd } = await begin();
    await writeFile(path.join(cwd, ".zoneward"), "a file is in the way");
    const { report } = await applyIn(cwd, emulator);
    expect(emulator.writes()).toEqual([]);
    expect(report).toMatchObject({ journal: null, converged: false, summary: { done: 0, failed: 0 } });
    expect(report?.zones[0]?.problems.map(({ code, at }) => [code, at])).toEqual([["journal_failed", null]]);
  });

  test.skipIf(process.getuid?.() === 0)("in a read-only folder stops the run", async () => {
    const { emulator, cwd } = await begin();
    await mkdir(path.join(cwd, FOLDER), { recursive: true });
    await chmod(path.join(cwd, FOLDER), 0o500);
    const { report } = await applyIn(cwd, emulator);
    await chmod(path.join(cwd, FOLDER), 0o700);
    expect([emulator.writes(), report?.converged]).toEqual([[], false]);
  });
});

describe("reading a journal", () => {
  test("accepts a truncated last line, with a warning", async () => {
    const { file, text } = await applied();
    const cut = text.trimEnd().slice(0, -20);
    const read = readJournal(file, cut);
    expect(read).toMatchObject({ ok: true, value: { end: null, warnings: [{ code: "journal_cut" }] } });
  });

  test("accepts any beginning of the file that a kill may leave", async () => {
    const { file, text } = await applied();
    const first = text.indexOf("\n") + 1;
    for (let length = first; length <= text.length; length += 7)
      expect(readJournal(file, text.slice(0, length)).ok, text.slice(length - 40, length)).toBe(true);
  });

  test.each<[what: string, damage: (rows: string[]) => void, says: RegExp]>([
    ["that is empty", (rows) => rows.splice(0, rows.length), /is empty/],
    ["of another format", (rows) => rows.splice(0, 1), /does not start like a journal/],
    ["of another version", (rows) => rows.splice(0, 1, '{"type":"begin","format_version":"2"}'), /"2"/],
    ["with a line that is not JSON", (rows) => rows.splice(2, 1, "{"), /Line 3 was not written by an apply/],
    [
      "with a line without a checksum",
      (rows) => rows.splice(2, 1, '{"type":"zone_end"}'),
      /Line 3 was not written by an apply/,
    ],
    ["with a missing line", (rows) => rows.splice(2, 1), /Line 3 was not written by an apply/],
    [
      "with a repeated line",
      (rows) => rows.splice(2, 0, rows[2] ?? ""),
      /Line 4 was not written by an apply/,
    ],
    ["with two swapped lines", (rows) => rows.splice(2, 2, ...rows.slice(2, 4).reverse()), /Line 3/],
    ["with other line ends", (rows) => rows.splice(1, 1, `${rows[1]}\r`), /Line 2/],
    ["with a changed value", (rows) => rows.splice(1, 1, (rows[1] ?? "").replace("'self'", "*")), /Line 2/],
  ])("refuses a journal %s", async (_, damage, says) => {
    const { file, text } = await applied();
    const rows = text.split("\n").slice(0, -1);
    damage(rows);
    const read = readJournal(file, rows.map((row) => `${row}\n`).join(""));
    expect(read.ok ? "" : read.problems.map(({ code, detail }) => `${code} ${detail}`).join()).toMatch(says);
    expect(read).toMatchObject({ ok: false, problems: [{ code: "bad_journal" }] });
  });

  test("refuses a journal with any changed character", async () => {
    const { file, text } = await applied();
    for (let at = 0; at < text.length - 1; at += 13) {
      const other = `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`;
      expect(readJournal(file, other).ok, text.slice(Math.max(0, at - 40), at)).toBe(false);
    }
  });

  test.each<[what: string, edit: (text: string) => string, says: RegExp]>([
    ["with an unknown type of line", (text) => text.replace('"type":"intent"', '"type":"note"'), /Line 3/],
    ["with a missing field", (text) => text.replace('"attempt":1,', ""), /Line 3/],
    ["with an unknown kind", (text) => text.replaceAll('"kind":"policy"', '"kind":"zzz"'), /Line 2/],
    [
      "with an id that leaves its path",
      (text) => text.replace(/"id":"\w+","raw"/, '"id":"../x","raw"'),
      /Line 2/,
    ],
    [
      "with a path that leaves the zone",
      (text) => text.replace('"path":"/zones', '"path":"/zones/..'),
      /Line 3/,
    ],
    [
      "with a path to another zone",
      (text) => text.replace(/"path":"\/zones\/\w+/, '"path":"/zones/1'),
      /are not in sequence/,
    ],
    [
      "with unknown change numbers",
      (text) => text.replace(/"changes":\[\d+\]/, '"changes":[99]'),
      /are not in sequence/,
    ],
    [
      "without the former state",
      (text) => text.replace('"raw":[{"kind"', '"raw":[],"was":[{"kind"'),
      /are not in sequence/,
    ],
    ["with an outcome without a call", (text) => withoutLine(text, 2), /are not in sequence/],
    ["with calls without a zone", (text) => withoutLine(text, 1), /are not in sequence/],
    ["that goes on after its end", (text) => `${text}${text.split("\n").at(-2)}\n`, /are not in sequence/],
  ])("refuses a journal %s, even with correct checksums", async (_, edit, says) => {
    const { file, text } = await applied();
    expect(rechecked(text)).toBe(text);
    const edited = edit(text);
    expect(edited).not.toBe(text);
    const read = readJournal(file, rechecked(edited));
    expect(read.ok ? "" : read.problems.map(({ code, detail }) => `${code} ${detail}`).join()).toMatch(says);
  });
});

function withoutLine(text: string, index: number): string {
  return text.split("\n").toSpliced(index, 1).join("\n");
}
