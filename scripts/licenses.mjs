import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { packageFolder } from "./bundling.mjs";

/** The licence texts of the packages that contain these files, given as paths through node_modules. */
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
  if (file === undefined) throw new Error(`${folder} is bundled and has no licence file.`);
  const text = await readFile(path.join(folder, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}
