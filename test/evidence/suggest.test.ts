import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type DetectionSeed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";

const CHECKOUT = {
  id: "9b1f0c6ab5e7441e8f0d7d2c4a91e001",
  description: "Checkout",
  action: "log",
  enabled: true,
  expression: 'starts_with(http.request.uri.path, "/checkout/")',
  value: "script-src 'self' https://cdn.example; connect-src 'self'",
};

function script(digit: number, url: string, change: Partial<DetectionSeed> = {}): DetectionSeed {
  return {
    id: String(digit).repeat(32),
    url,
    first_page_url: "https://shop.example.com/checkout/pay",
    js_integrity_score: 90,
    first_seen_at: "2026-10-02T00:00:00Z",
    last_seen_at: "2026-10-27T10:00:00Z",
    ...change,
  };
}

const SEEN = [
  script(1, "https://cdn.example/a.js"),
  script(2, "https://tag.example/t.js"),
  script(3, "https://evil.example/x.js", { js_integrity_score: 3 }),
  script(4, "https://mixed.example/good.js"),
  script(5, "https://mixed.example/bad.js", { js_integrity_score: 3 }),
  script(6, "https://elsewhere.example/e.js", { first_page_url: "https://shop.example.com/" }),
  script(7, "https://shop.example.com/own.js"),
];

const EVENTS = [
  ["https://js.payments.example/v3.js", "script"],
  ["https://api.payments.example/pay?x=1", "connection"],
  ["data", "script"],
  ["chrome-extension://abc/x.js", "script"],
].map(([URL = "", ResourceType = ""]) => ({
  CSPDirective: "script-src-elem",
  PageURL: "https://shop.example.com/checkout/pay",
  ResourceType,
  Timestamp: "2026-11-12T10:00:00Z",
  URL,
}));

interface Story {
  readonly scripts?: readonly DetectionSeed[];
  /** URLs of scripts that browsers report. */
  readonly reported?: readonly string[];
}

function reportOf(URL: string): (typeof EVENTS)[number] {
  return {
    CSPDirective: "script-src-elem",
    PageURL: "https://shop.example.com/checkout/pay",
    ResourceType: "script",
    Timestamp: "2026-11-12T10:00:00Z",
    URL,
  };
}

async function suggest(policies: readonly (typeof CHECKOUT)[], ...told: readonly (string | Story)[]) {
  const { scripts = SEEN, reported }: Story = told.find((each) => typeof each === "object") ?? {};
  const flags = told.filter((each) => typeof each === "string");
  const shop = { id: ID, settings: { enabled: true }, policies: [...policies], scripts: [...scripts] };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": shop } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1\nzones:\n  shop.example.com: { id: ${ID} }\n`,
  });
  const events = reported?.map(reportOf) ?? EVENTS;
  await writeFile(path.join(cwd, "events.log"), events.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const said = await zoneward(["suggest", ...flags], { cwd, env: reaching(emulator) });
  expect(emulator.log.filter(({ method }) => method !== "GET")).toEqual([]);
  return said;
}

test("lists each missing source with the loads that need it, and leaves out malicious loads", async () => {
  const { code, out, err } = await suggest([CHECKOUT], "shop.example.com", "--events", "events.log");
  expect(code).toBe(0);
  expect(out).toBe(`shop.example.com
  "Checkout" (undeclared): 4 sources to add
    value: script-src 'self' https://cdn.example https://js.payments.example https://mixed.example/good.js https://tag.example; connect-src 'self' https://api.payments.example
    + https://api.payments.example  1 connection (reports only; reports can be forged)
      https://api.payments.example/pay on https://shop.example.com/checkout/pay (1 report from all pages, 2026-11-12, never detected)
    + https://js.payments.example  1 script (reports only; reports can be forged)
      https://js.payments.example/v3.js on https://shop.example.com/checkout/pay (1 report from all pages, 2026-11-12, never detected)
    + https://mixed.example/good.js  1 script
      https://mixed.example/good.js on https://shop.example.com/checkout/pay, seen 2026-10-02 to 2026-10-27
    + https://tag.example  1 script
      https://tag.example/t.js on https://shop.example.com/checkout/pay, seen 2026-10-02 to 2026-10-27
    not data: on https://shop.example.com/checkout/pay: only a whole scheme would allow it; pass --scheme to permit that
    not https://evil.example/x.js on https://shop.example.com/checkout/pay: malicious
    not https://mixed.example/bad.js on https://shop.example.com/checkout/pay: malicious
`);
  expect(err).toContain("Ignored: 1 line of browser extensions");
});

test("suggests paths with --by path, and bare schemes with --scheme", async () => {
  const { out } = await suggest(
    [CHECKOUT],
    "--events",
    "events.log",
    "--by",
    "path",
    "--scheme",
    "data:",
    "--format",
    "json",
  );
  const [{ policies }] = JSON.parse(out).zones;
  expect(policies[0].proposed).toBe(
    "script-src 'self' https://cdn.example data: https://js.payments.example/v3.js https://mixed.example/good.js https://tag.example/t.js; connect-src 'self' https://api.payments.example/pay",
  );
});

test("a policy with the suggested value is ready and gets no further suggestion", async () => {
  const { out } = await suggest(
    [CHECKOUT],
    "--events",
    "events.log",
    "--scheme",
    "data:",
    "--format",
    "json",
  );
  const value = JSON.parse(out).zones[0].policies[0].proposed;
  const again = await suggest([{ ...CHECKOUT, value }], "--events", "events.log");
  expect(again.out).toContain('"Checkout" (undeclared): nothing to add');
});

test("many reported files of one host push out no other host", async () => {
  const reported = [
    ...Array.from({ length: 30_000 }, (_, n) => `https://flood.example/build/${n}/a.js`),
    "https://js.payments.example/v3.js",
  ];
  const proposed = async (by: string) => {
    const flags = ["--events", "events.log", "--format", "json", "--by", by] as const;
    const { out } = await suggest([CHECKOUT], { scripts: [], reported }, ...flags);
    return JSON.parse(out).zones[0].policies[0].proposed;
  };
  expect(await proposed("host")).toBe(
    "script-src 'self' https://cdn.example https://flood.example https://js.payments.example; connect-src 'self'",
  );
  expect(await proposed("path")).toBe(
    "script-src 'self' https://cdn.example https://flood.example/build/ https://js.payments.example/v3.js; connect-src 'self'",
  );
  const { out } = await suggest([CHECKOUT], { scripts: [], reported }, "--events", "events.log");
  expect(out).toContain(
    "https://flood.example/build/ on https://shop.example.com/checkout/pay (29,800 reports from all pages, 2026-11-12; all URLs with this prefix, never detected)",
  );
});

test("suggests a first policy for a zone without one", async () => {
  const { out } = await suggest([]);
  expect(out).toContain("a new policy, action: log: 5 sources to add");
  expect(out).toContain("connect-src 'none'");
  const { out: told } = await suggest([], "--write");
  expect(told).toContain(
    "not written: The files have no such policy. Paste the suggestion into the zone's file.",
  );
});

test("can be limited to some policies, and refuses an invalid scheme", async () => {
  expect(
    (await suggest([CHECKOUT, { ...CHECKOUT, id: "2".repeat(32), description: "Other" }], "--policy", "Oth*"))
      .out,
  ).not.toContain('"Checkout"');
  const { code, err } = await suggest([CHECKOUT], "--scheme", "data");
  expect([code, err]).toEqual([1, expect.stringContaining("Pass a scheme with its colon")]);
});

test("suggests a wildcard for several hosts of one domain, unless one is malicious or the domain is shared", async () => {
  const value = "script-src 'self' cdn.example mixed.example; connect-src 'self'";
  const more = [
    ...[1, 2].map((n) => script(n, `https://t${n}.tags.example/t.js`)),
    ...[3, 4].map((n) => script(n, `https://d${n}.cloudfront.net/t.js`)),
    ...[5, 6].map((n) => script(n, `https://g${n}.good.example/t.js`)),
    script(7, "https://bad.good.example/t.js", {
      js_integrity_score: 3,
      first_page_url: "https://shop.example.com/blog",
    }),
  ];
  const { out } = await suggest([{ ...CHECKOUT, value }], "--by", "wildcard:2", { scripts: more });
  expect(out).toContain(
    "mixed.example https://*.tags.example https://d3.cloudfront.net https://d4.cloudfront.net https://g5.good.example https://g6.good.example;",
  );
  const { err } = await suggest([CHECKOUT], "--by", "wildcard:1");
  expect(err).toContain("Pass host, path, or wildcard:N");
});

test("says how many hosts of a wildcard were detected if reports led to it", async () => {
  const reported = ["https://b.tags.example/f.js", "https://c.tags.example/f.js"];
  const noteOf = async (scripts: readonly DetectionSeed[]) => {
    const flags = ["--by", "wildcard:2", "--events", "events.log"] as const;
    const { out } = await suggest([CHECKOUT], { scripts, reported }, ...flags);
    return /\+ https:\/\/\*\.tags\.example {2}(.*)/.exec(out)?.[1];
  };
  const rest = "the rest are reports only, and reports can be forged";
  const seen = script(1, "https://a.tags.example/a.js");
  expect(await noteOf([seen])).toBe(`3 scripts (detected: a.tags.example; ${rest})`);
  const { js_integrity_score, ...unjudged } = seen;
  expect(await noteOf([unjudged])).toBe(`3 scripts (detected: a.tags.example; ${rest}; unjudged)`);
  expect(await noteOf([])).toBe("2 scripts (reports only; reports can be forged)");
  expect(await noteOf([1, 2, 3, 4].map((n) => script(n, `https://a${n}.tags.example/a.js`)))).toBe(
    `6 scripts (detected: 4 hosts; ${rest})`,
  );
  expect(
    await noteOf([seen, ...["b", "c"].map((name, n) => script(n + 2, `https://${name}.tags.example/f.js`))]),
  ).toBe("3 scripts");
});

test("suggests no source for an insecure load, except a host without a scheme", async () => {
  const scripts = [
    script(1, "http://old.example/a.js", { first_page_url: "http://shop.example.com/checkout/pay" }),
    script(2, "http://odd.example/a.js"),
    script(3, "https://localhost:3000/x.js"),
  ];
  const { out } = await suggest([CHECKOUT], { scripts });
  expect(out).toContain("value: script-src 'self' https://cdn.example old.example;");
  expect(out).toContain(
    "not http://odd.example/a.js on https://shop.example.com/checkout/pay: not loaded over",
  );
  expect(out).toContain(
    "not https://localhost:3000/x.js on https://shop.example.com/checkout/pay: on the visitor's",
  );
});

test("shows the pages and times of each load that needs a source", async () => {
  const first_seen_at = "2026-10-01T00:00:00Z";
  const page_urls = ["https://shop.example.com/checkout/a", "https://shop.example.com/checkout/b"];
  const scripts = [
    script(1, "https://t.example/t.js", { first_seen_at, last_seen_at: "2026-10-27T10:00:00Z", page_urls }),
  ];
  const { out } = await suggest([CHECKOUT], { scripts });
  expect(out).toMatch(/t\.js on https:\S+pay(?: and 2 more pages)?, seen 2026-10-01 to 2026-10-27\n/);
});

test("reports loads without a host name and suggests no source for them", async () => {
  const scripts = [
    script(1, "https://*/a.js"),
    script(2, "https://*.com/b.js"),
    script(3, "https://tag.example/t.js"),
  ];
  const reported = ["https://*.example/c.js", "https://%2A/d.js", "https://a;script-src/e.js"];
  const { code, out } = await suggest([CHECKOUT], { scripts, reported }, "--events", "events.log");
  expect(code).toBe(0);
  expect(out).toContain(
    "value: script-src 'self' https://cdn.example https://tag.example; connect-src 'self'\n",
  );
  expect(out.match(/^ {4}not .* no host name$/gm)).toHaveLength(5);
  expect(out).toContain("not https://*/a.js on https://shop.example.com/checkout/pay: no host name\n");
  const json = await suggest([CHECKOUT], { scripts, reported }, "--events", "events.log", "--format", "json");
  const [{ refused }] = JSON.parse(json.out).zones[0].policies;
  expect(refused.map(({ why }: { why: string }) => why)).toEqual(Array(5).fill("no_host"));
});
