import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const logpush: readonly BadInput[] = [
  {
    name: "empty names and invalid ids of jobs",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: "", id: 0 }
              - { name: " ", id: abc }
              - { name: c, id: 1.5 }
              - { dataset: http_requests }
              - { name: d, id: 7 }
              - { name: e, id: "7" }
              - { name: f, id: 9007199254740993 }
      `,
    },
    problems: text`
      a.yaml:5:17 wrong_value /zones/a.example/logpush_jobs/0/name
        name must not be empty.
      a.yaml:5:25 wrong_value /zones/a.example/logpush_jobs/0/id
        id is 0. It must be 1 or more.
      a.yaml:6:17 wrong_value /zones/a.example/logpush_jobs/1/name
        name must not be empty.
      a.yaml:6:26 wrong_value /zones/a.example/logpush_jobs/1/id
        id is "abc". It must be a whole number from 1.
      a.yaml:7:24 wrong_type /zones/a.example/logpush_jobs/2/id
        id is 1.5. It must be a whole number or a string.
      a.yaml:8:9 missing_key /zones/a.example/logpush_jobs/3
        Item 4 of logpush_jobs needs "name". Add it.
      a.yaml:10:24 duplicate_id /zones/a.example/logpush_jobs/5/id
        This id belongs to "d" already. Give it to one of the two only.
      a.yaml:11:24 wrong_value /zones/a.example/logpush_jobs/6/id
        id is 9007199254740992. It must be 9007199254740991 or less.
    `,
  },
  {
    name: "job names outside the service's schema, as warnings",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: http_requests to S3 }
              - { name: http-requests.to.S3 }
              - { name: ${"n".repeat(513)} }
              - { name: old job, ensure: absent }
              - { name: new-job, renamed_from: new_job }
      `,
    },
    problems: text`
      a.yaml:5:17 warning unusual_name /zones/a.example/logpush_jobs/0/name
        Use up to 512 letters, digits, hyphens and dots: Cloudflare may refuse other names for a new job.
      a.yaml:7:17 warning unusual_name /zones/a.example/logpush_jobs/2/name
        Use up to 512 letters, digits, hyphens and dots: Cloudflare may refuse other names for a new job.
    `,
  },
  {
    name: "unknown keys and values of jobs",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - name: a
                dataset: http requests
                enabled: yes
                timestamps: rfc33339
                fields: [ClientIP, "Ray ID", 1]
                filter: x
      `,
    },
    problems: text`
      a.yaml:6:18 wrong_value /zones/a.example/logpush_jobs/0/dataset
        dataset is "http requests". Use letters, digits, hyphens and underscores.
      a.yaml:7:18 wrong_type /zones/a.example/logpush_jobs/0/enabled
        enabled is "yes". It must be true or false. Write true.
      a.yaml:8:21 wrong_value /zones/a.example/logpush_jobs/0/timestamps
        timestamps is "rfc33339". Did you mean "rfc3339"? It must be unixnano, unix, rfc3339, rfc3339ms or rfc3339ns.
      a.yaml:9:28 wrong_value /zones/a.example/logpush_jobs/0/fields/1
        Item 2 of fields is "Ray ID". Use letters, digits and underscores.
      a.yaml:9:38 wrong_type /zones/a.example/logpush_jobs/0/fields/2
        Item 3 of fields is a number. It must be a string. Put it in quotes.
      a.yaml:10:9 unknown_key /zones/a.example/logpush_jobs/0/filter
        Item 1 of logpush_jobs has no such key. Put it under extra: extra: { filter: … }.
    `,
  },
  {
    name: "output options in both styles",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, fields: [RayID], logpull_options: fields=RayID }
              - { name: b, timestamps: unix, logpull_options: fields=RayID }
              - { name: c, logpull_options: fields=RayID, extra: { output_options: { batch_prefix: x } } }
      `,
    },
    problems: text`
      a.yaml:5:54 two_styles /zones/a.example/logpush_jobs/0/logpull_options
        logpull_options also sets the fields and timestamps. Keep it, or keep fields and timestamps.
      a.yaml:6:55 two_styles /zones/a.example/logpush_jobs/1/logpull_options
        logpull_options also sets the fields and timestamps. Keep it, or keep fields and timestamps.
      a.yaml:7:37 two_styles /zones/a.example/logpush_jobs/2/logpull_options
        Replace logpull_options with fields and timestamps. Cloudflare ignores logpull_options beside output_options.
    `,
  },
  {
    name: "repeated and missing fields of a job",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, fields: [RayID, ClientIP, RayID] }
              - { name: b, fields: [] }
              - { name: c, logpull_options: "fields=RayID,ClientIP,RayID" }
      `,
    },
    problems: text`
      a.yaml:5:46 duplicate_field /zones/a.example/logpush_jobs/0/fields/2
        fields names it twice. Remove one of the two.
      a.yaml:6:20 no_fields /zones/a.example/logpush_jobs/1/fields
        fields is an empty list. Name the fields, or remove the key to keep the live ones.
      a.yaml:7:37 duplicate_field /zones/a.example/logpush_jobs/2/logpull_options
        The fields of logpull_options name it twice. Remove one of the two.
    `,
  },
  {
    name: "invalid parameters of logpull_options",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, logpull_options: "" }
              - { name: b, logpull_options: "fields=RayID, ClientIP" }
              - { name: c, logpull_options: "fields=&timestamps=iso&sample=2&CVE-2021-44228=yes" }
              - { name: d, logpull_options: "fields=RayID&fields=ClientIP" }
      `,
    },
    problems: text`
      a.yaml:5:37 bad_options /zones/a.example/logpush_jobs/0/logpull_options
        logpull_options is empty. Write fields=…&timestamps=…, or remove the key.
      a.yaml:6:37 bad_options /zones/a.example/logpush_jobs/1/logpull_options
        logpull_options contains a space or a line break. Remove it.
      a.yaml:7:37 bad_options /zones/a.example/logpush_jobs/2/logpull_options
        In logpull_options, fields must be names of fields, separated by commas without spaces.
      a.yaml:7:37 bad_options /zones/a.example/logpush_jobs/2/logpull_options
        In logpull_options, timestamps must be one of unixnano, unix, rfc3339, rfc3339ms, rfc3339ns.
      a.yaml:7:37 bad_options /zones/a.example/logpush_jobs/2/logpull_options
        In logpull_options, sample must be a number above 0 and up to 1.
      a.yaml:7:37 bad_options /zones/a.example/logpush_jobs/2/logpull_options
        In logpull_options, CVE-2021-44228 must be true or false.
      a.yaml:8:37 bad_options /zones/a.example/logpush_jobs/3/logpull_options
        logpull_options has fields twice. Remove one of the two.
    `,
  },
  {
    name: "fields in extra that have a key of their own",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - name: a
                extra:
                  name: a
                  dataset: x
                  enabled: true
                  destination_conf: s3://logs/x?secret-access-key=planted
                  fields: [RayID]
                  last_error: x
                  output_options: { field_names: [RayID], timestamp_format: unix, CVE-2021-4428: true, sample_rate: 2 }
                  sample_rate: 0
              - { name: b, extra: { output_options: csv } }
              - { name: c, extra: [1] }
      `,
    },
    problems: text`
      a.yaml:7:17 bad_extra /zones/a.example/logpush_jobs/0/extra/name
        name belongs to the job itself. Move it out of extra.
      a.yaml:8:20 bad_extra /zones/a.example/logpush_jobs/0/extra/dataset
        dataset belongs to the job itself. Move it out of extra.
      a.yaml:9:20 bad_extra /zones/a.example/logpush_jobs/0/extra/enabled
        enabled belongs to the job itself. Move it out of extra.
      a.yaml:10:29 bad_extra /zones/a.example/logpush_jobs/0/extra/destination_conf
        destination_conf belongs to the job itself. Move it out of extra.
      a.yaml:11:11 bad_extra /zones/a.example/logpush_jobs/0/extra/fields
        fields belongs to the job itself. Move it out of extra.
      a.yaml:12:23 bad_extra /zones/a.example/logpush_jobs/0/extra/last_error
        Only Cloudflare writes last_error. Remove it.
      a.yaml:13:29 bad_extra /zones/a.example/logpush_jobs/0/extra/output_options/field_names
        output_options cannot have field_names here. Write them as fields of the job.
      a.yaml:13:69 bad_extra /zones/a.example/logpush_jobs/0/extra/output_options/timestamp_format
        output_options cannot have timestamp_format here. Write it as timestamps of the job.
      a.yaml:13:90 bad_extra /zones/a.example/logpush_jobs/0/extra/output_options/CVE-2021-4428
        output_options cannot have CVE-2021-4428 here. Write CVE-2021-44228.
      a.yaml:13:109 bad_extra /zones/a.example/logpush_jobs/0/extra/output_options/sample_rate
        sample_rate is 2. Write a number above 0 and up to 1.
      a.yaml:14:24 bad_extra /zones/a.example/logpush_jobs/0/extra/sample_rate
        sample_rate is 0. Write a number above 0 and up to 1.
      a.yaml:15:45 bad_extra /zones/a.example/logpush_jobs/1/extra/output_options
        output_options must be a map. Write it as one.
      a.yaml:16:27 wrong_type /zones/a.example/logpush_jobs/2/extra
        extra is a list. It must be a map.
    `,
  },
  {
    name: "known fields in extra with another letter case",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, extra: { Destination_Conf: https://logs.example/, ENABLED: false } }
              - { name: b, extra: { Filter: "", Last_Error: x } }
      `,
    },
    problems: text`
      a.yaml:5:47 bad_extra /zones/a.example/logpush_jobs/0/extra/Destination_Conf
        destination_conf belongs to the job itself. Move it out of extra.
      a.yaml:5:79 bad_extra /zones/a.example/logpush_jobs/0/extra/ENABLED
        enabled belongs to the job itself. Move it out of extra.
      a.yaml:6:37 bad_extra /zones/a.example/logpush_jobs/1/extra/Filter
        The name of the field is filter. Correct it.
      a.yaml:6:53 bad_extra /zones/a.example/logpush_jobs/1/extra/Last_Error
        Only Cloudflare writes last_error. Remove it.
    `,
  },
  {
    name: "filters that are not JSON in a text",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, extra: { filter: { where: {} } } }
              - { name: b, extra: { filter: "{where}" } }
              - { name: c, extra: { filter: "\${secret:F}" } }
              - { name: d, extra: { filter: '{"where":{},"where":{}}' } }
              - { name: e, extra: { filter: "\${secret:G}" } }
      `,
    },
    env: { F: "planted {", G: '{"planted":{},"planted":{}}' },
    problems: text`
      a.yaml:5:29 bad_filter /zones/a.example/logpush_jobs/0/extra/filter
        A filter is a string that contains JSON. Write it in single quotes: '{"where":{"key":"ClientCountry","operator":"neq","value":"ca"}}'.
      a.yaml:6:37 bad_filter /zones/a.example/logpush_jobs/1/extra/filter
        A filter is a string that contains JSON. Write it in single quotes: '{"where":{"key":"ClientCountry","operator":"neq","value":"ca"}}'.
      a.yaml:7:37 bad_filter /zones/a.example/logpush_jobs/2/extra/filter
        A filter is a string that contains JSON. Write it in single quotes: '{"where":{"key":"ClientCountry","operator":"neq","value":"ca"}}'.
      a.yaml:8:37 warning ambiguous_filter /zones/a.example/logpush_jobs/3/extra/filter
        The JSON of the filter has a key twice in one map. Remove one of the two: programs differ about which one counts.
      a.yaml:9:37 warning ambiguous_filter /zones/a.example/logpush_jobs/4/extra/filter
        The JSON of the filter has a key twice in one map. Remove one of the two: programs differ about which one counts.
    `,
  },
  {
    name: "keys in extra that look like references of a plan",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, extra: { x: { $secret: "env:HOME" }, $result: 1, y: [{ z: { $sensitive: same } }] } }
      `,
    },
    problems: text`
      a.yaml:5:43 bad_extra /zones/a.example/logpush_jobs/0/extra/x/$secret
        Keys in extra cannot begin with $. Rename or remove the key.
      a.yaml:5:66 bad_extra /zones/a.example/logpush_jobs/0/extra/$result
        Keys in extra cannot begin with $. Rename or remove the key.
      a.yaml:5:92 bad_extra /zones/a.example/logpush_jobs/0/extra/y/0/z/$sensitive
        Keys in extra cannot begin with $. Rename or remove the key.
    `,
  },
  {
    name: "destinations that are not URLs or contain spaces, without their values",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - name: a
                destination_conf: |
                  s3://logs/x?secret-access-key=planted
              - name: b
                destination_conf: s3://logs/x?secret-access-key=planted with a blank
              - { name: c, destination_conf: "planted" }
              - { name: d, destination_conf: "\${secret:D}", ownership_challenge: "\${secret:O}" }
      `,
    },
    env: { D: "s3://logs/x?secret-access-key=planted\n", O: "planted planted" },
    problems: text`
      a.yaml:6:9 warning secret_in_file /zones/a.example/logpush_jobs/0/destination_conf
        destination_conf has a key or password in clear text. Replace the key at the destination, put the new value into the environment, and write \${secret:NAME}. Everyone who can read the file or its history has the old one.
      a.yaml:6:27 bad_destination /zones/a.example/logpush_jobs/0/destination_conf
        destination_conf ends in a space or a line break. Correct the value; it is sensitive, so it is not shown.
      a.yaml:9:9 warning secret_in_file /zones/a.example/logpush_jobs/1/destination_conf
        destination_conf has a key or password in clear text. Replace the key at the destination, put the new value into the environment, and write \${secret:NAME}. Everyone who can read the file or its history has the old one.
      a.yaml:9:27 bad_destination /zones/a.example/logpush_jobs/1/destination_conf
        destination_conf contains a space or a line break. Correct the value; it is sensitive, so it is not shown.
      a.yaml:10:20 warning secret_in_file /zones/a.example/logpush_jobs/2/destination_conf
        destination_conf may hold a secret, and everyone who can read the file sees it. Put the value into the environment, and write \${secret:NAME}.
      a.yaml:10:38 bad_destination /zones/a.example/logpush_jobs/2/destination_conf
        destination_conf is not a URL, such as s3://bucket/path?region=…. Correct the value; it is sensitive, so it is not shown.
      a.yaml:11:38 bad_destination /zones/a.example/logpush_jobs/3/destination_conf
        destination_conf ends in a space or a line break. Correct the value; it is sensitive, so it is not shown.
      a.yaml:11:74 bad_challenge /zones/a.example/logpush_jobs/3/ownership_challenge
        ownership_challenge must be 1 to 4096 letters, digits and / + . - _, without spaces and line breaks. Correct the value; it is sensitive, so it is not shown.
    `,
  },
  {
    name: "sensitive values of the wrong type, without their values",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, destination_conf: 1234567890, ownership_challenge: 0x1F }
              - { name: b, destination_conf: [planted], ownership_challenge: { planted: planted } }
              - { name: c, destination_conf: {planted}, ownership_challenge: true }
              - { name: d, destination_conf: " ", ownership_challenge: }
      `,
    },
    problems: text`
      a.yaml:5:38 wrong_type /zones/a.example/logpush_jobs/0/destination_conf
        destination_conf is a number. It must be a string. Put it in quotes.
      a.yaml:5:71 wrong_type /zones/a.example/logpush_jobs/0/ownership_challenge
        ownership_challenge is a number. It must be a string. Put it in quotes.
      a.yaml:6:38 wrong_type /zones/a.example/logpush_jobs/1/destination_conf
        destination_conf is a list. It must be a string.
      a.yaml:6:70 wrong_type /zones/a.example/logpush_jobs/1/ownership_challenge
        ownership_challenge is a map. It must be a string.
      a.yaml:7:38 wrong_type /zones/a.example/logpush_jobs/2/destination_conf
        destination_conf is a map. It must be a string.
      a.yaml:7:70 wrong_type /zones/a.example/logpush_jobs/2/ownership_challenge
        ownership_challenge is true. It must be a string. Put it in quotes.
      a.yaml:8:38 wrong_value /zones/a.example/logpush_jobs/3/destination_conf
        destination_conf must not be empty.
      a.yaml:8:43 no_value /zones/a.example/logpush_jobs/3/ownership_challenge
        ownership_challenge has no value. Give it one, or remove the key. An empty key removes a template's value, and no template sets this key.
    `,
  },
  {
    name: "unreadable sensitive values, without their text",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, destination_conf: *planted, ownership_challenge: 1e999 }
      `,
    },
    problems: text`
      a.yaml:5:38 unresolved_alias /zones/a.example/logpush_jobs/0/destination_conf
        Anchor &… is not defined above. Define it there; if this is a string, put it in quotes.
      a.yaml:5:69 not_json /zones/a.example/logpush_jobs/0/ownership_challenge
        This is not a JSON number. If it is a string, put it in quotes.
    `,
  },
  {
    name: "a secret in place of extra, without its value",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, extra: "\${secret:X}" }
      `,
    },
    env: { X: "planted" },
    problems: text`
      a.yaml:5:27 wrong_type /zones/a.example/logpush_jobs/0/extra
        extra is "(sensitive)". It must be a map.
    `,
  },
  {
    name: "secrets in fields of a job that plans show",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - name: \${secret:X}
                id: \${secret:X}
                dataset: \${secret:X}
                fields: ["\${secret:X}"]
                logpull_options: fields=\${secret:X}
                extra: { output_options: { batch_prefix: "\${secret:X}" } }
                destination: \${secret:X}
              - \${secret:X}
      `,
    },
    env: { X: "planted" },
    problems: text`
      a.yaml:5:15 misplaced_secret /zones/a.example/logpush_jobs/0/name
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:6:13 misplaced_secret /zones/a.example/logpush_jobs/0/id
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:7:18 misplaced_secret /zones/a.example/logpush_jobs/0/dataset
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:8:19 misplaced_secret /zones/a.example/logpush_jobs/0/fields/0
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:9:33 misplaced_secret /zones/a.example/logpush_jobs/0/logpull_options
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:10:51 misplaced_secret /zones/a.example/logpush_jobs/0/extra/output_options/batch_prefix
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:11:22 misplaced_secret /zones/a.example/logpush_jobs/0/destination
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:12:9 misplaced_secret /zones/a.example/logpush_jobs/1
        Plans show this value. If they may, write \${env:X}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
    `,
  },
  {
    name: "a destination in clear text as a warning, without its value",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, dataset: http_requests, destination_conf: "s3://logs/x?secret-access-key=planted", ownership_challenge: planted }
      `,
    },
    problems: text`
      a.yaml:5:44 warning secret_in_file /zones/a.example/logpush_jobs/0/destination_conf
        destination_conf has a key or password in clear text. Replace the key at the destination, put the new value into the environment, and write \${secret:NAME}. Everyone who can read the file or its history has the old one.
      a.yaml:5:103 warning secret_in_file /zones/a.example/logpush_jobs/0/ownership_challenge
        ownership_challenge may hold a secret, and everyone who can read the file sees it. Put the value into the environment, and write \${secret:NAME}.
    `,
  },
  {
    name: "a password before the host, and a destination without a key",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, dataset: http_requests, destination_conf: "https://logs:planted@logs.example/x" }
              - { name: b, dataset: http_requests, destination_conf: "s3://logs/x?region=eu-west-1" }
      `,
    },
    problems: text`
      a.yaml:5:44 warning secret_in_file /zones/a.example/logpush_jobs/0/destination_conf
        destination_conf has a key or password in clear text. Replace the key at the destination, put the new value into the environment, and write \${secret:NAME}. Everyone who can read the file or its history has the old one.
      a.yaml:6:44 warning secret_in_file /zones/a.example/logpush_jobs/1/destination_conf
        destination_conf may hold a secret, and everyone who can read the file sees it. Put the value into the environment, and write \${secret:NAME}.
    `,
  },
  {
    name: "a former name of a job that is current or declared",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            logpush_jobs:
              - { name: a, renamed_from: a }
              - { name: b, renamed_from: a }
      `,
    },
    problems: text`
      a.yaml:5:34 bad_rename /zones/a.example/logpush_jobs/0/renamed_from
        The former name is the present name. Remove renamed_from.
      a.yaml:6:34 bad_rename /zones/a.example/logpush_jobs/1/renamed_from
        "a" is also declared here, and keeps the live object of that name. Remove renamed_from, or the other entry.
    `,
  },
];
