import { describe, expect, test } from "vitest";
import { type DetectedKind, judge } from "../../src/model/detection.js";
import type { JsonObject } from "../../src/model/json.js";

const not = { domain_reported_malicious: false, url_reported_malicious: false };
const domain = { domain_reported_malicious: true, malicious_domain_categories: ["Malware", "Spam"] };
const url = { url_reported_malicious: true, malicious_url_categories: ["Spam", "Phishing"] };

describe("the verdict", () => {
  test.each<[string, DetectedKind, JsonObject, boolean | null, readonly string[], readonly string[]]>([
    [
      "is malicious below the threshold",
      "scripts",
      { js_integrity_score: 49 },
      true,
      ["score_below_threshold"],
      [],
    ],
    ["is not malicious at the threshold", "scripts", { ...not, js_integrity_score: 50 }, false, [], []],
    [
      "is unknown for a script whose score is null",
      "scripts",
      { ...not, js_integrity_score: null },
      null,
      [],
      [],
    ],
    ["is unknown for a script without a score", "scripts", not, null, [], []],
    ["is unknown for a score that is not a number", "scripts", { js_integrity_score: "low" }, null, [], []],
    [
      "accepts a score written as text",
      "scripts",
      { js_integrity_score: "12" },
      true,
      ["score_below_threshold"],
      [],
    ],
    [
      "accepts reports written as text",
      "scripts",
      { domain_reported_malicious: "True", url_reported_malicious: "false", js_integrity_score: "99" },
      true,
      ["domain_reported"],
      [],
    ],
    [
      "is not malicious if the text says so",
      "connections",
      { domain_reported_malicious: "false" },
      false,
      [],
      [],
    ],
    [
      "is unknown if a report is unreadable, whatever the score",
      "scripts",
      { js_integrity_score: 99, domain_reported_malicious: "maybe" },
      null,
      [],
      [],
    ],
    [
      "is unknown if one report of a connection is unreadable",
      "connections",
      { domain_reported_malicious: false, url_reported_malicious: 1 },
      null,
      [],
      [],
    ],
    [
      "has the categories of a reported domain",
      "scripts",
      domain,
      true,
      ["domain_reported"],
      ["Malware", "Spam"],
    ],
    [
      "has each category once",
      "connections",
      { ...domain, ...url },
      true,
      ["domain_reported", "url_reported"],
      ["Malware", "Spam", "Phishing"],
    ],
    [
      "is malicious for a reported script, whatever the score",
      "scripts",
      { ...url, js_integrity_score: 99 },
      true,
      ["url_reported"],
      ["Spam", "Phishing"],
    ],
    ["ignores categories of an unreported domain", "connections", { ...domain, ...not }, false, [], []],
    [
      "ignores categories that are not text",
      "connections",
      { ...domain, malicious_domain_categories: [1, null] },
      true,
      ["domain_reported"],
      [],
    ],
    [
      "is not malicious for an unreported connection",
      "connections",
      { url_reported_malicious: false },
      false,
      [],
      [],
    ],
    ["is unknown for a connection without report fields", "connections", {}, null, [], []],
    ["ignores the score of a connection", "connections", { js_integrity_score: 1 }, null, [], []],
  ])("%s", (_, kind, raw, malicious, reasons, categories) => {
    expect(judge(kind, { raw }, 50)).toEqual({ malicious, reasons, categories });
  });

  test("uses the given threshold", () => {
    const verdicts = [10, 11].map(
      (below) => judge("scripts", { raw: { js_integrity_score: 10 } }, below).malicious,
    );
    expect(verdicts).toEqual([false, true]);
  });
});
