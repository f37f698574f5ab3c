import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.js";
import { findingsOf, type Part } from "./zone-states.js";

interface Known {
  /** The fields in which the policy differs from a blocking one. */
  readonly now?: JsonObject;
  /** The same for the live policy; null: it is not live. */
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

/** Policies that are already live. */
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
    ["cause a warning", [service(false), settled({ A: {} })], warned],
    ["cause a warning even if they only report", [service(false), settled({ A: LOG })], warned],
    [
      "cause only one warning",
      [service(false), settled({ A: LOG, B: {}, C: { expression: "false" } })],
      warned,
    ],
    ["cause a warning with only the files known", [service(false), fromFiles(settled({ A: {} }))], warned],
    ["are fine when they are switched off too", [service(false), settled({ A: OFF })], []],
    ["are fine while it is on", [service(true), settled({ A: {} })], []],
    [
      "cause no warning if the files do not declare enabled",
      [service(undefined), fromFiles(settled({ A: {} }))],
      [],
    ],
    ["cause no warning if the zone has no settings section", [settled({ A: {} })], []],
    ["cause no warning if the zone has no policies section", [service(false)], []],
  ])("%s", (_, parts, expected) => {
    expect(warnings(...parts)).toEqual(expected);
  });

  test("are named with their remaining effect", () => {
    const [blocking] = findingsOf(service(false), settled({ One: {}, Two: LOG }));
    expect(blocking?.detail).toContain(
      'With client-side security off, "One" still blocks what it does not allow.',
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
    ["causes a warning when it is new", policies({ A: {} }), warned],
    ["causes a warning when it is switched on", policies({ A: { was: OFF } }), warned],
    ["is fine if it reported before", policies({ A: { was: LOG } }), []],
    ["is fine if it allows more than its reporting version", policies({ A: { now: wider, was: LOG } }), []],
    [
      "causes a warning if it allows less than its reporting version",
      policies({ A: { was: { ...LOG, ...wider } } }),
      warned,
    ],
    [
      "causes a warning on more pages than it reported on",
      policies({ A: { was: { ...LOG, expression: 'http.host eq "a.example"' } } }),
      warned,
    ],
    [
      "is fine on fewer pages",
      policies({ A: { now: { expression: 'http.host eq "a.example"' }, was: LOG } }),
      [],
    ],
    ["is fine if another policy reported the same", policies({ A: {}, B: { now: LOG, was: LOG } }), []],
    ["is fine if the reporting policy is deleted", policies({ A: {} }, [LOG]), []],
    [
      "is fine if an undeclared policy reported the same",
      policies({ A: {}, B: { now: LOG, was: LOG, isForeign: true } }),
      [],
    ],
    [
      "is fine if the pages cannot be compared",
      policies({ A: { was: { ...LOG, expression: "cf.unheard_of eq 1" } } }),
      [],
    ],
    [
      "causes a warning if the other policy is switched off",
      policies({ A: {} }, [{ ...LOG, ...OFF }]),
      warned,
    ],
    ["causes a warning if the other policy is new too", policies({ A: {}, B: { now: LOG } }), warned],
    ["is fine if another policy blocked the same", policies({ A: {} }, [{}]), []],
    ["is fine if it blocked before", policies({ A: { now: { value: "script-src 'none'" }, was: {} } }), []],
    ["is not found if it only reports", policies({ A: { now: LOG } }), []],
    ["is not found if it is switched off", policies({ A: { now: OFF } }), []],
    ["is not found if it is live and undeclared", policies({ A: { was: {}, isForeign: true } }), []],
    ["is not checked with only the files known", fromFiles(policies({ A: {} })), []],
  ])("%s", (_, part, expected) => {
    expect(warnings(part)).toEqual(expected);
  });

  test("gets a warning that names what is missing", () => {
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
      "cause a warning if each has a source that the other lacks",
      { A: allow("script-src a.example"), B: allow("script-src b.example") },
      warned("policies/0/value"),
    ],
    [
      "cause a warning if one adds a source on the same pages",
      { A: allow("script-src 'self'"), B: allow("script-src 'self' cdn.example") },
      warned("policies/1/value"),
    ],
    [
      "are fine if the one for fewer pages is stricter",
      { A: allow("script-src 'self' cdn.example"), B: { ...checkout, ...allow("script-src 'self'") } },
      [],
    ],
    [
      "cause a warning if the one for fewer pages has its own source",
      {
        A: allow("script-src 'self' cdn.example"),
        B: { ...checkout, ...allow("script-src 'self' pay.example") },
      },
      warned("policies/1/value"),
    ],
    [
      "are fine if the one for some pages is stricter and each has its own pages",
      {
        A: { ...shop, ...allow("script-src 'self' cdn.example") },
        B: { ...checkout, ...allow("script-src 'self'") },
      },
      [],
    ],
    [
      "cause a warning if each has its own pages and loses something",
      {
        A: { ...shop, ...allow("script-src cdn.example") },
        B: { ...checkout, ...allow("script-src pay.example") },
      },
      warned("policies/0/value"),
    ],
    [
      "are fine if one is for scripts and one for connections",
      { A: allow("script-src a.example"), B: allow("connect-src b.example") },
      [],
    ],
    [
      "are fine if a wider source of the one for all pages covers it",
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
      "are fine if their pages cannot be compared",
      {
        A: { expression: "cf.unheard_of eq 1", ...allow("script-src a.example") },
        B: allow("script-src b.example"),
      },
      [],
    ],
    [
      "cause a warning if one allows a domain and the other only a host in it",
      { A: allow("script-src https://a.cdn.example"), B: allow("script-src *.cdn.example") },
      warned("policies/1/value"),
    ],
    [
      "are fine with the same sources in another spelling",
      { A: allow("script-src https://a.example 'self'"), B: allow("SCRIPT-SRC 'SELF' a.example:443") },
      [],
    ],
    [
      "cause a warning if the other's default-src blocks a source",
      { A: allow("default-src 'self'"), B: allow("script-src 'self' cdn.example") },
      warned("policies/1/value"),
    ],
    [
      "are fine if one narrows the other's default-src",
      { A: allow("default-src 'self' cdn.example"), B: allow("script-src 'self'") },
      [],
    ],
    [
      "cause a warning if only one allows inline scripts",
      { A: allow("script-src 'self'"), B: allow("script-src 'self' 'unsafe-inline'") },
      warned("policies/1/value"),
    ],
    [
      "are fine if a host may be the page's own",
      { A: allow("script-src shop.example"), B: allow("script-src 'self' shop.example") },
      [],
    ],
    [
      "are fine if 'strict-dynamic' disables hosts",
      {
        A: allow("script-src 'nonce-a' 'strict-dynamic'"),
        B: allow("script-src 'nonce-a' 'strict-dynamic' a.example"),
      },
      [],
    ],
    [
      "are fine if one only reports",
      { A: allow("script-src a.example"), B: { ...LOG, ...allow("script-src b.example") } },
      [],
    ],
    [
      "are fine if one is switched off",
      { A: allow("script-src a.example"), B: { ...OFF, ...allow("script-src b.example") } },
      [],
    ],
  ])("%s", (_, known, expected) => {
    expect(warnings(settled(known))).toEqual(expected);
    expect(warnings(fromFiles(settled(known)))).toEqual(expected);
  });

  test("cause a warning if one is undeclared, and none if both are", () => {
    const one = { now: allow("script-src a.example"), was: allow("script-src a.example") };
    const other = { now: allow("script-src b.example"), was: allow("script-src b.example"), isForeign: true };
    expect(warnings(policies({ A: other, B: one }))).toEqual(warned("policies/1/value"));
    expect(warnings(policies({ A: other, B: { ...one, isForeign: true } }))).toEqual([]);
  });

  test("are named with the blocked source and both directives", () => {
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

  test("are compared in at most a hundred pairs", () => {
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
