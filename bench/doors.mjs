// Measures how many files and concepts a reader has to open. "Before" is the checkout at the given path, or the numbers in
// bench/doors/before.json. "After" is this checkout.
import { readFileSync } from "node:fs";
import { sizesOf } from "./doors/sizes.mjs";
import { structureOf } from "./doors/structure.mjs";
import { walksIn } from "./doors/walks.mjs";

const given = process.argv[2];
const before =
  given === undefined ? JSON.parse(readFileSync("bench/doors/before.json", "utf8")) : await doorsOf(given);
const after = await doorsOf(".");

for (const row of [
  ["", given ?? before.commit, "now"],
  ...Object.keys(after.counts).map((what) => [what, String(before.counts[what]), String(after.counts[what])]),
]) {
  const [what, ...numbers] = row;
  console.log(`${what.padEnd(64)}${numbers.map((each) => each.padStart(14)).join("")}`);
}
for (const [what, files] of Object.entries(after.walks))
  console.log(`\n${what}: ${files.length} files\n${files.join(" ")}`);

async function doorsOf(root) {
  const { files, cycles, smallFolders } = structureOf(root);
  const { entered, parses, merges, walks } = await walksIn(root);
  return {
    counts: {
      "files in src that people write": files.length,
      ...sizesOf(root, files),
      "groups of files that import each other in a circle": cycles.length,
      "folders with fewer than three files": smallFolders.length,
      "files that a plan of one policy enters": entered.length,
      "parses of CSP text in that plan": parses,
      "merges of templates in that plan": merges,
      ...Object.fromEntries(
        Object.entries(walks).map(([what, passed]) => [`files passed by ${what}`, passed.length]),
      ),
    },
    walks,
  };
}
