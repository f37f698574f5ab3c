import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { folderWith, ROOT } from "../support/cli.js";

const FILES = [
  "zoneward-linux-arm64",
  "zoneward-linux-x64",
  "zoneward-macos-arm64",
  "zoneward-windows-x64.exe",
];

const SUMS = FILES.map((file, index) => [file, `${index}`.repeat(64)] as const);

describe("the files for package managers", () => {
  const fill = async (sums: typeof SUMS) => {
    const folder = await folderWith({ SHA256SUMS: sums.map(([file, sum]) => `${sum}  ${file}\n`).join("") });
    await promisify(execFile)(process.execPath, [path.join(ROOT, "scripts/fill-templates.mjs"), folder]);
    return (name: string) => readFile(path.join(folder, name), "utf8");
  };

  test("name the version of the package, and each file with its own checksum", async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
    const filled = await fill(SUMS);
    const at = `https://github.com/zoneward/zoneward/releases/download/v${version}`;
    const mise = await filled("mise.toml");
    for (const [file, sum] of SUMS)
      expect(mise).toContain(`{ url = "${at}/${file}", checksum = "sha256:${sum}" }`);
    expect(mise).toContain(`version = "${version}"`);
    const formula = await filled("zoneward.rb");
    const named = [...formula.matchAll(/url "(.*)\/(.*)"\n *sha256 "(.*)"/g)].map(([, ...each]) => each);
    // Homebrew has no Windows.
    const wanted = SUMS.filter(([file]) => !file.endsWith(".exe")).map(([file, sum]) => [at, file, sum]);
    expect(named.sort()).toEqual(wanted.sort());
    expect(formula).toContain(`version "${version}"`);
    expect([mise, formula].join("\n")).not.toContain("@");
  });

  test("are not written for a release that lacks a file", async () => {
    await expect(fill(SUMS.slice(1))).rejects.toThrow("SHA256SUMS does not list zoneward-linux-arm64.");
  });
});
