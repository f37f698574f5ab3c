// Fails if a bundled package has a known vulnerability, by npm's audit. Packages that only build or test are listed and do not
// fail the check. Without a registry, the check is skipped with a message.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "./bundling.mjs";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const bundled = new Set(await bundledPackages());
const audit = knownProblems();
if (audit.vulnerabilities === undefined) {
  const why = audit.message ?? audit.error?.summary ?? "npm gave no answer";
  console.log(`Not checked: the registry gave no audit (${why}).`);
  process.exit(0);
}
const found = Object.values(audit.vulnerabilities);
const isBundled = ({ nodes }) => nodes.some((node) => bundled.has(node));
for (const each of found) console.log(`${isBundled(each) ? "in the bundles" : "not bundled"}: ${line(each)}`);
console.log(`${bundled.size} packages are in the bundles: ${[...bundled].map(nameOf).join(", ")}.`);
process.exit(found.some(isBundled) ? 1 : 0);

/** The output of npm audit, which exits with 1 for findings and for failures alike. */
function knownProblems() {
  const { stdout } = spawnSync("npm", ["audit", "--json"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}

function line({ name, severity, range, via }) {
  const why = via.map((each) => (typeof each === "string" ? each : `${each.title} ${each.url}`));
  return `${name} ${range}, ${severity}: ${why.join("; ")}`;
}

function nameOf(folder) {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}
