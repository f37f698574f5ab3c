import { existsSync } from "node:fs";
import module from "node:module";
import path from "node:path";

/** Node has it from 22.1 on. */
interface WithCompileCache {
  enableCompileCache?(folder: string): unknown;
  getCompileCacheDir?(): string | undefined;
}

/**
 * Lets Node keep the compiled program in the user's cache folder, which makes later starts sooner. Where there is no such
 * folder, or it cannot be written, Node goes on without. What is kept is run, so it is kept nowhere that a repository's
 * files are: neither below a repository, nor in a folder whose path is not absolute. A cache that the environment names
 * for all of Node is used as it is.
 */
export function keepCompiled(
  environment: Readonly<Record<string, string | undefined>>,
  node: WithCompileCache = module as object,
): void {
  if (node.enableCompileCache === undefined || node.getCompileCacheDir?.() !== undefined) return;
  const { XDG_CACHE_HOME = "", HOME = "" } = environment;
  const cache = [XDG_CACHE_HOME, path.join(HOME, ".cache")].find((each) => path.isAbsolute(each));
  if (cache === undefined || isInRepository(cache)) return;
  node.enableCompileCache(path.join(cache, "zoneward"));
}

function isInRepository(folder: string): boolean {
  const above = path.dirname(folder);
  return existsSync(path.join(folder, ".git")) || (above !== folder && isInRepository(above));
}
