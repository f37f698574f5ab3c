import { SECTIONS } from "../../support/sections.js";
import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const shape: readonly BadInput[] = [
  {
    name: "keys that stand beside their empty section, and not that the section is empty",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings:
            enabled: true
          b.example:
            settings:
      `,
    },
    problems: text`
      a.yaml:5:5 unknown_key /zones/a.example/enabled
        a.example has no such key. Indent it to stand under settings.
      a.yaml:7:5 no_value /zones/b.example/settings
        settings has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "keys of the API and of other tools",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            page_shield: { enabled: true }
            firewall_rules: []
            managed_ruleset: { sensitivity: low }
      `,
    },
    problems: text`
      a.yaml:4:5 unknown_key /zones/a.example/page_shield
        a.example has no such key. Write settings, not page_shield.
      a.yaml:5:5 unknown_key /zones/a.example/firewall_rules
        a.example has no such key. Write custom_rules, not firewall_rules.
      a.yaml:6:24 unknown_key /zones/a.example/managed_ruleset/sensitivity
        managed_ruleset has no such key. Write score_threshold, not sensitivity.
    `,
  },
  {
    name: "a zone and a section that are not indented far enough",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
          settings:
            enabled: true
          policies: []
      `,
      "b.yaml": text`
        version: 1
        b.example:
          settings: { enabled: true }
        policies: []
        logpush_jobs: []
      `,
    },
    problems: text`
      a.yaml:4:3 bad_zone_name /zones/settings
        This is not a domain name. It is a section of a zone. Indent it, and everything below it, to stand under the zone's name.
      b.yaml:2:1 unknown_key /b.example
        The file has no such key. Zones belong under zones. Indent it, and everything below it.
      b.yaml:4:1 unknown_key /policies
        The file has no such key. It is a section of a zone. Indent it, and everything below it, to stand under the zone's name.
    `,
  },
  {
    name: "a position of another type, and one of another word",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            custom_rules:
              - { description: A, action: block, expression: "true", position: 1 }
              - { description: B, action: block, expression: "true", position: top }
      `,
    },
    problems: text`
      a.yaml:5:72 wrong_type /zones/a.example/custom_rules/0/position
        position is a number. It must be first, last or a map with before or after.
      a.yaml:6:72 wrong_value /zones/a.example/custom_rules/1/position
        position is "top". It must be first, last or a map with before or after.
    `,
  },
  {
    name: "a missing version",
    files: {
      "a.yaml": "zones: {}\n",
    },
    problems: text`
      a.yaml:1:1 missing_key
        The file needs "version". Write version: 1.
    `,
  },
  {
    name: "an unknown version",
    files: {
      "a.yaml": "version: 2\n",
    },
    problems: text`
      a.yaml:1:10 wrong_value /version
        version is 2. It must be 1.
    `,
  },
  {
    name: "a version in quotes",
    files: {
      "a.yaml": 'version: "1"\n',
    },
    problems: text`
      a.yaml:1:10 wrong_value /version
        version is "1". It must be 1, without quotes.
    `,
  },
  {
    name: "a version without a value",
    files: {
      "a.yaml": "version:\n",
    },
    problems: text`
      a.yaml:1:1 no_value /version
        version has no value. Write version: 1.
    `,
  },
  {
    name: "unknown keys at the top, with suggestions",
    files: {
      "a.yaml": text`
        version: 1
        zone: {}
        template: {}
        services: {}
        account: abc
        xyz: 1
      `,
    },
    problems: text`
      a.yaml:2:1 unknown_key /zone
        The file has no such key. Did you mean "zones"?
      a.yaml:3:1 unknown_key /template
        The file has no such key. Did you mean "templates"?
      a.yaml:4:1 unknown_key /services
        The file has no such key. Did you mean "service"?
      a.yaml:5:1 unknown_key /account
        The file has no such key. Did you mean "account_id"?
      a.yaml:6:1 unknown_key /xyz
        The file has no such key. Keys here: version, account_id, defaults, templates, zones, tests, guardrails, service.
    `,
  },
  {
    name: "unknown keys in zones, templates and defaults",
    files: {
      "a.yaml": text`
        version: 1
        defaults: { setings: { enabled: true } }
        templates:
          shop: { id: abc, prunes: [] }
        zones:
          a.example: { policy: [], extend: [shop] }
      `,
    },
    problems: text`
      a.yaml:2:13 unknown_key /defaults/setings
        defaults has no such key. Did you mean "settings"?
      a.yaml:4:11 unknown_key /templates/shop/id
        shop has no such key. Keys here: extends, tests, account_id, ${SECTIONS.join(", ")}, prune, optional, unmanaged, vars.
      a.yaml:4:20 unknown_key /templates/shop/prunes
        shop has no such key. Did you mean "prune"?
      a.yaml:6:16 unknown_key /zones/a.example/policy
        a.example has no such key. Did you mean "policies"?
      a.yaml:6:28 unknown_key /zones/a.example/extend
        a.example has no such key. Did you mean "extends"?
    `,
  },
  {
    name: "unknown settings",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings: { Enabled: true, enable: true, use_cloudflare_reporting_endpoints: true, csp: true }
      `,
    },
    problems: text`
      a.yaml:4:17 unknown_key /zones/a.example/settings/Enabled
        settings has no such key. Did you mean "enabled"?
      a.yaml:4:32 unknown_key /zones/a.example/settings/enable
        settings has no such key. Did you mean "enabled"?
      a.yaml:4:46 unknown_key /zones/a.example/settings/use_cloudflare_reporting_endpoints
        settings has no such key. Did you mean "use_cloudflare_reporting_endpoint"?
      a.yaml:4:88 unknown_key /zones/a.example/settings/csp
        settings has no such key. Keys here: enabled, use_cloudflare_reporting_endpoint, use_service_reporting_endpoint, use_connection_url_path.
    `,
  },
  {
    name: "unknown keys of a policy",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                vlaue: script-src 'self'
                expresion: "true"
                priority: 1
      `,
    },
    problems: text`
      a.yaml:6:9 unknown_key /zones/a.example/policies/0/vlaue
        Item 1 of policies has no such key. Did you mean "value"?
      a.yaml:7:9 unknown_key /zones/a.example/policies/0/expresion
        Item 1 of policies has no such key. Did you mean "expression"?
      a.yaml:8:9 unknown_key /zones/a.example/policies/0/priority
        Item 1 of policies has no such key. Keys here: description, id, renamed_from, ensure, until, action, enabled, expression, value.
    `,
  },
  {
    name: "unknown keys of service",
    files: {
      "a.yaml": text`
        version: 1
        service:
          limit: {}
          limits: { policy_value_char: 1 }
          base_url: https://evil.example
      `,
    },
    problems: text`
      a.yaml:3:3 unknown_key /service/limit
        service has no such key. Did you mean "limits"?
      a.yaml:4:13 unknown_key /service/limits/policy_value_char
        limits has no such key. Did you mean "policy_value_chars"?
      a.yaml:5:3 unknown_key /service/base_url
        service has no such key. Keys here: limits, custom_log_fields, extra_csp_directives, extra_expression_fields.
    `,
  },
  {
    name: "credentials and addresses in a file",
    files: {
      "a.yaml": text`
        version: 1
        base_url: https://evil.example
        api_token: abc
      `,
    },
    problems: text`
      a.yaml:2:1 unknown_key /base_url
        The file has no such key. Keys here: version, account_id, defaults, templates, zones, tests, guardrails, service.
      a.yaml:3:1 unknown_key /api_token
        The file has no such key. Remove it: credentials come only from the environment, as CLOUDFLARE_API_TOKEN. If it was a real one, replace it, since the file's history keeps it.
    `,
  },
  {
    name: "a key of 100 kB, shortened",
    files: {
      "a.yaml": `version: 1\n? ${"k".repeat(100_000)}\n: 1\n`,
    },
    problems: text`
      a.yaml:2:3 unknown_key /${"k".repeat(100000)}
        The file has no such key. Keys here: version, account_id, defaults, templates, zones, tests, guardrails, service.
    `,
  },
  {
    name: "pointers with escaped characters",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          "a/b~c": { "x/y~z": 1 }
        templates:
          "t/~": { settings: { "~1": true } }
      `,
    },
    problems: text`
      a.yaml:3:3 bad_zone_name /zones/a~1b~0c
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:3:14 unknown_key /zones/a~1b~0c/x~1y~0z
        "a/b~c" has no such key. Keys here: id, extends, tests, account_id, ${SECTIONS.join(", ")}, prune, optional, unmanaged, vars.
      a.yaml:5:24 unknown_key /templates/t~1~0/settings/~01
        settings has no such key. Keys here: enabled, use_cloudflare_reporting_endpoint, use_service_reporting_endpoint, use_connection_url_path.
    `,
  },
  {
    name: "control and direction characters of a key, escaped",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            "e\\e[31m\\u202e😀": 1
      `,
    },
    problems: text`
      a.yaml:4:5 unknown_key /zones/a.example/e[31m\u202e😀
        a.example has no such key. Keys here: id, extends, tests, account_id, ${SECTIONS.join(", ")}, prune, optional, unmanaged, vars.
    `,
  },
  {
    name: "wrong types in a zone",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            id: 12
            account_id: [abc]
            extends: shop
            settings: []
            policies: {}
            prune: policies
      `,
    },
    problems: text`
      a.yaml:4:9 wrong_type /zones/a.example/id
        id is a number. It must be a string. Put it in quotes.
      a.yaml:5:17 wrong_type /zones/a.example/account_id
        account_id is a list. It must be a string.
      a.yaml:6:14 wrong_type /zones/a.example/extends
        extends is "shop". It must be a list. Write ["shop"].
      a.yaml:7:15 wrong_type /zones/a.example/settings
        settings is a list. It must be a map.
      a.yaml:8:15 wrong_type /zones/a.example/policies
        policies is a map. It must be a list. Begin each item with "- description: ".
      a.yaml:9:12 wrong_type /zones/a.example/prune
        prune is "policies". It must be a list. Write ["policies"].
    `,
  },
  {
    name: "wrong types at the top",
    files: {
      "a.yaml": text`
        version: 1
        account_id: 1e5
        defaults: []
        templates: [shop]
        zones: a.example
        service: true
      `,
    },
    problems: text`
      a.yaml:2:13 wrong_type /account_id
        account_id is a number. It must be a string. Put it in quotes.
      a.yaml:3:11 wrong_type /defaults
        defaults is a list. It must be a map.
      a.yaml:4:12 wrong_type /templates
        templates is a list. It must be a map. Write each template under its name: templates: { shop: { extends: [base] } }.
      a.yaml:5:8 wrong_type /zones
        zones is "a.example". It must be a map. Write each zone under its name: zones: { shop.example.com: { settings: { enabled: true } } }.
      a.yaml:6:10 wrong_type /service
        service is true. It must be a map.
    `,
  },
  {
    name: "zones and templates that are not maps",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop: true
        zones:
          a.example: [enabled]
      `,
    },
    problems: text`
      a.yaml:3:9 wrong_type /templates/shop
        shop is true. It must be a map.
      a.yaml:5:14 wrong_type /zones/a.example
        a.example is a list. It must be a map.
    `,
  },
  {
    name: "wrong types in a policy",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                id: 35300000000000000000000000000000
                renamed_from: 5
                action: 1
                enabled: "true"
                expression: true
                value: [script-src]
                ensure: true
      `,
    },
    problems: text`
      a.yaml:6:13 wrong_type /zones/a.example/policies/0/id
        id is a number. It must be a string. Put it in quotes.
      a.yaml:7:23 wrong_type /zones/a.example/policies/0/renamed_from
        renamed_from is a number. It must be a string. Put it in quotes.
      a.yaml:8:17 wrong_value /zones/a.example/policies/0/action
        action is 1. It must be log, allow or add_reporting_directives.
      a.yaml:9:18 wrong_type /zones/a.example/policies/0/enabled
        enabled is "true". It must be true or false. Write true without quotes. A value from the environment is always a string.
      a.yaml:10:21 wrong_type /zones/a.example/policies/0/expression
        expression is true. It must be a string. Put it in quotes.
      a.yaml:11:16 wrong_type /zones/a.example/policies/0/value
        value is a list. It must be a string or a map.
      a.yaml:12:17 wrong_value /zones/a.example/policies/0/ensure
        ensure is true. It must be absent.
    `,
  },
  {
    name: "YAML 1.1 Booleans as texts",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings: { enabled: yes, use_connection_url_path: Off }
      `,
    },
    problems: text`
      a.yaml:4:26 wrong_type /zones/a.example/settings/enabled
        enabled is "yes". It must be true or false. Write true.
      a.yaml:4:56 wrong_type /zones/a.example/settings/use_connection_url_path
        use_connection_url_path is "Off". It must be true or false. Write false.
    `,
  },
  {
    name: "unknown values of action and ensure",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                action: alow
                ensure: present
      `,
    },
    problems: text`
      a.yaml:6:17 wrong_value /zones/a.example/policies/0/action
        action is "alow". Did you mean "allow"? It must be log, allow or add_reporting_directives.
      a.yaml:7:17 wrong_value /zones/a.example/policies/0/ensure
        ensure is "present". It must be absent.
    `,
  },
  {
    name: "an action of another product, without a suggestion",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                action: managed_challenge
      `,
    },
    problems: text`
      a.yaml:6:17 wrong_value /zones/a.example/policies/0/action
        action is "managed_challenge". It must be log, allow or add_reporting_directives.
    `,
  },
  {
    name: "a CSP map without lists of texts",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value:
                  script-src: self
                  img-src: [1, [a], data:]
                  font-src: { a: b }
      `,
    },
    problems: text`
      a.yaml:7:23 wrong_type /zones/a.example/policies/0/value/script-src
        script-src is "self". It must be a list. Write ["'self'"].
      a.yaml:8:21 wrong_type /zones/a.example/policies/0/value/img-src/0
        Item 1 of img-src is a number. It must be a string. Put it in quotes.
      a.yaml:8:24 wrong_type /zones/a.example/policies/0/value/img-src/1
        Item 2 of img-src is a list. It must be a string.
      a.yaml:8:29 wrong_type /zones/a.example/policies/0/value/img-src/2
        Item 3 of img-src is a map. It must be a string. Put "data:" in quotes.
      a.yaml:9:21 wrong_type /zones/a.example/policies/0/value/font-src
        font-src is a map. It must be a list. Write one item per line, each after "- ".
    `,
  },
  {
    name: "policies that are not maps",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - Scripts
              -
              - []
              - { action: log }
      `,
    },
    problems: text`
      a.yaml:5:9 wrong_type /zones/a.example/policies/0
        Item 1 of policies is "Scripts". It must be a map.
      a.yaml:6:7 no_value /zones/a.example/policies/1
        Item 2 of policies has no value. Give it one, or remove the item.
      a.yaml:7:9 wrong_type /zones/a.example/policies/2
        Item 3 of policies is a list. It must be a map.
      a.yaml:8:9 missing_key /zones/a.example/policies/3
        Item 4 of policies needs "description". Add it.
    `,
  },
  {
    name: "a misspelt required key once",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - { descripton: A }
              - { zzz: A }
      `,
    },
    problems: text`
      a.yaml:5:11 unknown_key /zones/a.example/policies/0/descripton
        Item 1 of policies has no such key. Did you mean "description"?
      a.yaml:6:9 missing_key /zones/a.example/policies/1
        Item 2 of policies needs "description". Add it.
      a.yaml:6:11 unknown_key /zones/a.example/policies/1/zzz
        Item 2 of policies has no such key. Keys here: description, id, renamed_from, ensure, until, action, enabled, expression, value.
    `,
  },
  {
    name: "an empty or missing description",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: ""
              - description: "  "
              - description: 5
              - description:
      `,
    },
    problems: text`
      a.yaml:5:22 wrong_value /zones/a.example/policies/0/description
        description must not be empty.
      a.yaml:6:22 wrong_value /zones/a.example/policies/1/description
        description must not be empty.
      a.yaml:7:22 wrong_type /zones/a.example/policies/2/description
        description is a number. It must be a string. Put it in quotes.
      a.yaml:8:9 no_value /zones/a.example/policies/3/description
        description has no value. Give it one, or remove the key. An absent key is not managed.
    `,
  },
  {
    name: "an empty expression and an empty former name",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: ""
                renamed_from: " "
      `,
    },
    problems: text`
      a.yaml:6:21 wrong_value /zones/a.example/policies/0/expression
        expression must not be empty.
      a.yaml:7:23 wrong_value /zones/a.example/policies/0/renamed_from
        renamed_from must not be empty.
    `,
  },
  {
    name: "entries of extends that are not names",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            extends: [1, ~, { a: b }]
      `,
    },
    problems: text`
      a.yaml:4:15 wrong_type /zones/a.example/extends/0
        Item 1 of extends is a number. It must be a string. Put it in quotes.
      a.yaml:4:18 no_value /zones/a.example/extends/1
        Item 2 of extends has no value. Give it one, or remove the item.
      a.yaml:4:21 wrong_type /zones/a.example/extends/2
        Item 3 of extends is a map. It must be a string.
    `,
  },
  {
    name: "limits that are not whole numbers from 1",
    files: {
      "a.yaml": text`
        version: 1
        service:
          limits:
            policy_value_chars: 0
            expression_chars: 1.5
      `,
    },
    problems: text`
      a.yaml:4:25 wrong_value /service/limits/policy_value_chars
        policy_value_chars is 0. It must be 1 or more.
      a.yaml:5:23 wrong_type /service/limits/expression_chars
        expression_chars is 1.5. It must be a whole number.
    `,
  },
  {
    name: "limits in quotes",
    files: {
      "a.yaml": text`
        version: 1
        service: { limits: { policy_value_chars: "6000", expression_chars: many } }
      `,
    },
    problems: text`
      a.yaml:2:42 wrong_type /service/limits/policy_value_chars
        policy_value_chars is "6000". It must be a whole number. Remove the quotes.
      a.yaml:2:68 wrong_type /service/limits/expression_chars
        expression_chars is "many". It must be a whole number.
    `,
  },
  {
    name: "extra directives that are not lower-case words",
    files: {
      "a.yaml": text`
        version: 1
        service: { extra_csp_directives: [Report-To, "a b", 1, ""] }
      `,
    },
    problems: text`
      a.yaml:2:35 wrong_value /service/extra_csp_directives/0
        Item 1 of extra_csp_directives is "Report-To". Use lowercase letters and hyphens.
      a.yaml:2:46 wrong_value /service/extra_csp_directives/1
        Item 2 of extra_csp_directives is "a b". Use lowercase letters and hyphens.
      a.yaml:2:53 wrong_type /service/extra_csp_directives/2
        Item 3 of extra_csp_directives is a number. Use lowercase letters and hyphens.
      a.yaml:2:56 wrong_value /service/extra_csp_directives/3
        Item 4 of extra_csp_directives must not be empty.
    `,
  },
  {
    name: "keys at the top without a value",
    files: {
      "a.yaml": text`
        version: 1
        account_id:
        defaults:
        templates:
        zones:
        service:
      `,
    },
    problems: text`
      a.yaml:2:1 no_value /account_id
        account_id has no value. Give it one, or remove the key. An absent key is not managed.
      a.yaml:3:1 no_value /defaults
        defaults has no value. Give it one, or remove the key. An absent key is not managed.
      a.yaml:4:1 no_value /templates
        templates has no value. Give it one, or remove the key. An absent key is not managed.
      a.yaml:5:1 no_value /zones
        zones has no value. Give it one, or remove the key. An absent key is not managed.
      a.yaml:6:1 no_value /service
        service has no value. Give it one, or remove the key. An absent key is not managed.
    `,
  },
  {
    name: "zones and templates without a value",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          shop:
        zones:
          a.example:
          b.example: ~
      `,
    },
    problems: text`
      a.yaml:3:3 no_value /templates/shop
        shop has no value. Give it one, or remove the key. An absent key is not managed.
      a.yaml:5:3 no_value /zones/a.example
        a.example has no value. Give it one, or remove the key. An absent key is not managed.
      a.yaml:6:3 no_value /zones/b.example
        b.example has no value. Give it one, or remove the key. An absent key is not managed.
    `,
  },
  {
    name: "sections without a value where nothing is inherited",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings:
            policies:
            prune:
            account_id:
      `,
    },
    problems: text`
      a.yaml:4:5 no_value /zones/a.example/settings
        settings has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
      a.yaml:5:5 no_value /zones/a.example/policies
        policies has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
      a.yaml:6:5 no_value /zones/a.example/prune
        prune has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
      a.yaml:7:5 no_value /zones/a.example/account_id
        account_id has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "keys without a value that are never inherited",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            id:
            extends: ~
      `,
    },
    problems: text`
      a.yaml:4:5 no_value /zones/a.example/id
        id has no value. Give it one, or remove the key. An absent key is not managed.
      a.yaml:5:5 no_value /zones/a.example/extends
        extends has no value. Give it one, or remove the key. An absent key is not managed.
    `,
  },
  {
    name: "fields without a value where nothing is inherited",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                action:
                enabled: ~
                expression: null
                value: { script-src: ~, img-src: }
      `,
    },
    problems: text`
      a.yaml:6:9 no_value /zones/a.example/policies/0/action
        action has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
      a.yaml:7:9 no_value /zones/a.example/policies/0/enabled
        enabled has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
      a.yaml:8:9 no_value /zones/a.example/policies/0/expression
        expression has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
      a.yaml:9:18 no_value /zones/a.example/policies/0/value/script-src
        script-src has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
      a.yaml:9:33 no_value /zones/a.example/policies/0/value/img-src
        img-src has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "problems in the order of the file",
    files: {
      "a.yaml": text`
        service: { limits: { expression_chars: 0 } }
        zones:
          b: {}
          a.example:
            extends: [nothing]
            settings: { enabled: "\${x}" }
            policies:
              - { description: a, value: scrip-src a }
              - { description: a }
      `,
    },
    problems: text`
      a.yaml:1:1 missing_key
        The file needs "version". Write version: 1.
      a.yaml:1:40 wrong_value /service/limits/expression_chars
        expression_chars is 0. It must be 1 or more.
      a.yaml:3:3 bad_zone_name /zones/b
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
      a.yaml:5:15 unknown_template /zones/a.example/extends/0
        No file defines this template. Define it under templates, or remove it from extends.
      a.yaml:6:27 bad_reference /zones/a.example/settings/enabled
        "\${x}" has no meaning here. Write \${env:x} for a variable, or \${secret:x} where a secret is allowed. For the characters themselves, write $\${.
      a.yaml:8:34 csp_unknown_directive /zones/a.example/policies/0/value
        The service does not know the directive \`scrip-src\`. Did you mean \`script-src\`?
      a.yaml:9:24 duplicate_name /zones/a.example/policies/1/description
        The list has this name already, at a.yaml:8:24. Give each entry its own description.
    `,
  },
  {
    name: "places in a file with CRLF",
    files: {
      "a.yaml":
        "version: 1\r\nzones:\r\n  a.example:\r\n    settings:\r\n      enabled: yes\r\n      enable: true\r\n",
    },
    problems: text`
      a.yaml:5:16 wrong_type /zones/a.example/settings/enabled
        enabled is "yes". It must be true or false. Write true.
      a.yaml:6:7 unknown_key /zones/a.example/settings/enable
        settings has no such key. Did you mean "enabled"?
    `,
  },
  {
    name: "places in a file with a byte-order mark",
    files: {
      "a.yaml": "\ufeffversion: 2\nzones: []\n",
    },
    problems: text`
      a.yaml:1:10 wrong_value /version
        version is 2. It must be 1.
      a.yaml:2:8 wrong_type /zones
        zones is a list. It must be a map. Write each zone under its name: zones: { shop.example.com: { settings: { enabled: true } } }.
    `,
  },
  {
    name: "a wrong value in JSON",
    files: {
      "a.yaml": text`
        {
          "version": 1,
          "zones": {
            "a.example": { "settings": { "enabled": "x" } }
          }
        }
      `,
    },
    problems: text`
      a.yaml:4:45 wrong_type /zones/a.example/settings/enabled
        enabled is "x". It must be true or false.
    `,
  },
  {
    name: "columns in UTF-16 code units",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: [{ description: "😀é", action: x }]
      `,
    },
    problems: text`
      a.yaml:4:46 wrong_value /zones/a.example/policies/0/action
        action is "x". It must be log, allow or add_reporting_directives.
    `,
  },
  {
    name: "keys in a wrong place, naming the right one",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            guardrails: { max_deletes: 3 }
            managed_exceptions: [{ description: A, expression: "true", skip: All }]
            logpush_jobs: [{ name: a, max_upload_bytes: 5000000 }]
      `,
    },
    problems: text`
      a.yaml:4:5 unknown_key /zones/a.example/guardrails
        a.example has no such key. Move it to the top of the file, beside zones.
      a.yaml:5:70 wrong_value /zones/a.example/managed_exceptions/0/skip
        skip is "All". Did you mean "all"? It must be all, a list or a map.
      a.yaml:6:31 unknown_key /zones/a.example/logpush_jobs/0/max_upload_bytes
        Item 1 of logpush_jobs has no such key. Put it under extra: extra: { max_upload_bytes: … }.
    `,
  },
  {
    name: "keys and values of other tools, with what to write",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            zone_settings:
              challenge_ttl: 30m
              ssl: Full (strict)
              min_tls_version: 1.2
              hsts: { enabled: true }
          b.example:
            zone_settings: { min_tls_version: TLSv1.2, http3: on }
            custom_rules:
              - name: X
              - description: A
                skip: all
                response: {}
              - description: B
                action: deny
                response: { status_code: 403, content_type: text/plain, content: Gone }
      `,
    },
    problems: text`
      a.yaml:5:22 wrong_type /zones/a.example/zone_settings/challenge_ttl
        challenge_ttl is "30m". It must be a whole number of seconds, such as 60.
      a.yaml:6:12 wrong_value /zones/a.example/zone_settings/ssl
        ssl is "Full (strict)". Write strict. It must be off, flexible, full, strict or origin_pull.
      a.yaml:7:24 wrong_value /zones/a.example/zone_settings/min_tls_version
        min_tls_version is 1.2. It must be "1.0", "1.1", "1.2" or "1.3", in quotes.
      a.yaml:8:7 unknown_key /zones/a.example/zone_settings/hsts
        zone_settings has no such key. Write security_header, not hsts.
      a.yaml:10:39 wrong_value /zones/b.example/zone_settings/min_tls_version
        min_tls_version is "TLSv1.2". Did you mean "1.2"? It must be 1.0, 1.1, 1.2 or 1.3.
      a.yaml:10:48 unknown_key /zones/b.example/zone_settings/http3
        zone_settings has no such key. Keys here: ssl, min_tls_version, tls_1_3, ciphers, 0rtt, always_use_https, automatic_https_rewrites, opportunistic_encryption, tls_client_auth, browser_check, challenge_ttl, hotlink_protection, email_obfuscation, security_level, security_header, other. Put any other setting under other: other: { http3: … }.
      a.yaml:12:9 unknown_key /zones/b.example/custom_rules/0/name
        Item 1 of custom_rules has no such key. Write description, not name.
      a.yaml:14:15 wrong_type /zones/b.example/custom_rules/1/skip
        skip is "all". It must be a map. Write skip: { phases: [http_ratelimit] }.
      a.yaml:15:19 missing_key /zones/b.example/custom_rules/1/response
        response needs "status_code", "content_type" and "content". Add them.
      a.yaml:17:17 warning unknown_value /zones/b.example/custom_rules/2/action
        Cloudflare documents no action "deny". Did you mean block? It is sent as written. Check the value.
    `,
  },
];
