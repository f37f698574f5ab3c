import picomatch from "picomatch";
import {
  type DeclaredZone,
  type Desired,
  desiredFrom,
  type Environment,
  readConfigFiles,
} from "../config/index.js";
import { zoneName } from "../config/zone-name.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { suggest } from "../model/suggest.js";

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
): Promise<{ readonly desired: Desired | null; readonly problems: readonly Problem[] }> {
  const { files, problems } = await readConfigFiles(input.config, input.cwd);
  const checked = desiredFrom(files, input.environment);
  // With a file missing, what is left may look incomplete: that it does is no news.
  const rest =
    problems.length === 0 ? checked.problems : checked.problems.filter((each) => each.severity === "error");
  return { desired: problems.length === 0 ? checked.desired : null, problems: [...problems, ...rest] };
}

/** The zones that `--zone` names; all when it names none. */
export function selectZones(desired: Desired, patterns: readonly string[]): Result<readonly DeclaredZone[]> {
  if (patterns.length === 0) return ok(desired.zones);
  const tests = patterns.map((pattern) => ({
    pattern,
    matches: picomatch(zoneName(pattern) ?? pattern.toLowerCase()),
  }));
  const idle = tests.filter(({ matches }) => !desired.zones.some((zone) => matches(zone.name)));
  if (idle.length > 0) return failed(...idle.map(({ pattern }) => noSuchZone(pattern, desired)));
  return ok(desired.zones.filter((zone) => tests.some(({ matches }) => matches(zone.name))));
}

function noSuchZone(pattern: string, desired: Desired): Problem {
  const close = suggest(
    pattern,
    desired.zones.map((zone) => zone.name),
  );
  const advice = close === null ? "Name a zone that the files declare." : `Did you mean ${close}?`;
  return problem(
    "no_such_zone",
    "A zone that is not declared",
    `--zone ${pattern} matches none of the files' zones. ${advice}`,
  );
}
