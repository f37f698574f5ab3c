import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/index.js";
import { readJournal } from "../../src/plan/read-journal.js";
import { rechecked } from "../support/journals.js";
import { applyIn, quickFolder } from "./run.js";
import { stories } from "./stories.js";

const [, changed] = stories;
if (changed === undefined) throw new Error("there is a story of changes");

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
  test("has each call before it is sent and what became of it, and what the objects were", async () => {
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

  test("is one file a run in a folder that git passes over, and there is none without a API call to apply", async () => {
    const { cwd, emulator, report } = await applied();
    const second = await applyIn(cwd, emulator);
    expect(second.report).toMatchObject({ journal: null, converged: true, summary: { done: 0 } });
    expect((await readdir(path.join(cwd, FOLDER))).sort()).toEqual([
      ".gitignore",
      path.basename(report?.journal ?? ""),
    ]);
    expect(await readFile(path.join(cwd, FOLDER, ".gitignore"), "utf8")).toBe("*\n");
  });

  test("that cannot be written is said before anything is sent", async () => {
    const { emulator, cwd } = await begin();
    await writeFile(path.join(cwd, ".zoneward"), "a file is in the way");
    const { report } = await applyIn(cwd, emulator);
    expect(emulator.writes()).toEqual([]);
    expect(report).toMatchObject({ journal: null, converged: false, summary: { done: 0, failed: 0 } });
    expect(report?.zones[0]?.problems.map(({ code, at }) => [code, at])).toEqual([["journal_failed", null]]);
  });

  test.skipIf(process.getuid?.() === 0)("in a folder that is read-only is refused too", async () => {
    const { emulator, cwd } = await begin();
    await mkdir(path.join(cwd, FOLDER), { recursive: true });
    await chmod(path.join(cwd, FOLDER), 0o500);
    const { report } = await applyIn(cwd, emulator);
    await chmod(path.join(cwd, FOLDER), 0o700);
    expect([emulator.writes(), report?.converged]).toEqual([[], false]);
  });
});

describe("a journal is read", () => {
  test("up to a last line that was cut off, with a warning", async () => {
    const { file, text } = await applied();
    const cut = text.trimEnd().slice(0, -20);
    const read = readJournal(file, cut);
    expect(read).toMatchObject({ ok: true, value: { end: null, warnings: [{ code: "journal_cut" }] } });
  });

  test("up to any of its ends: each beginning of it is one that a kill may leave", async () => {
    const { file, text } = await applied();
    const first = text.indexOf("\n") + 1;
    for (let length = first; length <= text.length; length += 7)
      expect(readJournal(file, text.slice(0, length)).ok, text.slice(length - 40, length)).toBe(true);
  });

  test.each<[what: string, damage: (rows: string[]) => void, says: RegExp]>([
    ["is empty", (rows) => rows.splice(0, rows.length), /is empty/],
    ["is not one", (rows) => rows.splice(0, 1), /does not begin like one/],
    ["is of another version", (rows) => rows.splice(0, 1, '{"type":"begin","format_version":"2"}'), /"2"/],
    ["has a line that is not JSON", (rows) => rows.splice(2, 1, "{"), /Line 3 was not written by an apply/],
    [
      "has a line without a check",
      (rows) => rows.splice(2, 1, '{"type":"zone_end"}'),
      /Line 3 was not written by an apply/,
    ],
    ["lacks a line", (rows) => rows.splice(2, 1), /Line 3 was not written by an apply/],
    ["has a line twice", (rows) => rows.splice(2, 0, rows[2] ?? ""), /Line 4 was not written by an apply/],
    [
      "has two lines in each other's place",
      (rows) => rows.splice(2, 2, ...rows.slice(2, 4).reverse()),
      /Line 3/,
    ],
    ["has other line ends", (rows) => rows.splice(1, 1, `${rows[1]}\r`), /Line 2/],
    ["has another value", (rows) => rows.splice(1, 1, (rows[1] ?? "").replace("'self'", "*")), /Line 2/],
  ])("but not where it %s", async (_, damage, says) => {
    const { file, text } = await applied();
    const rows = text.split("\n").slice(0, -1);
    damage(rows);
    const read = readJournal(file, rows.map((row) => `${row}\n`).join(""));
    expect(read.ok ? "" : read.problems.map(({ code, detail }) => `${code} ${detail}`).join()).toMatch(says);
    expect(read).toMatchObject({ ok: false, problems: [{ code: "bad_journal" }] });
  });

  test("not where any of its characters is another one", async () => {
    const { file, text } = await applied();
    for (let at = 0; at < text.length - 1; at += 13) {
      const other = `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`;
      expect(readJournal(file, other).ok, text.slice(Math.max(0, at - 40), at)).toBe(false);
    }
  });

  test.each<[what: string, edit: (text: string) => string, says: RegExp]>([
    ["has a line that nothing writes", (text) => text.replace('"type":"intent"', '"type":"note"'), /Line 3/],
    ["lacks a field", (text) => text.replace('"attempt":1,', ""), /Line 3/],
    ["has a kind that is none", (text) => text.replaceAll('"kind":"policy"', '"kind":"zzz"'), /Line 2/],
    [
      "has an id that leads elsewhere",
      (text) => text.replace(/"id":"\w+","raw"/, '"id":"../x","raw"'),
      /Line 2/,
    ],
    [
      "has a path that leads elsewhere",
      (text) => text.replace('"path":"/zones', '"path":"/zones/..'),
      /Line 3/,
    ],
    [
      "has a path to another zone",
      (text) => text.replace(/"path":"\/zones\/\w+/, '"path":"/zones/1'),
      /are not in sequence/,
    ],
    [
      "speaks of changes that are none",
      (text) => text.replace(/"changes":\[\d+\]/, '"changes":[99]'),
      /are not in sequence/,
    ],
    [
      "does not say what was before",
      (text) => text.replace('"raw":[{"kind"', '"raw":[],"was":[{"kind"'),
      /are not in sequence/,
    ],
    ["has an outcome of nothing", (text) => withoutLine(text, 2), /are not in sequence/],
    ["has calls of no zone", (text) => withoutLine(text, 1), /are not in sequence/],
    ["goes on after its end", (text) => `${text}${text.split("\n").at(-2)}\n`, /are not in sequence/],
  ])("not where it %s, even if its checks fit", async (_, edit, says) => {
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
