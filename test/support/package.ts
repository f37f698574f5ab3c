import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./cli.js";

/** The package, packed and installed in its own folder. */
export interface InstalledPackage {
  readonly folder: string;
  /** The files in it. */
  readonly packed: readonly string[];
  readonly tarball: string;
  /** The folder in which npm puts the command. */
  readonly bin: string;
}

const run = promisify(execFile);

/** Needs no network, because the package has no dependencies. The caller removes the folder. */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(path.join(tmpdir(), "zoneward-package-"));
  // Without scripts, because the build would remove dist/ while other tests use it.
  const { stdout } = await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], ROOT);
  const [pack] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]; // npm's documented form
  const tarball = path.join(folder, pack.filename);
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
  await npm(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", tarball], folder);
  return {
    folder,
    packed: pack.files.map((file) => file.path),
    tarball,
    bin: path.join(folder, "node_modules/.bin"),
  };
}

function npm(args: readonly string[], cwd: string) {
  return run("npm", args, { cwd, env: { ...process.env, npm_config_update_notifier: "false" } });
}
