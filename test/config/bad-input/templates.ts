import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const templates: readonly BadInput[] = [
  {
    name: "a misspelt var, and not that the var is unused",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            vars: { HOST: www.a.example }
            policies:
              - description: Shop
                expression: http.host eq "\${vars.HOSTS}"
      `,
    },
    problems: text`
      a.yaml:7:35 unknown_var /zones/a.example/policies/0/expression
        a.example, its templates and the defaults have no var "HOSTS". Did you mean \${vars.HOST}?
    `,
  },
  {
    name: "an unknown template",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          storefront: {}
        zones:
          a.example: { extends: [storefornt, blog] }
      `,
    },
    problems: text`
      a.yaml:5:26 unknown_template /zones/a.example/extends/0
        No file defines this template. Did you mean "storefront"?
      a.yaml:5:38 unknown_template /zones/a.example/extends/1
        No file defines this template. Define it under templates, or remove it from extends.
    `,
  },
  {
    name: "unknown templates of templates and defaults",
    files: {
      "a.yaml": text`
        version: 1
        defaults: { extends: [a] }
        templates:
          shop: { extends: [b] }
          idle: { extends: [c] }
        zones:
          a.example: { extends: [shop] }
          b.example: { extends: [shop, d] }
      `,
    },
    problems: text`
      a.yaml:2:23 unknown_template /defaults/extends/0
        No file defines this template. Define it under templates, or remove it from extends.
      a.yaml:4:21 unknown_template /templates/shop/extends/0
        No file defines this template. Define it under templates, or remove it from extends.
      a.yaml:5:21 unknown_template /templates/idle/extends/0
        No file defines this template. Define it under templates, or remove it from extends.
      a.yaml:8:32 unknown_template /zones/b.example/extends/1
        No file defines this template. Define it under templates, or remove it from extends.
    `,
  },
  {
    name: "a template that extends itself",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          a: { extends: [a] }
      `,
    },
    problems: text`
      a.yaml:3:18 template_cycle /templates/a/extends/0
        Each template extends the next: "a" → "a". Remove one of them from an extends.
    `,
  },
  {
    name: "two templates that extend each other",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          a: { extends: [b] }
          b: { extends: [a] }
        zones:
          a.example: { extends: [b] }
      `,
    },
    problems: text`
      a.yaml:4:18 template_cycle /templates/b/extends/0
        Each template extends the next: "a" → "b" → "a". Remove one of them from an extends.
    `,
  },
  {
    name: "three templates that extend each other",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          a: { extends: [b] }
        zones:
          a.example: { extends: [c] }
          b.example: { extends: [b] }
      `,
      "b.yaml": text`
        version: 1
        templates:
          b: { extends: [x, c] }
          c: { extends: [a] }
          x: {}
      `,
    },
    problems: text`
      b.yaml:4:18 template_cycle /templates/c/extends/0
        Each template extends the next: "a" → "b" → "c" → "a". Remove one of them from an extends.
    `,
  },
  {
    name: "defaults that lead into a cycle",
    files: {
      "a.yaml": text`
        version: 1
        defaults: { extends: [a] }
        templates:
          a: { extends: [a] }
        zones:
          a.example: { settings: { enabled: true } }
      `,
    },
    problems: text`
      a.yaml:4:18 template_cycle /templates/a/extends/0
        Each template extends the next: "a" → "a". Remove one of them from an extends.
    `,
  },
  {
    name: "a repeated template name",
    files: {
      "a.yaml": text`
        version: 1
        templates: { shop: {} }
      `,
      "b.yaml": text`
        version: 1
        templates: { shop: { settings: { enabled: no } } }
      `,
    },
    problems: text`
      b.yaml:2:14 duplicate_template /templates/shop
        It is already declared at a.yaml:2:14. Remove one of the two.
      b.yaml:2:43 wrong_type /templates/shop/settings/enabled
        enabled is "no". It must be true or false. Write false.
    `,
  },
  {
    name: "templates that extend each other more than 20 levels deep",
    files: {
      "a.yaml": `version: 1\ntemplates:\n${Array.from({ length: 25 }, (_, n) => `  t${n}: { extends: [t${n + 1}] }\n`).join("")}  t25: {}\nzones:\n  a.example: { extends: [t0] }\n`,
    },
    problems: text`
      a.yaml:22:20 too_many_templates /templates/t19/extends/0
        Templates may extend each other 20 levels deep, and a zone may have 200 templates. Merge some of them.
    `,
  },
  {
    name: "a zone with more than 200 templates",
    files: {
      "a.yaml": `version: 1\ntemplates: { t: {} }\nzones:\n  a.example: { extends: [${"t, ".repeat(201)}] }\n`,
    },
    problems: text`
      a.yaml:4:626 too_many_templates /zones/a.example/extends/200
        Templates may extend each other 20 levels deep, and a zone may have 200 templates. Merge some of them.
    `,
  },
  {
    name: "templates that double at each level, without delay",
    files: {
      "a.yaml": `version: 1\ntemplates:\n${Array.from({ length: 18 }, (_, n) => `  t${n}: { extends: [t${n + 1}, t${n + 1}] }\n`).join("")}  t18: {}\nzones:\n  a.example: { extends: [t0] }\n`,
    },
    problems: text`
      a.yaml:19:25 too_many_templates /templates/t16/extends/1
        Templates may extend each other 20 levels deep, and a zone may have 200 templates. Merge some of them.
    `,
  },
  {
    name: "mistakes in a template that no zone extends",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            policies: [{ description: a, value: scrip-src a, id: no }]
      `,
    },
    problems: text`
      a.yaml:4:41 csp_unknown_directive /templates/shop/policies/0/value
        The service does not know the directive \`scrip-src\`. Did you mean \`script-src\`?
      a.yaml:4:58 bad_id /templates/shop/policies/0/id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
    `,
  },
  {
    name: "mistakes in the defaults of a file without zones",
    files: {
      "a.yaml": text`
        version: 1
        defaults: { policies: [{ description: a, value: scrip-src a }] }
      `,
    },
    problems: text`
      a.yaml:2:49 csp_unknown_directive /defaults/policies/0/value
        The service does not know the directive \`scrip-src\`. Did you mean \`script-src\`?
    `,
  },
  {
    name: "a null without effect in a template, once",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            settings:
              enabled:
        zones:
          a.example: { extends: [shop] }
          b.example: { extends: [shop] }
          c.example: { extends: [shop], settings: { enabled: true } }
      `,
    },
    problems: text`
      a.yaml:5:7 no_value /templates/shop/settings/enabled
        enabled has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "a null over a null",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop: { settings: { enabled: ~ } }
        zones:
          a.example: { extends: [shop], settings: { enabled: ~ } }
      `,
    },
    problems: text`
      a.yaml:5:45 no_value /zones/a.example/settings/enabled
        enabled has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "a null under the name of a method",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [a], isPrototypeOf: ~ }
      `,
    },
    problems: text`
      a.yaml:6:35 no_value /zones/a.example/policies/0/value/isPrototypeOf
        isPrototypeOf has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "a merged value beyond its limit",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            policies: [{ description: a, value: { script-src: [aaaaaaaa] } }]
        service: { limits: { policy_value_chars: 20 } }
      `,
      "b.yaml": text`
        version: 1
        zones:
          a.example:
            extends: [shop]
            policies:
              - description: a
                value: { img-src: [aaaaaaaa] }
      `,
    },
    problems: text`
      b.yaml:7:9 too_long /zones/a.example/policies/0/value
        It has 37 characters as sent; the limit is 20. Shorten it, or set service.limits.policy_value_chars if your account allows more.
    `,
  },
  {
    name: "a mistake in a template that one zone overrides and another does not",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          u:
            managed_ruleset: { expression: 5, action: log }
          n:
            managed_ruleset: null
          t:
            managed_ruleset: { expression: "lowr(", action: log }
        zones:
          a.example:
            extends: [u, n, t]
          b.example:
            extends: [t]
      `,
    },
    problems: text`
      a.yaml:4:36 wrong_type /templates/u/managed_ruleset/expression
        expression is a number. It must be a string. Put it in quotes.
      a.yaml:8:37 expression_unknown_name /templates/t/managed_ruleset/expression
        No function \`lowr\` exists. Did you mean \`lower\`?
    `,
  },
];
