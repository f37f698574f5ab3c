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
        With ensure: absent the object is removed, and what is said beside it has no effect: paranoia_level. Remove the one or the other; what a template says is removed by ensure: null.
      a.yaml:9:26 warning beside_absent /zones/a.example/custom_log_fields/ensure
        With ensure: absent the object is removed, and what is said beside it has no effect: cookie_fields. Remove the one or the other; what a template says is removed by ensure: null.
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
        destination_conf may hold a secret, and here it is written out for all who can read the file. Put it into the environment and write \${secret:NAME}.
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
        Item 1 of logpush_jobs is "(sensitive)"; it must be a map.
    `,
  },
];
