import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

function zoneWith(...lines: readonly string[]): BadInput["files"] {
  const body = lines.map((line) => `      ${line}\n`).join("");
  return { "a.yaml": `version: 1\nzones:\n  a.example:\n    custom_log_fields:\n${body}` };
}

const forty = Array.from({ length: 40 }, (_, index) => `x-${index + 1}`);

export const logFields: readonly BadInput[] = [
  {
    name: "custom log fields without a list",
    files: { "a.yaml": "version: 1\nzones:\n  a.example:\n    custom_log_fields: {}\n" },
    problems: text`
      a.yaml:4:5 no_log_fields /zones/a.example/custom_log_fields
        Name at least one of request_fields, response_fields, cookie_fields, raw_response_fields, transformed_request_fields, or write ensure: absent to remove the live fields.
    `,
  },
  {
    name: "custom log fields whose lists from a template are removed",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          logged:
            custom_log_fields: { cookie_fields: [a] }
        zones:
          a.example:
            extends: [logged]
            custom_log_fields: { cookie_fields: null }
      `,
    },
    problems: text`
      a.yaml:8:5 no_log_fields /zones/a.example/custom_log_fields
        Name at least one of request_fields, response_fields, cookie_fields, raw_response_fields, transformed_request_fields, or write ensure: absent to remove the live fields.
    `,
  },
  {
    name: "a value that is not a list, without calling it missing",
    files: zoneWith("request_fields: content-type"),
    problems: text`
      a.yaml:5:23 wrong_type /zones/a.example/custom_log_fields/request_fields
        request_fields is "content-type". It must be a list. Write ["content-type"].
    `,
  },
  {
    name: "wrong items of a list, without counting them",
    files: zoneWith(`request_fields: [1, ${forty.join(", ")}]`),
    problems: text`
      a.yaml:5:24 wrong_type /zones/a.example/custom_log_fields/request_fields/0
        Item 1 of request_fields is a number. It must be a string or a map. Put it in quotes.
    `,
  },
  {
    name: "header names that are not in lower case",
    files: zoneWith(
      "request_fields: [Content-Type, { name: X-Forwarded-For }]",
      "response_fields: [SERVER]",
      "raw_response_fields: [{ name: Server-Timing, preserve_duplicates: true }]",
      "transformed_request_fields: [X-Client]",
      "cookie_fields: [Theme]",
    ),
    problems: text`
      a.yaml:5:24 log_field_case /zones/a.example/custom_log_fields/request_fields/0
        Header names must be lowercase. Write content-type.
      a.yaml:5:46 log_field_case /zones/a.example/custom_log_fields/request_fields/1/name
        Header names must be lowercase. Write x-forwarded-for.
      a.yaml:6:25 log_field_case /zones/a.example/custom_log_fields/response_fields/0
        Header names must be lowercase. Write server.
      a.yaml:7:37 log_field_case /zones/a.example/custom_log_fields/raw_response_fields/0/name
        Header names must be lowercase. Write server-timing.
      a.yaml:8:36 log_field_case /zones/a.example/custom_log_fields/transformed_request_fields/0
        Header names must be lowercase. Write x-client.
    `,
  },
  {
    name: "invalid names of headers and cookies",
    files: zoneWith(
      'request_fields: ["content-type: text/html", "a,b", größe]',
      'response_fields: [{ name: "server " }]',
      "cookie_fields: [a=1, b; c, d e]",
    ),
    problems: text`
      a.yaml:5:24 log_field_name /zones/a.example/custom_log_fields/request_fields/0
        Header names have letters, digits and !#$%&'*+-.^_\`|~ only. Write one name per item, without a value.
      a.yaml:5:51 log_field_name /zones/a.example/custom_log_fields/request_fields/1
        Header names have letters, digits and !#$%&'*+-.^_\`|~ only. Write one name per item, without a value.
      a.yaml:5:58 log_field_name /zones/a.example/custom_log_fields/request_fields/2
        Header names have letters, digits and !#$%&'*+-.^_\`|~ only. Write one name per item, without a value.
      a.yaml:6:33 log_field_name /zones/a.example/custom_log_fields/response_fields/0/name
        Header names have letters, digits and !#$%&'*+-.^_\`|~ only. Write one name per item, without a value.
      a.yaml:7:23 log_field_name /zones/a.example/custom_log_fields/cookie_fields/0
        Cookie names have no spaces, commas, semicolons and equals signs. Write one name per item, without a value.
      a.yaml:7:28 log_field_name /zones/a.example/custom_log_fields/cookie_fields/1
        Cookie names have no spaces, commas, semicolons and equals signs. Write one name per item, without a value.
      a.yaml:7:34 log_field_name /zones/a.example/custom_log_fields/cookie_fields/2
        Cookie names have no spaces, commas, semicolons and equals signs. Write one name per item, without a value.
    `,
  },
  {
    name: "fields named twice in a list",
    files: zoneWith(
      "response_fields: [server, { name: server, preserve_duplicates: true }, vary]",
      "cookie_fields: [a, A, a]",
    ),
    problems: text`
      a.yaml:5:41 duplicate_log_field /zones/a.example/custom_log_fields/response_fields/1/name
        response_fields names it already. Remove one of the two.
      a.yaml:6:29 duplicate_log_field /zones/a.example/custom_log_fields/cookie_fields/2
        cookie_fields names it already. Remove one of the two.
    `,
  },
  {
    name: "headers logged in both forms",
    files: zoneWith(
      "request_fields: [x-a, x-b]",
      "transformed_request_fields: [x-b]",
      "response_fields: [{ name: x-c }]",
      "raw_response_fields: [{ name: x-c, preserve_duplicates: true }, x-a]",
    ),
    problems: text`
      a.yaml:6:36 log_field_both_forms /zones/a.example/custom_log_fields/transformed_request_fields/0
        It is in request_fields and in transformed_request_fields. Keep it in one of the two: Cloudflare logs a header in one form.
      a.yaml:8:29 log_field_both_forms /zones/a.example/custom_log_fields/raw_response_fields/0
        It is in response_fields and in raw_response_fields. Keep it in one of the two: Cloudflare logs a header in one form.
    `,
  },
  {
    name: "more than 40 custom log fields in all lists",
    files: zoneWith(`request_fields: [${forty.join(", ")}]`, "cookie_fields: [a]"),
    problems: text`
      a.yaml:4:5 warning too_many_log_fields /zones/a.example/custom_log_fields
        The lists have 41 fields together; the limit is 40. Remove some, or set service.limits.custom_log_fields to what your account allows. Only fields that are already live can stay.
    `,
  },
  {
    name: "more custom log fields than the limit in the file",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            custom_log_fields: { request_fields: [x-a], cookie_fields: [a, b] }
        service: { limits: { custom_log_fields: 2 } }
      `,
    },
    problems: text`
      a.yaml:4:5 warning too_many_log_fields /zones/a.example/custom_log_fields
        The lists have 3 fields together; the limit is 2. Remove some, or set service.limits.custom_log_fields to what your account allows. Only fields that are already live can stay.
    `,
  },
  {
    name: "a list beyond the limit per list",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            custom_log_fields: { request_fields: [x-a, x-b], cookie_fields: [a, b, c] }
        service: { limits: { custom_log_fields: 1 }, custom_log_fields: { per_list: 2 } }
      `,
    },
    problems: text`
      a.yaml:4:54 warning too_many_log_fields /zones/a.example/custom_log_fields/cookie_fields
        cookie_fields has 3 fields; the limit is 2. Remove some, or set service.custom_log_fields.per_list to what your account allows. Only fields that are already live can stay.
    `,
  },
  {
    name: "preserve_duplicates for anything but response headers",
    files: zoneWith(
      "request_fields: [{ name: accept, preserve_duplicates: true }]",
      "cookie_fields: [{ name: a, preserve_duplicate: true }]",
      "response_fields: [{ name: vary, preserve_duplicate: true }, { preserve_duplicates: true }]",
    ),
    problems: text`
      a.yaml:5:40 unknown_key /zones/a.example/custom_log_fields/request_fields/0/preserve_duplicates
        Item 1 of request_fields has no such key. Keys here: name.
      a.yaml:6:34 unknown_key /zones/a.example/custom_log_fields/cookie_fields/0/preserve_duplicate
        Item 1 of cookie_fields has no such key. Keys here: name.
      a.yaml:7:39 unknown_key /zones/a.example/custom_log_fields/response_fields/0/preserve_duplicate
        Item 1 of response_fields has no such key. Did you mean "preserve_duplicates"?
      a.yaml:7:67 missing_key /zones/a.example/custom_log_fields/response_fields/1
        Item 2 of response_fields needs "name". Add it.
    `,
  },
  {
    name: "a request header that the service does not log",
    files: zoneWith("request_fields: [range]", "response_fields: [range]"),
    problems: text`
      a.yaml:5:24 warning log_field_unsupported /zones/a.example/custom_log_fields/request_fields/0
        Cloudflare does not log this request header. Remove it.
    `,
  },
];
