import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const csp: readonly BadInput[] = [
  {
    name: "a directive that the service does not know",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: scrpt-src 'self'; report-uri /csp
      `,
    },
    problems: text`
      a.yaml:6:16 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`scrpt-src\`. Did you mean \`script-src\`?
      a.yaml:6:34 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`report-uri\`. Remove it. If Cloudflare accepts it by now, add it to service.extra_csp_directives.
    `,
  },
  {
    name: "an unknown directive of a map at its key",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value:
                  script-src: ["'self'"]
                  imgsrc: ["data:"]
      `,
    },
    problems: text`
      a.yaml:8:11 csp_unknown_directive /zones/a.example/policies/0/value/imgsrc
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
    `,
  },
  {
    name: "an unknown directive despite extra directives",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: report-to a; sandbox
        service: { extra_csp_directives: [report-to] }
      `,
    },
    problems: text`
      a.yaml:6:29 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`sandbox\`. Remove it. If Cloudflare accepts it by now, add it to service.extra_csp_directives.
    `,
  },
  {
    name: "a repeated directive",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: script-src a; img-src b; SCRIPT-SRC c
      `,
    },
    problems: text`
      a.yaml:6:41 csp_repeated_directive /zones/a.example/policies/0/value
        Browsers use the first \`script-src\` and ignore this one. Put all sources into one directive.
    `,
  },
  {
    name: "a repeated directive in a map",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [a], img-src: [b], Script-Src: [c] }
      `,
    },
    problems: text`
      a.yaml:6:49 csp_repeated_directive /zones/a.example/policies/0/value/Script-Src
        Browsers use the first \`script-src\` and ignore this one. Put all sources into one directive.
    `,
  },
  {
    name: "a comma, which would start a second policy",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: script-src a, b.example
      `,
    },
    problems: text`
      a.yaml:6:28 csp_comma /zones/a.example/policies/0/value
        Separate sources with spaces and directives with \`;\`, and write a comma inside a URL as %2C. A comma starts a second policy, and browsers read the next word as a directive.
    `,
  },
  {
    name: "a scheme in a flow list without quotes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [https:, data:] }
      `,
    },
    problems: text`
      a.yaml:6:31 wrong_type /zones/a.example/policies/0/value/script-src/0
        Item 1 of script-src is a map. It must be a string. Put "https:" in quotes.
      a.yaml:6:39 wrong_type /zones/a.example/policies/0/value/script-src/1
        Item 2 of script-src is a map. It must be a string. Put "data:" in quotes.
    `,
  },
  {
    name: "curly quotes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: script-src ‘self’
      `,
    },
    problems: text`
      a.yaml:6:27 csp_not_ascii /zones/a.example/policies/0/value
        Browsers drop all of \`script-src\` because of the curly quote ‘ (U+2018). Write keywords with straight single quotes: 'self'.
    `,
  },
  {
    name: "a host name that is not in punycode",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [a.example, bücher.example] }
      `,
    },
    problems: text`
      a.yaml:6:43 csp_not_ascii /zones/a.example/policies/0/value/script-src/1
        Browsers drop all of \`script-src\` because of the non-ASCII character U+00FC. Write host names in punycode (xn--…) and paths percent-encoded, and remove anything else.
    `,
  },
  {
    name: "spaces that are not plain spaces",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: "script-src\\u00a0a"
      `,
    },
    problems: text`
      a.yaml:6:27 csp_not_ascii /zones/a.example/policies/0/value
        Browsers drop all of this directive because of the no-break space U+00A0. Write a plain space.
    `,
  },
  {
    name: "control characters written as escapes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: "script-src a\\0"
      `,
    },
    problems: text`
      a.yaml:6:29 csp_not_ascii /zones/a.example/policies/0/value
        Browsers drop all of \`script-src\` because of the control character U+0000. Remove it.
    `,
  },
  {
    name: "an empty value",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: ""
      `,
    },
    problems: text`
      a.yaml:6:16 csp_empty /zones/a.example/policies/0/value
        The value has no directive. Write at least one, such as \`script-src 'self'\`.
    `,
  },
  {
    name: "a value of separators",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: " ; ; "
      `,
    },
    problems: text`
      a.yaml:6:17 csp_empty /zones/a.example/policies/0/value
        The value has no directive. Write at least one, such as \`script-src 'self'\`.
    `,
  },
  {
    name: "an empty map",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: {}
      `,
    },
    problems: text`
      a.yaml:6:9 csp_empty /zones/a.example/policies/0/value
        The value has no directive. Write at least one, such as \`script-src 'self'\`.
    `,
  },
  {
    name: "a value of upgrade-insecure-requests",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: upgrade-insecure-requests 1
      `,
    },
    problems: text`
      a.yaml:6:42 csp_needless_value /zones/a.example/policies/0/value
        \`upgrade-insecure-requests\` takes no value. Remove the text after it, or put a \`;\` before that text.
    `,
  },
  {
    name: "a value of upgrade-insecure-requests in a map",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { upgrade-insecure-requests: [1x] }
      `,
    },
    problems: text`
      a.yaml:6:46 csp_needless_value /zones/a.example/policies/0/value/upgrade-insecure-requests/0
        \`upgrade-insecure-requests\` takes no value. Remove the text after it, or put a \`;\` before that text.
    `,
  },
  {
    name: "a keyword in frame-ancestors",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: frame-ancestors 'self' 'unsafe-inline'
      `,
    },
    problems: text`
      a.yaml:6:39 csp_frame_ancestors /zones/a.example/policies/0/value
        \`frame-ancestors\` takes only 'none', 'self', schemes and hosts. Remove \`'unsafe-inline'\`.
    `,
  },
  {
    name: "a keyword without quotes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [cdn.example, self] }
      `,
    },
    problems: text`
      a.yaml:6:44 csp_unquoted_keyword /zones/a.example/policies/0/value/script-src/1
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
    `,
  },
  {
    name: "'none' beside other sources, as a warning",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: script-src 'none' a
      `,
    },
    problems: text`
      a.yaml:6:27 warning csp_ignored_none /zones/a.example/policies/0/value
        Browsers ignore 'none' beside other sources. Remove 'none', or remove the other sources.
    `,
  },
  {
    name: "a directive without sources, as a warning",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [] }
      `,
    },
    problems: text`
      a.yaml:6:18 warning csp_no_sources /zones/a.example/policies/0/value/script-src
        \`script-src\` has no sources and so allows nothing. Write 'none' to say so, or add sources.
    `,
  },
  {
    name: "map items with more than one source",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: ["a b", "c;", "d,e", "", "f\\tg"] }
      `,
    },
    problems: text`
      a.yaml:6:31 csp_token /zones/a.example/policies/0/value/script-src/0
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:6:38 csp_token /zones/a.example/policies/0/value/script-src/1
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:6:44 csp_token /zones/a.example/policies/0/value/script-src/2
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:6:51 csp_token /zones/a.example/policies/0/value/script-src/3
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:6:55 csp_token /zones/a.example/policies/0/value/script-src/4
        Write one directive per key and one source per item, without spaces, commas and semicolons.
    `,
  },
  {
    name: "map items with more than one word, and later mistakes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value:
                  "img-src x": [b, self]
                  script-src: ["'strict-dynamic'", "'sha256-a' 'sha256-b'", self, "", "b.example:99999"]
                  font-src: ["a b"]
                  imgsrc: ["c d", data]
                  media-src: [a.example, data]
      `,
    },
    problems: text`
      a.yaml:7:11 csp_token /zones/a.example/policies/0/value/img-src x
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:8:44 csp_token /zones/a.example/policies/0/value/script-src/1
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:8:69 csp_unquoted_keyword /zones/a.example/policies/0/value/script-src/2
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
      a.yaml:8:75 csp_token /zones/a.example/policies/0/value/script-src/3
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:8:80 warning csp_bad_port /zones/a.example/policies/0/value/script-src/4
        \`b.example:99999\` matches nothing, because port 99999 does not exist. Correct the port; 65535 is the last.
      a.yaml:9:22 csp_token /zones/a.example/policies/0/value/font-src/0
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:10:11 csp_unknown_directive /zones/a.example/policies/0/value/imgsrc
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
      a.yaml:10:20 csp_token /zones/a.example/policies/0/value/imgsrc/0
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:11:34 warning csp_missing_colon /zones/a.example/policies/0/value/media-src/1
        Without the colon, browsers read \`data\` as a host name. Write \`data:\`.
    `,
  },
  {
    name: "comments in a CSP value",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: |
                  # scripts
                  script-src 'self'; # images
                  img-src *
      `,
    },
    problems: text`
      a.yaml:7:11 csp_comment /zones/a.example/policies/0/value
        CSP has no comments. Move the comment outside of the value. Everything from \`#\` to the next \`;\` is read as one unknown directive.
      a.yaml:8:30 csp_comment /zones/a.example/policies/0/value
        CSP has no comments. Move the comment outside of the value. Everything from \`#\` to the next \`;\` is read as one unknown directive.
    `,
  },
  {
    name: "map keys with more than one directive",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { "script-src a": [b], "": [], "img-src;": [c] }
      `,
    },
    problems: text`
      a.yaml:6:18 csp_token /zones/a.example/policies/0/value/script-src a
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:6:39 csp_token /zones/a.example/policies/0/value/
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:6:47 csp_token /zones/a.example/policies/0/value/img-src;
        Write one directive per key and one source per item, without spaces, commas and semicolons.
    `,
  },
  {
    name: "a value that is longer than the service allows",
    files: {
      "a.yaml": `version: 1\nzones:\n  a.example:\n    policies:\n      - description: Scripts\n        value: script-src ${"a".repeat(5_990)}\n`,
    },
    problems: text`
      a.yaml:6:16 too_long /zones/a.example/policies/0/value
        It has 6001 characters as sent; the limit is 6000. Shorten it, or set service.limits.policy_value_chars if your account allows more.
    `,
  },
  {
    name: "an expression that is longer than the service allows",
    files: {
      "a.yaml": `version: 1\nzones:\n  a.example:\n    policies:\n      - description: Scripts\n        expression: http.host eq "${"a".repeat(4_097 - 15)}"\n`,
    },
    problems: text`
      a.yaml:6:21 too_long /zones/a.example/policies/0/expression
        It has 4097 characters as sent; the limit is 4096. Shorten it, or set service.limits.expression_chars if your account allows more.
    `,
  },
  {
    name: "weak sources, as warnings at their places",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: >-
                  script-src 'self' https:
                  'unsafe-inline'; img-src *
              - description: More
                value: { script-src: ["'self'", "https://cdn.jsdelivr.net", "'unsafe-evil'"] }
      `,
    },
    problems: text`
      a.yaml:7:29 warning csp_plain_scheme /zones/a.example/policies/0/value
        \`https:\` in \`script-src\` allows every host. Name only the hosts that you need.
      a.yaml:8:11 warning csp_unsafe_inline /zones/a.example/policies/0/value
        \`'unsafe-inline'\` runs every script that an attacker injects into the page. Move inline scripts into files, or allow each by its hash.
      a.yaml:10:42 warning csp_bypass_host /zones/a.example/policies/1/value/script-src/1
        \`https://cdn.jsdelivr.net\` serves JSONP and AngularJS, with which attackers can run their own scripts. Allow only the files that you need, each with its path.
      a.yaml:10:70 warning csp_unknown_keyword /zones/a.example/policies/1/value/script-src/2
        Browsers ignore \`'unsafe-evil'\`: it is not a keyword, nonce or hash. Did you mean 'unsafe-eval'?
    `,
  },
  {
    name: "a null in a map, without a complaint about its directive",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [a], scrip-src: ~ }
      `,
    },
    problems: text`
      a.yaml:6:35 no_value /zones/a.example/policies/0/value/scrip-src
        scrip-src has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "values beyond lowered limits",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: "not   ssl"
                value: { script-src: [a, b] }
        service: { limits: { expression_chars: 6, policy_value_chars: 13 } }
      `,
    },
    problems: text`
      a.yaml:6:21 too_long /zones/a.example/policies/0/expression
        It has 7 characters as sent; the limit is 6. Shorten it, or set service.limits.expression_chars if your account allows more.
      a.yaml:7:9 too_long /zones/a.example/policies/0/value
        It has 14 characters as sent; the limit is 13. Shorten it, or set service.limits.policy_value_chars if your account allows more.
    `,
  },
  {
    name: "invalid limits, without applying them",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: "true"
                value: script-src a
        service: { limits: { expression_chars: 0, policy_value_chars: -1 } }
      `,
    },
    problems: text`
      a.yaml:8:40 wrong_value /service/limits/expression_chars
        expression_chars is 0. It must be 1 or more.
      a.yaml:8:63 wrong_value /service/limits/policy_value_chars
        policy_value_chars is -1. It must be 1 or more.
    `,
  },
  {
    name: "a source and a header where a directive belongs",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: A
                value: https://x.example
              - description: B
                value: "Content-Security-Policy: script-src 'self'"
      `,
    },
    problems: text`
      a.yaml:6:16 csp_unknown_directive /zones/a.example/policies/0/value
        A CSP value starts with a directive, such as \`script-src\`. Write one here, without the name of the header.
      a.yaml:8:17 csp_unknown_directive /zones/a.example/policies/1/value
        A CSP value starts with a directive, such as \`script-src\`. Write one here, without the name of the header.
    `,
  },
];
