import {
  type Desired,
  desiredFrom,
  type Environment,
  type Purpose,
  readConfigFiles,
} from "../config/index.js";
import type { Problem } from "../model/problem.js";

/** Which files, and where they find their surroundings. */
export interface FilesInput {
  /** Files, folders and globs, as `-c` takes them; zoneward.yaml when empty. */
  readonly config: readonly string[];
  readonly cwd: string;
  readonly environment: Environment;
}

/** Reads and checks the files. With an error among the problems there is no desired state. */
export async function readDesired(
  input: FilesInput,
  purpose: Purpose = "plan",
): Promise<{ readonly desired: Desired | null; readonly problems: readonly Problem[] }> {
  const { files, problems } = await readConfigFiles(input.config, input.cwd);
  const checked = desiredFrom(files, input.environment, purpose);
  // With a file missing, what is left may look incomplete: that it does is no news.
  const rest =
    problems.length === 0 ? checked.problems : checked.problems.filter((each) => each.severity === "error");
  return { desired: problems.length === 0 ? checked.desired : null, problems: [...problems, ...rest] };
}
