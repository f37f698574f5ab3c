// Measures matching an expression with request lines: seconds per million lines, and peak memory, which must not grow with
// their number.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createGzip } from "node:zlib";
import { measure } from "./measure.mjs";

const LINES = [250_000, 1_000_000];
const ROUNDS = 2;

const EXPRESSIONS = {
  "a path and a method": 'starts_with(http.request.uri.path, "/api/") and http.request.method eq "POST"',
  "a pattern": 'http.request.uri.path matches "^/(api|search)/[a-z]+" or ip.src in {192.0.2.0/24}',
  "a header that is not logged": 'http.request.headers["x-api-key"][0] eq "a"',
};

const folder = await mkdtemp(path.join(tmpdir(), "zoneward-bench-"));
try {
  for (const lines of LINES) await writeLines(path.join(folder, `${lines}.log.gz`), lines);
  for (const [name, expression] of Object.entries(EXPRESSIONS)) {
    for (const lines of LINES) {
      const file = path.join(folder, `${lines}.log.gz`);
      const args = ["dist/cli.js", "expression", "match", expression, "--requests", file];
      const { ask } = await measure(ROUNDS, { ask: args });
      const seconds = Math.min(...ask.map(({ cpuMs }) => cpuMs)) / 1000;
      const mb = Math.min(...ask.map(({ peakBytes }) => peakBytes)) / 1_000_000;
      console.log(
        `requests, ${lines} lines, ${name}: ${((seconds / lines) * 1_000_000).toFixed(1)} s of a core a million, ${mb.toFixed(0)} MB, aim ≤ 300`,
      );
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Writes lines in the format of a log-push job, each with its own path. */
async function writeLines(file, lines) {
  const gzip = createGzip({ level: 1 });
  const done = once(gzip.pipe(createWriteStream(file)), "finish");
  for (let from = 0; from < lines; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, lines - from) }, (_, n) => lineOf(from + n));
    if (!gzip.write(`${some.join("\n")}\n`)) await once(gzip, "drain");
  }
  gzip.end();
  await done;
}

function lineOf(n) {
  return JSON.stringify({
    BotScore: n % 100,
    ClientASN: 64_500 + (n % 50),
    ClientCountry: "sa",
    ClientIP: `192.0.${n % 7}.${n % 250}`,
    ClientRequestHost: "shop.example.com",
    ClientRequestMethod: n % 3 === 0 ? "POST" : "GET",
    ClientRequestProtocol: "HTTP/2",
    ClientRequestReferer: "https://shop.example.com/",
    ClientRequestScheme: "https",
    ClientRequestURI: `/${["api", "search", "p"][n % 3]}${n % 5 === 0 ? n : ""}/item?n=${n}`,
    ClientRequestUserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)",
    EdgeResponseStatus: 200,
    EdgeStartTimestamp: `2026-11-02T00:00:${String(n % 60).padStart(2, "0")}Z`,
    RayID: n.toString(16).padStart(16, "0"),
    RequestHeaders: { "content-type": "text/html" },
    ZoneName: "shop.example.com",
  });
}
