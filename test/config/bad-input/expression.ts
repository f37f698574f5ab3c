import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

/** A zone with a policy whose expression is this YAML. */
function policy(expression: string): BadInput["files"] {
  const head =
    "version: 1\nzones:\n  a.example:\n    policies:\n      - description: Scripts\n        expression: ";
  return { "a.yaml": `${head}${expression}\n` };
}

const UNKNOWN = "No field `http.hots` exists. Did you mean `http.host`?";

export const expression: readonly BadInput[] = [
  {
    name: "a mistake in a plain text at its own column",
    files: policy('ssl and http.hots eq "a"'),
    problems: text`
      a.yaml:6:29 expression_unknown_name /zones/a.example/policies/0/expression
        ${UNKNOWN}
    `,
  },
  {
    name: "a mistake in a single-quoted text at its own column",
    files: policy("'http.user_agent eq \"it''s\" and http.hots eq \"a\"'"),
    problems: text`
      a.yaml:6:53 expression_unknown_name /zones/a.example/policies/0/expression
        ${UNKNOWN}
    `,
  },
  {
    name: "a mistake in a double-quoted text at its own column, after escapes and folds",
    files: policy('"http.user_agent eq \\"\\u00e9\\" and\n          http.hots eq \\"a\\""'),
    problems: text`
      a.yaml:7:11 expression_unknown_name /zones/a.example/policies/0/expression
        ${UNKNOWN}
    `,
  },
  {
    name: "a mistake in a literal block at its own line and column",
    files: policy('|\n          ssl\n            and http.hots eq "a"'),
    problems: text`
      a.yaml:8:17 expression_unknown_name /zones/a.example/policies/0/expression
        ${UNKNOWN}
    `,
  },
  {
    name: "a mistake in a folded block at its own line and column",
    files: policy('>-\n          ssl and\n          http.hots eq "a"'),
    problems: text`
      a.yaml:8:11 expression_unknown_name /zones/a.example/policies/0/expression
        ${UNKNOWN}
    `,
  },
  {
    name: "a mistake after a filled-in variable at its own column",
    files: policy('http.host eq "${env:A}" and http.hots eq "a"'),
    env: { A: "a much longer text" },
    problems: text`
      a.yaml:6:49 expression_unknown_name /zones/a.example/policies/0/expression
        ${UNKNOWN}
    `,
  },
  {
    name: "a comparison of different types",
    files: policy("http.host == 5"),
    problems: text`
      a.yaml:6:34 expression_invalid_bytes /zones/a.example/policies/0/expression
        Put strings in double quotes: "5".
    `,
  },
  {
    name: "an unavailable field and a condition that is never true, as warnings",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: http.response.code eq 200
            managed_ruleset:
              expression: starts_with(http.request.uri.path, "api")
      `,
    },
    problems: text`
      a.yaml:6:21 warning expression_field_unavailable /zones/a.example/policies/0/expression
        \`http.response.code\` is probably unavailable in a content security rule: Cloudflare does not document response fields for these rules. Use another one.
      a.yaml:8:19 warning expression_never_true /zones/a.example/managed_ruleset/expression
        A path always begins with \`/\`, and this string does not, so this is never true.
    `,
  },
  {
    name: "a mistake in a template that no zone extends",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            managed_ruleset: { expression: 'http.host = "a"' }
      `,
    },
    problems: text`
      a.yaml:4:47 expression_expected_operator /templates/shop/managed_ruleset/expression
        \`=\` and \`===\` are not operators. Write \`==\` or \`eq\`.
    `,
  },
];
