import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { eachRecord, type LogRoom } from "../../src/disk/lines.js";
import { logFiles } from "../../src/disk/log-files.js";
import { timeIn } from "../../src/evidence/time.js";
import type { JsonObject } from "../../src/model/json.js";
import { folderWith } from "../support/cli.js";

/** The records in the logs and what could not be read, or the codes of the errors. */
async function read(named: readonly string[], cwd: string, input = "") {
  const files = await logFiles(named, cwd, async function* () {
    // Read one character at a time, so that chunks end anywhere.
    for (const each of Buffer.from(input)) yield Buffer.from([each]);
  });
  if (!files.ok) return files.problems.map(({ code }) => code);
  const records: JsonObject[] = [];
  const unread = await eachRecord(files.value, (each) => records.push(each));
  return { n: records.map(({ n }) => n), ...unread };
}

const WHOLE = { broken: 0, tooLong: 0, cut: [] };

/** Numbered lines, the last one with a line end. */
function lines(...numbers: readonly number[]): string {
  return numbers.map((n) => `${JSON.stringify({ n })}\n`).join("");
}

describe("naming logs", () => {
  test("accepts files, folders by day, globs and - for standard input, and reads each line once", async () => {
    const cwd = await folderWith({});
    for (const day of ["20261101", "20261102"]) await mkdir(path.join(cwd, "logs", day), { recursive: true });
    await writeFile(path.join(cwd, "logs/20261101/b.log"), lines(2));
    await writeFile(path.join(cwd, "logs/20261101/a.log"), lines(1));
    await writeFile(path.join(cwd, "logs/20261102/c.log.gz"), gzipSync(lines(3)));
    await writeFile(path.join(cwd, "logs/.part"), lines(9));
    expect(await read(["logs"], cwd)).toEqual({ n: [1, 2, 3], ...WHOLE });
    expect(await read(["logs", "./logs/20261101/a.log", "logs/**/*.log"], cwd)).toEqual({
      n: [1, 2, 3],
      ...WHOLE,
    });
    expect(await read(["logs/*/c*"], cwd)).toEqual({ n: [3], ...WHOLE });
    expect(await read(["logs/20261101/a.log", "-"], cwd, lines(7, 8))).toEqual({ n: [1, 7, 8], ...WHOLE });
  });

  test("reads a file once even if it is named in two ways, and can read a file called -", async () => {
    const cwd = await folderWith({ "a.log": lines(1), "-": lines(2) });
    expect(await read(["a.log", path.join(cwd, "a.log")], cwd)).toEqual({ n: [1], ...WHOLE });
    expect(await read([`../${path.basename(cwd)}/a.log`, "*.log", cwd], cwd)).toEqual({
      n: [1, 2],
      ...WHOLE,
    });
    expect(await read(["-", "./-", "-"], cwd, lines(7))).toEqual({ n: [7, 2], ...WHOLE });
  });

  test("accepts a byte order mark", async () => {
    const cwd = await folderWith({ "a.log": `\ufeff${lines(1, 2)}` });
    expect(await read(["a.log"], cwd)).toEqual({ n: [1, 2], ...WHOLE });
  });

  test("does not follow links in a folder, because they could point to any file", async () => {
    const cwd = await folderWith({ "secret.log": lines(9) });
    await mkdir(path.join(cwd, "logs"));
    await writeFile(path.join(cwd, "logs/a.log"), lines(1));
    await symlink("../secret.log", path.join(cwd, "logs/b.log"));
    await symlink("..", path.join(cwd, "logs/more"));
    expect(await read(["logs"], cwd)).toEqual({ n: [1], ...WHOLE });
  });

  test("reports missing files and empty folders as errors, so that they do not pass for logs without events", async () => {
    const cwd = await folderWith({});
    await mkdir(path.join(cwd, "empty"));
    expect(await read(["logs", "empty", "*.gz", ""], cwd)).toEqual([
      "no_such_file",
      "no_files",
      "no_files",
      "no_such_file",
    ]);
  });
});

describe("reading lines", () => {
  test("recognizes gzip by content, in any number of members and with any file name", async () => {
    const cwd = await folderWith({});
    const members = Buffer.concat([gzipSync(lines(1, 2)), gzipSync(lines(3)), gzipSync(lines(4).trim())]);
    await writeFile(path.join(cwd, "members.log"), members);
    await writeFile(path.join(cwd, "plain.gz"), `\r\n${lines(5).replace("\n", "\r\n")}\n${lines(6).trim()}`);
    expect(await read(["members.log", "plain.gz"], cwd)).toEqual({ n: [1, 2, 3, 4, 5, 6], ...WHOLE });
  });

  test("reads a truncated file up to its end and names it", async () => {
    const many = lines(...Array.from({ length: 5000 }, (_, index) => index));
    const packed = gzipSync(many);
    const cwd = await folderWith({});
    await writeFile(path.join(cwd, "a.gz"), packed.subarray(0, packed.length - 200));
    await writeFile(path.join(cwd, "b.log"), `${lines(-1)}{"n":`);
    const found = await read(["a.gz", "b.log"], cwd);
    if (Array.isArray(found)) throw new Error("the logs are unreadable");
    expect(found.n.length).toBeGreaterThan(1000);
    expect(found.n).toContain(-1);
    expect(found.cut).toEqual([{ file: "a.gz", why: "Z_BUF_ERROR" }]);
    expect(found.broken).toBeGreaterThanOrEqual(1);
  });

  test("counts lines that are not objects or are too long", async () => {
    const long = JSON.stringify({ n: 5, text: "x".repeat(3 * 1024 * 1024) });
    const cwd = await folderWith({
      "a.log": `${lines(1)}[1]\nnull\n"x"\n{"n":\n${long}\n${"[".repeat(900_000)}\n${lines(2)}`,
    });
    expect(await read(["a.log"], cwd)).toEqual({ n: [1, 2], broken: 5, tooLong: 1, cut: [] });
  });

  test("reads a decompression bomb without using much memory", async () => {
    const cwd = await folderWith({});
    const zeros = gzipSync(Buffer.alloc(300 * 1024 * 1024));
    await writeFile(path.join(cwd, "bomb.gz"), Buffer.concat([zeros, gzipSync(`\n${lines(1)}`)]));
    const before = process.memoryUsage().rss;
    expect(await read(["bomb.gz"], cwd)).toEqual({ n: [1], broken: 0, tooLong: 1, cut: [] });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });
});

test.each([
  [1_793_491_200, "2026-11-01T00:00:00.000Z"],
  ["1793491200", "2026-11-01T00:00:00.000Z"],
  [1_793_491_200_123, "2026-11-01T00:00:00.123Z"],
  ["1793491200123", "2026-11-01T00:00:00.123Z"],
  [1_793_491_200_123_456_800, "2026-11-01T00:00:00.123Z"],
  ["1793491200123456789", "2026-11-01T00:00:00.123Z"],
  ["2026-11-01T00:00:00Z", "2026-11-01T00:00:00.000Z"],
  ["2026-11-01T01:00:00.5+01:00", "2026-11-01T00:00:00.500Z"],
])("%j is a time as log-push jobs write it", (written, time) => {
  const ms = timeIn(written);
  expect(ms === null ? null : new Date(ms).toISOString()).toBe(time);
});

test.each([0, -1, 1e30, Number.NaN, "", "yesterday", "2026-11-01", "1".repeat(50), null, {}, true])(
  "%j is not a time",
  (written) => {
    expect(timeIn(written)).toBeNull();
  },
);

test("an error while handling a line is thrown, not reported as a truncated file", async () => {
  const cwd = await folderWith({ "a.log": lines(1, 2, 3), "b.log": lines(4).trim() });
  for (const at of [1, 2, 4]) {
    const files = await logFiles(["a.log", "b.log"], cwd, null);
    const taken = eachRecord(files.ok ? files.value : [], ({ n }) => {
      if (n === at) throw new Error("a bug");
    });
    await expect(taken).rejects.toThrow("a bug");
  }
});

describe("work on logs is bounded by their size on disk", () => {
  async function readIn(files: Readonly<Record<string, string>>, room: LogRoom) {
    const cwd = await folderWith({});
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(cwd, name), gzipSync(text));
    const named = await logFiles(["."], cwd, null);
    if (!named.ok) throw new Error("the files are missing");
    let records = 0;
    const unread = await eachRecord(named.value, () => records++, room);
    return { records, ...unread };
  }

  test("any number of blank lines is ignored", async () => {
    const text = `${"\n \r\n\t".repeat(1_000_000)}{"n":1}${"\n".repeat(500_000)}{"n":2}`;
    expect(await readIn({ a: text }, { bytes: 10_000_000, lines: 2 })).toEqual({ records: 2, ...WHOLE });
  });

  test("a file that unpacks to too much is cut and reported, and other files are read", async () => {
    const found = await readIn({ a: "\n".repeat(3_000_000), b: lines(1, 2) }, { bytes: 1_000, lines: 2 });
    const cut = [{ file: "a", why: "it unpacks to more than 100 times its size" }];
    expect(found).toEqual({ records: 2, broken: 0, tooLong: 0, cut });
  });

  test("a file with too many lines is cut and reported", async () => {
    const found = await readIn({ a: "{}\n".repeat(50_000), b: lines(1) }, { bytes: 10_000_000, lines: 10 });
    expect(found.cut).toEqual([{ file: "a", why: "it has more than a line for 8 bytes of its size" }]);
    expect(found.records).toBeLessThan(100);
  });

  test("lines that only look like records count as many lines", async () => {
    const found = await readIn({ a: "{x}\n".repeat(50_000) }, { bytes: 10_000_000, lines: 1_000 });
    expect([found.records, found.cut.length]).toEqual([0, 1]);
    expect(found.broken).toBeLessThan(40);
    const other = await readIn({ a: "of another format\n".repeat(500) }, { bytes: 10_000_000, lines: 1_000 });
    expect(other).toEqual({ records: 0, broken: 500, tooLong: 0, cut: [] });
  });

  test("logs as the service writes them are never cut", async () => {
    const line = (n: number) =>
      JSON.stringify({ n, EdgeStartTimestamp: 1_700_000_000 + n * 7, RayID: `${n * 7_919}` });
    const text = Array.from({ length: 20_000 }, (_, n) => `${line(n)}\n`).join("");
    expect(await readIn({ a: text }, { bytes: 0, lines: 0 })).toEqual({ records: 20_000, ...WHOLE });
  });
});
