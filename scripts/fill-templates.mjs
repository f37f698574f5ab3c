// Writes the files for Homebrew and mise into the folder of a release, with the checksums of its SHA256SUMS:
// node scripts/fill-templates.mjs FOLDER
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const folder = path.resolve(process.argv[2] ?? "");
process.chdir(path.join(import.meta.dirname, ".."));
const { version } = JSON.parse(await readFile("package.json", "utf8"));
const sums = new Map(
  (await readFile(path.join(folder, "SHA256SUMS"), "utf8"))
    .split("\n")
    .map((line) => line.split(/ [ *]/, 2))
    .map(([sum, file]) => [file, sum]),
);
for (const name of ["zoneward.rb", "mise.toml"]) {
  const template = await readFile(path.join("templates", name), "utf8");
  const filled = template
    .replaceAll("@VERSION@", version)
    .replaceAll(/@SHA256 (\S+)@/g, (_, file) => sumOf(file));
  await writeFile(path.join(folder, name), filled);
}

function sumOf(file) {
  const sum = sums.get(file);
  if (sum === undefined) throw new Error(`SHA256SUMS does not list ${file}.`);
  return sum;
}
