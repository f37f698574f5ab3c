import { describe, expect, test } from "vitest";
import { allowsLoad, type CompiledCsp, compile, type Load, prepare } from "../../src/csp/match/allows.js";

import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { requestOf } from "../../src/expression/evaluate/request.js";
import { policy as kind } from "../../src/kinds/policy/index.js";
import { rememberedText } from "../../src/model/remembered.js";
import type { Shift, Witness } from "../../src/model/strength.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";
import { fc, fixedSample, runs, untilMet } from "../support/random.js";

const ZONE = "shop.example.com";

/** A policy in the normal form. */
type Policy = {
  readonly action: string;
  readonly enabled: boolean;
  readonly expression: string;
  readonly value: string;
};

const expressions = [
  "true",
  "true",
  "false",
  "ssl",
  "not ssl",
  'http.host eq "shop.example.com"',
  'http.host in {"shop.example.com" "www.shop.example.com"}',
  'http.host eq "shop.example.com" or ends_with(http.host, ".shop.example.com")',
  'ends_with(http.host, ".shop.example.com")',
  'http.host wildcard "*.shop.example.com"',
  'not http.host eq "www.shop.example.com"',
  'http.host eq "www.shop.example.com" and ssl',
  'http.host eq "shop.example.com:8443"',
  'http.host eq "shop.example.com" and http.host eq "www.shop.example.com"',
  'starts_with(http.request.uri.path, "/checkout")',
  'http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/checkout")',
  'http.host eq "shop.example.com" or starts_with(http.request.uri.path, "/checkout")',
  'ip.src.country eq "DE"',
];

const A = `'sha256-${"A".repeat(43)}='`;
const sources = [
  ...["'self'", "'self'", "'none'", "*", "https:", "http:", "ws:", "wss:", "data:", "blob:"],
  ...[
    "shop.example.com",
    "www.shop.example.com",
    "*.shop.example.com",
    "*.example.com",
    "https://shop.example.com",
  ],
  ...[
    "http://shop.example.com",
    "shop.example.com:8443",
    "cdn.example",
    "*.example",
    "https://cdn.example/js/",
  ],
  ...["http://cdn.example:8080", "cdn.example:*", "cdn.example/js/a.js", "wss://cdn.example"],
  ...["'unsafe-inline'", "'strict-dynamic'", "'nonce-abc'", A, "'sha256-AAAA'", "'sha256-AAAA=='", "\vx"],
];
const names = [
  ...["script-src", "script-src", "script-src-elem", "connect-src", "connect-src", "default-src", "img-src"],
  ...["form-action", "frame-ancestors", "require-trusted-types-for"],
];

const list = fc.uniqueArray(fc.constantFrom(...sources), { maxLength: 4 });
const directive = fc
  .tuple(fc.constantFrom(...names), list)
  .map(([name, all]) => (name.startsWith("require") ? `${name} 'script'` : [name, ...all].join(" ")));
const others = fc.constantFrom("", "", "", "", "upgrade-insecure-requests", "report-uri /r");
const directives = fc
  .tuple(fc.array(directive, { minLength: 1, maxLength: 3 }), others)
  .map(([all, other]) => (other === "" ? all : [...all, other]));

const policies: fc.Arbitrary<Policy> = fc.record({
  action: fc.constantFrom(
    "allow",
    "allow",
    "allow",
    "allow",
    "allow",
    "log",
    "log",
    "add_reporting_directives",
  ),
  enabled: fc.constantFrom(true, true, true, true, true, false),
  expression: fc.constantFrom(...expressions),
  value: directives.map((all) => all.join("; ")),
});

/** The policy after the change: mostly the same with one difference. Null: it does not exist. */
interface Change {
  readonly before: Policy | null;
  readonly after: Policy | null;
}

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ before: fc.constant(null), after: policies }),
  fc.record({ before: policies, after: fc.constant(null) }),
  fc.record({ before: policies, after: policies }),
  edited("action"),
  edited("enabled"),
  { arbitrary: edited("expression"), weight: 3 },
  { arbitrary: edited("value"), weight: 2 },
  { arbitrary: withOtherSources(), weight: 6 },
);

function edited(key: keyof Policy): fc.Arbitrary<Change> {
  return fc
    .tuple(policies, policies)
    .map(([before, other]) => ({ before, after: { ...before, [key]: other[key] } }));
}

/** One directive with more or other sources, and sometimes with upgrades. */
function withOtherSources(): fc.Arbitrary<Change> {
  const way = fc.constantFrom("more", "more", "fewer", "fewer", "other", "upgrade", "no upgrade");
  return fc
    .tuple(policies, fc.constantFrom(...names.slice(0, 7)), list, list, way)
    .map(([from, name, some, more, how]): Change => {
      const [few, all] = [[name, ...some].join(" "), [name, ...some, ...more].join(" ")];
      const upgraded = `${few}; upgrade-insecure-requests`;
      const values = {
        more: [few, all],
        fewer: [all, few],
        other: [few, [name, ...more].join(" ")],
        upgrade: [few, upgraded],
        "no upgrade": [upgraded, few],
      };
      const [before = "", after = ""] = values[how];
      const there = { ...from, enabled: true };
      return { before: { ...there, value: before }, after: { ...there, value: after } };
    });
}

/** All facts of a request that the expressions need. */
interface Page {
  readonly url: string;
  readonly country: string;
}

const COUNTRIES = ["DE", "FR"];
const pages: readonly Page[] = [
  ...["https://shop.example.com/", "http://shop.example.com/", "https://shop.example.com/checkout/pay"],
  ...[
    "https://www.shop.example.com/",
    "http://www.shop.example.com/checkout",
    "https://shop.example.com:8443/",
  ],
  ...["https://a.b.shop.example.com/", "http://a.b.shop.example.com/checkout/"],
].flatMap((url) => COUNTRIES.map((country) => ({ url, country })));

const urls = [
  ...["https://shop.example.com/x.js", "http://shop.example.com/x.js", "wss://shop.example.com/x"],
  ...["ws://shop.example.com/x", "https://www.shop.example.com/x.js", "http://www.shop.example.com/x.js"],
  ...["https://shop.example.com:8443/x.js", "https://a.example.com/x.js", "https://cdn.example/js/a.js"],
  ...["https://cdn.example/x.js", "http://cdn.example/js/a.js", "http://cdn.example:8080/x.js"],
  ...[
    "https://cdn.example:8080/x.js",
    "wss://cdn.example/x",
    "https://else.test/x.js",
    "http://else.test/x.js",
  ],
  ...["data:text/javascript,1", "/own.js"],
];
const trusts = [{ nonce: "abc" }, { integrity: A.slice(1, -1) }, { inserted: "script" as const }];

const loadsOn = rememberedText((page): readonly Load[] => {
  const scripts = urls.filter((url) => !url.startsWith("ws"));
  const trusted = scripts.slice(-3).flatMap((url) => trusts.map((trust) => ({ ...trust, url })));
  return [
    ...[...scripts.map((url) => ({ url })), ...trusted].map((each) =>
      prepare({ ...each, kind: "script", page }),
    ),
    ...urls.map((url) => prepare({ kind: "connection", page, url })),
  ];
});

const compiled = rememberedText((csp): CompiledCsp => compile(csp));
/** The answer for a page's URL, a country and an expression, as a JSON key. */
const applies = rememberedText((asked) => {
  const [url = "", country = "", expression = ""] = JSON.parse(asked) as readonly string[]; // the key is made below
  const request = requestOf(url, { method: "GET", "ip.src.country": country });
  const answer = request.ok ? evaluate(expression, request.value) : "unknown";
  if (answer === "unknown") throw new Error(`${expression} is unknown on ${url}`);
  return answer;
});

/** A page with its policies. */
interface Protected {
  readonly blocking: readonly CompiledCsp[];
  readonly reporting: readonly CompiledCsp[];
  readonly upgradesInsecure: boolean;
}

function protectedBy(all: readonly Policy[], page: Page): Protected {
  const there = all.filter(
    ({ enabled, expression }) => enabled && applies(JSON.stringify([page.url, page.country, expression])),
  );
  const blocking = there.filter(({ action }) => action === "allow").map(({ value }) => compiled(value));
  const reporting = there.filter(({ action }) => action === "log").map(({ value }) => compiled(value));
  return { blocking, reporting, upgradesInsecure: blocking.some((each) => each.upgradesInsecure) };
}

/** The reaction to a load, as in browsers: nothing, a report, or a block. */
function fateOf({ blocking, reporting, upgradesInsecure }: Protected, load: Load): 0 | 1 | 2 {
  const allows = ({ policies }: CompiledCsp, isUpgraded: boolean) =>
    allowsLoad({ policies, upgradesInsecure: isUpgraded }, load);
  if (!blocking.every((csp) => allows(csp, upgradesInsecure))) return 2;
  // A policy that only reports checks a script before its upgrade.
  const isAskedLater = upgradesInsecure && load.kind === "connection";
  return reporting.every((csp) => allows(csp, isAskedLater)) ? 0 : 1;
}

interface Difference {
  readonly page: Page;
  readonly load: Load;
  readonly from: number;
  readonly to: number;
}

function differences(before: readonly Policy[], after: readonly Policy[]): readonly Difference[] {
  return pages.flatMap((page) => {
    const [old, now] = [protectedBy(before, page), protectedBy(after, page)];
    return loadsOn(page.url).flatMap((load) => {
      const [from, to] = [fateOf(old, load), fateOf(now, load)];
      return from === to ? [] : [{ page, load, from, to }];
    });
  });
}

const lost = (all: readonly Difference[]) => all.filter(({ from, to }) => to < from);
const newlyBlocked = (all: readonly Difference[]) => all.filter(({ from, to }) => from < 2 && to === 2);

function shiftsOf({ before, after }: Change, of: typeof kind.dimensions = kind.dimensions): readonly Shift[] {
  const dimensions = (each: Policy | null) => (each === null ? {} : of(itemOf({ ...each }), null));
  return shifts(dimensions(before), dimensions(after), ZONE);
}

function present(...all: readonly (Policy | null)[]): readonly Policy[] {
  return all.filter((each) => each !== null);
}

/** Whether the policy itself reacts less to a load than before, on a page that the zone can serve. */
function isConfirmed({ before, after }: Change, witness: Witness): boolean {
  if (witness.as === "request")
    return before !== null && evaluate(before.expression, witness.request) === true;
  const { page: url, kind: what } = witness;
  const { hostname } = new URL(url);
  const load = prepare({ page: url, kind: what, url: witness.url });
  const isOwn = hostname === ZONE || hostname.endsWith(`.${ZONE}`);
  return (
    isOwn &&
    COUNTRIES.map((country) => ({ url, country })).every(
      (page) =>
        fateOf(protectedBy(present(after), page), load) < fateOf(protectedBy(present(before), page), load),
    )
  );
}

/** Whether a witness can show the loss: a load with its own URL, for any country. */
function isTold({ page, load }: Difference, all: readonly Difference[]): boolean {
  const isPlain = load.nonce === null && load.hashes.length === 0 && load.inserted === "parser";
  return (
    isPlain &&
    all.filter((each) => each.page.url === page.url && each.load === load).length === COUNTRIES.length
  );
}

const CASES = runs(700);

describe("a change of one of a zone's policies", () => {
  const neighbours = fc.array(policies, { maxLength: 3 });

  test("loses no protection if its effect is strengthens or neutral", async () => {
    await untilMet(
      { strengthens: runs(60), neutral: runs(60) },
      (met) =>
        fc.property(changes, neighbours, (change, beside) => {
          const effect = effectOf(shiftsOf(change));
          met(effect);
          if (effect !== "strengthens" && effect !== "neutral") return;
          const found = differences(
            [...beside, ...present(change.before)],
            [...beside, ...present(change.after)],
          );
          expect(lost(found)).toEqual([]);
          if (effect === "neutral") expect(newlyBlocked(found)).toEqual([]);
        }),
      CASES,
    );
  });

  test("blocks nothing new if it is not labelled as starting to block", () => {
    fc.assert(
      fc.property(changes, (change) => {
        const ways = shiftsOf(change, kind.blocking).map(({ way }) => way);
        if (ways.some((way) => way !== "weaker")) return;
        const found = differences(present(change.before), present(change.after));
        expect(newlyBlocked(found)).toEqual([]);
      }),
      { numRuns: CASES },
    );
  });

  test("has only witnesses that the judge confirms, and mostly has one for a loss", () => {
    const witnessesOf = (change: Change) => shiftsOf(change).flatMap(({ witness }) => witness ?? []);
    fc.assert(
      fc.property(changes, (change) => {
        for (const witness of witnessesOf(change)) expect(isConfirmed(change, witness)).toBe(true);
      }),
      { numRuns: CASES },
    );
    const losing = fixedSample(changes, CASES).filter((change) => {
      const gone = lost(differences(present(change.before), present(change.after)));
      return gone.some((each) => isTold(each, gone));
    });
    const missing = losing.filter((change) => witnessesOf(change).length === 0);
    expect(missing.length).toBeLessThanOrEqual(losing.length / 20);
  });
});

test("loses no protection together with other strengthening or neutral changes", async () => {
  await untilMet(
    { several: runs(60) },
    (met) =>
      fc.property(fc.array(changes, { minLength: 2, maxLength: 3 }), (all) => {
        const kept = all.filter((each) => ["strengthens", "neutral"].includes(effectOf(shiftsOf(each))));
        if (kept.length < 2) return;
        met("several");
        const [before, after] = [kept.map((each) => each.before), kept.map((each) => each.after)];
        expect(lost(differences(present(...before), present(...after)))).toEqual([]);
      }),
    CASES,
  );
});
