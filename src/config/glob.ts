import { glob } from "tinyglobby";

/** The files that a glob matches, relative to the folder; not those in node_modules. */
export function matching(pattern: string, cwd: string): Promise<readonly string[]> {
  return glob(pattern, { cwd, ignore: ["**/node_modules/**"], expandDirectories: false });
}
