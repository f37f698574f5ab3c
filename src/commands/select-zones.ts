import picomatch from "picomatch";
import type { DeclaredZone, Desired } from "../config/index.js";
import { zoneName } from "../config/zone-name.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { suggest } from "../model/suggest.js";

/** The zones that `--zone` names; all when it names none. Loaded only by commands that have the flag. */
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
