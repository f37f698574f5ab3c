import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const places: readonly BadInput[] = [
  {
    name: "a wrong word at its place in a literal block",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: |
                  script-src 'self';
                  scrip-src a
      `,
    },
    problems: text`
      a.yaml:8:11 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`scrip-src\`. Did you mean \`script-src\`?
    `,
  },
  {
    name: "a wrong reference at its place in a folded block",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: >-
                  \${env:NO}
                  and true
      `,
    },
    problems: text`
      a.yaml:7:11 missing_variable /zones/a.example/policies/0/expression
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
    `,
  },
  {
    name: "a wrong reference at its place in a quoted text of several lines",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: "a
                  \${env:NO}
                  b"
                action: x
      `,
    },
    problems: text`
      a.yaml:6:11 missing_variable /zones/a.example/policies/0/description
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
      a.yaml:8:17 wrong_value /zones/a.example/policies/0/action
        action is "x". It must be log, allow or add_reporting_directives.
    `,
  },
  {
    name: "a wrong reference at its place in a plain text of several lines",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: true and
                  \${env:NO}
                  and true
      `,
    },
    problems: text`
      a.yaml:7:11 missing_variable /zones/a.example/policies/0/expression
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
    `,
  },
  {
    name: "list items at the start of their text",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              -   description: Scripts
                  action: x
              - description: More
                value:
                  script-src:
                    - a
                    -   b c
      `,
    },
    problems: text`
      a.yaml:6:19 wrong_value /zones/a.example/policies/0/action
        action is "x". It must be log, allow or add_reporting_directives.
      a.yaml:11:17 csp_token /zones/a.example/policies/1/value/script-src/1
        Write one directive per key and one source per item, without spaces, commas and semicolons.
    `,
  },
  {
    name: "values in flow maps at their start",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: [ { description: Scripts,   action:   x }, {description: More,action: y} ]
      `,
    },
    problems: text`
      a.yaml:4:53 wrong_value /zones/a.example/policies/0/action
        action is "x". It must be log, allow or add_reporting_directives.
      a.yaml:4:85 wrong_value /zones/a.example/policies/1/action
        action is "y". It must be log, allow or add_reporting_directives.
    `,
  },
  {
    name: "a value of an explicit key",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          ? a.example
          : { settings: { enabled: no } }
      `,
    },
    problems: text`
      a.yaml:4:28 wrong_type /zones/a.example/settings/enabled
        enabled is "no". It must be true or false. Write false.
    `,
  },
  {
    name: "a wrong value behind an alias at its anchor",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: &shop { settings: { enabled: no } }
          b.example: *shop
      `,
    },
    problems: text`
      a.yaml:3:43 wrong_type /zones/a.example/settings/enabled
        enabled is "no". It must be true or false. Write false.
    `,
  },
  {
    name: "a wrongly placed alias at the alias",
    files: {
      "a.yaml": text`
        version: 1
        account_id: &account abc
        zones:
          a.example: { settings: *account }
      `,
    },
    problems: text`
      a.yaml:2:22 warning unusual_id /account_id
        It has 3 digits; ids at Cloudflare have 32. Copy the id from the dashboard, or remove it.
      a.yaml:4:26 wrong_type /zones/a.example/settings
        settings is "abc". It must be a map. Write settings: { enabled: … }.
    `,
  },
  {
    name: "a wrong value from a template in the template",
    files: {
      "templates.yaml": text`
        version: 1
        templates:
          shop:
            policies:
              - description: Scripts
                value: scrip-src a
      `,
      "zones.yaml": text`
        version: 1
        zones:
          a.example: { extends: [shop] }
          b.example: { extends: [shop] }
      `,
    },
    problems: text`
      templates.yaml:6:16 csp_unknown_directive /templates/shop/policies/0/value
        The service does not know the directive \`scrip-src\`. Did you mean \`script-src\`?
    `,
  },
  {
    name: "a wrong value that replaces a template's in the zone",
    files: {
      "templates.yaml": text`
        version: 1
        templates:
          shop:
            policies:
              - description: More
              - description: Scripts
                value: script-src a
      `,
      "zones.yaml": text`
        version: 1
        zones:
          a.example:
            extends: [shop]
            policies:
              - description: Scripts
                value: scrip-src a
      `,
    },
    problems: text`
      zones.yaml:7:16 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`scrip-src\`. Did you mean \`script-src\`?
    `,
  },
  {
    name: "a wrong source from a template in the template",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            policies:
              - description: More
              - description: Scripts
                value:
                  script-src: [a, "b c"]
        zones:
          a.example:
            extends: [shop]
            policies:
              - description: Scripts
                value: { img-src: ["d;"] }
      `,
    },
    problems: text`
      a.yaml:8:27 csp_token /templates/shop/policies/1/value/script-src/1
        Write one directive per key and one source per item, without spaces, commas and semicolons.
      a.yaml:14:28 csp_token /zones/a.example/policies/0/value/img-src/0
        Write one directive per key and one source per item, without spaces, commas and semicolons.
    `,
  },
  {
    name: "a wrong setting at its former name",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop: { settings: { use_service_reporting_endpoint: ~ } }
        zones:
          a.example: { extends: [shop] }
      `,
    },
    problems: text`
      a.yaml:3:23 no_value /templates/shop/settings/use_service_reporting_endpoint
        use_cloudflare_reporting_endpoint has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "a wrong list at its key",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value:
                  {}
      `,
    },
    problems: text`
      a.yaml:6:9 csp_empty /zones/a.example/policies/0/value
        The value has no directive. Write at least one, such as \`script-src 'self'\`.
    `,
  },
  {
    name: "a wrong word at its place in a text of any style",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Plain
                value: script-src a;
                  img-src b
                  self;

                  imgsrc c
              - description: Single quoted
                value: 'script-src ''self''
                  none; imgsrc c'
              - description: Double quoted
                value: "script-src \\x61 \\"self\\"; font\\
                  src b; \\
                  imgsrc c"
              - description: Literal
                value: |2- # two spaces
                    script-src 'self';

                   imgsrc c
              - description: Folded
                value: >+
                  script-src 'self'
                  none;
                    imgsrc c

              - { description: Between brackets, value: script-src
                self, action: log }
              - { description: Tagged, value: !!str &tagged "script-src self" }
      `,
    },
    problems: text`
      a.yaml:8:11 csp_unquoted_keyword /zones/a.example/policies/0/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
      a.yaml:10:11 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
      a.yaml:13:11 csp_unquoted_keyword /zones/a.example/policies/1/value
        Without single quotes, browsers read \`none\` as a host name. Write 'none', and in a YAML list "'none'".
      a.yaml:13:17 csp_unknown_directive /zones/a.example/policies/1/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
      a.yaml:15:33 csp_unquoted_keyword /zones/a.example/policies/2/value
        Without single quotes, browsers ignore \`"self"\`. Write 'self', and in a YAML list "'self'".
      a.yaml:15:43 csp_unknown_directive /zones/a.example/policies/2/value
        The service does not know the directive \`fontsrc\`. Did you mean \`font-src\`?
      a.yaml:17:11 csp_unknown_directive /zones/a.example/policies/2/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
      a.yaml:22:12 csp_unknown_directive /zones/a.example/policies/3/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
      a.yaml:26:11 csp_unquoted_keyword /zones/a.example/policies/4/value
        Without single quotes, browsers read \`none\` as a host name. Write 'none', and in a YAML list "'none'".
      a.yaml:27:13 csp_unknown_directive /zones/a.example/policies/4/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
      a.yaml:30:9 csp_unquoted_keyword /zones/a.example/policies/5/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
      a.yaml:31:65 csp_unquoted_keyword /zones/a.example/policies/6/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
    `,
  },
  {
    name: "a wrong word at its place in a file with CRLF",
    files: {
      "a.yaml":
        'version: 1\r\nzones:\r\n  a.example:\r\n    policies:\r\n      - description: Scripts\r\n        value: |\r\n          script-src a;\r\n\r\n          imgsrc b\r\n      - description: More\r\n        value: >-\r\n          script-src\r\n          self\r\n      - description: Quoted\r\n        value: "script-src\r\n          self"\r\n',
    },
    problems: text`
      a.yaml:9:11 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
      a.yaml:13:11 csp_unquoted_keyword /zones/a.example/policies/1/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
      a.yaml:16:11 csp_unquoted_keyword /zones/a.example/policies/2/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
    `,
  },
  {
    name: "a wrong word behind an alias at its anchor",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: &csp
                  script-src self
                value: script-src a
              - description: Scripts
                value: *csp
              - description: More
                value: *csp
      `,
    },
    problems: text`
      a.yaml:6:22 csp_unquoted_keyword /zones/a.example/policies/1/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
    `,
  },
  {
    name: "a wrong word from a template in the template, despite other keys in the zone",
    files: {
      "templates.yaml": text`
        version: 1
        templates:
          shop:
            policies:
              - description: Scripts
                value: "script-src a;
                  imgsrc b"
      `,
      "zones.yaml": text`
        version: 1
        zones:
          a.example:
            extends: [shop]
            policies:
              - description: Scripts
                action: log
      `,
    },
    problems: text`
      templates.yaml:7:11 csp_unknown_directive /templates/shop/policies/0/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
    `,
  },
  {
    name: "a wrong word after a filled-in variable at its place, and one inside at the reference",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: script-src self $\${ \${env:CDN} self;
                  \${env:WRONG}; \${env:EMPTY}imgsrc a
      `,
    },
    env: { CDN: "cdn.example cdn.example cdn.example", WRONG: "font-src a none", EMPTY: "" },
    problems: text`
      a.yaml:6:27 csp_unquoted_keyword /zones/a.example/policies/0/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
      a.yaml:6:32 warning csp_ignored_source /zones/a.example/policies/0/value
        Browsers ignore \`\${\`: it is not a scheme, host or keyword. Correct it, or remove it.
      a.yaml:6:47 csp_unquoted_keyword /zones/a.example/policies/0/value
        Without single quotes, browsers read \`self\` as a host name. Write 'self', and in a YAML list "'self'".
      a.yaml:7:11 csp_unquoted_keyword /zones/a.example/policies/0/value
        Without single quotes, browsers read \`none\` as a host name. Write 'none', and in a YAML list "'none'".
      a.yaml:7:37 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`imgsrc\`. Did you mean \`img-src\`?
    `,
  },
  {
    name: "an empty item at its dash",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            extends:
              - shop
              -
              -   # nothing
        templates: { shop: {} }
      `,
    },
    problems: text`
      a.yaml:6:7 no_value /zones/a.example/extends/1
        Item 2 of extends has no value. Give it one, or remove the item.
      a.yaml:7:7 no_value /zones/a.example/extends/2
        Item 3 of extends has no value. Give it one, or remove the item.
    `,
  },
];
