import { describe, expect, test } from "vitest";
import { folderWith, zoneward } from "../support/cli.js";

const FILES = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: Checkout, action: allow, expression: 'starts_with(http.request.uri.path, "/checkout")', value: "script-src 'self' https://js.payments.example" }
      - { description: Everywhere, action: log, expression: 'ip.src.country eq "GB"', value: "script-src 'self'" }
      - { description: "Off", enabled: false, expression: "true", value: "script-src 'self'" }
  blog.example.com:
    policies:
      - { description: Checkout, action: log, expression: "true", value: "script-src 'none'" }
`;
const EVIL = "https://evil.example/x.js";
const report = (page: string, url: string, day = 1) =>
  `${JSON.stringify({
    Action: "log",
    CSPDirective: "script-src-elem",
    PageURL: `https://shop.example.com${page}`,
    PolicyID: "a",
    ResourceType: "script",
    Timestamp: `2026-11-0${day}T10:00:00Z`,
    URL: url,
  })}\n`;
const LOG =
  [1, 2, 3].map((day) => report(`/checkout/${day}`, EVIL, day)).join("") +
  report("/checkout/1", "https://js.payments.example/v3.js") +
  report("/home", "https://other.example/a.js");

async function cspMatch(...args: readonly string[]) {
  const cwd = await folderWith({ "zoneward.yaml": FILES, "a.log": LOG });
  return zoneward(["csp", "match", ...args], { cwd, input: LOG });
}

const AT = (path: string) => ["--page", `https://shop.example.com${path}`];

describe("csp match --policy", () => {
  test("checks a load against the policies of the page's zone that apply to the page", async () => {
    const blocked = await cspMatch(EVIL, "--policy", "Checkout", ...AT("/checkout/pay"));
    expect(blocked).toEqual({
      code: 0,
      out: `refused  ${EVIL} under "Checkout" of shop.example.com\n  The script ${EVIL} is refused: script-src lists 'self', https://js.payments.example; none matches.\n`,
      err: "",
    });
    const elsewhere = await cspMatch(EVIL, "--policy", "*", ...AT("/home"));
    expect(elsewhere.out).toBe(
      `not on this page  ${EVIL} under "Checkout" of shop.example.com\n` +
        `  Policy "Checkout" is not on this page. It covers pages where starts_with(http.request.uri.path, "/checkout").\n` +
        `reported          ${EVIL} under "Everywhere" of shop.example.com\n` +
        `  The URL does not tell whether policy "Everywhere" covers this page. It covers pages where ip.src.country eq "GB".\n` +
        `  The script ${EVIL} is refused: script-src lists 'self'; none matches.\n`,
    );
    const blog = await cspMatch(
      EVIL,
      "--policy",
      "Checkout",
      "--page",
      "https://blog.example.com/",
      "--format",
      "json",
    );
    expect(JSON.parse(blog.out).results).toMatchObject([
      {
        url: EVIL,
        outcome: "reported",
        policy: "Checkout",
        zone: "blog.example.com",
        on_page: true,
        blocks: false,
      },
    ]);
  });

  test.each([
    [[EVIL, "--policy", "Checkout", ...AT("/checkout")], 2],
    [["https://js.payments.example/v3.js", "--policy", "Checkout", ...AT("/checkout")], 0],
    [[EVIL, "--policy", "Checkout", ...AT("/home")], 0],
    [["script-src 'self'", EVIL, ...AT("/")], 2],
    [["script-src 'self'", "/own.js", ...AT("/")], 0],
    [["--policy", "Checkout", "--events", "a.log"], 2],
    [["script-src https:", "--events", "a.log"], 0],
  ])("with --exit-code %j exits with %d", async (args, code) => {
    expect(await cspMatch(...args, "--exit-code")).toMatchObject({ code });
    expect(await cspMatch(...args)).toMatchObject({ code: 0 });
  });

  test.each([
    [[EVIL, "--policy", "Nope", ...AT("/")], 'No zone in the files declares a policy called "Nope".'],
    [[EVIL, "--policy", "Off", ...AT("/")], '"Off" is switched off'],
    [[EVIL, "--policy", "Checkout", "--page", "https://x.example/"], "is in no zone that declares"],
    [
      ["script-src 'self'", EVIL, "--policy", "Checkout", ...AT("/")],
      "With --policy, the files have the value.",
    ],
    [[EVIL, "--policy", "Checkout"], "Missing argument --page"],
    [
      ["--policy", "Checkout", "--events", "a.log", ...AT("/")],
      "--events takes the loads from logs, and --page describes a single load",
    ],
    [["--policy", "Checkout", "--events", "none"], "none"],
  ])("refuses %j with a reason", async (args, said) => {
    const { code, err } = await cspMatch(...args);
    expect(code).toBe(1);
    expect(err).toContain(said);
  });
});

describe("csp match --events", () => {
  test("lists the reported loads that a value would refuse", async () => {
    const { out, err } = await cspMatch("script-src 'self' https://js.payments.example", "--events", "a.log");
    expect(out).toBe(
      `refused  ${EVIL} on https://shop.example.com/checkout/1 and 2 more pages (3 reports from all pages, 2026-11-01 to 2026-11-03)\n` +
        `  The script ${EVIL} is refused: script-src lists 'self', https://js.payments.example; none matches.\n` +
        "refused  https://other.example/a.js on https://shop.example.com/home (1 report from all pages, 2026-11-01)\n" +
        "  The script https://other.example/a.js is refused: script-src lists 'self', https://js.payments.example; none matches.\n" +
        "\n3 loads: 1 allowed, 2 refused.\n",
    );
    expect(err).toContain("5 reports of loads in 1 zone");
  });

  test("checks the reported loads against policies on their pages, also from standard input", async () => {
    const { out } = await cspMatch("--policy", "*", "--events", "-");
    expect(out).toContain(
      "\n3 loads under 2 policies: 1 allowed, 1 refused, 3 reported, 1 not on its pages.\n",
    );
    const json = JSON.parse(
      (await cspMatch("--policy", "Checkout", "--events", "a.log", "--format", "json")).out,
    );
    expect(json.counts).toEqual({ allowed: 1, refused: 1, reported: 0, not_known: 0, not_on_its_pages: 1 });
    expect(json.results[0]).toMatchObject({
      url: EVIL,
      outcome: "refused",
      policy: "Checkout",
      refused_on: [1, 2, 3].map((n) => `https://shop.example.com/checkout/${n}`),
      reports: { count: 3 },
    });
  });
});

test("csp match --events treats many URLs of one folder as allowed only if all are", async () => {
  const lines = Array.from({ length: 250 }, (_, n) => ({
    CSPDirective: "script-src-elem",
    PageURL: "https://shop.example.com/",
    ResourceType: "script",
    URL: `https://cdn.example/build/${n}.js`,
  }));
  const cwd = await folderWith({ "a.log": lines.map((each) => JSON.stringify(each)).join("\n") });
  const outcomeOf = async (csp: string) => {
    const { out } = await zoneward(["csp", "match", csp, "--events", "a.log", "--format", "json"], { cwd });
    const all: readonly { url: string; outcome: string; why: readonly string[] }[] = JSON.parse(out).results;
    const { outcome, why } = all.find(({ url }) => url.endsWith("/")) ?? {};
    return [outcome, why?.join(" ")];
  };
  expect(await outcomeOf("script-src cdn.example/build/")).toEqual(["allowed", expect.any(String)]);
  expect(await outcomeOf("script-src cdn.example/static/a.js")).toEqual(["refused", expect.any(String)]);
  expect(await outcomeOf("script-src cdn.example/build/249.js")).toEqual([
    "not_known",
    "This entry stands for all URLs with this beginning; some may be allowed.",
  ]);
  expect((await outcomeOf("script-src *; script-src-elem other.example"))[0]).toBe("refused");
});

test("expression match --exit-code exits with 2 for no match and for unknown", async () => {
  const match = (...args: readonly string[]) => zoneward(["expression", "match", ...args]);
  const URL = "https://a.example/";
  expect((await match('http.host eq "a.example"', URL, "--exit-code")).code).toBe(0);
  expect((await match('http.host eq "b.example"', URL, "--exit-code")).code).toBe(2);
  expect((await match('http.host eq "b.example"', URL)).code).toBe(0);
  expect((await match('ip.src.country eq "GB"', URL, "--exit-code")).code).toBe(2);
  const cwd = await folderWith({
    "a.log": `${JSON.stringify({ ClientRequestHost: "a.example", ClientRequestURI: "/", ClientRequestMethod: "GET", RayID: "1" })}\n`,
  });
  const lines = (expression: string) =>
    zoneward(["expression", "match", expression, "--requests", "a.log", "--exit-code"], { cwd });
  expect((await lines('http.host eq "a.example"')).code).toBe(0);
  expect((await lines('http.host eq "b.example"')).code).toBe(2);
});
