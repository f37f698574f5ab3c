import picomatch from "picomatch";
import type { DeclaredZone, Desired } from "../config/index.js";
import { zoneName } from "../config/zone.js";
import { didYouMean } from "../model/did-you-mean.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { says } from "../model/sentence.js";

/**
 * The zones of the files that `--zone` names. Without names: all.
 *
 * @param noLongerDeclared names of zones that only the base has, which may be named too
 */
export function selectZones(
  desired: Desired,
  patterns: readonly string[],
  noLongerDeclared: readonly string[] = [],
): Result<readonly DeclaredZone[]> {
  const live = patterns.filter((pattern) => !noLongerDeclared.some(picker([pattern])));
  const named = selectNamed(desired.zones, ({ name }) => name, live, notDeclared);
  const isPicked = picker(patterns);
  return named.ok ? ok(desired.zones.filter(({ name }) => isPicked(name))) : named;
}

function notDeclared(pattern: string, names: readonly string[]): Problem {
  const advice = didYouMean(pattern, names, "Name a declared zone.");
  const detail = says`${{ flag: "zone", value: pattern }} matches no zone of the files. ${advice}`;
  return problem("no_such_zone", "Zone is undeclared", detail);
}

export function notAmongPlanned(pattern: string, names: readonly string[]): Problem {
  const advice = didYouMean(pattern, names, "Name a zone of the plan, or plan again.");
  const detail = says`${{ flag: "zone", value: pattern }} matches no zone of the saved plan. ${advice}`;
  return problem("no_such_zone", "Zone not in the plan", detail);
}

/** No name of a zone is longer, and the library that matches throws at much longer patterns. */
const MAX_PATTERN_CHARS = 1_000;

function matcherOf(pattern: string): (name: string) => boolean {
  return picomatch(zoneName(pattern) ?? pattern.toLowerCase());
}

/** Tests whether `--zone` picks a name. The patterns are parsed once for all names. */
export function picker(patterns: readonly string[]): (name: string) => boolean {
  const tests = testsOf(patterns);
  return (name) => tests.length === 0 || tests.some(({ matches }) => matches(name));
}

function testsOf(patterns: readonly string[]) {
  return patterns.map((pattern) => ({
    pattern,
    matches: pattern.length > MAX_PATTERN_CHARS ? () => false : matcherOf(pattern),
  }));
}

/** Whether a name may mean several zones. */
export function isPattern(written: string): boolean {
  return /[*?[\]{}()!+@|]/.test(written);
}

/** @param noSuchZone the problem of a pattern that matches no zone */
export function selectNamed<Zone>(
  zones: readonly Zone[],
  nameOf: (zone: Zone) => string,
  patterns: readonly string[],
  noSuchZone: (pattern: string, names: readonly string[]) => Problem,
): Result<readonly Zone[]> {
  if (patterns.length === 0) return ok(zones);
  const tests = testsOf(patterns);
  const names = zones.map(nameOf);
  const idle = tests.filter(({ matches }) => !names.some((name) => matches(name)));
  if (idle.length > 0) return failed(...idle.map(({ pattern }) => noSuchZone(pattern, names)));
  return ok(zones.filter((zone) => tests.some(({ matches }) => matches(nameOf(zone)))));
}
