import { describe, expect, test } from "vitest";
import { desiredFrom } from "../../src/config/desired.js";
import { redacted } from "../../src/config/redact.js";
import { palette } from "../../src/render/palette.js";
import { problemsJson, problemsText } from "../../src/render/problems.js";
import { fc, runs } from "../support/random.js";
import { text } from "./text.js";

/** All sensitive values here contain `planted`, and no other text does. */
const FORMS: readonly string[] = [
  text`
    version: 1
    zones:
      a.example:
        logpush_jobs:
          - name: a
            dataset: http_requests
            destination_conf: s3://planted/x?secret-access-key=planted
            ownership_challenge: "planted" # planted
            fields: [RayID, ClientIP]
  `,
  text`
    version: 1
    zones:
      a.example:
        logpush_jobs:
          - destination_conf: |
              s3://planted/x
              planted
            name: a
          - name: b
            ownership_challenge: >-
              planted
              planted

              planted
            destination_conf: "s3://planted
              planted
              planted"
            enabled: true
  `,
  text`
    version: 1
    zones: { a.example: { logpush_jobs: [
      { name: a, destination_conf: 's3://planted/''planted', ownership_challenge: planted, enabled: true },
      { name: b, destination_conf:
      s3://planted, fields: [RayID] }
    ] } }
  `,
  text`
    version: 1
    templates:
      t:
        logpush_jobs:
          - name: a
            destination_conf: &where
              s3://planted
            ownership_challenge: !!str planted
    zones:
      a.example:
        extends: [t]
        logpush_jobs:
          - { name: b, destination_conf: *where }
          - ? destination_conf
            : planted
            ? name
            : c
  `,
  '{ "version": 1, "zones": {\n "a.example": { "logpush_jobs": [ { "name": "a", "destination_conf":\n"s3://planted",\n"ownership_challenge"\n:\n"planted" } ] } } }\n',
  text`
    version: 1
    zones:
      a.example:
        logpush_jobs:
          - name: a
            destination_conf: \${secret:WHERE} # was s3://planted
            ownership_challenge: \${secret:TOKEN_OF_A:-planted}
          - { name: b, destination_conf: "\${secret:WHERE}", ownership_challenge: planted, fields: [] }
  `,
];

/** Unknown keys, under which a user may put a credential by mistake. */
const MISPLACED = text`
  version: 1
  api_token: planted
  service: { token: "planted", api-key: planted }
  zones:
    a.example:
      settings: { enabled: true }
      CLOUDFLARE_API_TOKEN: planted
`;

const ENVIRONMENT = { WHERE: "s3://planted/x?secret-access-key=planted" };

describe("a sensitive value", () => {
  test.each(FORMS)("is not shown in problems of a valid file: %#", (form) => {
    expectHidden(form);
  });

  test("is not shown in problems of a file with the value in a wrong place", () => {
    expectHidden(MISPLACED);
    expectHidden(MISPLACED.replaceAll("planted", '{ "secret": "planted" }'));
  });

  test("is not shown in problems of a file with any other mistake", () => {
    const edit = fc.record({
      form: fc.constantFrom(...FORMS),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(3),
      insert: fc.constantFrom(
        "",
        " ",
        "\n",
        "\t",
        ":",
        "-",
        '"',
        "'",
        "{",
        "}",
        "[",
        "]",
        "#",
        "|",
        "*",
        "&x ",
        ",",
        "x",
        "?",
        "- ",
      ),
    });
    fc.assert(
      fc.property(edit, ({ form, at, remove, insert }) => {
        const places = placesBeside(form);
        const place = places[Math.floor(at * (places.length - 1))] ?? 0;
        const kept = places.includes(place + remove) ? place + remove : place;
        expectHidden(form.slice(0, place) + insert + form.slice(kept));
      }),
      { numRuns: runs(3_000) },
    );
  });
});

/** Offsets outside of sensitive keys and values. */
function placesBeside(form: string): readonly number[] {
  const spans = [...form.matchAll(/(destination_conf|ownership_challenge)["']?\s*:?|\S*planted\S*/g)];
  const isInside = (offset: number) =>
    spans.some(({ index, 0: whole }) => offset > index && offset < index + whole.length);
  return Array.from({ length: form.length }, (_, offset) => offset).filter((offset) => !isInside(offset));
}

function expectHidden(content: string): void {
  const { problems } = desiredFrom([{ file: "a.yaml", text: content }], ENVIRONMENT);
  expect(problemsText(problems, palette(false))).not.toContain("planted");
  expect(problemsJson(problems, false)).not.toContain("planted");
  expect(JSON.stringify(problems)).not.toContain("planted");
}

describe("a shown line of a file", () => {
  const lines: readonly [sentence: string, content: string, shown: string][] = [
    ["is unchanged without a sensitive key", "name: a # b", "name: a # b"],
    ["includes the name of a secret", "destination_conf: ${secret:A}", "destination_conf: ${secret:A}"],
    [
      "hides the comment after a secret's name",
      "destination_conf: ${secret:A} # was b",
      "destination_conf: ${secret:A} * *** *",
    ],
    ["hides a default", "destination_conf: ${secret:A:-b}", "destination_conf: **************"],
    ["hides the value of a misspelt key", "destination-config: a://b", "destination-config: *****"],
    ["hides the value of a key written as words", "destination conf: a://b", "destination conf* *****"],
    ["hides the text after a key without a colon", "destination_conf a://b", "destination_conf *****"],
    ["is unchanged for a key that only looks sensitive", "challenge_ttl: 30m # b", "challenge_ttl: 30m # b"],
    ["hides text in comments", "# ownership_challenge: a", "# ownership_challenge: *"],
    [
      "hides all text from the first sensitive value on",
      "{ destination_conf: ${secret:A}, ownership_challenge: b, name: c }",
      "{ destination_conf: ${secret:A}, ownership_challenge: ** ***** * *",
    ],
  ];
  test.each(lines)("%s", (_, content, shown) => {
    expect(redacted(content)).toBe(shown);
  });

  test("keeps the position of every character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const content = `a: 1\ndestination_conf: ${value}\nb: 2`;
        const shown = redacted(content);
        expect(shown.length).toBe(content.length);
        expect(shown.replace(/\S/g, "*")).toBe(content.replace(/\S/g, "*"));
      }),
    );
  });
});
