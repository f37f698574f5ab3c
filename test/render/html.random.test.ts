import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { DASHBOARD_ADDRESS } from "../../src/model/dashboard.js";
import { planHtml } from "../../src/render/plan-html.js";
import { visible } from "../../src/render/safe-text.js";
import { planView } from "../../src/run/plan-formats.js";
import { HOSTILE, harmIn, hostileTexts } from "../support/hostile.js";
import { hostilePlan } from "../support/hostile-plan.js";
import { fc, runs } from "../support/random.js";

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const GOLDEN: PlanDocument = JSON.parse(readFileSync(new URL("golden/plan.json", import.meta.url), "utf8"));

test("the golden plan renders to the golden page", async () => {
  await expect(planHtml(planView(GOLDEN, "plan"))).toMatchFileSnapshot("golden/plan.html");
});

test("a changed long text is shown once, with removed and added words marked", () => {
  const hosts = (last: string) =>
    `http.host in {"shop.example.com" "www.shop.example.com" "pay.example.com"} and http.request.uri.path eq "${last}"`;
  const document: PlanDocument = JSON.parse(JSON.stringify(GOLDEN));
  const changed = document.changes
    .flatMap(({ fields }) => fields)
    .filter(({ path, before, after }) => path === "expression" && before !== null && after !== null);
  for (const field of changed) Object.assign(field, { before: hosts("/checkout"), after: hosts("/pay") });
  expect(changed.length).toBeGreaterThan(0);
  const page = planHtml(planView(document, "plan"));
  expect(page).toMatch(/<del>[^<]*\/checkout[^<]*<\/del><ins>[^<]*\/pay[^<]*<\/ins>/);
  expect(page).not.toMatch(/<del>[^<]*pay\.example\.com/);
});

describe("a page", () => {
  const text = planHtml(planView(GOLDEN, "plan"));
  const elements = elementsOf(text);
  const named = (name: string) => elements.filter(({ tagName }) => tagName === name);

  test("is valid HTML", () => {
    const errors: string[] = [];
    parse(text, { onParseError: ({ code }) => errors.push(code) });
    expect(errors).toEqual([]);
  });

  test("allows only its own style, by its hash", () => {
    const [style = ""] = named("style").map(textOf);
    const hash = createHash("sha256").update(style).digest("base64");
    const [policy] = named("meta").filter((meta) => attribute(meta, "http-equiv") !== null);
    expect(named("style").length).toBe(1);
    expect(policy && attribute(policy, "content")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
  });

  test("has a language, a title, one first heading, and landmarks", () => {
    expect(named("html").map((each) => attribute(each, "lang"))).toEqual(["en"]);
    expect(named("title").map(textOf)).toEqual([
      "zoneward plan: 18 changes in 8 zones; 1 of 9 zones could not be planned",
    ]);
    for (const name of ["h1", "header", "nav", "main", "footer"]) expect(named(name).length).toBe(1);
  });

  test("skips no heading level", () => {
    const levels = elements.flatMap(({ tagName }) => (/^h\d$/.test(tagName) ? [Number(tagName[1])] : []));
    const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
    expect(skipped).toEqual([]);
  });

  test("has a caption for each table and a scope for each heading cell", () => {
    const tables = named("table");
    expect(tables.length).toBeGreaterThan(5);
    const isNamed = (table: Element) => elementsIn(table).some(({ tagName }) => tagName === "caption");
    expect(tables.filter((table) => !isNamed(table)).map(textOf)).toEqual([]);
    expect(
      named("th")
        .filter((cell) => attribute(cell, "scope") === null)
        .map(textOf),
    ).toEqual([]);
  });

  test("has unique ids, and links only to them and to the service's dashboard", () => {
    const ids = elements.flatMap((each) => attribute(each, "id") ?? []);
    const targets = elements.flatMap((each) => attribute(each, "href") ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const isHere = (target: string) => target.startsWith("#") && ids.includes(target.slice(1));
    const elsewhere = targets.filter((target) => !isHere(target));
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.filter((target) => !new RegExp(DASHBOARD_ADDRESS).test(target))).toEqual([]);
  });

  test("starts with changed guardrails", () => {
    const main = named("main").map(textOf).join("");
    const order = [
      "The guardrails differ",
      "The service differs",
      "guardrail weakens",
      "old.example.org",
      "Zones",
    ];
    const places = order.map((each) => main.indexOf(each));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  test("shows once why a zone could not be planned, with code and place", () => {
    const source = { file: "zones/old.yaml", line: 7, column: 1 };
    const zones = GOLDEN.zones.map((zone) =>
      zone.problem === undefined ? zone : { ...zone, problem: { ...zone.problem, source } },
    );
    const failures = zones.flatMap(({ problem }) => problem ?? []);
    expect(failures).toHaveLength(1);
    const [failure] = failures;
    const diagnostics = GOLDEN.diagnostics.map((each) =>
      each.code === failure?.code ? { ...each, source } : each,
    );
    const [main] = elementsOf(planHtml(planView({ ...GOLDEN, zones, diagnostics }, "plan"))).filter(
      ({ tagName }) => tagName === "main",
    );
    const words = main === undefined ? "" : textOf(main);
    expect(words.split(failure?.message ?? "").length - 1).toBe(1);
    expect(words).toContain(`${failure?.message}zones/old.yaml:7 · not_permitted`);
  });

  test("starts with all other errors", () => {
    const other = {
      severity: "error",
      code: "bad",
      message: "Something else.",
      zone: "old.example.org",
    } as const;
    const page = planHtml(planView({ ...GOLDEN, diagnostics: [...GOLDEN.diagnostics, other] }, "plan"));
    const [messages] = elementsOf(page).filter((each) => attribute(each, "id") === "notices");
    expect(messages === undefined ? "" : textOf(messages)).toContain("Something else.");
  });

  test("has every call with its body, merged if it is the same in many zones", () => {
    const bodies = named("pre").map((each) => JSON.parse(textOf(each)));
    const apart = new Map(GOLDEN.calls.map(({ body }) => [JSON.stringify(body), body]));
    expect(bodies).toHaveLength(apart.size - (apart.has("null") ? 1 : 0));
    expect(bodies).toEqual(expect.arrayContaining([...apart.values()].filter((body) => body !== null)));
  });
});

describe("of many zones", () => {
  const quiet = Array.from({ length: 300 }, (_, index) => ({
    ...{ zone: `quiet-${index}.example`, zone_id: null, requests: 1 },
    status: "planned" as const,
  }));
  const text = planHtml(planView({ ...GOLDEN, zones: [...GOLDEN.zones, ...quiet] }, "plan"));

  test("unchanged zones are counted", () => {
    expect(text).toContain("300 more zones: unchanged.");
    expect(text).not.toContain("quiet-");
  });
});

describe("a plan of 5,000 changes in 300 zones", () => {
  const zoneOf = (n: number) => `zone-${n % 300}.example`;
  const many = <Of>(all: readonly Of[], of: (one: Of, n: number) => Of) =>
    Array.from({ length: Math.ceil(5_000 / all.length) }, () => all)
      .flat()
      .slice(0, 5_000)
      .map(of);
  const plan: PlanDocument = {
    ...GOLDEN,
    zones: Array.from({ length: 300 }, (_, n) => ({
      ...{ zone: zoneOf(n), zone_id: null, requests: 1 },
      status: "planned" as const,
    })),
    changes: many(GOLDEN.changes, (one, n) => ({ ...one, zone: zoneOf(n), key: `${one.key} ${n}` })),
    calls: many(GOLDEN.calls, (one, n) => ({
      ...one,
      zone: zoneOf(n),
      step: n + 1,
      changes: [n],
      after: [],
    })),
  };
  const text = planHtml(planView(plan, "plan"));

  test("takes a few megabytes", () => {
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(text.length).toBeLessThan(7_000_000);
  });

  test("has a row for each zone with its changes folded", () => {
    const elements = elementsOf(text);
    const zones = elements.filter((each) => attribute(each, "class") === "zone");
    const folded = elements.filter(
      (each) => each.tagName === "details" && elementsIn(each).some(({ tagName }) => tagName === "article"),
    );
    expect(elements.filter(({ tagName }) => tagName === "article").length).toBe(5_000);
    expect(zones.filter(({ tagName }) => tagName === "section").length).toBe(300);
    expect(folded.length).toBe(300);
    expect(folded.flatMap((each) => attribute(each, "open") ?? [])).toEqual([]);
  });
});

describe("a change that is equal in another zone", () => {
  test("is shown once with all of its zones", () => {
    const first = GOLDEN.changes.findIndex(({ zone }) => zone === "brand-a.example.net");
    const elements = elementsOf(planHtml(planView(GOLDEN, "plan")));
    const section = elements.find(
      (each) =>
        each.tagName === "section" &&
        attribute(each, "class") === "zone" &&
        elementsIn(each).some((one) => attribute(one, "id") === `c${first}`),
    );
    const words = section === undefined ? "" : textOf(section);
    for (const letter of ["a", "b", "c", "d", "e", "f"])
      expect(words).toContain(`brand-${letter}.example.net`);
    expect(elements.filter(({ tagName }) => tagName === "article")).toHaveLength(8);
  });
});

describe("with any text in a plan", () => {
  const hostile = fc.oneof(
    fc.constantFrom(...Object.values(HOSTILE).filter(({ length }) => length < 1_000)),
    fc.string({ unit: "binary" }),
  );

  /** Longer than any shown text, and few enough for a plan full of them. */
  const MAX_CHARS = 5_000;

  test.each(hostileTexts)("%s is harmless", (_, text) => {
    const page = planHtml(planView(hostilePlan(GOLDEN, text.slice(0, MAX_CHARS)), "plan"));
    expect(harmIn(page, "programs")).toEqual([]);
    expect(strangersIn(page)).toEqual([]);
  });

  test("a page has only these elements and attributes, with constant values", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom("plan", "drift"), (text, about) => {
        expect(strangersIn(planHtml(planView(hostilePlan(GOLDEN, text), about)))).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });

  test("the text does not change the structure of the page", () => {
    const marks = fc.string({ unit: fc.constantFrom(..."<>&/=!-ai'`"), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(marks, (text) => {
        const plain = planHtml(planView(hostilePlan(GOLDEN, "x".repeat(text.length)), "plan"));
        expect(shapeOf(planHtml(planView(hostilePlan(GOLDEN, text), "plan")))).toEqual(shapeOf(plain));
      }),
      { numRuns: runs(100) },
    );
  });

  test("a value can be read in full", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const changes = GOLDEN.changes.map((change) => ({
          ...change,
          fields: change.fields.map(({ origin }) => ({
            path: "field",
            before: null,
            after: `a ${text} b`,
            origin,
          })),
        }));
        const page = planHtml(planView({ ...GOLDEN, changes }, "plan"));
        const values = elementsOf(page).filter(({ tagName }) => tagName === "ins");
        expect(values.some((each) => textOf(each).includes(visible(`a ${text} b`)))).toBe(true);
      }),
      { numRuns: runs(60) },
    );
  });
});

const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  class: /^[a-z -]+$/,
  id: /^([a-z]+|[cgsz]\d+)$/,
  href: new RegExp(String.raw`^#([a-z]+|[cgsz]\d+)$|${DASHBOARD_ADDRESS}`),
  rel: /^noreferrer$/,
  scope: /^(col|row|rowgroup)$/,
  colspan: /^\d+$/,
  "aria-label": /^Contents$/,
  lang: /^en$/,
  charset: /^utf-8$/,
  name: /^[a-z-]+$/,
  content: /^(default-src 'none'; .*|width=device-width, initial-scale=1|light dark|no-referrer)$/,
  "http-equiv": /^Content-Security-Policy$/,
};

const ELEMENTS = new Set(
  [
    "html head meta title style body header nav main footer section article h1 h2 h3 h4 p ul li dl dt dd div span",
    "strong b code pre del ins a br table caption thead tbody tr th td details summary",
  ].flatMap((names) => names.split(" ")),
);

function strangersIn(page: string): readonly string[] {
  return elementsOf(page).flatMap(({ tagName, attrs }) => [
    ...(ELEMENTS.has(tagName) ? [] : [tagName]),
    ...attrs
      .filter(({ name, value }) => ATTRIBUTES[name]?.test(value) !== true)
      .map(({ name, value }) => `${name}=${value}`),
  ]);
}

/** The elements with their attributes, without text. */
function shapeOf(page: string): readonly string[] {
  return elementsOf(page).map(
    ({ tagName, attrs }) => `${tagName} ${attrs.map(({ name, value }) => `${name}=${value}`).join(" ")}`,
  );
}

function elementsOf(page: string): readonly Element[] {
  return parse(page).childNodes.flatMap(withDescendants);
}

function elementsIn(element: Element): readonly Element[] {
  return element.childNodes.flatMap(withDescendants);
}

function withDescendants(node: Node): readonly Element[] {
  return "tagName" in node ? [node, ...elementsIn(node)] : [];
}

function attribute(element: Element, name: string): string | null {
  return element.attrs.find((each) => each.name === name)?.value ?? null;
}

function textOf(node: Node): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}
