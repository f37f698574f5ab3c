import { describe, expect, test } from "vitest";
import { changesWithoutDetections, impactOf, movedKinds } from "../../src/impact/impact-of.js";
import type { Detected, LayerMove, Moved } from "../../src/model/detection.js";
import type { Layer } from "../../src/model/strength.js";
import { budgeted } from "../../src/model/work-budget.js";

const detected = (more: Partial<Detected> = {}): Detected => ({
  id: "1",
  url: "https://cdn.example/a.js",
  pages: ["https://shop.example/cart"],
  host: "shop.example",
  malicious: false,
  own: false,
  ...more,
});

const enforce = (csp: string, where = "true"): Layer => ({ mode: "enforce", where, csp });
const report = (csp: string, where = "true"): Layer => ({ mode: "report", where, csp });

const SELF = "script-src 'self'";
const CDN = "script-src cdn.example";
const CART = 'http.request.uri.path eq "/cart"';

function moved(
  before: readonly Layer[],
  after: readonly Layer[],
  script: Detected = detected(),
  others: readonly Layer[] = [],
): Moved {
  const moves: readonly LayerMove[] = [
    { change: 0, before, after },
    { change: null, before: others, after: others },
  ];
  return impactOf(moves, { scripts: [script], connections: [] }).total.scripts;
}

/** For example `newly_blocked`, or the possible outcomes: `newly_blocked? newly_reported?`. */
function words({ undecided, ...sure }: Moved): string {
  const found = Object.entries(sure).flatMap(([name, entries]) => (entries.length > 0 ? [name] : []));
  const maybe = undecided.flatMap(({ may_be }) => may_be.map((name) => `${name}?`));
  return [...found, ...maybe].join(" ") || "nothing";
}

type Row = readonly [
  sentence: string,
  before: readonly Layer[],
  after: readonly Layer[],
  becomes: string,
  more?: Partial<Detected>,
  others?: readonly Layer[],
];

const unknownPage = { pages: [], host: null };
const somePage = { pages: [] };
const onCdn = { pages: ["https://cdn.example/page"], host: "cdn.example" };

const rows: readonly Row[] = [
  ["is newly blocked by a new policy", [], [enforce(SELF)], "newly_blocked"],
  ["is not affected by a policy that allows it", [], [enforce(CDN)], "nothing"],
  ["is newly allowed by a removed policy", [enforce(SELF)], [], "newly_allowed"],
  ["is newly blocked from log to allow", [report(SELF)], [enforce(SELF)], "newly_blocked"],
  [
    "is newly allowed from allow to log, although it is reported",
    [enforce(SELF)],
    [report(SELF)],
    "newly_allowed",
  ],
  ["is newly reported", [], [report(SELF)], "newly_reported"],
  ["is not affected if only a report ends", [report(SELF)], [], "nothing"],
  ["is newly blocked by a removed source", [enforce(CDN)], [enforce(SELF)], "newly_blocked"],
  ["is newly allowed by an added source", [enforce(SELF)], [enforce(CDN)], "newly_allowed"],
  ["stays blocked if another policy blocks it", [enforce(SELF)], [], "nothing", {}, [enforce(SELF)]],
  [
    "is not newly blocked if another policy blocked it before",
    [],
    [enforce(SELF)],
    "nothing",
    {},
    [enforce("script-src 'none'")],
  ],
  ["is not newly reported if another policy blocks it", [], [report(SELF)], "nothing", {}, [enforce(SELF)]],
  [
    "is not newly reported if another policy reported it before",
    [],
    [report(SELF)],
    "nothing",
    {},
    [report("script-src 'none'")],
  ],
  ["is judged only on its own page", [], [enforce(SELF, 'http.host eq "blog.example"')], "nothing"],
  ["is judged with the path of its page", [], [enforce(SELF, CART)], "newly_blocked"],
  ["of the page's own origin is allowed by 'self'", [], [enforce(SELF)], "nothing", onCdn],
  [
    "can have pages without a scheme",
    [],
    [enforce(SELF, CART)],
    "newly_blocked",
    { pages: ["shop.example/cart"] },
  ],
  [
    "is undecided if the policy depends on an unknown scheme",
    [],
    [enforce(SELF, "ssl")],
    "newly_blocked?",
    somePage,
  ],
  [
    "is undecided if its page is named without a scheme that matters",
    [],
    [enforce(SELF, "ssl")],
    "newly_blocked?",
    { pages: ["shop.example/cart"] },
  ],
  [
    "is decided if the scheme does not matter",
    [],
    [enforce(SELF, `http.request.full_uri contains "/cart"`)],
    "newly_blocked",
    { pages: ["shop.example/cart"] },
  ],
  [
    "is also on its own host if the named page is on another one",
    [],
    [enforce(SELF, `http.host eq "shop.example"`)],
    "newly_blocked",
    { pages: ["https://blog.example/cart"] },
  ],
  [
    "is on any path of its host if the named page is on another one",
    [],
    [enforce(SELF, `http.host eq "shop.example" and http.request.uri.path eq "/pay"`)],
    "newly_blocked?",
    { pages: ["https://blog.example/cart"] },
  ],
  [
    "is on no other page of its page's host",
    [],
    [enforce(SELF, 'http.request.uri.path eq "/pay"')],
    "nothing",
  ],
  [
    "may be on any page of its host if a named page is invalid",
    [],
    [enforce(SELF, 'http.request.uri.path eq "/pay"')],
    "newly_blocked?",
    { pages: ["https://shop.example/cart", "/pay"] },
  ],
  [
    "that is data: is refused by 'self'",
    [],
    [enforce(SELF)],
    "newly_blocked",
    { url: "data:text/javascript,1" },
  ],
  [
    "that is data: is allowed by data:",
    [],
    [enforce("script-src data:")],
    "nothing",
    { ...unknownPage, url: "data:text/javascript,1" },
  ],
  [
    "that is data: is refused on an unknown page",
    [],
    [enforce(SELF)],
    "newly_blocked",
    { ...unknownPage, url: "data:text/javascript,1" },
  ],
  [
    "that is blob: is refused by 'self'",
    [],
    [enforce(SELF)],
    "newly_blocked",
    { url: "blob:https://shop.example/1b2c" },
  ],
  [
    "in clear text must be on an http: page",
    [],
    [enforce("script-src 'none'", "ssl")],
    "nothing",
    { pages: ["shop.example/cart"], url: "http://cdn.example/a.js" },
  ],
  ["is undecided if the path of its pages is unknown", [], [enforce(SELF, CART)], "newly_blocked?", somePage],
  ["is decided by its host if the path does not matter", [], [enforce(SELF)], "newly_blocked", somePage],
  ["is decided by 'self' if its host is known", [], [enforce(SELF)], "nothing", { ...onCdn, pages: [] }],
  ["is undecided under 'self' on an unknown page", [], [enforce(SELF)], "newly_blocked?", unknownPage],
  ["is decided without 'self' on an unknown page", [], [enforce(CDN)], "nothing", unknownPage],
  [
    "is decided by sources with a scheme on an unknown page",
    [],
    [enforce("script-src https://other.example")],
    "newly_blocked",
    unknownPage,
  ],
  ["is allowed by * on an unknown page", [], [enforce("script-src *")], "nothing", unknownPage],
  [
    "is undecided if the policy depends on more than the URL",
    [],
    [enforce(SELF, 'ip.src.country eq "GB"')],
    "newly_blocked?",
  ],
  ["is undecided if the expression is invalid", [], [enforce(SELF, "no such thing")], "newly_blocked?"],
  [
    "is not affected if another value blocks the same unknown requests",
    [enforce(SELF, CART)],
    [enforce("script-src 'none'", CART)],
    "nothing",
    somePage,
  ],
  [
    "may be allowed if the same unknown requests are no longer blocked",
    [enforce(SELF, CART)],
    [enforce(CDN, CART)],
    "newly_allowed?",
    somePage,
  ],
  [
    "may be blocked or allowed if a policy moves between unknown requests",
    [enforce(SELF, CART)],
    [enforce(SELF, 'http.request.uri.path eq "/pay"')],
    "newly_blocked? newly_allowed?",
    somePage,
  ],
  ["is undecided if a nonce may allow it", [], [enforce("script-src 'nonce-abc'")], "newly_blocked?"],
  [
    "is undecided if a hash may allow it",
    [],
    [enforce(`script-src 'sha256-${"A".repeat(43)}='`)],
    "newly_blocked?",
  ],
  [
    "is undecided under 'strict-dynamic'",
    [],
    [enforce("script-src cdn.example 'strict-dynamic'")],
    "newly_blocked?",
  ],
  ["is not affected by a value for other kinds of loads", [], [enforce("img-src 'none'")], "nothing"],
  ["is blocked by each of several values", [], [enforce("script-src *, script-src 'none'")], "newly_blocked"],
  [
    "with an invalid URL is not affected if scripts are not restricted",
    [],
    [enforce("img-src 'none'")],
    "nothing",
    { url: "eval" },
  ],
];

describe("a script", () => {
  test.each(rows.map(([sentence, ...row]) => ({ sentence, row })))(
    "$sentence",
    ({ row: [before, after, becomes, more = {}, others = []] }) => {
      expect(words(moved(before, after, detected(more), others))).toBe(becomes);
    },
  );

  test.each([
    "",
    "/js/app.js",
    "app.js",
    "eval",
    "inline",
    "javascript:alert(1)",
    "https://",
    "https://[::",
    "//cdn.example/a.js",
    `https://cdn.example/${"a".repeat(100_000)}`,
    "\u0000\ud800",
  ])("whose URL no page can load is undecided: %#", (url) => {
    expect(words(moved([], [enforce(SELF)], detected({ url })))).toBe("newly_blocked?");
  });

  test.each([
    "",
    "/cart",
    "javascript:alert(1)",
    "about:blank",
    "file:///cart",
    "https://",
    "\u0000",
    "a".repeat(99_999),
  ])("is on some page of its host if its page is invalid: %#", (page) => {
    const found = moved([], [enforce(SELF, CART), enforce(CDN)], detected({ pages: [page] }));
    expect([words(found), found.undecided[0]?.page]).toEqual(["newly_blocked?", null]);
  });

  test.each(["", "a/b", "user@shop.example", "shop.example?x", "[", "\u0000"])(
    "is on an unknown page if its host is invalid: %#",
    (host) => {
      const where = 'http.host eq "shop.example"';
      expect(words(moved([], [enforce(SELF, where)], detected({ pages: [], host })))).toBe("newly_blocked?");
    },
  );

  test("seen on several pages is reported on the first affected one", () => {
    const pages = ["https://shop.example/", "https://shop.example/cart", "https://shop.example/cart?x"];
    expect(moved([], [enforce(SELF, CART)], detected({ pages })).newly_blocked).toEqual([
      {
        id: "1",
        url: "https://cdn.example/a.js",
        malicious: false,
        page: "https://shop.example/cart",
        own: false,
      },
    ]);
  });

  test("can be newly blocked on one page and newly allowed on another", () => {
    const pages = ["https://shop.example/cart", "https://shop.example/pay"];
    const elsewhere = 'http.request.uri.path eq "/pay"';
    const found = moved([enforce(SELF, CART)], [enforce(SELF, elsewhere)], detected({ pages }));
    expect(words(found)).toBe("newly_blocked newly_allowed");
  });

  test("loaded in clear text is judged as upgraded by any policy", () => {
    const clear = detected({ url: "http://cdn.example/a.js", pages: ["http://shop.example/cart"] });
    const value = "script-src https://cdn.example";
    expect(words(moved([], [enforce(value)], clear))).toBe("newly_blocked");
    const upgrading = enforce("upgrade-insecure-requests");
    expect(words(moved([], [enforce(value)], clear, [upgrading]))).toBe("nothing");
    expect(words(moved([upgrading], [], clear, [enforce(value)]))).toBe("newly_blocked");
    const perhaps = enforce("upgrade-insecure-requests", 'ip.src.country eq "DE"');
    expect(words(moved([], [enforce(value)], clear, [perhaps]))).toBe("newly_blocked?");
    expect(words(moved([], [enforce(`${value}; upgrade-insecure-requests`)], clear))).toBe("nothing");
  });
});

describe("a connection", () => {
  test.each([
    ["is judged by connect-src", "connect-src 'none'", 1],
    ["is not affected by script-src", "script-src 'none'", 0],
  ])("%s", (_, csp, blocked) => {
    const socket = detected({ url: "wss://chat.example/" });
    const { total } = impactOf([{ change: 0, before: [], after: [enforce(csp)] }], {
      scripts: [],
      connections: [socket],
    });
    expect([total.connections.newly_blocked.length, total.scripts.newly_blocked.length]).toEqual([
      blocked,
      0,
    ]);
  });

  test("in clear text on an upgrading page is undecided if its API matters", () => {
    const becomes = (url: string, value: string) => {
      const connection = detected({ url, pages: ["http://shop.example/cart"] });
      const moves = [
        { change: 0, before: [], after: [enforce("upgrade-insecure-requests")] },
        { change: null, before: [enforce(value)], after: [enforce(value)] },
      ];
      const { total, byChange } = impactOf(moves, { scripts: [], connections: [connection] });
      expect(words(byChange.get(0)?.connections ?? total.scripts)).toBe(words(total.connections));
      return words(total.connections);
    };
    expect(becomes("http://cdn.example/a", "connect-src https://cdn.example")).toBe("newly_allowed?");
    expect(becomes("http://cdn.example:8080/a", "connect-src http://cdn.example:8080")).toBe("newly_blocked");
    expect(becomes("http://cdn.example/a", "connect-src http://cdn.example")).toBe("nothing");
    expect(becomes("http://cdn.example/a", "connect-src https://other.example")).toBe("nothing");
    expect(becomes("ws://cdn.example/a", "connect-src wss://cdn.example")).toBe("newly_allowed");
  });
});

describe("a change", () => {
  const counts = (moves: readonly LayerMove[]) => {
    const { byChange } = impactOf(moves, { scripts: [detected()], connections: [] });
    return [...byChange].map(([change, { scripts }]) => [change, words(scripts)]);
  };

  test("has the impact that its own layers cause, together with others or alone", () => {
    const both = [
      { change: 0, before: [], after: [enforce(SELF)] },
      { change: 1, before: [], after: [enforce(CDN)] },
      { change: 2, before: [report(SELF)], after: [enforce("script-src 'none'")] },
    ];
    expect(counts(both)).toEqual([
      [0, "newly_blocked"],
      [1, "nothing"],
      [2, "newly_blocked"],
    ]);
  });

  test("has no impact that the zone as a whole does not have", () => {
    const swapped = [
      { change: 0, before: [enforce(SELF)], after: [] },
      { change: 1, before: [], after: [enforce("script-src 'none'")] },
    ];
    expect(counts(swapped)).toEqual([
      [0, "nothing"],
      [1, "nothing"],
    ]);
  });

  test("that upgrades insecure requests has the impact of other values that this causes", () => {
    const clear = (url: string) => detected({ url, pages: ["http://shop.example/cart"] });
    const told = (url: string, ...moves: readonly LayerMove[]) => {
      const { byChange } = impactOf(moves, { scripts: [clear(url)], connections: [] });
      return [...byChange].map(([change, { scripts }]) => `${change} ${words(scripts)}`);
    };
    const staying = (csp: string) => ({ change: null, before: [enforce(csp)], after: [enforce(csp)] });
    const upgrade = (change: number, where = "true") => ({
      change,
      before: [enforce("img-src *", where)],
      after: [enforce("img-src *; upgrade-insecure-requests", where)],
    });
    const secure = staying("script-src https://cdn.example");
    expect(told("http://cdn.example/a.js", secure, upgrade(0))).toEqual(["0 newly_allowed"]);
    expect(told("http://cdn.example/a.js", secure, upgrade(0, 'ip.src.country eq "DE"'))).toEqual([
      "0 newly_allowed?",
    ]);
    const ported = staying("script-src http://cdn.example:8080");
    expect(told("http://cdn.example:8080/a.js", ported, upgrade(0))).toEqual(["0 newly_blocked"]);
    // If a value changes too, the impact needs both changes.
    const coming = { change: 1, before: [], after: [enforce("script-src http://cdn.example:8080")] };
    expect(told("http://cdn.example:8080/a.js", upgrade(0), coming)).toEqual([
      "0 newly_blocked",
      "1 newly_blocked",
    ]);
    expect(told("http://other.example/a.js", upgrade(0), coming)).toEqual(["0 nothing", "1 newly_blocked"]);
    const widened = {
      change: 1,
      before: [enforce("script-src https://other.example")],
      after: [enforce("script-src https://cdn.example")],
    };
    expect(told("http://cdn.example/a.js", upgrade(0), widened)).toEqual([
      "0 newly_allowed",
      "1 newly_allowed",
    ]);
  });
});

test("detections are listed in a fixed order, malicious ones first", () => {
  const all = [
    detected({ id: "3", url: "https://b.example/" }),
    detected({ id: "2", url: "https://a.example/" }),
    detected({ id: "1", url: "https://c.example/", malicious: true }),
    detected({ id: "0", url: "https://a.example/", malicious: null }),
  ];
  const moves = [{ change: 0, before: [], after: [enforce(SELF)] }];
  const ids = (scripts: readonly Detected[]) =>
    impactOf(moves, { scripts, connections: [] }).total.scripts.newly_blocked.map(({ id }) => id);
  expect(ids(all)).toEqual(["1", "0", "2", "3"]);
  expect(ids(all.toReversed())).toEqual(["1", "0", "2", "3"]);
});

test("long texts are cut for display", () => {
  const page = `https://shop.example/${"p".repeat(9_000)}`;
  const url = `https://cdn.example/${"u".repeat(9_000)}`;
  const [entry] = moved([], [enforce(SELF)], detected({ url, pages: [page] })).newly_blocked;
  expect([entry?.url.length, entry?.page?.length].map((chars) => (chars ?? 9_999) < 2_100)).toEqual([
    true,
    true,
  ]);
});

describe("changed layers affect", () => {
  test.each<
    [what: string, before: readonly Layer[], after: readonly Layer[], kinds: readonly string[] | null]
  >([
    ["scripts if script-src changes", [enforce(SELF)], [], ["script"]],
    ["connections if connect-src changes", [], [report("connect-src *")], ["connection"]],
    ["both if default-src changes", [], [enforce("default-src *")], ["script", "connection"]],
    ["both if upgrades change", [], [enforce("upgrade-insecure-requests")], ["script", "connection"]],
    ["neither if only images change", [], [enforce("img-src 'none'")], []],
    [
      "scripts if script-src changes beside connect-src",
      [enforce("script-src 'self'; connect-src a.example")],
      [enforce("script-src a.example; connect-src a.example")],
      ["script"],
    ],
    [
      "connections if default-src changes beside script-src",
      [enforce("script-src 'self'; default-src 'none'")],
      [enforce("default-src 'self'; script-src 'self'")],
      ["connection"],
    ],
    [
      "scripts if one changes beside an upgrade",
      [enforce("script-src 'self'; connect-src *; upgrade-insecure-requests")],
      [enforce("script-src *; connect-src *; upgrade-insecure-requests")],
      ["script"],
    ],
    [
      "both if a directive is unknown to this version",
      [enforce("script-src 'self'; connect-src *; sandbox")],
      [enforce("script-src *; connect-src *; sandbox")],
      ["script", "connection"],
    ],
    [
      "both if what blocks changes",
      [enforce("script-src 'self'; connect-src *", "ssl")],
      [enforce("script-src 'self'; connect-src *")],
      ["script", "connection"],
    ],
    [
      "scripts if an empty script-src goes",
      [enforce("script-src; connect-src *")],
      [enforce("connect-src *")],
      ["script"],
    ],
    ["neither by an unchanged layer", [enforce(SELF), enforce("img-src *")], [enforce(SELF)], []],
    ["nothing if no layer changes", [enforce(SELF)], [enforce(SELF)], null],
  ])("%s", (_, before, after, kinds) => {
    const found = movedKinds([{ change: 0, before, after }]);
    expect(found && [...found]).toEqual(kinds);
  });
});

test("loads that moved layers do not affect are neither blocked nor allowed", () => {
  const values = [
    "script-src 'self'",
    "script-src *",
    "connect-src https://cdn.example",
    "default-src 'self'",
  ];
  const layers = ["", "; connect-src 'none'", "; script-src *", "; upgrade-insecure-requests"].flatMap(
    (more) => values.map((value) => enforce(`${value}${more}`)),
  );
  const load = ["https://cdn.example/a", "http://cdn.example/a"].map((url) => detected({ ...onCdn, url }));
  const wrong = layers.flatMap((before) =>
    layers.flatMap((after) => {
      const moves = [{ change: 0, before: [before], after: [after] }];
      const affected = movedKinds(moves);
      const { scripts, connections } = impactOf(moves, { scripts: load, connections: load }).total;
      const found = {
        script: words({ ...scripts, undecided: [] }),
        connection: words({ ...connections, undecided: [] }),
      };
      return (["script", "connection"] as const)
        .filter((kind) => found[kind] !== "nothing" && !affected?.has(kind))
        .map((kind) => `${kind}: ${before.csp} -> ${after.csp}`);
    }),
  );
  expect(wrong).toEqual([]);
});

describe("a load that stands for all URLs with its prefix", () => {
  const BELOW = ["a.js", "b/c.js", "%C3%A9.js", "x y.js", "b%2Fd.js"];
  const PREFIXES = ["https://cdn.example/", "https://cdn.example/build/", "http://cdn.example/build/"];
  const SOURCES = [
    "'self'",
    "*",
    "https:",
    "cdn.example",
    "https://cdn.example:8443",
    "*.example/build",
    "cdn.example/",
    "cdn.example/bu/",
    "cdn.example/build/",
    "cdn.example/build/a.js",
    "http://cdn.example/build/b/",
    "cdn.example/build/b%2Fd.js",
    "cdn.example/static/a.js",
    "other.example/build/a.js",
    "'nonce-abc'",
  ];
  const all = (url: string): Partial<Detected> => ({
    id: null,
    url,
    reports: { count: 9, first: null, last: null, path_prefix: true },
  });

  test.each<[string, string, string]>([
    ["with no URL allowed", "script-src other.example", "newly_blocked"],
    ["with all URLs allowed by the host", "script-src cdn.example", "nothing"],
    ["with all URLs allowed by a folder", "script-src cdn.example/build/", "nothing"],
    ["with one URL allowed", "script-src cdn.example/build/7/a.js", "newly_blocked?"],
    ["with a folder of the URLs allowed", "script-src cdn.example/build/7/", "newly_blocked?"],
    [
      "with other URLs of the host allowed",
      "script-src cdn.example/static/a.js cdn.example/build",
      "newly_blocked",
    ],
    ["with a nonce that may allow them", "script-src 'nonce-abc'", "newly_blocked?"],
  ])("%s", (_, csp, becomes) => {
    const script = detected(all("https://cdn.example/build/"));
    expect(words(moved([], [enforce(csp)], script))).toBe(becomes);
  });

  test("a certain answer holds for each of its URLs", () => {
    for (const prefix of PREFIXES)
      for (const one of SOURCES)
        for (const other of SOURCES) {
          const layers = [enforce(`script-src ${one} ${other}`)];
          const of = (script: Partial<Detected>) =>
            words(moved([], layers, detected({ ...onCdn, ...script })));
          const answer = of(all(prefix));
          const each = new Set(BELOW.map((path) => of({ url: `${prefix}${path}` })));
          expect(
            answer === "newly_blocked?" || (each.size === 1 && each.has(answer)),
            `${one} ${other}`,
          ).toBe(true);
        }
  });

  test("differs from a single load with the same URL", () => {
    const csp = enforce("script-src cdn.example/build/7/a.js");
    const url = "https://cdn.example/build/";
    const scripts = [detected({ url }), detected(all(url))];
    const { newly_blocked, undecided } = impactOf([{ change: 0, before: [], after: [csp] }], {
      scripts,
      connections: [],
    }).total.scripts;
    expect([newly_blocked.length, undecided.length]).toEqual([1, 1]);
  });
});

describe("beyond the zone's work limit", () => {
  const scripts = Array.from({ length: 40 }, (_, n) =>
    detected({ id: `${n}`, url: `https://cdn.example/${n}.js`, pages: [`https://shop.example/${n}`] }),
  );
  const where = 'http.request.uri.path matches "^/[0-9]+$"';
  const within = (work: number) =>
    budgeted(
      "shop.example",
      () =>
        impactOf([{ change: 0, before: [], after: [enforce(SELF, where)] }], { scripts, connections: [] }),
      work,
    );

  test("untested loads are undecided, with one warning", () => {
    const whole = within(1_000_000_000);
    expect(whole.problems).toEqual([]);
    expect(whole.value.total.scripts.newly_blocked).toHaveLength(40);
    const { value, problems } = within(20_000);
    const { newly_blocked: blocked, undecided } = value.total.scripts;
    expect(blocked.length).toBeGreaterThan(0);
    expect(undecided.length).toBe(40 - blocked.length);
    expect(undecided.every(({ may_be }) => may_be.includes("newly_blocked"))).toBe(true);
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([["not_compared", "warning"]]);
    expect(within(20_000)).toEqual({ value, problems });
  });

  test("undecided pages do not count as pages with evidence", () => {
    const moves: readonly LayerMove[] = [{ change: 0, before: [], after: [enforce(SELF, where)] }];
    const unseen = () => changesWithoutDetections(moves, { scripts, connections: [] });
    expect(unseen().size).toBe(0);
    expect(budgeted("shop.example", unseen, -1).value.size).toBe(1);
  });
});
