// Makes one executable file for this platform: a copy of the Node that runs this script, with the program inside.
// https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html
import { execFileSync } from "node:child_process";
import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "postject";

const PLATFORM = { darwin: "macos", win32: "windows" }[process.platform] ?? process.platform;
const ENDING = process.platform === "win32" ? ".exe" : "";

process.chdir(path.join(path.dirname(fileURLToPath(import.meta.url)), "../dist/.single-file"));
const file = `zoneward-${PLATFORM}-${process.arch}${ENDING}`;
await writeFile(
  "blob.json",
  JSON.stringify({ main: "zoneward.cjs", output: "blob", disableExperimentalSEAWarning: true }),
);
execFileSync(process.execPath, ["--experimental-sea-config", "blob.json"], {
  stdio: ["ignore", "ignore", "inherit"],
});
await copyFile(process.execPath, file);
await chmod(file, 0o755);
// Adding the program invalidates Node's signature, and macOS refuses to start a file without a valid one.
if (PLATFORM === "macos") execFileSync("codesign", ["--remove-signature", file]);
await inject(file, "NODE_SEA_BLOB", await readFile("blob"), {
  sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
  machoSegmentName: "NODE_SEA",
});
if (PLATFORM === "macos") execFileSync("codesign", ["--sign", "-", file]);
console.log(path.resolve(file));
