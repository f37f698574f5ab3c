// Measures how many everyday changes of policies have an undecided effect.
import { build } from "esbuild";

const ZONE = "shop.example.com";

const { effectOf, shifts, policy } = await loadPosture();
const groups = { ...valueChanges(), expressions: expressionChanges(), policies: policyChanges() };
const all = Object.entries(groups).map(([name, changes]) => ({ name, ...judged(changes) }));
for (const { name, count, unknown, ms } of [...all, sum(all)]) {
  const share = `${unknown} unknown (${((100 * unknown) / count).toFixed(2)} %)`;
  console.log(
    `effects: ${name.padEnd(32)} ${String(count).padStart(5)} changes, ${share.padEnd(22)} ${(ms / count).toFixed(2)} ms each`,
  );
}

/** The library does not export these parts, so they are bundled from their source. */
async function loadPosture() {
  const contents =
    'export * from "./src/strength/index.ts"; export { policy } from "./src/kinds/policy/index.ts";';
  const stdin = { contents, resolveDir: process.cwd() };
  const bundle = await build({ stdin, bundle: true, write: false, platform: "node", format: "esm" });
  const [{ contents: made }] = bundle.outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(made).toString("base64")}`);
}

function judged(changes) {
  const startMs = performance.now();
  const dimensionsOf = (normal) =>
    normal === null ? {} : policy.dimensions({ normal, owns: "nothing" }, null);
  const effects = changes.map(([before, after]) =>
    effectOf(shifts(dimensionsOf(before), dimensionsOf(after), ZONE)),
  );
  const ms = performance.now() - startMs;
  return { count: changes.length, unknown: effects.filter((effect) => effect === "unknown").length, ms };
}

function sum(parts) {
  const of = (key) => parts.reduce((total, part) => total + part[key], 0);
  return { name: "all (aim <= 1 % unknown)", count: of("count"), unknown: of("unknown"), ms: of("ms") };
}

function valueChanges() {
  const values = [
    "script-src 'self'",
    "script-src 'self' cdn.example.net",
    "script-src 'self' https://cdn.example.net https://*.stats.example",
    "script-src https: http:",
    "script-src https:",
    "script-src *.example.com",
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
    "script-src 'nonce-r4nd0m' 'strict-dynamic' https:",
    `script-src 'self' '${hash("A")}'`,
    "default-src 'self'",
    "default-src https:",
    "default-src 'self'; script-src 'self' cdn.example.net; connect-src 'self' https://api.example.net",
    "default-src 'self'; connect-src 'self' wss://live.example.net; img-src * data:; object-src 'none'",
    "script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'",
  ];
  const sources = [
    ...[
      "'self'",
      "'none'",
      "*",
      "https:",
      "http:",
      "data:",
      "blob:",
      "wss:",
      "cdn.example.net",
      "*.example.net",
    ],
    ...[
      "https://cdn.example.net",
      "https://cdn.example.net/js/",
      "https://*.stats.example",
      "cdn.example.net:8443",
    ],
    ...[ZONE, "*.example.com", "*.example", "http://old.example.net", "'unsafe-inline'", "'unsafe-eval'"],
    ...["'wasm-unsafe-eval'", "'unsafe-hashes'", "'strict-dynamic'", "'nonce-r4nd0m'", `'${hash("B")}'`],
  ];
  const names = ["script-src", "connect-src", "default-src", "img-src", "style-src", "script-src-elem"];
  const extra = [
    "frame-ancestors 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "img-src *",
  ];
  const places = ["true", `http.host eq "${ZONE}"`];
  const changed = (pairs) =>
    places.flatMap((expression) =>
      pairs.flatMap(([a, b]) => [
        [on(expression, a), on(expression, b)],
        [on(expression, b), on(expression, a)],
      ]),
    );
  const withSource = (value, name, source) =>
    value.includes(`${name} `)
      ? value.replace(new RegExp(`${name} [^;]*`), (list) => `${list} ${source}`)
      : `${value}; ${name} ${source}`;
  return {
    "sources added and removed": changed(
      values.flatMap((value) =>
        names
          .slice(0, 3)
          .flatMap((name) => sources.map((source) => [value, withSource(value, name, source)])),
      ),
    ),
    "one source for another": changed(
      names.flatMap((name) => pairsOf(sources).map(([a, b]) => [`${name} ${a}`, `${name} ${b}`])),
    ),
    "one value for another": changed(pairsOf(values)),
    "directives added and removed": changed(
      values.flatMap((value) =>
        [...extra, "upgrade-insecure-requests"].map((more) => [value, `${value}; ${more}`]),
      ),
    ),
    "directives by another name": changed(
      pairsOf(names).flatMap(([a, b]) =>
        ["'self'", "'self' cdn.example.net"].map((list) => [`${a} ${list}`, `${b} ${list}`]),
      ),
    ),
  };
}

function expressionChanges() {
  const expressions = [
    "true",
    "ssl",
    `http.host eq "${ZONE}"`,
    `http.host eq "www.${ZONE}"`,
    `http.host in {"${ZONE}" "www.${ZONE}"}`,
    `ends_with(http.host, ".${ZONE}")`,
    `http.host eq "${ZONE}" or ends_with(http.host, ".${ZONE}")`,
    'starts_with(http.request.uri.path, "/checkout")',
    'starts_with(http.request.uri.path, "/checkout/pay")',
    'http.request.uri.path eq "/cart"',
    `http.host eq "${ZONE}" and starts_with(http.request.uri.path, "/checkout")`,
    'not starts_with(http.request.uri.path, "/admin")',
    'http.request.uri.path contains "/pay"',
    'http.request.uri.path matches "^/(cart|checkout)"',
  ];
  const values = ["script-src 'self'", "default-src 'self'; connect-src 'self' https://api.example.net"];
  return values.flatMap((value) =>
    pairsOf(expressions).flatMap(([a, b]) => [
      [on(a, value), on(b, value)],
      [on(b, value), on(a, value)],
    ]),
  );
}

/** Policies that are created, deleted, switched on and off, and changed between reporting and blocking. */
function policyChanges() {
  const values = [
    "script-src 'self'",
    "default-src https:; connect-src 'self'",
    "script-src 'self'; report-uri /r",
  ];
  const places = ["true", `http.host eq "${ZONE}"`, 'starts_with(http.request.uri.path, "/checkout")'];
  return values.flatMap((value) =>
    places.flatMap((place) => {
      const blocking = on(place, value);
      const states = [null, { ...blocking, enabled: false }, { ...blocking, action: "log" }, blocking];
      return states.flatMap((a) => states.filter((b) => b !== a).map((b) => [a, b]));
    }),
  );
}

function on(expression, value) {
  return { action: "allow", enabled: true, expression, value };
}

function pairsOf(all) {
  return all.flatMap((a, at) => all.slice(at + 1).map((b) => [a, b]));
}

function hash(char) {
  return `sha256-${char.repeat(43)}=`;
}
