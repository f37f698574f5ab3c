// Prints the bundled packages as CycloneDX: npm's own list, without packages that only build or test. npm cannot tell them
// apart, because bundled packages are development dependencies too.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "./bundling.mjs";

const DEVELOPMENT = "cdx:npm:package:development";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const bundled = await Promise.all((await bundledPackages()).map(referenceOf));
console.log(JSON.stringify(narrowed(listOfNpm(), new Set(bundled)), null, 2));

/** npm's reference to a package in its list. */
async function referenceOf(folder) {
  const { name, version } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  return `${name}@${version}`;
}

function listOfNpm() {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
  return JSON.parse(execFileSync("npm", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }));
}

function narrowed(list, kept) {
  const { component } = list.metadata;
  const components = list.components.filter((each) => kept.has(each["bom-ref"]));
  const missing = [...kept].filter((each) => !components.some((one) => one["bom-ref"] === each));
  if (missing.length > 0) throw new Error(`npm does not list these bundled packages: ${missing.join(", ")}.`);
  const within = new Set([component["bom-ref"], ...kept]);
  return {
    ...list,
    // npm names the project after its folder.
    metadata: { ...list.metadata, component: { ...component, name: "zoneward" } },
    components: components.map((each) => ({
      ...each,
      properties: each.properties.filter(({ name }) => name !== DEVELOPMENT),
    })),
    dependencies: list.dependencies
      .filter(({ ref }) => within.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => within.has(each)) })),
  };
}
