import { describe, expect, test } from "vitest";
import { desiredFrom, type Environment } from "../../src/config/index.js";
import type { OpenZone } from "../../src/config/zone.js";
import type { Path } from "../../src/model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { text } from "./text.js";

type Files = { readonly [name: string]: string };

function open(files: Files, name = "a.example", environment: Environment = {}): OpenZone {
  const given = Object.entries(files).map(([file, content]) => ({ file, text: content }));
  const { desired, problems } = desiredFrom(given, environment);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const zone = desired?.zones.find((each) => each.name === name);
  if (zone === undefined) throw new Error(`the test has no zone ${name}`);
  return zone.open();
}

function inOneFile(content: string): Files {
  return { "a.yaml": `version: 1\n${content}` };
}

describe("the merged body of a zone", () => {
  const merges: readonly [sentence: string, content: string, merged: JsonObject][] = [
    [
      "has keys from the zone and from its template",
      text`
        templates:
          shop: { settings: { enabled: true }, prune: [] }
        zones:
          a.example: { extends: [shop], account_id: ab12 }
      `,
      { settings: { enabled: true }, prune: [], account_id: "ab12" },
    ],
    [
      "merges maps by key, and the zone wins",
      text`
        templates:
          shop: { settings: { enabled: true, use_connection_url_path: true } }
        zones:
          a.example: { extends: [shop], settings: { enabled: false } }
      `,
      { settings: { enabled: false, use_connection_url_path: true } },
    ],
    [
      "merges templates from left to right, and the last one wins",
      text`
        templates:
          on: { settings: { enabled: true } }
          off: { settings: { enabled: false, use_connection_url_path: false } }
        zones:
          a.example: { extends: [off, on] }
      `,
      { settings: { enabled: true, use_connection_url_path: false } },
    ],
    [
      "puts a template over the templates that it extends",
      text`
        templates:
          a: { extends: [b, c], settings: { enabled: true } }
          b: { settings: { enabled: false, use_connection_url_path: true } }
          c: { extends: [d], settings: { use_connection_url_path: false } }
          d: { settings: { use_cloudflare_reporting_endpoint: true } }
        zones:
          a.example: { extends: [a] }
      `,
      {
        settings: {
          enabled: true,
          use_connection_url_path: false,
          use_cloudflare_reporting_endpoint: true,
        },
      },
    ],
    [
      "has shared content of two templates as the last one has it",
      text`
        templates:
          base: { settings: { enabled: true } }
          left: { extends: [base], settings: { enabled: false } }
          right: { extends: [base] }
        zones:
          a.example: { extends: [left, right] }
      `,
      { settings: { enabled: true } },
    ],
    [
      "starts with the defaults and their templates",
      text`
        defaults: { extends: [base], settings: { enabled: true, use_connection_url_path: true } }
        templates:
          base: { settings: { use_cloudflare_reporting_endpoint: true, enabled: false } }
          shop: { settings: { use_connection_url_path: false } }
        zones:
          a.example: { extends: [shop] }
      `,
      {
        settings: {
          enabled: true,
          use_connection_url_path: false,
          use_cloudflare_reporting_endpoint: true,
        },
      },
    ],
    [
      "replaces lists",
      text`
        templates:
          shop:
            policies: [{ description: a, value: { script-src: [a, b], img-src: [c] } }]
            prune: [policies]
        zones:
          a.example:
            extends: [shop]
            policies: [{ description: a, value: { script-src: [d] } }]
            prune: []
      `,
      { policies: [{ description: "a", value: { "script-src": ["d"], "img-src": ["c"] } }], prune: [] },
    ],
    [
      "merges policies by description, with new ones last",
      text`
        templates:
          shop:
            policies:
              - { description: a, action: log, enabled: false }
              - { description: b, action: log }
        zones:
          a.example:
            extends: [shop]
            policies:
              - { description: c, action: log }
              - { description: b, action: allow, expression: "true" }
      `,
      {
        policies: [
          { description: "a", action: "log", enabled: false },
          { description: "b", action: "allow", expression: "true" },
          { description: "c", action: "log" },
        ],
      },
    ],
    [
      "keeps inherited policies despite an empty list",
      text`
        templates: { shop: { policies: [{ description: a }] } }
        zones: { a.example: { extends: [shop], policies: [] } }
      `,
      { policies: [{ description: "a" }] },
    ],
    [
      "replaces a CSP map by a text, and a text by a map",
      text`
        templates:
          shop:
            policies:
              - { description: a, value: { script-src: [a] } }
              - { description: b, value: script-src b }
        zones:
          a.example:
            extends: [shop]
            policies:
              - { description: a, value: img-src a }
              - { description: b, value: { img-src: [b] } }
      `,
      {
        policies: [
          { description: "a", value: "img-src a" },
          { description: "b", value: { "img-src": ["b"] } },
        ],
      },
    ],
    [
      "lacks values removed by a null at any depth",
      text`
        templates:
          shop:
            settings: { enabled: true, use_connection_url_path: true }
            policies:
              - { description: a, action: log, enabled: true, value: { script-src: [a], img-src: [b] } }
            prune: [policies]
        zones:
          a.example:
            extends: [shop]
            settings: { enabled: ~ }
            policies:
              - { description: a, action: null, value: { img-src: } }
            prune:
      `,
      {
        settings: { use_connection_url_path: true },
        policies: [{ description: "a", enabled: true, value: { "script-src": ["a"] } }],
      },
    ],
    [
      "lacks a section that a null removes",
      text`
        templates: { shop: { settings: { enabled: true }, policies: [{ description: a }] } }
        zones: { a.example: { extends: [shop], settings: ~, policies: ~ } }
      `,
      {},
    ],
    [
      "lacks values that a template removes from earlier layers",
      text`
        defaults: { settings: { enabled: true, use_connection_url_path: true } }
        templates:
          shop: { settings: { enabled: false } }
          bare: { settings: { enabled: ~ } }
        zones:
          a.example: { extends: [shop, bare] }
      `,
      { settings: { use_connection_url_path: true } },
    ],
    [
      "has values that a later layer sets again after a null",
      text`
        templates:
          shop: { settings: { enabled: true, use_connection_url_path: true } }
          bare: { settings: ~ }
        zones:
          a.example: { extends: [shop, bare], settings: { use_connection_url_path: false } }
      `,
      { settings: { use_connection_url_path: false } },
    ],
    [
      "has the reporting field under one name, whichever was written",
      text`
        templates:
          a: { settings: { use_service_reporting_endpoint: true } }
          b: { settings: { use_cloudflare_reporting_endpoint: false } }
          c: { settings: { use_service_reporting_endpoint: true } }
        zones:
          a.example: { extends: [a, b, c] }
      `,
      { settings: { use_cloudflare_reporting_endpoint: true } },
    ],
    [
      "keeps names of methods as keys",
      text`
        service: { extra_csp_directives: [constructed] }
        templates:
          isPrototypeOf: { policies: [{ description: toString, value: { constructed: [a] } }] }
        zones:
          a.example: { extends: [isPrototypeOf], policies: [{ description: valueOf }] }
      `,
      {
        policies: [{ description: "toString", value: { constructed: ["a"] } }, { description: "valueOf" }],
      },
    ],
  ];
  test.each(merges)("%s", (_, content, merged) => {
    expect(open(inOneFile(content)).merged).toEqual(merged);
  });

  test("uses templates of all files, and defaults of its own file only", () => {
    const files = {
      "a.yaml":
        "version: 1\ndefaults: { settings: { enabled: true } }\nzones: { a.example: { extends: [shop] } }\n",
      "b.yaml":
        "version: 1\ntemplates: { shop: { settings: { use_connection_url_path: true } } }\nzones: { b.example: { extends: [shop] } }\n",
    };
    expect(open(files, "a.example").sections).toEqual({
      settings: { enabled: true, use_connection_url_path: true },
    });
    expect(open(files, "b.example").sections).toEqual({ settings: { use_connection_url_path: true } });
  });

  test("merges values after filling in variables", () => {
    const files = inOneFile(text`
      templates: { shop: { policies: [{ description: "\${env:NAME}", action: log }] } }
      zones: { a.example: { extends: [shop], policies: [{ description: Scripts, enabled: true }] } }
    `);
    expect(open(files, "a.example", { NAME: "Scripts" }).sections).toEqual({
      policies: [{ description: "Scripts", action: "log", enabled: true }],
    });
  });

  test("separates the properties of the zone from its desired state", () => {
    const { name, id, accountId, sections, prune } = open(
      inOneFile(
        "zones: { Shop.Example.: { id: AB12, account_id: CD34, settings: {}, policies: [], prune: [policies] } }\n",
      ),
      "shop.example",
    );
    expect({ name, id, accountId, sections, prune }).toEqual({
      name: "shop.example",
      id: "ab12",
      accountId: "cd34",
      sections: { settings: {}, policies: [] },
      prune: ["policies"],
    });
  });
});

describe("the account of a zone", () => {
  const accounts: readonly [sentence: string, content: string, account: string | null][] = [
    ["is unknown by default", "zones: { a.example: {} }", null],
    ["is that of its file", "account_id: aa\nzones: { a.example: {} }", "aa"],
    [
      "comes from the defaults rather than from the file",
      "account_id: aa\ndefaults: { account_id: bb }\nzones: { a.example: {} }",
      "bb",
    ],
    [
      "comes from a template rather than from the defaults",
      "account_id: aa\ndefaults: { account_id: bb }\ntemplates: { t: { account_id: cc } }\nzones: { a.example: { extends: [t] } }",
      "cc",
    ],
    [
      "comes from the zone rather than from any other layer",
      "account_id: aa\ntemplates: { t: { account_id: cc } }\nzones: { a.example: { extends: [t], account_id: dd } }",
      "dd",
    ],
    [
      "comes from the file if the zone removes the template's",
      "account_id: aa\ntemplates: { t: { account_id: cc } }\nzones: { a.example: { extends: [t], account_id: ~ } }",
      "aa",
    ],
  ];
  test.each(accounts)("%s", (_, content, account) => {
    expect(open(inOneFile(content)).accountId).toBe(account);
  });

  test("never comes from another file", () => {
    const files = {
      "a.yaml": "version: 1\nzones: { a.example: {} }\n",
      "b.yaml": "version: 1\naccount_id: aa\n",
    };
    expect(open(files).accountId).toBeNull();
  });
});

describe("the place of a merged value", () => {
  const files = {
    "templates.yaml": text`
      version: 1
      templates:
        shop:
          settings:
            enabled: true
            use_service_reporting_endpoint: false
          policies:
            - description: More
              action: log
            - description: Scripts
              action: log
              value:
                script-src: [a, b]
                img-src: [c]
    `,
    "zones.yaml": text`
      version: 1
      defaults:
        settings: { enabled: false, use_connection_url_path: true }
      zones:
        a.example:
          extends: [shop]
          policies:
            - description: New
            - action: allow
              description: Scripts
              value: { img-src: [d, e] }
          prune: [policies]
    `,
  };
  const zone = open(files);

  test("is in the strongest layer that has the value, with that layer's own index and name", () => {
    const places = pathsIn(zone.merged).map((path) => `${path.join(".")} ${placeOf(path)}`);
    expect(`${places.join("\n")}\n`).toBe(text`
      settings templates.yaml:5:7
      settings.enabled templates.yaml:5:16
      settings.use_connection_url_path zones.yaml:3:56
      settings.use_cloudflare_reporting_endpoint templates.yaml:6:39
      policies zones.yaml:8:7
      policies.0 templates.yaml:8:9
      policies.0.description templates.yaml:8:22
      policies.0.action templates.yaml:9:17
      policies.1 zones.yaml:9:9
      policies.1.description zones.yaml:10:22
      policies.1.action zones.yaml:9:17
      policies.1.value zones.yaml:11:16
      policies.1.value.script-src templates.yaml:13:23
      policies.1.value.script-src.0 templates.yaml:13:24
      policies.1.value.script-src.1 templates.yaml:13:27
      policies.1.value.img-src zones.yaml:11:27
      policies.1.value.img-src.0 zones.yaml:11:28
      policies.1.value.img-src.1 zones.yaml:11:31
      policies.2 zones.yaml:8:9
      policies.2.description zones.yaml:8:22
      prune zones.yaml:12:12
      prune.0 zones.yaml:12:13
    `);
  });

  const others: readonly [sentence: string, path: Path, part: "key" | "value", place: string][] = [
    ["can be the place of its key", ["policies", 1, "value", "img-src"], "key", "zones.yaml:11:18"],
    [
      "can be the place of its key under another name",
      ["settings", "use_cloudflare_reporting_endpoint"],
      "key",
      "templates.yaml:6:7",
    ],
    ["is the place of an item that has no key", ["policies", 1], "key", "zones.yaml:9:9"],
    [
      "is the place of the nearest parent if the value is missing",
      ["policies", 0, "value", "x"],
      "value",
      "templates.yaml:8:9",
    ],
    [
      "is the place of the parent's value if the key is missing",
      ["policies", 1, "enabled"],
      "key",
      "zones.yaml:9:9",
    ],
    ["is the place of the zone for a missing section", ["prunes"], "value", "zones.yaml:6:5"],
    ["is the place of the zone for the whole body", [], "value", "zones.yaml:6:5"],
  ];
  test.each(others)("%s", (_, path, part, place) => {
    expect(placeOf(path, part)).toBe(place);
  });

  test("has the pointer of its file, not of the merged body", () => {
    expect(zone.locate(["policies", 1, "value", "script-src", 1])?.pointer).toBe(
      "/templates/shop/policies/1/value/script-src/1",
    );
    expect(zone.locate(["settings", "use_cloudflare_reporting_endpoint"])?.pointer).toBe(
      "/templates/shop/settings/use_service_reporting_endpoint",
    );
  });

  function placeOf(path: Path, part?: "key" | "value"): string {
    const at = zone.locate(path, part);
    return at === null ? "nowhere" : `${at.file}:${at.line}:${at.column}`;
  }
});

function pathsIn(value: Json, path: Path = []): readonly Path[] {
  const entries = isList(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return entries.flatMap(([step, each]) => [[...path, step], ...pathsIn(each, [...path, step])]);
}
