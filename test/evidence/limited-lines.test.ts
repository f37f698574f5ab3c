import { expect, test } from "vitest";
import { ZoneLines } from "../../src/evidence/lines-by-change.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import type { LimitedLines, RequestLimit } from "../../src/model/request-lines.js";
import { movedTexts } from "../../src/render/request-lines.js";

const LOGIN = 'http.request.uri.path eq "/login"';

const LIMIT: RequestLimit = {
  expression: LOGIN,
  counting_expression: LOGIN,
  characteristics: ["ip.src", "cf.colo.id"],
  requests: 2,
  period: 10,
  timeout: 0,
  unknown: null,
};

const START = Date.UTC(2026, 10, 5) / 1000;

/** A login at a second, from a client. */
const login = (second: number, ClientIP = "192.0.2.1", more: JsonObject = {}): JsonObject => ({
  ClientRequestURI: "/login",
  EdgeStartTimestamp: START + second,
  EdgeColoID: 1,
  ClientIP,
  ...more,
});

function limited(
  lines: readonly JsonObject[],
  limit: Partial<RequestLimit> = {},
  room = 1_000,
): LimitedLines {
  const counts = countsOf(lines, limit, room).limited?.after;
  if (counts === undefined) throw new Error("the limit has counts");
  return counts;
}

function countsOf(lines: readonly JsonObject[], limit: Partial<RequestLimit>, room: number) {
  const after = { ...LIMIT, ...limit };
  const move = {
    change: 0,
    does: "applies_to",
    before: null,
    after: after.expression,
    becomes: null,
  } as const;
  const zone = new ZoneLines([{ ...move, limits: { after } }], { left: 100 }, { left: room });
  for (const line of lines) zone.add(line);
  const counts = zone.counts.get(0);
  if (counts === undefined) throw new Error("the change has counts");
  return counts;
}

const BY = ["ip.src", "cf.colo.id"];

test("counts the requests beyond the count of a period, client by client, in any order of the lines", () => {
  const burst = [0, 1, 2, 3].map((second) => login(second));
  expect(limited(burst)).toEqual({ lines: 2, by: BY, not_logged: [] });
  expect(limited(burst.toReversed()).lines).toBe(2);
  expect(limited([login(0), login(1), login(2, "192.0.2.2"), login(3, "192.0.2.2")]).lines).toBe(0);
  expect(limited([login(0), login(1), login(2, "192.0.2.1", { EdgeColoID: 2 })]).lines).toBe(0);
  expect(limited([login(0), login(6), login(10), login(11), login(22)]).lines).toBe(1);
  expect(limited([0, 1, 2].map((n) => login(n, "192.0.2.1", { ClientRequestURI: "/" }))).lines).toBe(0);
});

test("a timeout limits the requests that follow", () => {
  const lines = [0, 1, 2, 30, 61, 63].map((second) => login(second));
  expect(limited(lines, { timeout: 0 }).lines).toBe(1);
  expect(limited(lines, { timeout: 60 }).lines).toBe(3);
});

test("a counting expression counts other requests than it limits", () => {
  const failing = (second: number) => login(second, "192.0.2.1", { EdgeResponseStatus: 401 });
  const passing = (second: number) => login(second, "192.0.2.1", { EdgeResponseStatus: 200 });
  const counting = { counting_expression: `${LOGIN} and http.response.code eq 401` };
  expect(limited([passing(0), passing(1), passing(2), passing(3)], counting).lines).toBe(0);
  expect(limited([failing(0), failing(1), passing(2), failing(3)], counting).lines).toBe(2);
  expect(limited([failing(0), login(1)], counting)).toMatchObject({ lines: 0, bound: "at_least" });
});

test("lines without a characteristic share a counter, so their number is a bound", () => {
  const lines = [0, 1, 2].map((second) => login(second, "192.0.2.1", { EdgeColoID: null }));
  const withoutColo = lines.map(({ EdgeColoID: _, ...line }) => line as JsonObject);
  expect(limited(withoutColo)).toEqual({
    lines: 1,
    bound: "at_most",
    by: ["ip.src"],
    not_logged: ["cf.colo.id"],
  });
  const key = 'http.request.headers["x-key"]';
  const keyed = (second: number, value: string) =>
    login(second, "192.0.2.1", { RequestHeaders: { "x-key": value } });
  const byKey = { characteristics: [key, "cf.colo.id"] };
  expect(limited([keyed(0, "a"), keyed(1, "b"), keyed(2, "c")], byKey).lines).toBe(0);
  expect(limited([keyed(0, "a"), keyed(1, "a"), keyed(2, "a")], byKey).lines).toBe(1);
  expect(limited([keyed(0, "a"), login(1)], byKey)).toMatchObject({ bound: "at_most", not_logged: [key] });
});

test.each<[unknown: string, lines: readonly JsonObject[], limit: Partial<RequestLimit>, room?: number]>([
  ["score", [login(0)], { unknown: "score" }],
  ["requests_to_origin", [login(0)], { unknown: "requests_to_origin" }],
  ["no_timeout", [login(0)], { unknown: "no_timeout" }],
  ["no_time", [{ ClientRequestURI: "/login" }], {}],
  ["not_logged", [login(0)], { characteristics: ["cf.unique_visitor_id"] }],
  ["undecided", [login(0)], { expression: "http.hots", counting_expression: "http.hots" }],
  ["undecided", [login(0)], { expression: "cf.client.bot", counting_expression: "cf.client.bot" }],
  ["too_many", [login(0), login(1)], {}, 1],
])("says why the number is unknown: %s", (unknown, lines, limit, room) => {
  expect(limited(lines, limit, room)).toMatchObject({ lines: null, unknown });
});

const shown = (...sides: readonly { readonly before?: LimitedLines; readonly after?: LimitedLines }[]) =>
  movedTexts(
    sides.map((limits) => {
      const counts = { ...countsOf([login(0)], {}, 9), limited: limits };
      return { change: { request_lines: JSON.parse(JSON.stringify(counts)) } as never };
    }),
  )[1];

test("says how many lines would have been limited, and sums zones", () => {
  const some: LimitedLines = { lines: 1, by: BY, not_logged: [] };
  const most: LimitedLines = { lines: 3, bound: "at_most", by: ["ip.src"], not_logged: ["cf.colo.id"] };
  const least: LimitedLines = { lines: 1, bound: "at_least", by: BY, not_logged: [] };
  const open: LimitedLines = { lines: null, unknown: "no_time", by: BY, not_logged: [] };
  expect(shown({ after: some })).toBe(
    "would have limited 1 of 1 line (was 0), counted by ip.src, cf.colo.id",
  );
  expect(shown({ before: most })).toBe(
    "would have limited 0 of 1 line (was at most 3), counted by ip.src; lines lack cf.colo.id",
  );
  expect(shown({ before: open, after: least })).toBe(
    "would have limited at least 1 of 1 line (was unknown), counted by ip.src, cf.colo.id",
  );
  expect(shown({ after: open })).toBe(
    "unknown how many requests the limit meets: the lines lack EdgeStartTimestamp",
  );
  expect(shown({ after: some }, { before: some, after: most })).toBe(
    "would have limited at most 4 of 2 lines (was 1), counted by ip.src, cf.colo.id; lines lack cf.colo.id",
  );
  expect(shown({ after: least }, { after: most })).toBe(
    "unknown how many requests the limit meets: the lines do not decide which requests count",
  );
});

test("counts by numbers in either form, and by no value that a request cannot have", () => {
  const asnums = ["64500", 64500, "64501"].map((ClientASN, second) =>
    login(second, "192.0.2.1", { ClientASN }),
  );
  expect(limited([...asnums, ...asnums], { characteristics: ["ip.src.asnum"] })).toEqual({
    lines: 2,
    by: ["ip.src.asnum"],
    not_logged: [],
  });
  const deep: Json = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
  const odd = [
    login(0, "192.0.2.1", { EdgeColoID: deep }),
    login(1, "192.0.2.1", { EdgeColoID: { a: deep } }),
    login(2, "192.0.2.1", { RequestHeaders: { "x-a": deep } }),
  ];
  const characteristics = ["cf.colo.id", 'http.request.headers["x-a"]'];
  expect(limited(odd, { characteristics }).not_logged).toEqual(characteristics);
});
