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
    ["is unknown for a score that is no number", "scripts", { js_integrity_score: "low" }, null, [], []],
    ["reads a score in text", "scripts", { js_integrity_score: "12" }, true, ["score_below_threshold"], []],
    [
      "reads what is reported in text",
      "scripts",
      { domain_reported_malicious: "True", url_reported_malicious: "false", js_integrity_score: "99" },
      true,
      ["domain_reported"],
      [],
    ],
    [
      "is not malicious for texts that say so",
      "connections",
      { domain_reported_malicious: "false" },
      false,
      [],
      [],
    ],
    [
      "is unknown where a report cannot be read, whatever the score",
      "scripts",
      { js_integrity_score: 99, domain_reported_malicious: "maybe" },
      null,
      [],
      [],
    ],
    [
      "is unknown where one of a connection's reports cannot be read",
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
      "is malicious for a reported script whatever its score",
      "scripts",
      { ...url, js_integrity_score: 99 },
      true,
      ["url_reported"],
      ["Spam", "Phishing"],
    ],
    ["passes over categories of what is not reported", "connections", { ...domain, ...not }, false, [], []],
    [
      "passes over categories that are no texts",
      "connections",
      { ...domain, malicious_domain_categories: [1, null] },
      true,
      ["domain_reported"],
      [],
    ],
    [
      "is not malicious for a connection that is not reported",
      "connections",
      { url_reported_malicious: false },
      false,
      [],
      [],
    ],
    ["is unknown for a connection without a word on reports", "connections", {}, null, [], []],
    ["does not look at a connection's score", "connections", { js_integrity_score: 1 }, null, [], []],
  ])("%s", (_, kind, raw, malicious, reasons, categories) => {
    expect(judge(kind, { raw }, 50)).toEqual({ malicious, reasons, categories });
  });

  test("follows the threshold that it is given", () => {
    const verdicts = [10, 11].map(
      (below) => judge("scripts", { raw: { js_integrity_score: 10 } }, below).malicious,
    );
    expect(verdicts).toEqual([false, true]);
  });
});
