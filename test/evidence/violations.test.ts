import { describe, expect, test } from "vitest";
import { Violations } from "../../src/evidence/violations.js";
import type { JsonObject } from "../../src/model/json.js";

const EVENT = {
  Action: "log",
  CSPDirective: "script-src-elem",
  Host: "shop.example.com",
  PageURL: "https://shop.example.com/checkout/pay?session=1",
  PolicyID: "9b1f0c6ab5e7441e8f0d7d2c4a91e001",
  ResourceType: "script",
  Timestamp: "2026-11-02T10:00:00Z",
  URL: "https://js.payments.example/v3.js?cache=7#x",
  URLHost: "js.payments.example",
};

function evidenceOf(...events: readonly JsonObject[]) {
  const violations = new Violations(["shop.example.com", "example.com", "other.example"]);
  for (const each of events) violations.take(each);
  const { loads, noise, others, ...told } = violations.evidence({ broken: 0, tooLong: 0 });
  return {
    ...told,
    loads: Object.fromEntries(loads),
    noise: Object.fromEntries(noise),
    others: Object.fromEntries(others),
  };
}

/** Why the line is set apart. */
function noiseOf(change: JsonObject): readonly string[] {
  return Object.keys(evidenceOf({ ...EVENT, ...change }).noise);
}

test("reports of one load on one page are merged, ignoring queries", () => {
  const again = {
    ...EVENT,
    PageURL: "https://SHOP.example.com/checkout/pay#top",
    URL: "https://js.payments.example/v3.js",
    Timestamp: 1_793_923_200,
  };
  expect(evidenceOf(EVENT, again, { ...EVENT, PageURL: "https://shop.example.com/" })).toEqual({
    reports: 3,
    first: "2026-11-02T10:00:00Z",
    last: "2026-11-06T00:00:00Z",
    noise: {},
    others: {},
    loads: {
      "shop.example.com": [
        {
          kind: "scripts",
          url: "https://js.payments.example/v3.js",
          pages: ["https://shop.example.com/", "https://shop.example.com/checkout/pay"],
          isElsewhere: false,
          reports: { count: 3, first: "2026-11-02T10:00:00Z", last: "2026-11-06T00:00:00Z" },
        },
      ],
    },
  });
});

test("a load whose reports name only the origin has an unknown path", () => {
  const of = (...urls: readonly string[]) =>
    evidenceOf(...urls.map((url) => ({ ...EVENT, URL: url }))).loads["shop.example.com"]?.map(
      ({ url, reports }) => [url, reports.count, reports.origin_only ?? false],
    );
  const origin = "https://js.payments.example";
  expect(of(origin, `${origin}?`, "HTTPS://JS.payments.example")).toEqual([[`${origin}/`, 3, false]]);
  expect(of(origin, "HTTPS://JS.payments.example")).toEqual([[`${origin}/`, 2, true]]);
  expect(of(origin, `${origin}/`)).toEqual([[`${origin}/`, 2, false]]);
  expect(of(`${origin}:8443`, `${origin}/v3.js`)).toEqual([
    [`${origin}/v3.js`, 1, false],
    [`${origin}:8443/`, 1, true],
  ]);
  expect(of("data", "blob")?.map(([, , isOrigin]) => isOrigin)).toEqual([false, false]);
});

test("a line belongs to the zone with the longest name that contains its page's host", () => {
  const on = (host: string) =>
    Object.keys(evidenceOf({ ...EVENT, Host: host, PageURL: `https://${host}/` }).loads);
  expect(on("shop.example.com")).toEqual(["shop.example.com"]);
  expect(on("a.shop.example.com")).toEqual(["shop.example.com"]);
  expect(on("www.example.com:8443")).toEqual(["example.com"]);
  expect(on("badexample.com")).toEqual([]);
});

describe("fields that are not logged", () => {
  test("are not needed if other fields give the same fact", () => {
    const { Host, PolicyID, ResourceType, URLHost, Action, ...least } = EVENT;
    expect(evidenceOf(least).reports).toBe(1);
    const { Timestamp, ...timeless } = EVENT;
    expect(evidenceOf(timeless)).toMatchObject({ reports: 1, first: null, last: null });
    expect(evidenceOf({ ...least, CSPDirective: "connect-src" }).loads).toMatchObject({
      "shop.example.com": [{ kind: "connections" }],
    });
  });

  test("leave the page unknown if only its host is logged", () => {
    const { PageURL, ...hostOnly } = EVENT;
    expect(evidenceOf(hostOnly).loads).toMatchObject({
      "shop.example.com": [{ pages: [], isElsewhere: true }],
    });
  });
});

describe("lines that are not loads of a page are counted by cause", () => {
  test.each([
    [{ URL: "chrome-extension://abc/inject.js" }, "extension"],
    [{ URL: "moz-extension" }, "extension"],
    [{ URL: "safari-web-extension://1/x.js" }, "extension"],
    [{ PageURL: "moz-extension://abc/page.html" }, "extension"],
    [{ URL: "about:blank" }, "about"],
    [{ URL: "about" }, "about"],
    [{ URL: "https://gc.kis.v2.scr.kaspersky-labs.com/x/main.js" }, "injected"],
    [{ URL: "http://127.0.0.1:8080/x.js" }, "injected"],
    [{ URL: "https://shop.example.com/cdn-cgi/scripts/x.js" }, "service"],
    [{ URL: "https://csp-reporting.cloudflare.com/cdn-cgi/script_monitor/report" }, "service"],
    [{ URL: "inline" }, "code"],
    [{ URL: "wasm-eval" }, "code"],
    [{ ResourceType: "other", CSPDirective: "img-src" }, "other_load"],
    [{ PageURL: "https://nobody.example.net/" }, "other_zone"],
    [{ URL: "https://[", URLHost: "x" }, "unnamed"],
    [{ URL: null, URLHost: "gc.kis.v2.scr.kaspersky-labs.com" }, "injected"],
    [{ URL: null, URLHost: "csp-reporting.cloudflare.com" }, "service"],
    [{ URL: `https://a.example/${"x".repeat(20_000)}` }, "too_long"],
    [{ PageURL: 7, Host: null }, "unnamed"],
  ] as const)("%j", (change, noise) => {
    expect(noiseOf(change)).toEqual([noise]);
  });

  test("lines of other datasets and names of Object.prototype members are counted too", () => {
    const request = { ClientRequestHost: "shop.example.com", RayID: "1", EdgeResponseStatus: 200 };
    expect(evidenceOf(request).noise).toEqual({ other_dataset: 1 });
    const odd = JSON.parse(
      '{"__proto__":{"URL":"x"},"constructor":1,"URL":{"toString":1},"PolicyID":[]}',
    ) as JsonObject;
    expect(evidenceOf(odd).noise).toEqual({ other_dataset: 1 });
  });

  test("/cdn-cgi/ of another host does not belong to the service", () => {
    expect(noiseOf({ URL: "https://evil.example/cdn-cgi/x.js", URLContainsCDNCGIPath: true })).toEqual([]);
  });

  test("data and blob are loads with that scheme", () => {
    const urls = evidenceOf({ ...EVENT, URL: "data" }, { ...EVENT, URL: "blob" }).loads["shop.example.com"];
    expect(urls?.map(({ url }) => url)).toEqual(["blob:", "data:"]);
  });
});

describe("very many loads of one origin", () => {
  const shop = ["shop.example.com", "other.example"];
  const read = (...urls: readonly string[]) => {
    const violations = new Violations(shop);
    for (const URL of urls) violations.take({ ...EVENT, URL });
    const { loads, reports, noise } = violations.evidence({ broken: 0, tooLong: 0 });
    const all = loads.get("shop.example.com") ?? [];
    const folded = all.flatMap(({ url, reports: { path_prefix, count } }) =>
      path_prefix === true ? [[url, count] as const] : [],
    );
    return { urls: all.map(({ url }) => url), folded, reports, noise: Object.fromEntries(noise) };
  };
  const many = (count: number, urlOf: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => urlOf(n));

  test("are merged by the first folder of their paths and take no room from other origins", () => {
    const { urls, folded, reports, noise } = read(
      ...many(60_000, (n) => `https://cdn.js.example/build/${n}/a.js`),
      ...many(5_000, () => "https://js.payments.example/v3.js"),
      // A load that already has its own entry keeps it.
      "https://cdn.js.example/build/7/a.js",
    );
    expect([urls.length, reports, noise]).toEqual([202, 65_001, {}]);
    expect(folded).toEqual([["https://cdn.js.example/build/", 59_800]]);
    expect(urls).toContain("https://js.payments.example/v3.js");
  });

  test("are merged by origin if there are many folders or none, or if a browser may read the folder differently", () => {
    const { folded } = read(
      ...many(10_000, (n) => `https://cdn.js.example/${n}/a.js`),
      ...many(300, (n) => `https://flat.example/${n}.js`),
      ...many(300, (n) => `https://odd.example/%C3%A9/${n}.js`),
      ...many(300, (n) => `data:text/javascript,${n}`),
    );
    expect(folded.length).toBe(24);
    expect(folded.filter(([url]) => !/[0-9]/.test(url))).toEqual([
      ["data:", 100],
      ["https://cdn.js.example/", 9_780],
      ["https://flat.example/", 100],
      ["https://odd.example/", 100],
    ]);
  });

  test("are kept apart by kind and port, and merged loads keep their pages", () => {
    const violations = new Violations(shop);
    for (let n = 0; n < 250; n++)
      for (const change of [
        {},
        { ResourceType: "connection" },
        { URL: `https://cdn.js.example:8443/b/${n}` },
      ])
        violations.take({ ...EVENT, URL: `https://cdn.js.example/b/${n}`, ...change });
    const loads = violations.evidence({ broken: 0, tooLong: 0 }).loads.get("shop.example.com") ?? [];
    expect(loads.filter(({ reports }) => reports.path_prefix)).toMatchObject([
      { url: "https://cdn.js.example/b/", kind: "scripts", pages: ["https://shop.example.com/checkout/pay"] },
      { url: "https://cdn.js.example/b/", kind: "connections", reports: { count: 50 } },
      { url: "https://cdn.js.example:8443/b/", kind: "scripts", isElsewhere: false },
    ]);
  });

  test("of very many origins leave room for other origins, and loads beyond the limit are counted", () => {
    const { urls, folded, noise } = read(
      ...many(90_000, (n) => `https://h${n % 1_000}.example/build/${n}.js`),
      "https://js.payments.example/v3.js",
    );
    expect(noise).toEqual({});
    expect(folded).toContainEqual(["https://js.payments.example/", 1]);
    expect(urls.length).toBeLessThan(35_000);
    const origins = read(...many(60_000, (n) => `https://h${n}.example/x.js`));
    expect(origins.noise).toEqual({ not_kept: 30_000 });
    expect(origins.urls).toContain("(loads beyond those that are kept)");
  });
});

test("very long folders and hosts leave room for other origins", () => {
  const violations = new Violations(["shop.example.com"]);
  const long = "x".repeat(16_000);
  for (let n = 0; n < 5_000; n++) {
    violations.take({ ...EVENT, URL: `https://a${n % 10}.example/${n}${long}/a.js` });
    violations.take({ ...EVENT, URL: `https://${n}${long}.example/a.js` });
  }
  violations.take(EVENT);
  const { loads, noise } = violations.evidence({ broken: 0, tooLong: 0 });
  const kept = loads.get("shop.example.com") ?? [];
  expect(kept.some(({ url }) => url.startsWith("https://js.payments.example/"))).toBe(true);
  const prefixes = kept.filter(({ reports }) => reports.path_prefix);
  expect(prefixes.every(({ url }) => url.length < 100)).toBe(true);
  expect(noise.get("not_kept")).toBeGreaterThan(4_000);
});

test("very many loads and pages are kept up to a limit, and the rest is counted", () => {
  const violations = new Violations(["shop.example.com", "other.example"]);
  for (let n = 0; n < 31_000; n++) violations.take({ ...EVENT, URL: `https://h${n}.example/x.js` });
  for (let n = 0; n < 500; n++)
    violations.take({ ...EVENT, URL: "https://h1.example/x.js", PageURL: `https://shop.example.com/${n}` });
  // Forged loads of one zone push out no loads of another.
  for (let n = 0; n < 1000; n++)
    violations.take({ ...EVENT, URL: `https://h${n}.example/x.js`, PageURL: "https://other.example/" });
  const { loads, reports, noise } = violations.evidence({ broken: 0, tooLong: 0 });
  expect([reports, noise.get("not_kept")]).toEqual([31_500, 1_000]);
  expect(loads.get("other.example")?.length).toBe(1000);
  const many = loads.get("shop.example.com")?.find(({ url }) => url === "https://h1.example/x.js");
  expect([many?.pages.length, many?.isElsewhere]).toEqual([100, true]);
});

test("very long loads and pages are kept up to a limit, and the rest is counted", () => {
  const violations = new Violations(["shop.example.com"]);
  const long = "x".repeat(16_000);
  for (let n = 0; n < 2000; n++)
    violations.take({
      ...EVENT,
      URL: `https://a${n % 40}.example/${n}${long}`,
      PageURL: `${EVENT.PageURL}${n}`,
    });
  for (let n = 0; n < 2000; n++)
    violations.take({
      ...EVENT,
      URL: `https://a${n % 20}.example/${n % 20}${long}`,
      PageURL: `https://shop.example.com/${n}${long}`,
    });
  const { loads, noise } = violations.evidence({ broken: 0, tooLong: 0 });
  const kept = loads.get("shop.example.com") ?? [];
  const chars = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);
  expect(chars(kept.map(({ url }) => url))).toBeLessThanOrEqual(16_000_000);
  expect(chars(kept.flatMap(({ pages }) => pages))).toBeLessThanOrEqual(16_000_000);
  expect(kept.filter(({ reports }) => reports.path_prefix).length).toBe(40);
  expect(noise.get("not_kept")).toBeUndefined();
  expect(kept.some(({ isElsewhere }) => isElsewhere)).toBe(true);
});

describe("a report whose load is unknown still counts for its policy", () => {
  const { URL, URLHost, ...unnamed } = EVENT;

  test.each<[string, JsonObject, string]>([
    ["no URL", unnamed, "unnamed"],
    ["the host alone", { ...unnamed, URLHost }, "unnamed"],
    ["an empty URL", { ...EVENT, URL: "" }, "unnamed"],
    ["null", { ...EVENT, URL: null }, "unnamed"],
    ["a number", { ...EVENT, URL: 5 }, "unnamed"],
    ["a path", { ...EVENT, URL: "/v3.js" }, "unnamed"],
    ["a scheme", { ...EVENT, URL: "https://" }, "unnamed"],
    ["an invalid host", { ...EVENT, URL: "https://[bad/" }, "unnamed"],
    ["an invalid port", { ...EVENT, URL: "https://js.payments.example:99999/" }, "unnamed"],
    ["a URL that is too long", { ...EVENT, URL: `https://a.example/${"x".repeat(20_000)}` }, "too_long"],
    ["a host on an invalid page", { ...unnamed, PageURL: "blob:x" }, "unnamed"],
  ])("%s", (_, event, what) => {
    const { noise, others, reports } = evidenceOf(event);
    expect([noise, reports]).toEqual([{ [what]: 1 }, 0]);
    expect(others).toEqual({
      "shop.example.com": [{ object: EVENT.PolicyID, what, directive: EVENT.CSPDirective, count: 1 }],
    });
  });

  test("in any zone, if the report has neither page nor host", () => {
    const { PageURL, Host, ...homeless } = EVENT;
    const whatOf = (event: JsonObject) => evidenceOf(event).others[""]?.map(({ what }) => what);
    expect(whatOf(homeless)).toEqual(["unnamed"]);
    expect(whatOf({ ...homeless, PageURL: "", Host: "" })).toEqual(["unnamed"]);
    expect(whatOf({ ...homeless, URL: "inline" })).toEqual(["code"]);
    expect(evidenceOf({ ...homeless, PolicyID: null }).others).toEqual({});
    expect(evidenceOf({ ...homeless, URL: "moz-extension" })).toMatchObject({
      noise: { extension: 1 },
      others: {},
    });
  });

  test("but not if the page's host is in no declared zone", () => {
    expect(evidenceOf({ ...unnamed, PageURL: "https://nobody.example.net/" })).toMatchObject({
      noise: { other_zone: 1 },
      others: {},
    });
  });
});

test("reports of forged policies push out no report of a real one", () => {
  const inline = { ...EVENT, URL: "inline" };
  const made = Array.from({ length: 20_000 }, (_, n) => ({ ...inline, PolicyID: `made-up-${n}` }));
  const { others } = evidenceOf(
    ...made,
    { ...inline, PolicyID: "null" },
    { ...inline, PolicyID: "true-one" },
  );
  const all = Object.values(others).flat();
  expect(all.length).toBe(10_001);
  // Reports whose policy is unknown.
  expect(all.filter(({ object }) => object === null)).toEqual([
    { object: null, what: "code", directive: "", count: 10_002 },
  ]);
});

test("without declared zones, reports of unknown loads are not kept", () => {
  const violations = new Violations(null);
  for (let n = 0; n < 1000; n++)
    violations.take({ ...EVENT, URL: "inline", PolicyID: "a", PageURL: `https://h${n}.example/` });
  expect(violations.evidence({ broken: 0, tooLong: 0 }).others.size).toBe(0);
});
