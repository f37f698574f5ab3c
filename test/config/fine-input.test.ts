import { expect, test } from "vitest";
import { parseSource, type SourceFile } from "../../src/config/source.js";
import { readDesired } from "../../src/run/files.js";
import { folderOf } from "./folder.js";
import { text } from "./text.js";

interface FineInput {
  readonly name: string;
  readonly files: { readonly [name: string]: string };
  readonly env?: { readonly [name: string]: string };
}

/** Unusual files that are valid. */
const fine: readonly FineInput[] = [
  {
    name: "a byte-order mark",
    files: {
      "a.yaml": "\ufeffversion: 1\nzones:\n  a.example: {}\n",
    },
  },
  {
    name: "CRLF",
    files: {
      "a.yaml":
        "version: 1\r\nzones:\r\n  a.example:\r\n    policies:\r\n      - description: a\r\n        value: |\r\n          script-src 'self';\r\n          img-src *\r\n",
    },
  },
  {
    name: "a missing line end at the end",
    files: {
      "a.yaml": "version: 1\nzones: { a.example: {} }",
    },
  },
  {
    name: "a YAML 1.2 directive",
    files: {
      "a.yaml": text`
        %YAML 1.2
        ---
        version: 1
        zones:
          a.example: {}
        ...
      `,
    },
  },
  {
    name: "tags without effect",
    files: {
      "a.yaml": text`
        version: !!int 1
        zones: !!map { a.example: {} }
      `,
    },
  },
  {
    name: "anchors and aliases",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: &shop
            policies: [{ description: a, value: &csp { script-src: [a] } }]
          b.example: *shop
          c.example: { policies: [{ description: a, value: *csp }] }
      `,
    },
  },
  {
    name: "an anchor on a key",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: { policies: [{ &d description: a, renamed_from: *d }] }
      `,
    },
  },
  {
    name: "JSON",
    files: {
      "a.yaml": '{"version": 1, "zones": {"a.example": {"settings": {"enabled": true}}}}',
    },
  },
  {
    name: "an empty zone",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: {}
      `,
    },
  },
  {
    name: "names in other spellings and scripts",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          Shop.Example.COM.: {}
          bücher.example: {}
          _dmarc.a.example: {}
          😀.example: {}
      `,
    },
  },
  {
    name: "the dataset of an absent job, which tells it from another of its name",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs: [{ name: a, dataset: http_requests, ensure: absent }]
      `,
    },
  },
  {
    name: "entries that only delete",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: [{ description: a, ensure: absent }]
      `,
    },
  },
  {
    name: "an empty list with prune",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: []
            prune: [policies, policies]
      `,
    },
  },
  {
    name: "unusual descriptions",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - { description: "\\e[31m\\u202e\\0" }
              - { description: 😀 }
              - { description: "a/~b" }
              - { description: "$\${x}" }
              - { description: hasOwnProperty }
      `,
    },
  },
  {
    name: "templates in a diamond",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          base: { settings: { enabled: true } }
          left: { extends: [base] }
          right: { extends: [base] }
        zones:
          a.example: { extends: [left, right, left] }
      `,
    },
  },
  {
    name: "nulls that remove inherited values",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            account_id: 023e105f4ecef8ad9ca31a8372d0c353
            settings: { enabled: true }
            policies: [{ description: a, action: log, value: { script-src: [a], img-src: [b] } }]
            prune: [policies]
        zones:
          a.example: { extends: [shop], settings: ~, policies: ~, prune: ~, account_id: ~ }
          b.example:
            extends: [shop]
            settings: { enabled: ~ }
            policies: [{ description: a, action: ~, value: { img-src: ~ } }]
      `,
    },
  },
  {
    name: "a value at its limit",
    files: {
      "a.yaml": `version: 1\nzones:\n  a.example:\n    policies:\n      - description: Scripts\n        value: script-src    ${"a".repeat(5_989)} ;\n`,
    },
  },
  {
    name: "an expression at its limit",
    files: {
      "a.yaml": `version: 1\nzones:\n  a.example:\n    policies:\n      - description: Scripts\n        expression: http.host eq "${"a".repeat(4_096 - 15)}"\n`,
    },
  },
  {
    name: "longer values with raised limits",
    files: {
      "a.yaml": `version: 1\nservice: { limits: { policy_value_chars: 7000, expression_chars: 5000 } }\nzones:\n  a.example:\n    policies:\n      - description: Scripts\n        value: script-src ${"a".repeat(6_500)}\n        expression: http.host eq "${"a".repeat(4_999 - 15)}"\n`,
    },
  },
  {
    name: "extra directives",
    files: {
      "a.yaml": text`
        version: 1
        service: { extra_csp_directives: [report-to, sandbox] }
      `,
      "b.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: Report-To a; sandbox
      `,
    },
  },
  {
    name: "all forms of references",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: http.host eq "\${env:A}\${env:B:-b}\${env:C:-c}$\${env:D}\${env:E:-{}}"
                action: \${env:ACTION:-log}
      `,
    },
    env: { A: "a", C: "" },
  },
  {
    name: "a variable on the list of names",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:A}
      `,
    },
    env: { ZONEWARD_VARS: " B , A ", A: "ssl" },
  },
  {
    name: "brackets inside strings",
    files: {
      "a.yaml": `version: 1\nzones:\n  a.example: # ${"[".repeat(100)}\n    policies: [{ description: "${"[".repeat(100)}", expression: 'http.host eq "${"{".repeat(100)}"' }]\n`,
    },
  },
];

const named = fine.map((input) => [input.name, input] as const);
test.each(named)("accepts %s", async (_, { files, env }) => {
  const cwd = await folderOf(files);
  const { desired, problems } = await readDesired({
    config: Object.keys(files),
    cwd,
    environment: env ?? {},
  });
  expect(problems).toEqual([]);
  expect(desired?.zones.length).toBeGreaterThan(0);
});

function parsed(text: string): SourceFile {
  const read = parseSource("a.yaml", text);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

test("reads equal blocks by their own columns", () => {
  const block = "|2-\n       two\n";
  const { value } = parsed(
    `version: 1\nzones:\n  a.example:\n    tests: ${block}  b.example:\n     tests: ${block}  c.example:\n    tests: ${block}  d.example: {}\n`,
  );
  expect(value).toMatchObject({
    zones: { "a.example": { tests: " two" }, "b.example": { tests: "two" }, "c.example": { tests: " two" } },
  });
});

test("does not take lines in a flow map for sections", () => {
  const zone = "{\n    policies:\n      [], settings: {enabled: true}\n    }\n";
  const { value } = parsed(`version: 1\nzones:\n  a.example: ${zone}  b.example: ${zone}`);
  const whole = { policies: [], settings: { enabled: true } };
  expect(value).toEqual({ version: 1, zones: { "a.example": whole, "b.example": whole } });
});

test("reads 100,000 comments with CRLF", () => {
  const { value } = parsed(`version: 1\r\nzones:\r\n${"  # a.example:\r\n".repeat(100_000)}`);
  expect(value).toEqual({ version: 1, zones: null });
});

test("reads a comment with 2,000,000 spaces", () => {
  const comment = `# zoneward${" ".repeat(2_000_000)}x`;
  expect(parsed(`version: 1\n${comment}\nzones: {}\n`).acceptances).toEqual([]);
});

test("hides secrets in 10,000 similar zones", () => {
  const zones = Array.from(
    { length: 10_000 },
    (_, n) =>
      `  z${n}.example:\n    settings:\n      enabled: true\n    logpush_jobs: [{ destination_conf: s3://b?secret=${n} }]\n`,
  );
  const { span } = parsed(`version: 1\nzones:\n${zones.join("")}`);
  expect(span(["zones", "z9999.example", "settings", "enabled"])).toMatchObject({ line: 40_001 });
  expect(span(["zones", "z7.example", "logpush_jobs"]).text).toMatch(
    /^ {4}logpush_jobs: \[\{ destination_conf: \*+/,
  );
});

test("reads aliases for more text than a string can hold", () => {
  const items = "      - { description: *s }\n".repeat(40_000);
  const long = "x".repeat(20_000);
  const { value } = parsed(
    `version: 1\nzones:\n  a.example:\n    account_id: &s ${long}\n    policies:\n${items}`,
  );
  const { zones } = value as { zones: Record<string, { policies: { description: string }[] }> };
  expect(zones["a.example"]?.policies.at(-1)?.description).toBe(long);
});
