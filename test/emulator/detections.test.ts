import { describe, expect, test } from "vitest";
import { checkSeed, type DetectionSeed, type Dialect } from "../../src/emulator/index.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { answered, call, refused, refusedIn, shield, start, zoneId } from "./call.js";

const day = (n: number) => `2026-01-${String(n).padStart(2, "0")}T00:00:00Z`;
const id = (digit: number) => String(digit).repeat(32);

const app: DetectionSeed = {
  id: id(4),
  url: "https://cdn.example.net/app.js",
  host: "shop.example",
  added_at: day(1),
  first_seen_at: day(1),
  last_seen_at: day(9),
  first_page_url: "https://shop.example/cart",
  domain_reported_malicious: false,
  hash: "a".repeat(64),
  js_integrity_score: 90,
  page_urls: ["https://shop.example/cart", "https://shop.example/checkout/pay"],
  versions: [{ hash: "a".repeat(64), js_integrity_score: 90, fetched_at: day(2) }],
};
const evil: DetectionSeed = {
  ...app,
  id: id(5),
  url: "https://evil.example/x.js",
  host: "blog.shop.example",
  first_seen_at: day(2),
  last_seen_at: day(3),
  domain_reported_malicious: true,
  malicious_domain_categories: ["Malware"],
  url_reported_malicious: false,
  malicious_url_categories: ["Phishing"],
  hash: null,
  js_integrity_score: 40,
};
const rare: DetectionSeed = { id: id(6), url: "https://rare.example/r.js", status: "infrequent" };
const gone: DetectionSeed = { id: id(7), url: "https://gone.example/g.js", status: "inactive" };
const own: DetectionSeed = { id: id(8), url: "https://shop.example/cdn-cgi/scripts/rocket.js" };
const older: DetectionSeed = {
  ...app,
  id: id(9),
  url: "https://cdn.example.net/app.js?v=1",
  last_seen_at: day(8),
};

const scripts = [app, evil, rare, gone, own, older];
const connection: DetectionSeed = { id: id(2), url: "wss://chat.example/live", malicious_url_categories: [] };

function startWith(seeds: readonly DetectionSeed[], dialect: Dialect = "service") {
  const zone = { id: zoneId, scripts: seeds, connections: [connection] };
  return start({ dialect, seed: { zones: { "shop.example": zone } }, now: () => new Date(day(5)) });
}

async function listed(query: string, dialect: Dialect = "service", seeds = scripts) {
  const reply = await call(await startWith(seeds, dialect), "GET", `${shield}/scripts${query}`);
  return { ...reply, items: itemsOf(reply.body) };
}

function itemsOf(body: Json): readonly JsonObject[] {
  return isObject(body) && isList(body.result) ? body.result.filter(isObject) : [];
}

async function ids(query: string, dialect: Dialect = "service") {
  const { items } = await listed(query, dialect);
  return items.map((each) => String(each.id).slice(0, 1)).join("");
}

describe("a list of scripts", () => {
  test.each([
    ["has active scripts by default, without duplicates and the service's own", "", "45"],
    ["has other statuses on request", "?status=infrequent,inactive", "67"],
    ["has the service's own scripts with exclude_cdn_cgi=false", "?exclude_cdn_cgi=false", "458"],
    ["has duplicates with exclude_duplicates=false", "?exclude_duplicates=false", "459"],
    ["matches whole host names", "?hosts=shop.example", "4"],
    ["filters by several hosts and ignores their case", "?hosts=SHOP.example,blog.shop.example", "45"],
    ["accepts * at the start of a host", "?hosts=*.shop.example", "5"],
    ["accepts * at the end of a host", "?hosts=shop.*", "4"],
    ["accepts * at both ends of a host", "?hosts=*shop*", "45"],
    ["accepts * alone", "?hosts=*", "45"],
    ["does not accept * inside a host", "?hosts=shop*example", ""],
    ["ignores unknown parameters", "?colour=red", "45"],
  ])("%s", async (_, query, expected) => {
    expect(await ids(query)).toBe(expected);
  });

  test.each([
    ["?status=infrequent", "6"],
    ["?hosts=*shop.example", "4589"],
    ["?exclude_cdn_cgi=true&exclude_duplicates=true", "4589"],
    ["?direction=up&page=1", "4589"],
  ])("supports four parameters in the interface dialect: %s", async (query, expected) => {
    expect(await ids(query, "interface")).toBe(expected);
  });

  test.each<[Dialect, string]>([
    ...["status=old", "status=", "page=0", "page=x", "per_page=0", "per_page=101", "per_page=1.5"].flatMap(
      (query): [Dialect, string][] => [
        ["service", query],
        ["interface", query],
      ],
    ),
    ["interface", "page=all"],
    ["service", "exclude_cdn_cgi=1"],
    ["service", "exclude_duplicates=no"],
  ])("is refused in the %s dialect for %s", async (dialect, query) => {
    const { status, body } = await listed(`?${query}`, dialect);
    const [name, value] = query.split("=");
    expect([status, body]).toEqual([400, refusedIn(dialect, { message: `${name} cannot be "${value}"` })]);
  });

  test("is paged, with empty pages after the last one", async () => {
    const many = Array.from({ length: 23 }, (_, n) => ({ url: `https://cdn.example/${n}.js` }));
    const info = async (query: string) => {
      const { items, body } = await listed(query, "service", many);
      return [items.length, isObject(body) ? body.result_info : null];
    };
    const counts = { total_count: 23, total_pages: 2 };
    expect(await info("")).toEqual([20, { page: 1, per_page: 20, count: 20, ...counts }]);
    expect(await info("?page=2")).toEqual([3, { page: 2, per_page: 20, count: 3, ...counts }]);
    expect(await info("?page=3")).toEqual([0, { page: 3, per_page: 20, count: 0, ...counts }]);
    expect(await info("?per_page=100")).toMatchObject([23, { per_page: 100, total_pages: 1 }]);
  });

  test.each<[Dialect, number]>([
    ["service", 6],
    ["interface", 4],
  ])("has this total_count in the %s dialect: %d", async (dialect, count) => {
    expect((await listed("", dialect)).body).toMatchObject({ result_info: { total_count: count } });
  });

  test("omits page URLs, versions and the categories of URLs that are not reported", async () => {
    const { items } = await listed("");
    const { page_urls: _, versions: __, malicious_url_categories: ___, ...shown } = evil;
    expect(items[1]).toEqual({ ...shown, status: "active", url_contains_cdn_cgi_path: false });
  });
});

describe("a script", () => {
  test("has its pages and versions; fields missing in the seed are filled in or absent", async () => {
    const emulator = await startWith(scripts);
    const read = (which: string) => call(emulator, "GET", `${shield}/scripts/${which}`);
    const filled = { status: "active", url_contains_cdn_cgi_path: false };
    expect((await read(id(4))).body).toEqual(answered({ ...app, ...filled } as JsonObject)); // a seed is JSON
    const times = { added_at: "2026-01-05T00:00:00.000Z", first_seen_at: "2026-01-05T00:00:00.000Z" };
    expect((await read(id(8))).body).toEqual(
      answered({
        id: id(8),
        url: "https://shop.example/cdn-cgi/scripts/rocket.js",
        host: "shop.example",
        ...times,
        last_seen_at: times.added_at,
        status: "active",
        url_contains_cdn_cgi_path: true,
      }),
    );
  });

  test.each([
    ["scripts", id(2), "script not found"],
    ["connections", id(4), "connection not found"],
    ["scripts", "x", "script not found"],
  ])("with an unknown id is answered with 404: %s/%s", async (what, which, message) => {
    const { status, body } = await call(await startWith(scripts), "GET", `${shield}/${what}/${which}`);
    expect([status, body]).toEqual([404, refused({ message })]);
  });
});

describe("connections", () => {
  test("are listed and read like scripts, and keep an empty list of categories", async () => {
    const emulator = await startWith(scripts);
    const list = itemsOf((await call(emulator, "GET", `${shield}/connections`)).body);
    expect(list).toMatchObject([{ ...connection, host: "shop.example", status: "active" }]);
    const one = await call(emulator, "GET", `${shield}/connections/${id(2)}`);
    expect(one.body).toEqual(answered(list[0] ?? null));
  });
});

describe("detections in a seed", () => {
  test("come back in the state with missing fields filled in", async () => {
    const emulator = await startWith([app, { ...rare, note: "kept" }]);
    const state = emulator.state().zones["shop.example"];
    expect(state?.scripts).toMatchObject([
      app,
      { ...rare, note: "kept", last_seen_at: `${day(5).slice(0, -1)}.000Z` },
    ]);
    expect((await start({ seed: emulator.state() })).state()).toEqual(emulator.state());
  });

  test("get unique ids that are the same in every run", async () => {
    const bare = [{ url: "https://a.example/" }, { url: "https://b.example/" }];
    const idsOf = async (seeds: readonly DetectionSeed[]) =>
      (await startWith(seeds)).state().zones["shop.example"]?.scripts?.map((each) => each.id) ?? [];
    const [first, second] = await idsOf(bare);
    expect(await idsOf(bare)).toEqual([first, second]);
    const taken = await idsOf([...bare, { url: "https://c.example/", id: String(first) }]);
    expect(new Set(taken).size).toBe(3);
  });

  test.each<[string, Json, readonly string[]]>([
    ["not a list", {}, ["/scripts"]],
    ["text", ["x"], ["/scripts/0"]],
    ["no URL", [{}], ["/scripts/0"]],
    [
      "fields of the wrong type",
      [{ url: 1, host: 2, id: "x" }],
      ["/scripts/0/id", "/scripts/0/url", "/scripts/0/host"],
    ],
    ["an invalid time", [{ url: "x", added_at: "now" }], ["/scripts/0/added_at"]],
    [
      "a duplicate id",
      [
        { url: "x", id: id(1) },
        { url: "y", id: id(1) },
      ],
      ["/scripts/1/id"],
    ],
  ])("are checked: %s", (_, value, places) => {
    const checked = checkSeed({ zones: { "a.example": { scripts: value } } });
    const details = checked.ok ? [] : checked.problems.map((each) => each.detail);
    expect(details.map((detail) => detail.slice(0, detail.indexOf(": ")))).toEqual(
      places.map((at) => `At /zones/a.example${at}`),
    );
  });
});
