import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** All inputs of a build. */
const SOURCES = [
  "src",
  "scripts",
  // The demo, which is bundled into the program.
  "examples/complete.yaml",
  "examples/complete.live.yaml",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/** The file in which a build records its inputs. */
export const FINGERPRINT_FILE = "dist/.built-from";

/** A hash of names and contents. File times would be wrong after a checkout, and would miss deleted files. */
export async function fingerprint() {
  const files = (await Promise.all(SOURCES.map(filesIn))).flat();
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const hash = createHash("sha256");
  for (const [index, file] of files.entries())
    hash.update(`${file}\0${contents[index].length}\0`).update(contents[index]);
  return hash.digest("hex");
}

async function filesIn(named) {
  if (path.extname(named) !== "") return [named];
  const entries = await readdir(named, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
