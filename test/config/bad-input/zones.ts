import { choices } from "../../support/choices.js";
import { LISTS } from "../../support/sections.js";
import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const zones: readonly BadInput[] = [
  {
    name: "a zone that is declared twice in different spellings",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          Shop.Example.com: {}
          bücher.example: {}
      `,
      "b.yaml": text`
        version: 1
        zones:
          shop.example.com.: {}
          xn--bcher-kva.example: {}
          BÜCHER.example: {}
      `,
    },
    problems: text`
      b.yaml:3:3 duplicate_zone /zones/shop.example.com.
        It is already declared at a.yaml:3:3. Remove one of the two.
      b.yaml:4:3 duplicate_zone /zones/xn--bcher-kva.example
        It is already declared at a.yaml:4:3. Remove one of the two.
      b.yaml:5:3 duplicate_zone /zones/BÜCHER.example
        It is already declared at a.yaml:4:3. Remove one of the two.
    `,
  },
  {
    name: "zone names that are not domain names",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          localhost: {}
          "": {}
          "*.a.example": {}
          https://a.example: {}
          a.example/x: {}
          a.example:443: {}
          127.0.0.1: {}
          "a b.example": {}
          a..example: {}
          -a.example: {}
          user@a.example: {}
          a.example?x: {}
          a%2eexample: {}
      `,
    },
    problems: text`
      a.yaml:3:3 bad_zone_name /zones/localhost
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:4:3 bad_zone_name /zones/
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:5:3 bad_zone_name /zones/*.a.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:6:3 bad_zone_name /zones/https:~1~1a.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:7:3 bad_zone_name /zones/a.example~1x
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:8:3 bad_zone_name /zones/a.example:443
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:9:3 bad_zone_name /zones/127.0.0.1
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:10:3 bad_zone_name /zones/a b.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:11:3 bad_zone_name /zones/a..example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:12:3 bad_zone_name /zones/-a.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:13:3 bad_zone_name /zones/user@a.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:14:3 bad_zone_name /zones/a.example?x
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:15:3 bad_zone_name /zones/a%2eexample
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
    `,
  },
  {
    name: "zone names like methods of every object",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          toLocaleString: {}
          isPrototypeOf: {}
          propertyIsEnumerable: {}
      `,
    },
    problems: text`
      a.yaml:3:3 bad_zone_name /zones/toLocaleString
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:4:3 bad_zone_name /zones/isPrototypeOf
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:5:3 bad_zone_name /zones/propertyIsEnumerable
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
    `,
  },
  {
    name: "a label of more than 63 characters",
    files: {
      "a.yaml": `version: 1\nzones:\n  ${"a".repeat(64)}.example: {}\n`,
    },
    problems: text`
      a.yaml:3:3 bad_zone_name /zones/${"a".repeat(64)}.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
    `,
  },
  {
    name: "a zone name of 100 kB, shortened",
    files: {
      "a.yaml": `version: 1\nzones:\n  ? ${"a".repeat(100_000)}.example\n  : {}\n`,
    },
    problems: text`
      a.yaml:3:5 bad_zone_name /zones/${"a".repeat(100000)}.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
    `,
  },
  {
    name: "invisible and direction characters in zone names",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          "a\\u202eb.example": {}
          "a\\tb.example": {}
          "a\\0b.example": {}
      `,
    },
    problems: text`
      a.yaml:3:3 bad_zone_name /zones/a\u202eb.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:4:3 bad_zone_name /zones/a\tb.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:5:3 bad_zone_name /zones/a\u0000b.example
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
    `,
  },
  {
    name: "an id used by two zones, in any letter case",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: { id: AB12 }
      `,
      "b.yaml": text`
        version: 1
        zones:
          b.example: { id: ab12 }
          c.example: { id: ab12 }
      `,
    },
    problems: text`
      a.yaml:3:20 warning unusual_id /zones/a.example/id
        It has 4 digits; ids at Cloudflare have 32. Copy the id from the dashboard, or remove it.
      b.yaml:3:20 duplicate_id /zones/b.example/id
        a.example has the same id (a.yaml:3:20). Correct one of the two.
      b.yaml:4:20 duplicate_id /zones/c.example/id
        a.example has the same id (a.yaml:3:20). Correct one of the two.
    `,
  },
  {
    name: "zone ids that are not hexadecimal",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: { id: shop }
          b.example: { id: "" }
          c.example: { id: ../../user }
      `,
    },
    problems: text`
      a.yaml:3:20 bad_id /zones/a.example/id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
      a.yaml:4:20 bad_id /zones/b.example/id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
      a.yaml:5:20 bad_id /zones/c.example/id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
    `,
  },
  {
    name: "account ids that are not hexadecimal, in any layer",
    files: {
      "a.yaml": text`
        version: 1
        account_id: shop
        templates:
          t: { account_id: "../x" }
        zones:
          a.example: { settings: { enabled: true } }
          b.example: { extends: [t] }
          c.example: { account_id: no }
          d.example: { account_id: ab12 }
      `,
    },
    problems: text`
      a.yaml:2:13 bad_id /account_id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
      a.yaml:4:20 bad_id /templates/t/account_id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
      a.yaml:8:28 bad_id /zones/c.example/account_id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
      a.yaml:9:28 warning unusual_id /zones/d.example/account_id
        It has 4 digits; ids at Cloudflare have 32. Copy the id from the dashboard, or remove it.
    `,
  },
  {
    name: "policies with the same name in a zone",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
              - description: More
              - description: Scripts
              - description: Scripts
      `,
    },
    problems: text`
      a.yaml:7:22 duplicate_name /zones/a.example/policies/2/description
        The list has this name already, at a.yaml:5:22. Give each entry its own description.
      a.yaml:8:22 duplicate_name /zones/a.example/policies/3/description
        The list has this name already, at a.yaml:5:22. Give each entry its own description.
    `,
  },
  {
    name: "policies with the same name in a template",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            policies: [{ description: a }, { description: a }]
      `,
    },
    problems: text`
      a.yaml:4:51 duplicate_name /templates/shop/policies/1/description
        The list has this name already, at a.yaml:4:31. Give each entry its own description.
    `,
  },
  {
    name: "a pinned id used by two policies",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - { description: a, id: ab12 }
              - { description: b, id: AB12 }
      `,
    },
    problems: text`
      a.yaml:6:31 duplicate_id /zones/a.example/policies/1/id
        This id belongs to "a" already. Give it to one of the two only.
    `,
  },
  {
    name: "a pinned id used in a zone and its template",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
            policies: [{ description: a, id: ab12 }]
        zones:
          a.example:
            extends: [shop]
            policies: [{ description: b, id: ab12 }]
      `,
    },
    problems: text`
      a.yaml:8:38 duplicate_id /zones/a.example/policies/0/id
        This id belongs to "a" already. Give it to one of the two only.
    `,
  },
  {
    name: "policy ids that are not hexadecimal",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - { description: a, id: a/../b }
              - { description: b, id: "" }
      `,
    },
    problems: text`
      a.yaml:5:31 bad_id /zones/a.example/policies/0/id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
      a.yaml:6:31 bad_id /zones/a.example/policies/1/id
        Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.
    `,
  },
  {
    name: "a former name that is still declared",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - { description: New, renamed_from: Old }
              - { description: Old, ensure: absent }
      `,
    },
    problems: text`
      a.yaml:5:43 bad_rename /zones/a.example/policies/0/renamed_from
        "Old" is also declared here, and keeps the live object of that name. Remove renamed_from, or the other entry.
    `,
  },
  {
    name: "a former name that another entry uses with an id",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - { description: New, renamed_from: Old }
              - { description: Old, id: "22222222222222222222222222222222" }
      `,
    },
    problems: text`
      a.yaml:5:43 bad_rename /zones/a.example/policies/0/renamed_from
        "Old" is also declared here, with an id. Replace renamed_from with the id of the live object, or remove renamed_from.
    `,
  },
  {
    name: "a former name that equals the present one",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: [{ description: a, renamed_from: a }]
      `,
    },
    problems: text`
      a.yaml:4:48 bad_rename /zones/a.example/policies/0/renamed_from
        The former name is the present name. Remove renamed_from.
    `,
  },
  {
    name: "a former name used by two policies",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - { description: a, renamed_from: Old }
              - { description: b, renamed_from: Old }
      `,
    },
    problems: text`
      a.yaml:6:41 bad_rename /zones/a.example/policies/1/renamed_from
        "a" has the same renamed_from. Keep it in one of the two.
    `,
  },
  {
    name: "the reporting field under both of its names",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings:
              use_cloudflare_reporting_endpoint: true
              use_service_reporting_endpoint: true
      `,
    },
    problems: text`
      a.yaml:6:7 duplicate_key /zones/a.example/settings/use_service_reporting_endpoint
        use_service_reporting_endpoint and use_cloudflare_reporting_endpoint are the same field. Keep one of them.
    `,
  },
  {
    name: "prune with a missing section",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            prune: [policies]
      `,
    },
    problems: text`
      a.yaml:4:13 bad_prune /zones/a.example/prune/0
        a.example does not declare policies. Remove policies from prune, or declare policies: [] to delete them all.
    `,
  },
  {
    name: "prune with a removed section",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop: { policies: [{ description: a }], prune: [policies] }
        zones:
          a.example: { extends: [shop], policies: ~ }
          b.example: { extends: [shop] }
      `,
    },
    problems: text`
      a.yaml:3:51 bad_prune /templates/shop/prune/0
        a.example does not declare policies. Remove policies from prune, or declare policies: [] to delete them all.
    `,
  },
  {
    name: "prune with names that are not lists",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: []
            prune: [polices, settings, 1, ~]
      `,
    },
    problems: text`
      a.yaml:5:13 wrong_value /zones/a.example/prune/0
        Item 1 of prune is "polices". Did you mean "policies"? It must be ${choices(LISTS)}.
      a.yaml:5:22 wrong_value /zones/a.example/prune/1
        Item 2 of prune is "settings". It must be ${choices(LISTS)}.
      a.yaml:5:32 wrong_value /zones/a.example/prune/2
        Item 3 of prune is 1. It must be ${choices(LISTS)}.
      a.yaml:5:35 no_value /zones/a.example/prune/3
        Item 4 of prune has no value. Give it one, or remove the item.
    `,
  },
  {
    name: "service in two files",
    files: {
      "a.yaml": text`
        version: 1
        service: {}
      `,
      "b.yaml": text`
        version: 1
        service: {}
      `,
      "c.yaml": text`
        version: 1
        service:
      `,
    },
    problems: text`
      b.yaml:2:1 duplicate_service /service
        service also stands at a.yaml:2:1. Keep it in one of the files.
      c.yaml:2:1 no_value /service
        service has no value. Give it one, or remove the key. An absent key is not managed.
      c.yaml:2:1 duplicate_service /service
        service also stands at a.yaml:2:1. Keep it in one of the files.
    `,
  },
  {
    name: "files without zones, as a warning",
    files: {
      "a.yaml": "version: 1\n",
      "b.yaml": text`
        version: 1
        templates: { shop: {} }
        zones: {}
      `,
    },
    problems: text`
      a.yaml:1:1 warning no_zones
        No file declares a zone, so nothing is managed. Add your zones under zones.
    `,
  },
];
