// Measures how many files and concepts a reader has to open. "Before" is the checkout at the given path, or the numbers in
// bench/doors/before.json. "After" is this checkout. With --write, results that do not depend on the machine are written
// into docs/architecture.md too.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { filled } from "../scripts/docs/regions.mjs";
import { sizesOf } from "./doors/sizes.mjs";
import { structureOf } from "./doors/structure.mjs";
import { walksIn } from "./doors/walks.mjs";

const {
  positionals: [given],
  values: { write },
} = parseArgs({ options: { write: { type: "boolean" } }, allowPositionals: true });
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

const DOCUMENT = "docs/architecture.md";
if (write)
  writeFileSync(
    DOCUMENT,
    filled(DOCUMENT, readFileSync(DOCUMENT, "utf8"), { doors: documented(after.walks) }),
  );

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

/** The walks, each with the folders that it passes and the number of files in each. */
function documented(walks) {
  const rows = Object.entries(walks)
    .slice(0, 3)
    .map(([what, files]) => {
      const folders = grouped(files);
      const passed = [...folders].map(([folder, those]) => `${folder || "."} ${those.length}`);
      return `| ${what} | ${files.length} | ${passed.join(", ")} |`;
    });
  return ["| walk | files | by folder, in order |", "|---|---|---|", ...rows].join("\n");
}

function grouped(files) {
  const folders = new Map();
  for (const file of files) {
    const folder = file.split("/").slice(0, -1)[0] ?? "";
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return folders;
}
