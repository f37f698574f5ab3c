// Measures the cost of judging loads under CSP values, and how it grows with the length of the input.
import { build } from "esbuild";

const VALUES = 10_000;
const URLS = 500;
const ROUNDS = 3;
let texts = 0;

const csp = await loadCsp();
for (const line of [...judging(csp), ...growth(csp)]) console.log(line);

/** The library does not export these parts, so they are bundled from their source. */
async function loadCsp() {
  const parts = ["index", "match/allows"];
  const contents = parts.map((part) => `export * from "./src/csp/${part}.ts";`).join("\n");
  const stdin = { contents, resolveDir: process.cwd() };
  const bundle = await build({ stdin, bundle: true, write: false, platform: "node", format: "esm" });
  const [{ contents: made }] = bundle.outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(made).toString("base64")}`);
}

function judging({ compile, prepare, allowsLoad }) {
  const values = Array.from({ length: VALUES }, (_, index) => cspOf(index));
  const loads = Array.from({ length: URLS }, (_, index) => loadOf(index));
  const compileMs = leastMs(() => values.map(compile));
  const [compiled, prepared] = [values.map(compile), loads.map(prepare)];
  const judgeMs = leastMs(() => {
    for (const value of compiled) for (const load of prepared) allowsLoad(value, load);
  });
  const perVerdictNs = (judgeMs * 1e6) / (VALUES * URLS);
  return [
    `csp: ${VALUES} values read once                 ${compileMs.toFixed(0)} ms`,
    `csp: ${VALUES} values x ${URLS} URLs judged           ${judgeMs.toFixed(0)} ms, ${perVerdictNs.toFixed(0)} ns a verdict`,
  ];
}

/** Each input is twice as long as the one before: a ratio near 2 is linear, one near 4 is quadratic. */
function growth({ allows, check, diff, explain, includes, parse, SERVICE_DIRECTIVES }) {
  const page = "https://shop.example/";
  const judged = (csp, url) => {
    const attempt = { page, csp, kind: "script", url };
    explain(attempt, allows(attempt));
  };
  const hosts = (count, name) =>
    unseen(`script-src ${Array.from({ length: count }, (_, at) => `${name}${at}.example/js/`).join(" ")}`);
  const policies = (count, name) =>
    Array.from({ length: count }, (_, at) => hosts(300, `${name}${at}x`)).join(", ");
  const fallbacks = (count, name) => policies(count, name).replaceAll("script-src", "default-src");
  const curves = [
    ["parse, sources", 5_000, (size) => hosts(size, "h"), (text) => parse(text)],
    ["check, sources", 5_000, (size) => hosts(size, "h"), (text) => check(text, SERVICE_DIRECTIVES)],
    ["diff, sources", 5_000, (size) => hosts(size, "h"), (text) => diff(text, `${text} x`)],
    ["allows, sources", 5_000, (size) => hosts(size, "h"), (text) => judged(text, "https://z.example/")],
    ["allows, policies", 5_000, (size) => "script-src a,".repeat(size), (text) => judged(text, "https://a/")],
    [
      "allows, directives",
      5_000,
      (size) => "script-src a;".repeat(size),
      (text) => judged(text, "https://a/"),
    ],
    [
      "allows, a source's path",
      100_000,
      (size) => `script-src a.example/${"%41/".repeat(size / 4)}`,
      (text) => judged(text, "https://a.example/A/"),
    ],
    [
      "allows, a source's host",
      100_000,
      (size) => `script-src ${"a.".repeat(size / 2)}`,
      (text) => judged(text, page),
    ],
    [
      "allows, a URL",
      1_000_000,
      (size) => `https://a/${"%41/".repeat(size / 4)}`,
      (url) => judged("script-src a/b/", url),
    ],
    ["includes, the same sources", 1_000, (size) => hosts(size, "h"), (text) => includes(`${text} x`, text)],
    [
      "includes, other sources",
      1_000,
      (size) => hosts(size, "h"),
      (text) => includes(hosts(1_000, "i"), text),
    ],
    [
      "includes, policies",
      5_000,
      (size) => "script-src a,".repeat(size),
      (text) => includes(text, `${text} script-src b`),
    ],
    [
      "includes, all sources differ",
      1_000,
      (size) => size,
      (size) => includes(hosts(size, "i"), hosts(size, "h")),
    ],
    [
      "includes, paths below hosts",
      1_000,
      (size) => size,
      (size) => includes(hosts(size, "h").replaceAll("/js/", ""), hosts(size, "h")),
    ],
    [
      "includes, policies x 300 sources",
      5,
      (size) => size,
      (size) => includes(policies(size, "i"), policies(size, "h")),
    ],
    [
      "includes, policies of default-src",
      5,
      (size) => size,
      (size) => includes(fallbacks(size, "i"), fallbacks(size, "h")),
    ],
  ];
  return curves.map(([what, size, make, run]) => {
    const inputs = [size, size * 2, size * 4].map(make);
    const times = inputs.map((input) =>
      leastMs(() => run(typeof input === "string" ? unseen(input) : input)),
    );
    const ratios = times.slice(1).map((time, at) => (time / times[at]).toFixed(1));
    const shown = times.map((time) => time.toFixed(1)).join(", ");
    return `csp: ${what.padEnd(33)} ${shown} ms from ${size} on; ratios ${ratios.join(", ")}`;
  });
}

/** An uncached text with the same meaning: parsed texts are cached. */
function unseen(text) {
  texts += 1;
  return text + " ".repeat(texts);
}

function cspOf(index) {
  const sources = Array.from({ length: 15 }, (_, at) => sourceOf((index + at) % 300, at));
  return (
    `default-src 'self'; script-src 'self' 'nonce-n${index}' ${sources.join(" ")}; ` +
    "connect-src 'self' https://api.example wss://*.live.example; img-src * data:; object-src 'none'"
  );
}

function sourceOf(host, at) {
  const name = `h${host}.cdn${host % 17}.example`;
  return [name, `https://*.${name}`, `https://${name}/js/`][at % 3];
}

function loadOf(index) {
  const url = `https://h${index % 300}.cdn${(index % 300) % 17}.example/js/app${index}.js?x=1`;
  return { page: "https://shop.example/", kind: index % 2 === 0 ? "script" : "connection", url };
}

function leastMs(run) {
  const times = Array.from({ length: ROUNDS }, () => {
    const startMs = performance.now();
    run();
    return performance.now() - startMs;
  });
  return Math.min(...times);
}
