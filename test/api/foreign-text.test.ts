import { describe, expect, test } from "vitest";
import { cleaner, secretParts, spellings } from "../../src/api/redact.js";

import { SPELLINGS } from "../support/spellings.js";

function knowing(...secrets: readonly string[]) {
  return cleaner(new Set(secrets.flatMap(secretParts).flatMap(spellings)));
}

const SECRETS = [
  "v1.0-Canary_77aa",
  'canary "77" \\ aa/bb+cc',
  "cänary 77 & <aa>",
  "s3://canary-bucket/path?access-key-id=CANARY77AA&secret-access-key=canary%2F77+aa",
];

describe("a known secret", () => {
  test.each(SPELLINGS)("is redacted in a message, %s", (_, spelled) => {
    for (const secret of SECRETS) {
      const clean = knowing(secret);
      const said = spelled(secret);
      expect(clean(`before ${said} after`, 5_000)).toBe("before [redacted] after");
      expect(clean(JSON.stringify({ a: [said] }), 5_000)).toContain("[redacted]");
      expect(clean(JSON.stringify({ a: [said] }), 5_000)).not.toContain(said.slice(2, 12));
    }
  });

  test("is redacted wherever the text is cut", () => {
    const clean = knowing("canary-7f3a9c5e1b");
    for (let before = 0; before < 140; before++) {
      const text = `${"x ".repeat(before)}canary-7f3a9c5e1b${" y".repeat(20_000)}`;
      expect(clean(text, 120)).not.toContain("can");
    }
    expect(clean("canary-7f3a9c5e1b ".repeat(5_000), 120)).not.toContain("can");
  });

  test("of three characters is redacted as a whole word only, and a shorter one is not redacted", () => {
    const clean = cleaner(new Set(["abc", "de"].flatMap(spellings)));
    expect(clean("abc, (ABC) but abcd de")).toBe("[redacted], ([redacted]) but abcd de");
  });

  test("also redacts its bucket, path, user and parameters, except common words", () => {
    const clean = knowing(
      "r2://canary-bucket/some/place/{DATE}?account-id=canaryid&x=yes",
      "https://u:canarypass@h.example/",
    );
    expect(clean("no canary-bucket below some/place/{DATE} for canaryid: canarypass; yes")).toBe(
      "no [redacted] below [redacted] for [redacted]: [redacted]; yes",
    );
    expect(clean("h.example")).toBe("h.example");
  });

  test("does not redact its short path segments or its domain name, which messages contain for other reasons", () => {
    const clean = knowing(
      "s3://example/forbidden/site08/shop.example.com?region=eu",
      "https://logs.example.com/policy/managed/in?x=yes",
    );
    const said = "no longer managed: site08.example.com, shop.example.com; policy is no longer forbidden";
    expect(clean(said)).toBe(said);
    expect(clean("to s3://example/forbidden/site08/shop.example.com?region=eu now")).toBe(
      "to [redacted] now",
    );
  });
});

describe("an unknown secret", () => {
  const clean = cleaner(new Set());
  const cases: readonly (readonly [sentence: string, text: string, shown: string])[] = [
    ["a bucket", "cannot write to s3://logs/http?x=y: denied", "cannot write to s3://[redacted] denied"],
    [
      "a host of another log service",
      "no splunk://h.example:8088/a?header_Authorization=x",
      "no splunk://[redacted]",
    ],
    ["the query of a URL", "see https://h.example/in?a=b%20c, too", "see https://h.example[redacted] too"],
    ["the user of a URL", "at https://u:p@h.example/in", "at https://[redacted]h.example[redacted]"],
    [
      "a key in a URL path",
      "at https://h.example/receiver/v1/http/ZaVnC4dhaV2ec3Qx7Q==",
      "at https://h.example/receiver/v1/http/[redacted]",
    ],
    ["a parameter", "bad secret-access-key=abc&region=eu", "bad secret-access-key=[redacted]&region=eu"],
    ["a field", '{"destination_conf":"abc","name":"a"}', '{"destination_conf":"[redacted]","name":"a"}'],
    ["a field of JSON inside JSON", '{\\"auth_token\\": \\"abc\\"}', '{\\"auth_token\\": \\"[redacted]\\"}'],
    ["a header", "got Authorization: Splunk abc", "got Authorization: [redacted]"],
    ["a credential", "got Bearer abc123def", "got Bearer [redacted]"],
    ["an encoded URL", "s3%3A%2F%2Flogs%2Fa%3Fb%3Dc", "s3%3A%2F%2F[redacted]"],
  ];
  test.each(cases)("is redacted by its form: %s", (_, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  const plain = [
    "see https://developers.cloudflare.com/logs/get-started/enable-destinations/",
    "invalid token: expected a string",
    "Basic authentication is off, Bearer authentication too",
    "http.request.uri.path contains unknown field, zone 353c8d1a7323a8d9ca50e4ef0135e023",
    "a destination must start with s3://, gs:// or https://",
    "key 'rules' is missing (/rules/0/expression)",
  ];
  test.each(plain)("is not suspected in: %s", (text) => {
    expect(clean(text)).toBe(text);
  });
});
