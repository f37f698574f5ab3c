// Makes a clone ready to run: installs dependencies and builds dist/, each only if it is missing or outdated.
// Needs only Node and npm.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { FINGERPRINT_FILE, fingerprint } from "./sources.mjs";

const LEAST_NODE = [20, 18, 1];

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
if (isOlder(process.versions.node.split(".").map(Number), LEAST_NODE)) {
  stop(`zoneward needs Node ${LEAST_NODE.join(".")} or newer; this is Node ${process.versions.node}.`);
}
if (!(await isInstalled())) step("Installing dependencies", ...npm("ci", "--include=dev"));
if (!(await isBuilt())) step("Building", process.execPath, "scripts/build.mjs");

function isOlder(version, least) {
  const differs = version.findIndex((part, index) => part !== least[index]);
  return differs !== -1 && version[differs] < least[differs];
}

/** Whether node_modules matches the lockfile. npm records the installed packages at the end of an installation. */
async function isInstalled() {
  const wanted = await packagesIn("package-lock.json");
  const installed = await packagesIn("node_modules/.package-lock.json");
  const names = Object.keys({ ...wanted, ...installed }).filter((name) => name !== "");
  return names.every((name) => agrees(wanted[name], installed[name]));
}

async function packagesIn(lockfile) {
  try {
    return JSON.parse(await readFile(lockfile, "utf8")).packages;
  } catch (error) {
    if (error.code === "ENOENT") return {};
    throw error;
  }
}

/** Most optional packages are for other platforms, so they may be missing. */
function agrees(wanted, installed) {
  if (wanted === undefined) return false;
  if (installed === undefined) return wanted.optional === true;
  return wanted.version === installed.version && wanted.integrity === installed.integrity;
}

async function isBuilt() {
  const [built, wanted] = await Promise.all([
    readFile(FINGERPRINT_FILE, "utf8").catch(() => null),
    fingerprint(),
  ]);
  return built === wanted;
}

/** Runs npm with this Node. Outside of npm scripts, npm is looked up in PATH. */
function npm(...args) {
  const own = process.env.npm_execpath;
  return own?.endsWith(".js") ? [process.execPath, own, ...args] : ["npm", ...args];
}

/** Prints one line on success, and the whole output of the command on failure. */
function step(what, command, ...args) {
  process.stderr.write(`${what} …`);
  const startMs = performance.now();
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (error !== undefined) stop(` failed: ${error.message}`);
  if (status !== 0) stop(` failed:\n${stdout}${stderr}`);
  console.error(` ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
