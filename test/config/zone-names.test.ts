import { describe, expect, test } from "vitest";
import { desiredFrom, secretVariables } from "../../src/config/index.js";
import { valueAt } from "../../src/config/place.js";
import { isList, type JsonObject } from "../../src/model/json.js";
import { asWritten } from "../../src/model/reference.js";
import { foldProblems } from "../../src/render/fold.js";
import { text } from "./text.js";

const read = (yaml: string, environment: { readonly [name: string]: string } = {}) =>
  desiredFrom([{ file: "a.yaml", text: yaml }], environment, "plan");

function bodyOf(yaml: string, zone: string, environment = {}): JsonObject {
  const { desired, problems } = read(yaml, environment);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return desired?.zones.find(({ name }) => name === zone)?.open().sections ?? {};
}

/** Formats problems as `line:column code: detail`. */
function problemLines(yaml: string, environment = {}): readonly string[] {
  return read(yaml, environment).problems.map(
    ({ code, detail, at }) => `${at?.line}:${at?.column} ${code}: ${detail}`,
  );
}

const TEMPLATE = text`
  version: 1
  defaults:
    vars: { SITE: NONE, PATH: /checkout }
  templates:
    shop:
      vars: { SITE: SHOP }
      policies:
        - description: Scripts of \${zone}
          action: \${vars.ACTION}
          expression: http.host eq "\${zone}" and starts_with(http.request.uri.path, "\${vars.PATH}")
          value: { script-src: ["'self'", "cdn.\${zone}"] }
      logpush_jobs:
        - name: requests
          dataset: http_requests
          destination_conf: \${secret:LOGS_\${vars.SITE}}
  zones:
    a.example: { extends: [shop], vars: { ACTION: log } }
    b.example: { extends: [shop], vars: { ACTION: allow, PATH: "/\${zone}", SITE: 2 } }
`;

describe("a template that uses the name of its zone", () => {
  test("gives each zone its own values, with vars from the strongest layer", () => {
    const environment = { LOGS_SHOP: "https://logs.example/shop", LOGS_2: "https://logs.example/two" };
    expect(bodyOf(TEMPLATE, "a.example", environment)).toMatchObject({
      policies: [
        {
          description: "Scripts of a.example",
          action: "log",
          expression: 'http.host eq "a.example" and starts_with(http.request.uri.path, "/checkout")',
          value: { "script-src": ["'self'", "cdn.a.example"] },
        },
      ],
      logpush_jobs: [{ destination_conf: "https://logs.example/shop" }],
    });
    expect(bodyOf(TEMPLATE, "b.example", environment)).toMatchObject({
      policies: [
        {
          action: "allow",
          expression: 'http.host eq "b.example" and starts_with(http.request.uri.path, "/b.example")',
        },
      ],
      logpush_jobs: [{ destination_conf: "https://logs.example/two" }],
    });
  });

  test("shares values between zones that do not use the name", () => {
    const yaml = text`
      version: 1
      templates:
        t:
          policies:
            - { description: Same, action: log, expression: "true", value: "script-src 'self'" }
            - { description: "\${zone}", action: log, expression: "true", value: "script-src 'self'" }
      zones: { a.example: { extends: [t] }, b.example: { extends: [t] } }
    `;
    const { desired } = read(yaml);
    const [one, other] = desired?.zones.map((zone) => zone.open().sections.policies) ?? [];
    expect(isList(one) && isList(other) && one[0] === other[0] && one[1] !== other[1]).toBe(true);
  });

  test("keeps the written destination of each zone, with that zone's secret name", () => {
    const { desired } = read(TEMPLATE);
    const written = desired?.zones.map((zone) =>
      zone.open().interpolated(["logpush_jobs", 0, "destination_conf"]),
    );
    expect(written).toMatchObject([
      { written: "${secret:LOGS_SHOP}", name: "LOGS_SHOP", isSecret: true, unset: ["LOGS_SHOP"] },
      { written: "${secret:LOGS_2}", name: "LOGS_2", isSecret: true, unset: ["LOGS_2"] },
    ]);
  });

  test("keeps the places of mistakes after a name", () => {
    const yaml = text`
      version: 1
      templates:
        t:
          policies:
            - description: "\\x41 \${zone}"
              action: log
              expression: http.host eq "\${zone}" and htp.host eq "x"
              value: script-src 'self' cdn.\${zone} 'slef'
      zones: { a-rather-long-name.example: { extends: [t] } }
    `;
    expect(problemLines(yaml).map((line) => line.split(": ")[0])).toEqual([
      "7:48 expression_unknown_name",
      "8:46 csp_unknown_keyword",
    ]);
  });
});

test("does not read references inside a filled-in value", () => {
  const yaml = text`
    version: 1
    zones:
      a.example:
        vars: { A: "$\${env:HOME}", B: "\${env:B}" }
        policies:
          - { description: "\${vars.A} \${vars.B} $\${zone}", action: log, expression: "true", value: "script-src 'self'" }
  `;
  expect(bodyOf(yaml, "a.example", { HOME: "/root", B: "${secret:X}" })).toMatchObject({
    policies: [{ description: "${env:HOME} ${secret:X} ${zone}" }],
  });
});

test("reports a mistake shared by several zones once, with their names", () => {
  const { problems } = desiredFrom(
    [
      {
        file: "a.yaml",
        text: `version: 1\ntemplates: { t: { unmanaged: { policies: ["\${vars.SITE}"] } } }\nzones: { a.example: { extends: [t] }, b.example: { extends: [t] }, c.example: { extends: [t], vars: { SITE: x } } }\n`,
      },
    ],
    {},
  );
  expect(foldProblems(problems).map(({ detail }) => detail)).toEqual([
    'The zone, its templates and the defaults have no var "SITE". Add it: vars: { SITE: … }. In 2 zones: a.example, b.example.',
  ]);
});

describe("the written form of a text is unambiguous for", () => {
  const written = (vars: string, destination: string) => {
    const yaml = `version: 1\nzones: { a.example: { vars: ${vars}, logpush_jobs: [{ name: a, dataset: http_requests, destination_conf: "${destination}" }] } }\n`;
    const zone = desiredFrom([{ file: "a.yaml", text: yaml }], {}).desired?.zones[0]?.open();
    const at = ["logpush_jobs", 0, "destination_conf"];
    return asWritten(String(valueAt(zone?.sections ?? {}, at)), zone?.interpolated(at) ?? null);
  };

  test.each([
    ["a reference", "{}", "${secret:A}", "${secret:A}"],
    ["an escaped reference", "{}", "$${secret:A}", "$${secret:A}"],
    ["a reference made of vars", "{ A: '$', B: '{secret:A}' }", "${vars.A}${vars.B}", "$${secret:A}"],
    ["a reference after a dollar", "{ A: '$' }", "${vars.A}${secret:A}", '${"$"}${secret:A}'],
    ["an escaped reference after a dollar", "{ A: '$' }", "${vars.A}$${secret:A}", "$$${secret:A}"],
  ])("%s", (_, vars, destination, expected) => {
    expect(written(vars, destination)).toBe(expected);
  });
});

test("secretVariables finds all secrets of all zones, however their names are built", () => {
  const environment = { LOGS_SHOP: "x", LOGS_EU: "y", LOGS_OTHER: "z", REGION: "EU", SHOP: "s" };
  const names = (yaml: string) =>
    secretVariables([{ file: "a.yaml", text: yaml }], environment).map(
      ({ name, source: as }) => `${as} ${name}`,
    );
  expect(names(TEMPLATE)).toEqual(["secret LOGS_SHOP"]);
  const regional = TEMPLATE.replace("SITE: 2", "SITE: '$${env:REGION}'");
  expect(names(regional)).toEqual(["secret LOGS_SHOP", "secret LOGS_EU"]);
  const laundered =
    "version: 1\nzones: { a.example: { vars: { D: '${env:SHOP}' }, logpush_jobs: [{ name: a, destination_conf: '${vars.D}' }] } }";
  expect(names(laundered)).toEqual(["env SHOP"]);
});

test("secretVariables finds vars in a file without other references", () => {
  const job =
    "{ name: a, dataset: http_requests, destination_conf: '${secret:LOGS_${vars.SITE}}', filter: '${env:LOGS_SHOP}' }";
  const files = [
    { file: "a.yaml", text: `version: 1\ntemplates: { t: { logpush_jobs: [${job}] } }\n` },
    { file: "b.yaml", text: "version: 1\nzones: { a.example: { extends: [t], vars: { SITE: SHOP } } }\n" },
  ];
  const { problems } = desiredFrom(files, { LOGS_SHOP: "https://logs.example/shop?key=hunter22" });
  expect(problems.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
    expect.stringMatching(/^refused_variable: LOGS_SHOP is a secret/),
  ]);
});

test("refuses a secret's name of more than 200 characters", () => {
  const zone = `{ vars: { A: "" }, logpush_jobs: [{ name: a, destination_conf: "\${secret:${"${vars.A}".repeat(40)}B}" }] }`;
  expect(problemLines(`version: 1\nzones: { a.example: ${zone} }\n`)).toContainEqual(
    expect.stringMatching(/ bad_reference: The name of this secret has more than 200 characters/),
  );
});

const refused: readonly [sentence: string, zone: string, told: readonly string[]][] = [
  [
    "an unknown var, with a suggestion",
    "{ vars: { SITE: a }, policies: [{ description: '${vars.SIET}', action: log, expression: 'true', value: script-src 'self' }] }",
    [
      '2:69 unknown_var: a.example, its templates and the defaults have no var "SIET". Did you mean ${vars.SITE}?',
    ],
  ],
  [
    "a var that contains another var",
    "{ vars: { A: '${zone}', B: '${vars.A}' }, unmanaged: { policies: ['${vars.A}', '${vars.B}'] } }",
    [
      "2:49 bad_reference: A var cannot contain another var. Use ${zone} or ${env:NAME}, or write the value out.",
    ],
  ],
  [
    "a secret in vars",
    "{ vars: { A: '${secret:S}' }, unmanaged: { policies: ['${vars.A}'] } }",
    [
      "2:35 misplaced_secret: Plans show this value. If they may, write ${env:S}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.",
    ],
  ],
  [
    "an invalid name of a secret",
    "{ logpush_jobs: [{ name: a, dataset: http_requests, destination_conf: '${secret:LOGS_${zone}}' }] }",
    [
      '2:92 bad_reference: In this zone the name of the secret is "LOGS_a.example". Give its vars values of letters, digits and _, with no digit first.',
    ],
  ],
  [
    "a variable name built from vars",
    "{ vars: { A: x }, unmanaged: { policies: ['${env:B_${vars.A}}'] } }",
    [
      "2:31 unused_var: No zone that has this var uses ${vars.A}. Use it, or remove it.",
      "2:64 bad_reference: Write the name out. Only the name of a ${secret:…} can contain a reference, and only ${vars.NAME}, as in ${secret:LOGS_${vars.SITE}}.",
    ],
  ],
  [
    "a wrong value from a var",
    "{ vars: { A: lgo }, policies: [{ description: a, action: '${vars.A}', expression: 'true', value: script-src 'self' }] }",
    ['2:78 wrong_value: action is "lgo". It must be log, allow or add_reporting_directives.'],
  ],
  [
    "a repeated name from vars",
    "{ vars: { A: x, B: x }, policies: [{ description: '${vars.A}', action: log, expression: 'true', value: script-src 'self' }, { description: '${vars.B}', action: log, expression: 'true', value: script-src 'self' }] }",
    [
      "2:160 duplicate_name: The list has this name already, at a.yaml:2:71. Give each entry its own description.",
    ],
  ],
];
test.each(refused)("refuses %s", (_, zone, expected) => {
  expect(problemLines(`version: 1\nzones: { a.example: ${zone} }\n`)).toEqual(expected);
});

test("refuses the zone's name where no zone is known", () => {
  expect(
    problemLines(
      "version: 1\nservice: { extra_csp_directives: ['${zone}'] }\nzones: { a.example: { settings: {} } }\n",
    ),
  ).toContain(
    "2:36 bad_reference: This value is the same for all zones. Use ${zone} and ${vars.NAME} only in zones, templates and defaults.",
  );
});

test("warns of a secret in the file if a destination only consists of vars", () => {
  const zone =
    "{ vars: { D: 'https://logs.example?key=1' }, logpush_jobs: [{ name: a, dataset: http_requests, destination_conf: '${vars.D}' }] }";
  expect(problemLines(`version: 1\nzones: { a.example: ${zone} }\n`).join()).toContain("secret_in_file");
});
