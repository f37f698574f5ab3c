// Fails when the committed bundle of the GitHub Action is not what its sources make.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { actionFiles } from "./action.mjs";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const stale = [];
for (const [file, text] of Object.entries(await actionFiles())) {
  if ((await committed(file)) !== text) stale.push(file);
}
if (stale.length > 0) {
  console.error(`Out of date: ${stale.join(", ")}. Say npm run build && git add dist/action.`);
  process.exit(1);
}

/** As git has it staged: the file itself may come from a build that nobody has committed. Without git, the file. */
async function committed(file) {
  const options = { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 };
  const isClone = await promisify(execFile)("git", ["rev-parse", "--git-dir"]).then(
    () => true,
    () => false,
  );
  if (!isClone) return readFile(file, "utf8").catch(() => null);
  const shown = promisify(execFile)("git", ["show", `:${file}`], options);
  return shown.then(({ stdout }) => stdout).catch(() => null);
}
