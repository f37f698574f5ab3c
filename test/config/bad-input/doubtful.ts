import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

/** Valid files that may not mean what they say. */
export const doubtful: readonly BadInput[] = [
  {
    name: "an undocumented characteristic or action, with the one of Cloudflare",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            custom_rules:
              - { description: Office, expression: "ip.src eq 192.0.2.1", action: allow }
            rate_limits:
              - { description: Logins, characteristics: [ip, ip.src.contry, cf.new, 'http.request.headers["x"]'] }
      `,
    },
    problems: text`
      a.yaml:5:75 warning unknown_value /zones/a.example/custom_rules/0/action
        Cloudflare documents no action "allow". Did you mean skip, with a key skip that names what to skip? It is sent as written. Check the value.
      a.yaml:7:50 warning unknown_value /zones/a.example/rate_limits/0/characteristics/0
        Cloudflare documents no characteristic "ip". Did you mean ip.src? It is sent as written. Check the value.
      a.yaml:7:54 warning unknown_value /zones/a.example/rate_limits/0/characteristics/1
        Cloudflare documents no characteristic "ip.src.contry". Did you mean ip.src.country? It is sent as written. Check the value.
      a.yaml:7:69 warning unknown_value /zones/a.example/rate_limits/0/characteristics/2
        Cloudflare documents no characteristic "cf.new". It is sent as written. Check the value.
    `,
  },
  {
    name: "keys beside ensure: absent, also over a template with it",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          gone: { managed_ruleset: { ensure: absent } }
          there: { policies: [{ description: A, action: log, expression: "true", value: script-src 'self' }] }
        zones:
          a.example:
            extends: [gone]
            managed_ruleset: { paranoia_level: PL2 }
            custom_log_fields: { ensure: absent, cookie_fields: [a] }
          b.example:
            extends: [there]
            policies:
              - { description: A, ensure: absent }
              - { description: B, renamed_from: C, ensure: absent }
      `,
    },
    problems: text`
      a.yaml:3:30 warning beside_absent /templates/gone/managed_ruleset/ensure
        ensure: absent deletes the object, so these keys do nothing: paranoia_level. Remove them, or remove ensure (write ensure: null if a template sets it).
      a.yaml:9:26 warning beside_absent /zones/a.example/custom_log_fields/ensure
        ensure: absent deletes the object, so these keys do nothing: cookie_fields. Remove them, or remove ensure (write ensure: null if a template sets it).
    `,
  },
  {
    name: "a secret as the default of a reference, without its text",
    env: { SET: "https://elsewhere" },
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, destination_conf: "\${secret:NOT_SET:-https://hush}", dataset: dns_logs }
              - { name: b, destination_conf: "\${secret:SET:-https://hush}", dataset: dns_logs }
      `,
    },
    problems: text`
      a.yaml:5:20 warning secret_in_file /zones/a.example/logpush_jobs/0/destination_conf
        destination_conf may hold a secret, and everyone who can read the file sees it. Put the value into the environment, and write \${secret:NAME}.
    `,
  },
  {
    name: "a missing space after a sensitive key, without the text",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - destination_conf:s3://hush
      `,
    },
    problems: text`
      a.yaml:5:9 wrong_type /zones/a.example/logpush_jobs/0
        Item 1 of logpush_jobs is "(sensitive)". It must be a map.
    `,
  },
];
