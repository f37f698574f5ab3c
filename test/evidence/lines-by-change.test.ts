import { expect, test } from "vitest";
import { ZoneLines } from "../../src/evidence/lines-by-change.js";
import type { JsonObject } from "../../src/model/json.js";
import type { RequestMove } from "../../src/model/request-lines.js";
import { movedTexts } from "../../src/render/request-lines.js";

const API = 'starts_with(http.request.uri.path, "/api/")';

function countsOf(
  move: Omit<RequestMove, "change" | "becomes"> & Partial<RequestMove>,
  uris: readonly string[],
  room = 100,
) {
  const lines = new ZoneLines([{ change: 3, becomes: null, ...move }], { left: room }, { left: 100 });
  for (const uri of uris) lines.add({ ClientRequestURI: uri });
  const counts = lines.counts.get(3);
  if (counts === undefined) throw new Error("the change has counts");
  return counts;
}

const shown = (counts: ReturnType<typeof countsOf>) =>
  movedTexts([{ change: { request_lines: JSON.parse(JSON.stringify(counts)) } as never }]);

test("a changed expression gains some paths and loses others", () => {
  const uris = [...Array.from({ length: 7 }, (_, n) => `/api/${n}`), "/search?q", "/search", "/old"];
  const after = `${API} or http.request.uri.path eq "/search"`;
  const counts = countsOf({ does: "applies_to", before: 'http.request.uri.path eq "/old"', after }, uris);
  expect(counts).toEqual({
    does: "applies_to",
    lines: 10,
    before: 1,
    after: 9,
    more: {
      lines: 9,
      paths: [
        { path: "/api/*", lines: 7 },
        { path: "/search", lines: 2 },
      ],
      other_paths: 0,
    },
    fewer: { lines: 1, paths: [{ path: "/old", lines: 1 }], other_paths: 0 },
    undecided: { lines: 0, untold: [] },
  });
  expect(shown(counts)).toEqual([
    "applies to 90 % of requests (was 10 %): + /api/* 7, + /search 2, - /old 1",
  ]);
});

test("a created object matched nothing before, and a deleted one matches nothing after", () => {
  const come = countsOf({ does: "skips", before: null, after: "true" }, ["/a", "/b"]);
  expect([come.before, come.after, come.more.lines]).toEqual([0, 2, 2]);
  expect(shown(come)).toEqual(["skips 100 % of requests (was 0 %): + /a 1, + /b 1"]);
  const gone = countsOf({ does: "skips", before: API, after: null }, ["/api/a", "/b"]);
  expect([gone.before, gone.after, gone.fewer.lines]).toEqual([1, 0, 1]);
});

test("a policy that starts blocking is counted on the requests that it matched before, apart from gained and lost ones", () => {
  const uris = ["/api/a", "/api/b", "/search", "/old"];
  const same = countsOf({ does: "applies_to", before: API, after: API, becomes: "blocks" }, uris);
  expect(same).toMatchObject({
    becomes: "blocks",
    kept: { lines: 2, paths: [{ path: "/api/*", lines: 2 }], other_paths: 0 },
  });
  expect(shown(same)).toEqual([
    "now blocks on 50 % of requests, previously only reported (2 of 4 lines): /api/* 2",
  ]);
  const after = `${API} or http.request.uri.path eq "/search"`;
  const more = countsOf({ does: "applies_to", before: API, after, becomes: "reports" }, uris);
  expect(shown(more)).toEqual([
    "applies to 75 % of requests (was 50 %): + /search 1",
    "now only reports on 50 % of requests, previously blocked (2 of 4 lines): /api/* 2",
  ]);
});

test("lines that cannot decide both expressions are counted as undecided, with the fields to log", () => {
  const after = `${API} and http.request.headers["x-api-key"][0] eq "k"`;
  const counts = countsOf({ does: "applies_to", before: API, after }, ["/api/a", "/api/b", "/c"]);
  expect(counts).toMatchObject({
    lines: 3,
    before: 2,
    after: 0,
    more: { lines: 0 },
    fewer: { lines: 0 },
    undecided: {
      lines: 2,
      untold: [
        {
          field: 'http.request.headers["x-api-key"]',
          lines: 2,
          log_fields: ["RequestHeaders"],
          custom_log_field: { list: "request_fields", name: "x-api-key" },
        },
      ],
    },
  });
  expect(shown(counts)).toEqual([
    "applies to 0 % of requests (was 67 %, 2 of 3 lines undecided)",
    '2 lines lack http.request.headers["x-api-key"]. To decide, declare custom_log_fields: { request_fields: ["x-api-key"] }, and have the job log RequestHeaders. Requests without it stay undecided.',
  ]);
});

test("an invalid expression leaves all lines undecided", () => {
  const counts = countsOf({ does: "applies_to", before: "http.hots", after: "true" }, ["/a"]);
  expect(counts).toMatchObject({ before: 0, after: 1, undecided: { lines: 1, untold: [] } });
});

test("very many and very long paths keep memory and output small", () => {
  const uris = Array.from({ length: 5_000 }, (_, n) => `/${"é".repeat(2_000)}${n}`).concat(
    Array.from({ length: 5_000 }, (_, n) => `/p${n}`),
  );
  const counts = countsOf({ does: "applies_to", before: null, after: "true" }, uris, 50);
  expect(counts.more.lines).toBe(10_000);
  expect(counts.more.paths).toHaveLength(20);
  expect(JSON.stringify(counts).length).toBeLessThan(3_000);
  expect(shown(counts).join("").length).toBeLessThan(1_000);
});

test("a zone without log lines is reported as unknown, not as zero requests", () => {
  expect(shown(countsOf({ does: "applies_to", before: null, after: "true" }, []))).toEqual([
    "effect on requests unknown: no log line is from this zone",
  ]);
});

test("a zone without a change that affects requests needs no log fields", () => {
  const lines = new ZoneLines([], { left: 1 }, { left: 1 });
  lines.add({ ClientRequestURI: "/" } satisfies JsonObject);
  expect(lines.counts.size).toBe(0);
});
