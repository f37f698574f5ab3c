import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

/** What can be read, and may not be meant. */
export const doubtful: readonly BadInput[] = [
  {
    name: "what stands beside ensure: absent, or is stronger than a template that has it, has no effect",
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
    name: "a secret that is the default of a reference is one in the file, and is not shown",
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
    name: "a text in which a blank was forgotten behind a sensitive key is not repeated",
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
