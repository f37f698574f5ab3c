import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const LENGTHS = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
const TEXT_LENGTHS = [65_536, 131_072, 262_144, 524_288, 1_048_576];
const COUNTS = [500, 1000, 2000, 4000, 8000];
const JUDGED_COUNTS = [10, 20, 40, 80, 160];
const ROUNDS = 30;
const TEXT_ROUNDS = 3;
const COUNT_ROUNDS = 2;
let texts = 0;

/** Expressions that grow in different ways. */
const shapes = {
  conditions: (length) => repeated('http.host eq "a.example" or not ip.src in {10.0.0.0/8}', " or ", length),
  "one set": (length) => `http.host in {${repeated('"a.example.com"', " ", length)}}`,
  "one string": (length) => `http.host contains "${"x".repeat(length)}"`,
  "one pattern": (length) => `http.host matches "${repeated("(a|[b-d]+)", "", length)}"`,
  arguments: (length) => `lookup_json_string(http.request.body.raw, ${repeated("1", ", ", length)}) eq "a"`,
  "refused at its end": (length) => `${repeated("ssl", " and ", length)} and 'a'`,
};

/** Patterns that search a long text of `a`, with few or many open alternatives. */
const patterns = ["^/api/", "b$", "(a|b)*c", "^(a+)+b$", "a{32}b", "a{64}b"];

/** Pairs of expressions that grow in different ways. The last ones reach the work limit. */
const pairs = {
  "a balanced tree": (count) => [tree(count, list), tree(count / 2, list)],
  "a row": (count) => [row(count, list), tree(count, list)],
  ports: (count) => [
    `cf.edge.server_port in {${row(count, (n) => n * 3, " ")}}`,
    "cf.edge.server_port lt 999",
  ],
  addresses: (count) => [`ip.src in {${row(count, address, " ")}}`, "ip.src in {10.0.0.0/8}"],
  "a row of ports": (count) => [
    row(count, (n) => `cf.edge.server_port eq ${n}`),
    "cf.edge.server_port lt 999",
  ],
  "heavy patterns": (count) => [row(count, (n) => `http.host in {"h${n}"} or ${heavy(n)}`), "ssl"],
};

/** Expressions that are evaluated for a long host. At the work limit, the result is "unknown". */
const questions = {
  "heavy patterns": (count) => row(count, heavy),
  sets: (count) => `any(http.request.headers.names[*] in {${row(count, (n) => `"h${n}"`, " ")}})`,
  functions: (count) => row(count, (n) => `lower(http.host) eq "${n}"`),
};

const request = {
  "http.host": "abc".repeat(27_000),
  "http.request.headers.names": Array.from({ length: 10_000 }, (_, n) => `x${n}`),
};

console.log("one expression parsed and checked, one text searched, one pair compared, one request judged");
for (const { shape, length, unit, ms, growth, result } of await rows()) {
  const grown = `${ms.toFixed(3).padStart(9)} ms  × ${growth.toFixed(2).padEnd(6)}`;
  console.log(`${shape.padEnd(26)} ${String(length).padStart(7)} ${unit} ${grown} ${result}`.trimEnd());
}

/** A row for each shape and length: milliseconds, and the ratio to half the length. */
async function rows() {
  const { check, coverage, evaluate, matchingWithin, newBudget } = await loadEngines();
  const checking = Object.entries(shapes).flatMap(([shape, make]) =>
    grown(`check: ${shape}`, LENGTHS, ROUNDS, (length) => {
      const text = make(length);
      return () => void check(unseen(text));
    }),
  );
  const matching = patterns.flatMap((pattern) =>
    grown(`match: ${pattern}`, TEXT_LENGTHS, TEXT_ROUNDS, (length) => {
      const text = "a".repeat(length);
      return () => matchingWithin(newBudget())(pattern, text);
    }),
  );
  const covering = Object.entries(pairs).flatMap(([shape, make]) =>
    grown(`cover: ${shape}`, COUNTS, COUNT_ROUNDS, (count) => {
      const [a, b] = make(count);
      return () => coverage(unseen(a), b);
    }),
  );
  const judging = Object.entries(questions).flatMap(([shape, make]) =>
    grown(`judge: ${shape}`, JUDGED_COUNTS, COUNT_ROUNDS, (count) => {
      const text = make(count);
      return () => evaluate(unseen(text), request);
    }),
  );
  return [
    ...[...checking, ...matching].map((each) => ({ ...each, unit: "characters" })),
    ...[...covering, ...judging].map((each) => ({ ...each, unit: "conditions" })),
  ];
}

function grown(shape, lengths, rounds, workOn) {
  const times = lengths.map((length) => ({ length, ...least(rounds, workOn(length)) }));
  return times.map((each, index) => ({
    ...each,
    shape,
    growth: each.ms / (times[index - 1]?.ms ?? each.ms / 2),
  }));
}

/** Bundled from the source, because the program does not export these parts. */
async function loadEngines() {
  const contents = [
    'export { check } from "./check/check.js";',
    'export { coverage } from "./coverage/coverage.js";',
    'export { evaluate } from "./evaluate/evaluate.js";',
    'export { matchingWithin } from "./evaluate/compare.js";',
    'export { newBudget } from "./budget.js";',
  ].join("\n");
  const bundled = await build({
    stdin: {
      contents,
      resolveDir: fileURLToPath(new URL("../src/expression/", import.meta.url)),
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(bundled.outputFiles[0].contents).toString("base64")}`
  );
}

/** An uncached text with the same meaning: parsed texts are cached. */
function unseen(text) {
  texts += 1;
  return text + " ".repeat(texts);
}

function repeated(part, separator, length) {
  const count = Math.max(1, Math.floor((length + separator.length) / (part.length + separator.length)));
  return Array(count).fill(part).join(separator);
}

function list(n) {
  return `ip.src in $l${n}`;
}

function address(n) {
  return `10.${n >> 8}.${n & 255}.0/25`;
}

function heavy(n) {
  return `http.host matches "(a|b|c|ab|a.){900}x${n}"`;
}

function row(count, leaf, between = " or ") {
  return Array.from({ length: count }, (_, n) => leaf(n)).join(between);
}

function tree(count, leaf, from = 0) {
  if (count === 1) return leaf(from);
  const half = count >> 1;
  return `(${tree(half, leaf, from)} or ${tree(count - half, leaf, from + half)})`;
}

/** The result of the last round and the least time of all, because other work of the machine only adds time. */
function least(rounds, work) {
  let ms = Number.POSITIVE_INFINITY;
  let result;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    result = work();
    ms = Math.min(ms, performance.now() - start);
  }
  return { ms, result: result ?? "" };
}
