// Measures how many everyday changes of expressions and of the managed ruleset are undecided.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { compareScopes, managedRuleset, shifts, effectOf } = await loadEngines();
for (const [what, effects] of [
  ["expressions", expressionChanges()],
  ["the managed ruleset", managedChanges()],
]) {
  const undecided = effects.filter((each) => each === "unknown").length;
  const share = ((100 * undecided) / effects.length).toFixed(1);
  console.log(`undecided: ${share} % of ${effects.length} everyday changes of ${what}`);
}

/** Changes that add, remove or replace a condition, remove a part, or change the values of a field. */
function expressionChanges() {
  const values = [
    [
      host("shop.example.com"),
      host("www.example.com"),
      'http.host in {"shop.example.com" "www.example.com"}',
    ],
    [path("/checkout"), path("/checkout/pay"), path("/cart"), 'http.request.uri.path eq "/cart"'],
    [
      'ends_with(http.host, ".example.com")',
      'http.host wildcard "*.example.com"',
      'http.host contains "example"',
    ],
    [
      'http.request.uri.path matches "^/(cart|checkout)/.{0,200}$"',
      'http.request.uri.path matches "^/cart/"',
    ],
    [
      full("https://shop.example.com/*"),
      full("https://shop.example.com/cart*"),
      full("http*://*.example.com/*"),
    ],
    ['concat(http.host, http.request.uri.path) eq "shop.example.com/cart"', host("shop.example.com")],
    ['http.request.uri contains "debug="', 'http.request.uri.query contains "debug="'],
    ['http.request.uri.path.extension in {"php" "html"}', 'http.request.uri.path.extension eq "php"'],
    ['http.request.method eq "POST"', 'http.request.method in {"POST" "PUT"}'],
    ["ip.src in {192.0.2.0/24}", "ip.src in {192.0.2.0/25}", "ip.src in {192.0.2.0/24 198.51.100.0/24}"],
    ['ip.src.country in {"GB" "IE"}', 'ip.src.country eq "GB"', 'ip.src.country ne "GB"'],
    ["len(http.request.uri.query) gt 500", "len(http.request.uri.query) gt 1000"],
    ['any(http.request.headers["x-app"][*] eq "1")', 'http.request.headers["x-app"][0] eq "1"'],
    ["ssl", "not ssl"],
    ["cf.edge.server_port eq 443", "cf.edge.server_port in {443 8443}"],
  ];
  const all = values.flat();
  const same = values.flatMap((some) => some.flatMap((a) => some.flatMap((b) => (a === b ? [] : [[a, b]]))));
  const other = all.flatMap((a, at) =>
    all.filter((_, index) => (at + index) % 3 === 1).flatMap((b) => edits(a, b)),
  );
  return [...same, ...other].map(([before, after]) => compareScopes(before, after, "example.com")?.way);
}

function edits(a, b) {
  const changed = [`(${a}) or (${b})`, `(${a}) and (${b})`, `(${a}) and not (${b})`];
  const within = [a, b].map((each) => `${host("api.example.com")} and (${each})`);
  return [
    [a, b],
    within,
    ...changed.flatMap((each) => [
      [a, each],
      [each, a],
    ]),
  ];
}

function host(name) {
  return `http.host eq "${name}"`;
}

function path(start) {
  return `starts_with(http.request.uri.path, "${start}")`;
}

function full(pattern) {
  return `http.request.full_uri wildcard "${pattern}"`;
}

/** Changes of one or two keys, and of a single rule to every action. */
function managedChanges() {
  const actions = ["block", "managed_challenge", "js_challenge", "challenge", "log"];
  const own = new Map([
    ["a".repeat(32), { tags: ["paranoia-level-1"], action: "score" }],
    ["b".repeat(32), { tags: ["paranoia-level-2", "attack-sqli"], action: "score" }],
    ["c".repeat(32), { tags: ["wordpress"], action: "block" }],
    ["d".repeat(32), { tags: ["anomaly"], action: "log" }],
  ]);
  const around = {
    ruleset: null,
    managed: new Map([
      ["r", { id: "r", name: null, sort: "scored", scoring: null, content: { rules: own, tags: new Map() } }],
    ]),
  };
  const item = { raw: { action: "execute", action_parameters: { id: "r" } } };
  const lives = actions.map((action) => ({
    enabled: true,
    expression: "true",
    paranoia_level: "PL2",
    score_threshold: 40,
    action,
    disabled_tags: ["wordpress"],
    rules: {},
  }));
  const single = [...own.keys()].flatMap((id) => [
    ...actions.map((action) => ({ rules: { [id]: { action } } })),
    { rules: { [id]: { enabled: false } } },
    { rules: { [id]: { enabled: true, action: "log" } } },
  ]);
  const edits = [
    ...single,
    ...["PL1", "PL3", "PL4"].map((level) => ({ paranoia_level: level })),
    ...[25, 33, 60].map((threshold) => ({ score_threshold: threshold })),
    ...actions.map((action) => ({ action })),
    ...[[], ["wordpress", "drupal"], ["drupal"]].map((tags) => ({ disabled_tags: tags })),
    ...[host("shop.example.com"), path("/api/")].map((expression) => ({ expression })),
    { enabled: false },
  ];
  const pairs = edits.flatMap((one, index) => edits.slice(index).map((other) => ({ ...one, ...other })));
  return lives.flatMap((live) =>
    pairs.map((edit) => {
      const [before, after] = [live, { ...live, ...edit }].map((each) =>
        managedRuleset.dimensions({ ...item, normal: each }, around),
      );
      return effectOf(shifts(before, after));
    }),
  );
}

/** Bundled from the source, because the program does not export these parts. */
async function loadEngines() {
  const contents = [
    'export { compareScopes } from "./strength/scopes.js";',
    'export { effectOf, shifts } from "./strength/index.js";',
    'export { managedRuleset } from "./kinds/managed-ruleset/index.js";',
  ].join("\n");
  const resolveDir = fileURLToPath(new URL("../src/", import.meta.url));
  const bundled = await build({
    stdin: { contents, resolveDir, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const [{ contents: made }] = bundled.outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(made).toString("base64")}`);
}
