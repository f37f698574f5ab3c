import { expect, test } from "vitest";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { requestOf } from "../../src/expression/evaluate/request.js";
import { managedException } from "../../src/kinds/managed-exceptions/index.js";
import type { SealedObject } from "../../src/model/sealed.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";
import { fc, runs, untilMet } from "../support/random.js";

/**
 * The pairs of a request and a rule that an exception skips, by the expression engine alone. The tested rules are those named
 * by exceptions, and one of each ruleset that no exception names.
 */
const VENDORS = "efb7b8c949ac4650a09736fc376e9aee";
const OWN = "a".repeat(32);
const RULES = ["1", "2", "other"];
const TRIED = [VENDORS, OWN, "another"].flatMap((ruleset) => RULES.map((rule) => [ruleset, rule] as const));

const HOSTS = ["a.example", "b.example", "www.a.example"];
const PATHS = ["/", "/healthz", "/status", "/upload", "/upload/x", "/search"];
const REQUESTS = HOSTS.flatMap((host) =>
  PATHS.flatMap((path) =>
    ["192.0.2.1", "198.51.100.7"].flatMap((address) =>
      ["GET", "POST"].map((method) => {
        const request = requestOf(`https://${host}${path}`, { method });
        if (!request.ok) throw new Error("invalid requests");
        return { ...request.value, "ip.src": address };
      }),
    ),
  ),
);

const condition = fc.oneof(
  fc.constantFrom("true", "false", "no expression", 'http.request.uri.path matches "^/[hs]"'),
  fc.constantFrom(...HOSTS).map((host) => `http.host eq "${host}"`),
  fc.subarray(PATHS, { minLength: 1, maxLength: 3 }).map((paths) => {
    return `http.request.uri.path in {${paths.map((path) => `"${path}"`).join(" ")}}`;
  }),
  fc.constantFrom("/upload", "/s").map((path) => `starts_with(http.request.uri.path, "${path}")`),
  fc.constantFrom("192.0.2.0/24", "192.0.2.1", "0.0.0.0/0").map((range) => `ip.src in {${range}}`),
  fc.constant('http.request.method eq "POST"'),
);
const expression = fc.oneof(
  condition,
  fc.tuple(condition, fc.constantFrom("and", "or"), condition).map(([a, op, b]) => `(${a}) ${op} (${b})`),
  condition.map((each) => `not (${each})`),
);
const ids = fc.subarray(["1", "2"], { minLength: 1 });
const skip = fc.oneof(
  fc.constant("all"),
  fc.subarray(["Cloudflare Managed Ruleset", VENDORS, OWN], { minLength: 1 }),
  fc.oneof(
    ids.map((some) => ({ [OWN]: some })),
    ids.map((some) => ({ "Cloudflare Managed Ruleset": some })),
    fc.tuple(ids, ids).map(([some, others]) => ({ [OWN]: some, [VENDORS]: others })),
  ),
);
const position = fc.constantFrom(
  null,
  null,
  { at: { after: "x" }, behind: [] },
  { at: { after: "x" }, behind: [VENDORS] },
  { at: { after: "x" }, behind: [VENDORS, OWN] },
);
const exception: fc.Arbitrary<SealedObject> = fc
  .record({ expression, skip, enabled: fc.constantFrom(true, true, true, false), position })
  .map(({ position: at, ...rest }) => (at === null ? rest : { ...rest, position: at }));

/** Null: the exception does not exist. */
const object: fc.Arbitrary<SealedObject | null> = fc.option(exception, { freq: 8 });

/** Whether the rule is not run for the request; null: unknown. */
function isSkipped(
  normal: SealedObject | null,
  request: (typeof REQUESTS)[number],
  [ruleset, rule]: (typeof TRIED)[number],
): boolean | null {
  if (normal === null || normal.enabled === false) return false;
  const { behind = [] } = (normal.position ?? {}) as { behind?: readonly string[] };
  if (behind.includes(ruleset) || !isNamed(normal.skip, ruleset, rule)) return false;
  const matched = evaluate(String(normal.expression), request);
  return matched === "unknown" ? null : matched;
}

function isNamed(what: SealedObject[string] | undefined, ruleset: string, rule: string): boolean {
  const isIt = (name: string) => (name === "Cloudflare Managed Ruleset" ? VENDORS : name) === ruleset;
  if (what === "all") return true;
  if (Array.isArray(what)) return what.map(String).some(isIt);
  return Object.entries(what as Record<string, string[]>).some(
    ([name, rules]) => isIt(name) && rules.includes(rule),
  );
}

/** Whether a tested pair is skipped only after the change; if in doubt, whether it may be. */
function gained(before: SealedObject | null, after: SealedObject | null): "yes" | "perhaps" | "no" {
  const known = REQUESTS.flatMap((request) =>
    TRIED.map((rule) => {
      const [old, now] = [isSkipped(before, request, rule), isSkipped(after, request, rule)];
      if (now === false || old === true) return "no";
      return now === true && old === false ? "yes" : "perhaps";
    }),
  );
  return known.includes("yes") ? "yes" : known.includes("perhaps") ? "perhaps" : "no";
}

test("a label of a changed exception claims no more than tested requests show", async () => {
  const least = runs(8);
  await untilMet(
    { strengthens: least, weakens: least, mixed: least, neutral: least, unknown: least },
    (met) =>
      fc.property(object, object, (before, after) => {
        const strength = (normal: SealedObject | null) =>
          normal === null ? {} : managedException.dimensions(itemOf(normal), null);
        const found = shifts(strength(before), strength(after));
        const effect = effectOf(found);
        const [more, less] = [gained(before, after), gained(after, before)];
        if (more === "yes") expect(["weakens", "mixed", "unknown"]).toContain(effect);
        if (less === "yes") expect(["strengthens", "mixed", "unknown"]).toContain(effect);
        for (const { witness } of found) {
          if (witness?.as !== "request") continue;
          const { request } = witness;
          const isNew = TRIED.some(
            (rule) =>
              isSkipped(after, request as (typeof REQUESTS)[number], rule) === true &&
              isSkipped(before, request as (typeof REQUESTS)[number], rule) === false,
          );
          expect(isNew, "a witness is newly skipped").toBe(true);
        }
        met(effect);
      }),
    runs(600),
  );
});
