import { chmod, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readConfigFiles } from "../../src/config/index.js";
import { folderOf } from "./folder.js";

const tree = {
  "zoneward.yaml": "",
  "z.yml": "",
  "notes.md": "",
  "b/c.yaml": "",
  "b/a.YAML": "",
  "b/B.yml": "",
  "b/deep/er/d.yaml": "",
  "b/c.yaml.bak": "",
  "b/.hidden.yaml": "",
  "b/.git/e.yaml": "",
  "b/node_modules/f.yaml": "",
  "b/deep/node_modules/x/g.yaml": "",
  "folder.yaml/h.yaml": "",
};

describe("the files to read", () => {
  const found: readonly [sentence: string, named: readonly string[], files: readonly string[]][] = [
    ["are zoneward.yaml by default", [], ["zoneward.yaml"]],
    ["are in the given order", ["z.yml", "b/c.yaml"], ["z.yml", "b/c.yaml"]],
    ["need no file extension if named", ["notes.md"], ["notes.md"]],
    [
      "of a folder are its YAML files at any depth, sorted, without hidden and installed ones",
      ["b"],
      ["b/B.yml", "b/a.YAML", "b/c.yaml", "b/deep/er/d.yaml"],
    ],
    ["of a folder are named by the normalised path", ["./b/deep/"], ["b/deep/er/d.yaml"]],
    ["may be in a folder named like a file", ["folder.yaml"], ["folder.yaml/h.yaml"]],
    ["of a glob are sorted", ["b/*.{yml,yaml}", "*.yml"], ["b/B.yml", "b/c.yaml", "z.yml"]],
    ["of a glob exclude installed and hidden ones", ["b/**/*.yaml"], ["b/c.yaml", "b/deep/er/d.yaml"]],
    ["may be hidden if named", ["b/.hidden.yaml"], ["b/.hidden.yaml"]],
    [
      "are read once, under their first name",
      ["./b/c.yaml", "b", "b/*.yaml", "b/../b/c.yaml"],
      ["./b/c.yaml", "b/B.yml", "b/a.YAML", "b/deep/er/d.yaml"],
    ],
  ];
  test.each(found)("%s", async (_, named, files) => {
    const read = await readConfigFiles(named, await folderOf(tree));
    expect(read.problems).toEqual([]);
    expect(read.files.map(({ file }) => file)).toEqual(files);
  });

  test("may have an absolute path", async () => {
    const cwd = await folderOf(tree);
    const whole = path.join(cwd, "z.yml");
    expect((await readConfigFiles([whole, "z.yml"], cwd)).files.map(({ file }) => file)).toEqual([whole]);
  });

  test("may be links in a folder, as in a cluster mount", async () => {
    const cwd = await folderOf({ "conf/..2026/a.yaml": "version: 1\n" });
    await symlink("..2026", path.join(cwd, "conf/..data"));
    await symlink("..data/a.yaml", path.join(cwd, "conf/a.yaml"));
    expect((await readConfigFiles(["conf"], cwd)).files).toEqual([
      { file: "conf/a.yaml", text: "version: 1\n" },
    ]);
  });

  test("lose their byte-order mark only", async () => {
    const cwd = await folderOf({ "a.yaml": "\ufeffa: \ufeff\r\n😀" });
    expect((await readConfigFiles(["a.yaml"], cwd)).files).toEqual([
      { file: "a.yaml", text: "a: \ufeff\r\n😀" },
    ]);
  });

  test("may have up to 16 MiB", async () => {
    const cwd = await folderOf({ "a.yaml": "#".repeat(16 * 1024 * 1024) });
    expect((await readConfigFiles(["a.yaml"], cwd)).problems).toEqual([]);
  });
});

describe("a read problem", () => {
  test("does not prevent reading other files", async () => {
    const cwd = await folderOf({ "a.yaml": "a", "b.yaml": Buffer.from([0xff]), "c.yaml": "c" });
    const read = await readConfigFiles(["x", "a.yaml", "b.yaml", "*.z", "c.yaml"], cwd);
    expect(read.files.map(({ file }) => file)).toEqual(["a.yaml", "c.yaml"]);
    expect(read.problems.map(({ code }) => code)).toEqual(["no_such_file", "no_files", "not_utf8"]);
  });

  test("is reported for a dangling link in a folder", async () => {
    const cwd = await folderOf({ "conf/b.yaml": "" });
    await symlink("nowhere", path.join(cwd, "conf/a.yaml"));
    expect((await readConfigFiles(["conf"], cwd)).problems).toEqual([
      {
        code: "unreadable_file",
        severity: "error",
        summary: "File not found",
        detail:
          "conf/a.yaml does not exist, or is a link to nothing. Check the name: it is relative to the folder that zoneward runs in.",
        at: { file: "conf/a.yaml", line: 1, column: 1, pointer: "", text: "" },
      },
    ]);
  });

  test.skipIf(process.getuid?.() === 0)(
    "is reported for an unreadable folder, unless the user is root",
    async () => {
      const cwd = await folderOf({ "conf/a.yaml": "", "conf/closed/b.yaml": "" });
      await chmod(path.join(cwd, "conf/closed"), 0o000);
      const { files, problems } = await readConfigFiles(["conf"], cwd);
      await chmod(path.join(cwd, "conf/closed"), 0o700);
      expect(files).toEqual([]);
      expect(problems.map(({ code, detail }) => `${code} ${detail}`)).toEqual([
        "unreadable_folder Reading conf/closed failed with EACCES. Check who may read it.",
      ]);
    },
  );

  test("is reported for a link to a folder inside a folder", async () => {
    const cwd = await folderOf({ "conf/b.yaml": "", "conf/other/c.yaml": "" });
    await symlink("other", path.join(cwd, "conf/a.yaml"));
    const { problems } = await readConfigFiles(["conf"], cwd);
    expect(problems.map(({ code, detail }) => `${code} ${detail}`)).toEqual([
      "not_a_file It is a folder, a pipe or a device. Put a file there.",
    ]);
  });
});
