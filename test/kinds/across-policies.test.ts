import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.js";
import { findingsOf, type Part } from "./zone-states.js";

interface Known {
  /** What it changes of a policy that blocks. */
  readonly now?: JsonObject;
  /** The same of what is live; null: nothing is. */
  readonly was?: JsonObject | null;
  readonly isForeign?: boolean;
}

const BLOCKING = { action: "allow", enabled: true, expression: "true", value: "script-src 'self'" };

function policies(known: Readonly<Record<string, Known>>, gone: readonly JsonObject[] = []): Part {
  const objects = Object.entries(known).map(([description, { now = {}, was = null, isForeign }], index) => ({
    normal: { description, ...BLOCKING, ...now },
    at: isForeign === true ? null : ["policies", index],
    was: was === null ? null : { description, ...BLOCKING, ...was },
  }));
  return { kind: "policy", objects, gone: gone.map((each) => ({ ...BLOCKING, ...each })) };
}

/** What is live already. */
function settled(known: Readonly<Record<string, JsonObject>>): Part {
  const both = Object.entries(known).map(([name, now]) => [name, { now, was: now }] as const);
  return policies(Object.fromEntries(both));
}

function fromFiles({ kind, objects }: Part): Part {
  return { kind, objects: objects.map((each) => ({ ...each, was: null })), gone: null };
}

function service(enabled: boolean | undefined): Part {
  const normal: JsonObject = enabled === undefined ? {} : { enabled };
  return { kind: "settings", objects: [{ normal, at: ["settings"], was: null }], gone: null };
}

function warnings(...parts: readonly Part[]): readonly string[] {
  return findingsOf(...parts).map(({ severity, code, path }) => `${severity} ${code} ${path.join("/")}`);
}

const LOG = { action: "log" };
const OFF = { enabled: false };

describe("policies while the service is off", () => {
  const warned = ["warning policies_while_off settings/enabled"];

  test.each<[string, readonly Part[], readonly string[]]>([
    ["are warned of", [service(false), settled({ A: {} })], warned],
    ["are warned of when they only report", [service(false), settled({ A: LOG })], warned],
    ["are warned of once", [service(false), settled({ A: LOG, B: {}, C: { expression: "false" } })], warned],
    ["are warned of from the files alone", [service(false), fromFiles(settled({ A: {} }))], warned],
    ["are fine when they are switched off too", [service(false), settled({ A: OFF })], []],
    ["are fine while it is on", [service(true), settled({ A: {} })], []],
    ["are not judged where the files do not say", [service(undefined), fromFiles(settled({ A: {} }))], []],
    ["are not judged where the zone does not manage the service", [settled({ A: {} })], []],
    ["are not judged where the zone does not manage policies", [service(false)], []],
  ])("%s", (_, parts, expected) => {
    expect(warnings(...parts)).toEqual(expected);
  });

  test("are named, and it is said what they still do", () => {
    const [blocking] = findingsOf(service(false), settled({ One: {}, Two: LOG }));
    expect(blocking?.detail).toContain(
      'does not switch its policies off: "One" still blocks what it does not allow.',
    );
    const [reporting] = findingsOf(service(false), settled({ A: LOG, B: LOG, C: LOG, D: LOG, E: LOG }));
    expect(reporting?.detail).toContain('"A", "B", "C" and 2 more stay in force.');
    expect(reporting?.detail).toContain("nothing is detected or reported");
  });
});

describe("a policy that starts to block", () => {
  const warned = ["warning blocks_untried policies/0/action"];
  const wider = { value: "script-src 'self' cdn.example" };

  test.each<[string, Part, readonly string[]]>([
    ["is warned of when it is new", policies({ A: {} }), warned],
    ["is warned of when it is switched on", policies({ A: { was: OFF } }), warned],
    ["is fine when it has reported before", policies({ A: { was: LOG } }), []],
    ["is fine when it allows more than it has reported", policies({ A: { now: wider, was: LOG } }), []],
    [
      "is warned of when it allows less than it has reported",
      policies({ A: { was: { ...LOG, ...wider } } }),
      warned,
    ],
    [
      "is warned of when it goes to more pages than it has reported on",
      policies({ A: { was: { ...LOG, expression: 'http.host eq "a.example"' } } }),
      warned,
    ],
    [
      "is fine when it goes to fewer pages",
      policies({ A: { now: { expression: 'http.host eq "a.example"' }, was: LOG } }),
      [],
    ],
    ["is fine when another one has reported the same", policies({ A: {}, B: { now: LOG, was: LOG } }), []],
    ["is fine when the one that has reported goes", policies({ A: {} }, [LOG]), []],
    [
      "is fine when one that nobody declares has reported it",
      policies({ A: {}, B: { now: LOG, was: LOG, isForeign: true } }),
      [],
    ],
    [
      "is fine where nobody can tell whether the pages are the same",
      policies({ A: { was: { ...LOG, expression: "cf.unheard_of eq 1" } } }),
      [],
    ],
    ["is warned of when the other one is switched off", policies({ A: {} }, [{ ...LOG, ...OFF }]), warned],
    ["is warned of when the other one is new too", policies({ A: {}, B: { now: LOG } }), warned],
    ["is fine when another one has blocked the same", policies({ A: {} }, [{}]), []],
    [
      "is fine when it has blocked before",
      policies({ A: { now: { value: "script-src 'none'" }, was: {} } }),
      [],
    ],
    ["is none when it only reports", policies({ A: { now: LOG } }), []],
    ["is none when it is switched off", policies({ A: { now: OFF } }), []],
    ["is none when it is live and nobody declares it", policies({ A: { was: {}, isForeign: true } }), []],
    ["is not judged by the files alone", fromFiles(policies({ A: {} })), []],
  ])("%s", (_, part, expected) => {
    expect(warnings(part)).toEqual(expected);
  });

  test("is told what is missing", () => {
    const details = [policies({ A: {} }), policies({ A: { was: { ...LOG, expression: "false" } } })].map(
      (part) => findingsOf(part)[0]?.detail.split(". ")[0],
    );
    expect(details).toEqual([
      '"A" would block at once, and no live policy has reported (action: log) for its pages and value',
      '"A" has reported so far, but with other pages or another value',
    ]);
  });
});

describe("two policies that block", () => {
  const checkout = { expression: 'http.request.uri.path eq "/checkout"' };
  const shop = { expression: 'http.host eq "shop.example"' };
  const allow = (value: string) => ({ value });
  const warned = (at: string) => [`warning policies_combined ${at}`];

  test.each<[string, Readonly<Record<string, JsonObject>>, readonly string[]]>([
    [
      "are warned of where each has a source that the other lacks",
      { A: allow("script-src a.example"), B: allow("script-src b.example") },
      warned("policies/0/value"),
    ],
    [
      "are warned of where one adds a source on the same pages",
      { A: allow("script-src 'self'"), B: allow("script-src 'self' cdn.example") },
      warned("policies/1/value"),
    ],
    [
      "are fine where the one for fewer pages is stricter",
      { A: allow("script-src 'self' cdn.example"), B: { ...checkout, ...allow("script-src 'self'") } },
      [],
    ],
    [
      "are warned of where the one for fewer pages names something of its own",
      {
        A: allow("script-src 'self' cdn.example"),
        B: { ...checkout, ...allow("script-src 'self' pay.example") },
      },
      warned("policies/1/value"),
    ],
    [
      "are fine where the one for some pages is stricter, and each has pages of its own",
      {
        A: { ...shop, ...allow("script-src 'self' cdn.example") },
        B: { ...checkout, ...allow("script-src 'self'") },
      },
      [],
    ],
    [
      "are warned of where each has pages of its own and loses something",
      {
        A: { ...shop, ...allow("script-src cdn.example") },
        B: { ...checkout, ...allow("script-src pay.example") },
      },
      warned("policies/0/value"),
    ],
    [
      "are fine where one is for scripts and one for connections",
      { A: allow("script-src a.example"), B: allow("connect-src b.example") },
      [],
    ],
    [
      "are fine where a source of the one for all pages covers it in other words",
      {
        A: allow("script-src *.cdn.example"),
        B: { ...checkout, ...allow("script-src https://a.cdn.example/pay.js") },
      },
      [],
    ],
    [
      "are fine on different pages",
      {
        A: { ...shop, ...allow("script-src a.example") },
        B: { expression: 'http.host eq "blog.example"', ...allow("script-src b.example") },
      },
      [],
    ],
    [
      "are fine where nobody can tell on which pages",
      {
        A: { expression: "cf.unheard_of eq 1", ...allow("script-src a.example") },
        B: allow("script-src b.example"),
      },
      [],
    ],
    [
      "are warned of where one takes a domain and the other a host of it",
      { A: allow("script-src https://a.cdn.example"), B: allow("script-src *.cdn.example") },
      warned("policies/1/value"),
    ],
    [
      "are fine with the same sources written otherwise",
      { A: allow("script-src https://a.example 'self'"), B: allow("SCRIPT-SRC 'SELF' a.example:443") },
      [],
    ],
    [
      "are warned of where the other's default-src blocks it",
      { A: allow("default-src 'self'"), B: allow("script-src 'self' cdn.example") },
      warned("policies/1/value"),
    ],
    [
      "are fine where one narrows the other's default-src",
      { A: allow("default-src 'self' cdn.example"), B: allow("script-src 'self'") },
      [],
    ],
    [
      "are warned of where one allows what stands in the page",
      { A: allow("script-src 'self'"), B: allow("script-src 'self' 'unsafe-inline'") },
      warned("policies/1/value"),
    ],
    [
      "are fine where a host may be the page's own",
      { A: allow("script-src shop.example"), B: allow("script-src 'self' shop.example") },
      [],
    ],
    [
      "are fine where 'strict-dynamic' makes hosts void",
      {
        A: allow("script-src 'nonce-a' 'strict-dynamic'"),
        B: allow("script-src 'nonce-a' 'strict-dynamic' a.example"),
      },
      [],
    ],
    [
      "are fine where one only reports",
      { A: allow("script-src a.example"), B: { ...LOG, ...allow("script-src b.example") } },
      [],
    ],
    [
      "are fine where one is switched off",
      { A: allow("script-src a.example"), B: { ...OFF, ...allow("script-src b.example") } },
      [],
    ],
  ])("%s", (_, known, expected) => {
    expect(warnings(settled(known))).toEqual(expected);
    expect(warnings(fromFiles(settled(known)))).toEqual(expected);
  });

  test("are warned of where one of them is not declared, and not where neither is", () => {
    const one = { now: allow("script-src a.example"), was: allow("script-src a.example") };
    const other = { now: allow("script-src b.example"), was: allow("script-src b.example"), isForeign: true };
    expect(warnings(policies({ A: other, B: one }))).toEqual(warned("policies/1/value"));
    expect(warnings(policies({ A: other, B: { ...one, isForeign: true } }))).toEqual([]);
  });

  test("are named with what is blocked, by what, and where it is allowed", () => {
    const [found] = findingsOf(
      settled({
        All: allow("default-src 'self'"),
        Pay: { ...checkout, ...allow("script-src 'self' pay.example") },
      }),
    );
    expect(found?.detail).toBe(
      'On pages of both, "All" blocks by its default-src pay.example, which "Pay" allows in script-src. Allow it in "All", exclude these pages from "All", or remove it from "Pay". Browsers load only what every policy of a page allows.',
    );
  });

  test("are looked at in a hundred pairs, however many there are and however long", () => {
    const long = Array.from({ length: 600 }, (_, index) => `h${index}.example`).join(" ");
    const many = Array.from({ length: 200 }, (_, index) => [
      `P${index}`,
      {
        ...allow(`script-src ${long} own${index}.example`),
        expression: `http.request.uri.path contains "${index}"`,
      },
    ]);
    expect(findingsOf(settled(Object.fromEntries(many)))).toHaveLength(100);
  });
});
