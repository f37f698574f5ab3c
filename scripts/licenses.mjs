import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { packageFolder } from "./bundling.mjs";

/** The licence texts of the packages that these files, named as paths through node_modules, belong to. */
export async function licensesOf(files) {
  const folders = [...new Set(files.map(packageFolder))].sort();
  const sections = await Promise.all(folders.map(licenseOf));
  return [
    "The JavaScript in this folder has these packages in it, each under its own licence.\n",
    ...sections,
  ].join(`\n${"-".repeat(80)}\n\n`);
}

async function licenseOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  if (file === undefined) throw new Error(`${folder} has no licence file, and is to be bundled.`);
  const text = await readFile(path.join(folder, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}
