import { describe, expect, test } from "vitest";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { interfaceZone } from "./zone.js";

const time = "2023-05-18T10:51:10.09615Z";
const hash = "9245aad577e846dd9b990b1b32425a3fae4aad8b8a28441a8b80084b6bb75a45";

const shared = {
  id: "419c6b34d1b94f5a9f0b8a7c6d5e4f3a",
  host: "shop.example",
  added_at: time,
  first_seen_at: time,
  last_seen_at: "2023-06-18T10:51:10Z",
  domain_reported_malicious: false,
  url_reported_malicious: true,
  malicious_url_categories: ["Malware"],
  first_page_url: "https://shop.example/cart",
  status: "active",
  url_contains_cdn_cgi_path: false,
};

/** A script with every possible field. */
const script = {
  ...shared,
  url: "https://evil.example/x.js",
  hash,
  js_integrity_score: 10,
  obfuscation_score: 20,
  dataflow_score: 30,
  fetched_at: time,
  page_urls: ["https://shop.example/cart"],
  versions: [{ hash, js_integrity_score: 10, fetched_at: time }],
};
const connection = {
  ...shared,
  url: "wss://evil.example/socket",
  domain_reported_malicious: true,
  malicious_domain_categories: ["Spam"],
  malicious_url_categories: [],
  url_reported_malicious: false,
};

function listIn(document: JsonObject, kind: "scripts" | "connections"): readonly JsonObject[] {
  const list = document[kind];
  return isList(list) ? list.filter(isObject) : [];
}

/** Drops the fields that zoneward adds. */
function asGiven([first = {}]: readonly JsonObject[]): Json {
  const { zone: _, zone_id: __, verdict: ___, ...given } = first;
  return given;
}

describe("scripts", () => {
  test("come with every field; pages and versions only come with a request for one script", async () => {
    const { json, emulator } = await interfaceZone({ scripts: [script] });
    const list = listIn(await json("scripts", "list"), "scripts");
    const { page_urls: _, versions: __, ...brief } = script;
    expect(asGiven(list)).toEqual(brief);
    const one = listIn(await json("scripts", "show", String(list[0]?.id)), "scripts");
    expect(asGiven(one)).toEqual(script);
    expect(emulator.writes()).toEqual([]);
  });

  test("have categories only if they are reported malicious", async () => {
    const categories = { malicious_domain_categories: ["Spam"], malicious_url_categories: ["Malware"] };
    const reports = [true, false].flatMap((domain_reported_malicious) =>
      [true, false].map((url_reported_malicious) => ({ domain_reported_malicious, url_reported_malicious })),
    );
    const scripts = reports.map((report, n) => ({ url: `https://a.example/${n}`, ...report, ...categories }));
    const { json } = await interfaceZone({ scripts });
    const shown = listIn(await json("scripts", "list"), "scripts").map(({ verdict, ...each }) => [
      each.malicious_domain_categories ?? null,
      each.malicious_url_categories ?? null,
      isObject(verdict) ? verdict.categories : null,
    ]);
    expect(shown).toEqual([
      [["Spam"], ["Malware"], ["Spam", "Malware"]],
      [["Spam"], null, ["Spam"]],
      [null, ["Malware"], ["Malware"]],
      [null, null, []],
    ]);
  });

  test("are malicious below a score of 50", async () => {
    const scored = [49, 50].map((score) => ({
      url: `https://a.example/${score}`,
      js_integrity_score: score,
    }));
    const { json } = await interfaceZone({ scripts: scored });
    const verdicts = listIn(await json("scripts", "list"), "scripts").map(({ verdict }) => verdict);
    expect(verdicts).toMatchObject([{ malicious: true, reasons: ["score_below_threshold"] }, {}]);
    expect(verdicts[1]).not.toMatchObject({ malicious: true });
  });
});

test("connections come with their own fields, including an empty list of categories", async () => {
  const { json } = await interfaceZone({ connections: [connection] });
  const list = listIn(await json("connections", "list"), "connections");
  expect(asGiven(list)).toEqual(connection);
  const one = listIn(await json("connections", "show", connection.id), "connections");
  expect(asGiven(one)).toEqual(connection);
});

describe("a list", () => {
  const others = ["active", "infrequent"].map((status) => ({
    url: `https://${status}.example/`,
    host: `${status}.shop.example`,
    status,
  }));
  const many = Array.from({ length: 203 }, (_, n) => ({ url: `https://cdn.example/${n}` }));

  test.each(["scripts", "connections"] as const)(
    "of %s has active ones by default, and can be filtered by status and host",
    async (kind) => {
      const { json } = await interfaceZone({ [kind]: others });
      const statuses = async (...flags: readonly string[]) =>
        listIn(await json(kind, "list", ...flags), kind).map(({ status }) => status);
      expect(await statuses()).toEqual(["active"]);
      expect(await statuses("--status", "infrequent")).toEqual(["infrequent"]);
      expect(await statuses("--host", "active.shop.example")).toEqual(["active"]);
      expect(await statuses("--host", "infrequent.shop.example")).toEqual([]);
    },
  );

  test.each(["scripts", "connections"] as const)("of %s is read page by page from page 1", async (kind) => {
    const { json, emulator } = await interfaceZone({ [kind]: many });
    const listed = listIn(await json(kind, "list"), kind).map(({ url }) => url);
    expect(new Set(listed)).toEqual(new Set(many.map(({ url }) => url)));
    expect(listed).toHaveLength(many.length);
    const pages = emulator.log
      .map(({ path }) => new URLSearchParams(path.split("?")[1]))
      .filter((query) => query.has("per_page") && query.get("status") === "active")
      .map((query) => query.get("page"));
    expect(pages).toEqual(["1", "2", "3"]);
  });
});
