import { describe, expect, test } from "vitest";
import { budgeted } from "../../src/model/work-budget.js";
import { effectOf } from "../../src/strength/index.js";
import type { ListedAction, ListedRule } from "../../src/strength/list-outcomes.js";
import { compareLists } from "../../src/strength/rule-lists.js";

const at = (path: string) => `http.request.uri.path eq "${path}"`;
const below = (path: string) => `starts_with(http.request.uri.path, "${path}")`;

const rule = (name: string, expression: string, does: ListedAction): ListedRule => ({
  name,
  expression,
  does,
});
const doing = (as: "block" | "challenge" | "log") => (name: string, expression: string) =>
  rule(name, expression, { as });
const [block, challenge, log] = [doing("block"), doing("challenge"), doing("log")];
const skipRest = (name: string, expression: string) =>
  rule(name, expression, { as: "skip", rest: true, past: [] });
const skip = (name: string, expression: string, ...past: readonly string[]) =>
  rule(name, expression, { as: "skip", rest: false, past });
const run = (name: string, expression: string) => rule(name, expression, { as: "other", is: `run ${name}` });

const MANAGED = "managed rulesets";
const RATE = "rate limits";
const all = block("All", "true");
const old = block("Old API", below("/v1/"));
const partner = skipRest("Partner", at("/healthz"));
const bypass = skip("Bypass", at("/healthz"), MANAGED);
const ADMIN = 'starts_with(http.request.uri.path, "/admin") and ip.src ne 198.51.100.7';
const BOTS = 'http.user_agent contains "bot"';
const login = challenge("Login", at("/login"));

type List = readonly ListedRule[];
type Case = readonly [
  title: string,
  before: List,
  after: List,
  effect: ReturnType<typeof effectOf>,
  why: string,
];

describe("a change of a list of rules", () => {
  test.each<Case>([
    [
      "a skip moves before a block",
      [all, partner],
      [partner, all],
      "weakens",
      'no longer blocked by "All": /healthz',
    ],
    [
      "a block moves before a skip",
      [partner, all],
      [all, partner],
      "strengthens",
      'now blocked by "All": /healthz',
    ],
    ["a rule moves past another that shares no request", [old, partner], [partner, old], "neutral", ""],
    ["a new block", [], [old], "strengthens", "now blocked: /v1/*"],
    ["a removed block", [old], [], "weakens", "no longer blocked: /v1/*"],
    ["a block that another still does", [all, old], [all], "neutral", ""],
    ["a new log", [], [log("L", at("/a"))], "strengthens", "now logged: /a"],
    ["a new log behind a block", [all], [all, log("L", at("/a"))], "neutral", ""],
    [
      "a challenge that becomes a block",
      [login],
      [block("Login", at("/login"))],
      "strengthens",
      "challenged → blocked: /login",
    ],
    [
      "a block that becomes a log",
      [block("A", at("/a"))],
      [log("A", at("/a"))],
      "weakens",
      "blocked → logged: /a",
    ],
    [
      "a narrower block",
      [old],
      [block("Old API", at("/v1/a"))],
      "weakens",
      "no longer blocked: /v1/* except /v1/a",
    ],
    [
      "a narrower block among other rules",
      [
        block("Admin", ADMIN),
        challenge("Bots", BOTS),
        skipRest("Partner", "ip.src eq 203.0.113.5"),
        log("X", at("/x")),
      ],
      [
        block("Admin", 'starts_with(http.request.uri.path, "/admin") and not ip.src in {198.51.100.0/24}'),
        ...[challenge("Bots", BOTS), skipRest("Partner", "ip.src eq 203.0.113.5"), log("X", at("/x"))],
      ],
      "weakens",
      `no longer blocked, or blocked → challenged: some of the requests that match ${ADMIN}`,
    ],
    [
      "a block elsewhere",
      [block("A", at("/a"))],
      [block("A", at("/b"))],
      "mixed",
      "no longer blocked: /a; now blocked: /b",
    ],
    [
      "a wider skip",
      [partner, all],
      [skipRest("Partner", below("/healthz")), all],
      "weakens",
      'no longer blocked by "All": /healthz* except /healthz',
    ],
    [
      "two skips that overlap",
      [skipRest("Wide", below("/h")), partner, all],
      [skipRest("Wide", below("/h")), all],
      "neutral",
      "",
    ],
    ["a new name", [block("A", at("/a"))], [block("B", at("/a"))], "neutral", ""],
    ["another spelling", [block("A", at("/a"))], [block("A", `(${at("/a")})`)], "neutral", ""],
  ])("%s", (_, before, after, effect, why) => {
    const shifts = compareLists(before, after).shifts;
    expect(shifts.map((each) => each.why).join()).toBe(why);
    expect(effectOf(shifts)).toBe(effect);
    expect(new Set(shifts.map(({ dimension }) => dimension))).toEqual(new Set(why === "" ? [] : ["stopped"]));
  });

  test.each<Case>([
    ["a new skip of a phase", [], [bypass], "weakens", "skips managed rulesets: /healthz"],
    [
      "a skip of two things",
      [],
      [skip("S", "true", MANAGED, RATE)],
      "weakens",
      "skips managed rulesets, rate limits: every request",
    ],
    [
      "a skip of less",
      [skip("S", "true", MANAGED, RATE)],
      [skip("S", "true", MANAGED)],
      "strengthens",
      "no longer skips rate limits: every request",
    ],
    [
      "a skip of something else",
      [skip("S", "true", RATE)],
      [skip("S", "true", MANAGED)],
      "mixed",
      "skips managed rulesets: every request; no longer skips rate limits: every request",
    ],
    ["a skip before or behind a block of the same requests", [all, bypass], [bypass, all], "neutral", ""],
    [
      "a skip behind another skip of the rest",
      [partner, bypass],
      [bypass, partner],
      "weakens",
      'skips managed rulesets by "Bypass": /healthz',
    ],
  ])("%s", (_, before, after, effect, why) => {
    const shifts = compareLists(before, after).shifts;
    expect(shifts.map((each) => each.why).join()).toBe(why);
    expect(effectOf(shifts)).toBe(effect);
    expect(new Set(shifts.map(({ dimension }) => dimension))).toEqual(new Set(why === "" ? [] : ["skipped"]));
  });

  test("stops less and skips more where a block before a skip ends", () => {
    const shifts = compareLists([old, skip("S", "true", MANAGED)], [skip("S", "true", MANAGED)]).shifts;
    expect(shifts.map(({ dimension, way, why }) => [dimension, way, why])).toEqual([
      ["stopped", "weaker", "no longer blocked: /v1/*"],
      ["skipped", "weaker", 'skips managed rulesets by "S": /v1/*'],
    ]);
  });

  test("shows a request that loses protection", () => {
    const [shift] = compareLists([all, partner], [partner, all]).shifts;
    expect(shift?.witness).toEqual({ as: "request", request: { "http.request.uri.path": "/healthz" } });
  });

  test("shows a request of the zone's own hosts", () => {
    const own = skipRest("Own", 'ends_with(http.host, ".example.com")');
    const [shift] = compareLists([all], [own, all], "example.com").shifts;
    expect(shift?.witness).toEqual({ as: "request", request: { "http.host": "www.example.com" } });
  });

  test("is unknown where only custom host names may differ", () => {
    const own = (name: string, more: string) => block(name, `http.host in {"example.com" ${more}}`);
    const [shift] = compareLists([own("A", '"www.other.test"')], [own("A", "")], "example.com").shifts;
    expect(shift).toMatchObject({
      way: "unknown",
      why: "unchanged on the hosts of example.com; may differ on custom host names",
    });
  });
});

describe("a challenge", () => {
  test.each<Case>([
    [
      "a skip behind it is reached by clients that solve it",
      [login],
      [login, skip("S", at("/login"), MANAGED)],
      "weakens",
      "skips managed rulesets after a solved challenge: /login",
    ],
    [
      "a block behind it stops clients that solve it",
      [login, all],
      [login],
      "weakens",
      "no longer blocked: every request except /login; no longer blocked after a solved challenge: /login",
    ],
    [
      "a new one before a block stops no more",
      [all],
      [login, all],
      "weakens",
      "blocked → challenged: /login",
    ],
    [
      "a new one before a skip",
      [skip("S", "true", RATE)],
      [login, skip("S", "true", RATE)],
      "strengthens",
      'now challenged: /login,no longer skips rate limits by "S": /login',
    ],
  ])("%s", (_, before, after, effect, why) => {
    const shifts = compareLists(before, after).shifts;
    expect(shifts.map((each) => each.why).join()).toBe(why);
    expect(effectOf(shifts)).toBe(effect);
  });
});

describe("what is undecided", () => {
  test.each<Case>([
    [
      "a new rule of unknown reach",
      [old],
      [old, run("R", "true")],
      "unknown",
      'unknown whether fewer requests are stopped; the effect of "R" is unknown,unknown whether fewer requests skip other protection; the effect of "R" is unknown',
    ],
    [
      "a rule of unknown reach moves before a block",
      [old, run("R", "true")],
      [run("R", "true"), old],
      "unknown",
      'unknown whether fewer requests are stopped; the effect of "R" is unknown,unknown whether fewer requests skip other protection; the effect of "R" is unknown',
    ],
    [
      "a new block before a rule of unknown reach",
      [run("R", "true")],
      [old, run("R", "true")],
      "strengthens",
      "now blocked: some of the requests to /v1/*",
    ],
    [
      "a new block behind a rule of unknown reach",
      [run("R", "true")],
      [run("R", "true"), old],
      "strengthens",
      "now blocked: some of the requests to /v1/*",
    ],
    [
      "a removed block of a list of addresses",
      [block("Bad", "ip.src in $bad")],
      [],
      "weakens",
      "no longer blocked: requests that match ip.src in $bad",
    ],
    [
      "another list of addresses",
      [block("Bad", "ip.src in $bad")],
      [block("Bad", "ip.src in $worse")],
      "unknown",
      "unknown whether fewer requests are stopped",
    ],
    [
      "a removed block of an unreadable expression",
      [block("Odd", "odd(")],
      [],
      "weakens",
      'no longer blocked: requests that match "odd("',
    ],
    [
      "a new block of an unreadable expression",
      [],
      [block("Odd", "odd(")],
      "unknown",
      'now blocked: requests that match "odd("; the expression has parts unknown to this version',
    ],
    [
      "a removed skip of an unreadable expression",
      [skip("Odd", "odd(", RATE)],
      [],
      "strengthens",
      'no longer skips rate limits: requests that match "odd("',
    ],
    [
      "a block moves past an unreadable rule that it shares requests with",
      [skipRest("Odd", "odd("), all],
      [all, skipRest("Odd", "odd(")],
      "strengthens",
      'now blocked by "All": requests that match "odd("',
    ],
  ])("%s", (_, before, after, effect, why) => {
    const shifts = compareLists(before, after).shifts;
    expect(shifts.map((each) => each.why).join()).toBe(why);
    expect(effectOf(shifts)).toBe(effect);
  });

  const addresses = (does: ListedAction) =>
    Array.from({ length: 250 }, (_, index) => rule(`R${index}`, `ip.src in {10.0.${index}.0/24}`, does));
  const many = [...addresses({ as: "skip", rest: true, past: [] }), all];

  test.each<Case>([
    [
      "a new block is a gain",
      many,
      many.toSpliced(9, 0, old),
      "strengthens",
      "now blocked: some of the requests to /v1/*",
    ],
    ["a removed block is a loss", many, many.slice(0, -1), "weakens", "no longer blocked: some requests"],
    [
      "a new skip is a loss",
      many,
      many.toSpliced(9, 0, partner),
      "weakens",
      "no longer blocked: some of the requests to /healthz",
    ],
    [
      "a block that moves past skips is a gain",
      many,
      [all, ...many.slice(0, -1)],
      "strengthens",
      'now blocked by "All": some requests',
    ],
  ])("%s in a list of many rules", (_, before, after, effect, why) => {
    const shifts = compareLists(before, after).shifts;
    expect(shifts.map((each) => each.why).join()).toBe(why);
    expect(effectOf(shifts)).toBe(effect);
  });

  test("is unknown where too many rules change", () => {
    expect(compareLists(addresses({ as: "block" }), addresses({ as: "log" })).shifts).toMatchObject([
      {
        way: "unknown",
        why: "unknown whether fewer requests are stopped; the list of rules is too complex to compare",
      },
    ]);
  });

  test("everything is undecided once the zone's budget is spent", () => {
    const { value, problems } = budgeted(
      "example.com",
      () => [[old], [all]].map((list) => effectOf(compareLists([], list).shifts)),
      1,
    );
    expect(value).toEqual(["strengthens", "unknown"]);
    expect(problems.map(({ code }) => code)).toEqual(["not_compared"]);
  });
});

describe("what starts to stop visitors", () => {
  test.each<readonly [string, List, List, readonly string[]]>([
    ["a new block", [], [old], ["now blocked: /v1/*"]],
    ["a new challenge", [], [login], ["now challenged: /login"]],
    [
      "a block in place of a challenge",
      [login],
      [block("Login", at("/login"))],
      ["challenged → blocked: /login"],
    ],
    ["the end of a skip", [bypass], [], ["no longer skips managed rulesets: /healthz"]],
    ["a new log", [], [log("L", "true")], []],
    ["a removed block", [old], [], []],
    ["a block elsewhere", [block("A", at("/a"))], [block("A", at("/b"))], ["now blocked: /b"]],
  ])("%s", (_, before, after, why) => {
    const blocking = compareLists(before, after).blocking;
    expect(blocking.map((each) => each.why)).toEqual(why);
    expect(blocking.every(({ way }) => way === "stronger")).toBe(true);
  });
});
