import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";

/** Removes declarations that the entry does not need. Throws if a needed one uses types of another package. */
export async function prunePrivate(folder, entry) {
  const reachable = new Set();
  await follow(path.join(folder, entry), reachable);
  for (const found of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(found.parentPath, found.name);
    if (found.isFile() && !reachable.has(file)) await rm(file);
  }
  await removeEmpty(folder);
}

async function follow(file, reachable) {
  if (reachable.has(file)) return;
  reachable.add(file);
  const text = await readFile(file, "utf8");
  for (const [, specifier] of text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g)) {
    if (specifier.startsWith("node:")) continue;
    if (!specifier.startsWith(".")) {
      throw new Error(`${file} needs the types of ${specifier}, which are missing in the installed package.`);
    }
    await follow(path.join(path.dirname(file), specifier.replace(/\.js$/, ".d.ts")), reachable);
  }
}

async function removeEmpty(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmpty(path.join(folder, entry.name));
  }
  if ((await readdir(folder)).length === 0) await rm(folder, { recursive: true });
}
