import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const LENGTHS = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
const TEXT_LENGTHS = [65_536, 131_072, 262_144, 524_288, 1_048_576];
const ROUNDS = 30;
const TEXT_ROUNDS = 3;

/** Expressions that grow in different ways. */
const shapes = {
  conditions: (length) => repeated('http.host eq "a.example" or not ip.src in {10.0.0.0/8}', " or ", length),
  "one set": (length) => `http.host in {${repeated('"a.example.com"', " ", length)}}`,
  "one string": (length) => `http.host contains "${"x".repeat(length)}"`,
  "one pattern": (length) => `http.host matches "${repeated("(a|[b-d]+)", "", length)}"`,
  arguments: (length) => `lookup_json_string(http.request.body.raw, ${repeated("1", ", ", length)}) eq "a"`,
  "refused at its end": (length) => `${repeated("ssl", " and ", length)} and 'a'`,
};

/** Patterns that go through the whole of a text of `a`, with fewer or more ways open at once. */
const patterns = ["^/api/", "b$", "(a|b)*c", "^(a+)+b$", "a{32}b", "a{64}b"];

console.log("one expression parsed and checked, one text searched");
for (const { shape, length, ms, growth } of await rows()) {
  const grown = `${ms.toFixed(3).padStart(9)} ms  × ${growth.toFixed(2)}`;
  console.log(`${shape.padEnd(26)} ${String(length).padStart(7)} characters ${grown}`);
}

/** A row for each shape and length: milliseconds, and how much more than for half the length. */
async function rows() {
  const { check, matches } = await loadEngines();
  const checking = Object.entries(shapes).flatMap(([shape, make]) =>
    grown(`check: ${shape}`, LENGTHS, ROUNDS, (length) => () => check(make(length))),
  );
  const matching = patterns.flatMap((pattern) =>
    grown(`match: ${pattern}`, TEXT_LENGTHS, TEXT_ROUNDS, (length) => {
      const text = "a".repeat(length);
      return () => matches(pattern, text);
    }),
  );
  return [...checking, ...matching];
}

function grown(shape, lengths, rounds, workOn) {
  const times = lengths.map((length) => ({ length, ms: leastMs(rounds, workOn(length)) }));
  return times.map(({ length, ms }, index) => ({
    shape,
    length,
    ms,
    growth: ms / (times[index - 1]?.ms ?? ms / 2),
  }));
}

/** From the source: the built program does not give them away by themselves. */
async function loadEngines() {
  const contents = [
    'export { check } from "./check/check.js";',
    'export { matches } from "./evaluate/matches.js";',
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

function repeated(part, separator, length) {
  const count = Math.max(1, Math.floor((length + separator.length) / (part.length + separator.length)));
  return Array(count).fill(part).join(separator);
}

/** What else the machine does only adds. */
function leastMs(rounds, work) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}
