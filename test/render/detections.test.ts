import { describe, expect, test } from "vitest";
import { type DetectedKind, type DetectionReport, judge } from "../../src/model/detection.js";
import type { JsonObject } from "../../src/model/json.js";
import { failed, ok, problem } from "../../src/model/problem.js";

import { detectionsJson } from "../../src/render/detections-json.js";
import { detectionRecords, detectionTable } from "../../src/render/detections-text.js";

import { palette } from "../../src/render/palette.js";

const HOSTILE = "\u001b[31mred\u202e\r\n=1+1";

const script: JsonObject = {
  versions: [{ js_integrity_score: 7, hash: "abc", fetched_at: "2026-01-01T00:00:00Z" }],
  page_urls: ["https://shop.example/a", "https://shop.example/b"],
  zebra: "newer than this program",
  js_integrity_score: 7,
  host: "shop.example",
  last_seen_at: "2026-01-02T00:00:00Z",
  domain_reported_malicious: true,
  malicious_domain_categories: ["Malware", "Command, Control"],
  hash: null,
  status: "active",
  url: "https://cdn.example/app.js",
  id: "a1",
};

function report(kind: DetectedKind, ...zones: readonly (readonly JsonObject[])[]): DetectionReport {
  const judged = (raw: JsonObject) => ({
    id: String(raw.id),
    url: String(raw.url),
    raw,
    verdict: judge(kind, { raw }, 50),
  });
  return {
    kind,
    scoreBelow: 50,
    zones: zones.map((raws, index) => ({
      zone: `z${index}.example`,
      zoneId: `zid${index}`,
      detections: ok(raws.map(judged)),
    })),
  };
}

const broken = {
  zone: "broken.example",
  zoneId: null,
  detections: failed(problem("zone_not_found", "Zone not found", "There is none.")),
};

const plainly = palette(false);

describe("the table", () => {
  test("has a line for each detection and the number of malicious ones", () => {
    const other = { id: "b2", url: "https://cdn.example/b.js", js_integrity_score: null };
    expect(detectionTable(report("scripts", [script, other]), plainly)).toBe(
      [
        "ID  STATUS  MALICIOUS                                                     SCORE  LAST SEEN             HOST          URL",
        "a1  active  yes: score below 50, domain reported (Malware, Command, Con…  7      2026-01-02T00:00:00Z  shop.example  https://cdn.example/app.js",
        "b2          unknown                                                                                                  https://cdn.example/b.js",
        "2 scripts in 1 zone, 1 malicious, 1 unjudged.",
        "",
      ].join("\n"),
    );
  });

  test("has the zone if there are several, and no score for connections", () => {
    const one = { id: "c3", url: "wss://chat.example/", url_reported_malicious: false };
    const several = report("connections", [], [one]);
    expect(detectionTable({ ...several, zones: [...several.zones, broken] }, plainly)).toBe(
      [
        "ZONE        ID  STATUS  MALICIOUS  LAST SEEN  HOST  URL",
        "z1.example  c3          no                          wss://chat.example/",
        "1 connection in 2 zones, 1 zone could not be read.",
        "",
      ].join("\n"),
    );
  });

  test("is one line without detections", () => {
    expect(detectionTable(report("scripts", []), plainly)).toBe("0 scripts in 1 zone.\n");
  });

  test("escapes and cuts texts of the service", () => {
    const odd = {
      id: "d4",
      url: `https://x/${"y".repeat(100_000)}`,
      host: HOSTILE,
      status: "s".repeat(100_000),
    };
    const shown = detectionTable(report("scripts", [odd]), plainly);
    expect(shown).not.toMatch(/[\u001b\u202e\r]/);
    expect(shown.split("\n")).toHaveLength(4);
    expect(shown.length).toBeLessThan(6_000);
  });
});

describe("the record of one detection", () => {
  test("has every present field, with pages and versions line by line", () => {
    expect(detectionRecords(report("scripts", [script]), plainly)).toBe(`https://cdn.example/app.js
  zone: z0.example zid0
  malicious: yes: score below 50, domain reported (Malware, Command, Control)
  id: a1
  host: shop.example
  status: active
  last_seen_at: 2026-01-02T00:00:00Z
  domain_reported_malicious: true
  malicious_domain_categories:
    Malware
    Command, Control
  hash: (unknown)
  js_integrity_score: 7
  page_urls:
    https://shop.example/a
    https://shop.example/b
  versions:
    hash abc, fetched_at 2026-01-01T00:00:00Z, js_integrity_score 7
  zebra: newer than this program
`);
  });

  test("escapes names and values", () => {
    const odd = {
      id: "d4",
      url: HOSTILE,
      [HOSTILE]: HOSTILE,
      versions: [{ [HOSTILE]: HOSTILE }, HOSTILE],
      page_urls: [],
    };
    expect(detectionRecords(report("scripts", [odd]), plainly)).not.toMatch(/[\u001b\u202e\r]/);
  });
});

describe("the JSON", () => {
  test("has the service's fields in a fixed order, zoneward's own fields, and each zone", () => {
    const one = report("scripts", [script]);
    const text = detectionsJson({ ...one, zones: [...one.zones, broken] });
    const record = {
      zone: "z0.example",
      zone_id: "zid0",
      ...script,
      verdict: {
        malicious: true,
        reasons: ["score_below_threshold", "domain_reported"],
        categories: ["Malware", "Command, Control"],
      },
    };
    expect(JSON.parse(text)).toEqual({
      format_version: "1",
      malicious_score_below: 50,
      summary: { zones: 2, zones_failed: 1, count: 1, malicious: 1, unknown: 0 },
      scripts: [record],
      zones: [
        { zone: "z0.example", zone_id: "zid0", status: "read", count: 1 },
        {
          zone: "broken.example",
          zone_id: null,
          status: "failed",
          problem: { code: "zone_not_found", summary: "Zone not found", detail: "There is none." },
        },
      ],
    });
    const reordered = Object.fromEntries(Object.entries(script).toReversed());
    expect(detectionsJson(report("scripts", [reordered]))).toBe(detectionsJson(one));
  });

  test("never takes zoneward's own fields from the service", () => {
    const forged = { id: "e5", url: "u", zone: "other.example", zone_id: "x", verdict: { malicious: false } };
    expect(JSON.parse(detectionsJson(report("connections", [forged]))).connections).toEqual([
      {
        zone: "z0.example",
        zone_id: "zid0",
        id: "e5",
        url: "u",
        verdict: { malicious: null, reasons: [], categories: [] },
      },
    ]);
  });
});
