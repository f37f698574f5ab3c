import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const places: readonly BadInput[] = [
  {
    name: "a block text is shown at its mark",
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
      a.yaml:6:16 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`scrip-src\`. Did you mean \`script-src\`?
    `,
  },
  {
    name: "a folded text is shown at its mark",
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
      a.yaml:6:21 missing_variable /zones/a.example/policies/0/expression
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
    `,
  },
  {
    name: "a quoted text of several lines is shown at its quote",
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
      a.yaml:5:22 missing_variable /zones/a.example/policies/0/description
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
      a.yaml:8:17 wrong_value /zones/a.example/policies/0/action
        action is "x"; it can only be log, allow or add_reporting_directives.
    `,
  },
  {
    name: "a plain text of several lines is shown at its first word",
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
      a.yaml:6:21 missing_variable /zones/a.example/policies/0/expression
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
    `,
  },
  {
    name: "list items are shown where their text begins",
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
        action is "x"; it can only be log, allow or add_reporting_directives.
      a.yaml:11:17 csp_token /zones/a.example/policies/1/value/script-src/1
        "b c" is not one word. Each key is one directive and each item one source, without blanks, commas and semicolons.
    `,
  },
  {
    name: "flow maps are shown where their value begins",
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
        action is "x"; it can only be log, allow or add_reporting_directives.
      a.yaml:4:85 wrong_value /zones/a.example/policies/1/action
        action is "y"; it can only be log, allow or add_reporting_directives.
    `,
  },
  {
    name: "an explicit key is a key",
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
        enabled is "no"; it must be true or false. YAML 1.2 reads only true and false as such.
    `,
  },
  {
    name: "a wrong value behind an alias is shown where it is written",
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
        enabled is "no"; it must be true or false. YAML 1.2 reads only true and false as such.
    `,
  },
  {
    name: "a wrong alias is shown itself",
    files: {
      "a.yaml": text`
        version: 1
        account_id: &account abc
        zones:
          a.example: { settings: *account }
      `,
    },
    problems: text`
      a.yaml:4:26 wrong_type /zones/a.example/settings
        settings is "abc"; it must be a map.
    `,
  },
  {
    name: "a wrong value from a template is shown in the template",
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
    name: "a wrong value over a template is shown in the zone",
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
    name: "a wrong source from a template is shown in the template",
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
        "b c" is not one word. Each key is one directive and each item one source, without blanks, commas and semicolons.
      a.yaml:14:28 csp_token /zones/a.example/policies/0/value/img-src/0
        "d;" is not one word. Each key is one directive and each item one source, without blanks, commas and semicolons.
    `,
  },
  {
    name: "a wrong setting under its other name is shown there",
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
        use_cloudflare_reporting_endpoint has no value, and no template gives one that this would remove. Give it one, or remove the key: a key that is absent is not managed.
    `,
  },
  {
    name: "a list that is wrong as a whole is shown at its key",
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
    name: "an empty item is shown at its dash",
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
