import { anyLoad, collidingValue, relatedValues } from "../csp/loads.js";
import { CONNECTION_BY, type ConnectionBy } from "../support/chromium-visit.js";
import { fc } from "../support/random.js";

/** Changes to the policies of a zone, and the detections on its pages. */
export interface Case {
  readonly policies: readonly PolicyMove[];
  readonly scripts: readonly Seen[];
  readonly connections: readonly (Seen & { readonly by: ConnectionBy })[];
  readonly visitor: Visitor;
}

/** null: the policy does not exist on this side. */
export interface PolicyMove {
  readonly before: Policy | null;
  readonly after: Policy | null;
}

export interface Policy {
  readonly action: "allow" | "log";
  readonly enabled: boolean;
  readonly where: Where;
  readonly value: string;
}

/** An expression, and its meaning as code, so that the test does not ask the program what a request matches. */
export interface Where {
  readonly expression: string;
  readonly matches: (page: URL, visitor: Visitor) => boolean;
  /** Whether the expression needs facts that no list of detections has. */
  readonly isOpen: boolean;
}

export interface Visitor {
  readonly country: string;
}

export interface Seen {
  readonly url: string;
  readonly pages: readonly string[];
  readonly told: Told;
}

/** How the service names the pages: full URLs, URLs without the scheme, or only the host. */
export type Told = "urls" | "without_scheme" | "host";

/** The cases are the same for the same seed. */
export function randomCases(count: number, seed: number): readonly Case[] {
  return fc.sample(anyCase, { numRuns: count, seed });
}

const plain = (expression: string, matches: (page: URL) => boolean): Where => ({
  expression,
  matches,
  isOpen: false,
});
const open = (expression: string, matches: Where["matches"]): Where => ({
  expression,
  matches,
  isOpen: true,
});

const wheres = [
  plain("true", () => true),
  plain('http.host eq "page.example"', ({ host }) => host === "page.example"),
  plain('http.host ne "page.example"', ({ host }) => host !== "page.example"),
  plain('http.host in {"page.example" "shop.example"}', ({ port }) => port === ""),
  plain('starts_with(http.host, "shop.")', ({ hostname }) => hostname === "shop.example"),
  plain("ssl", ({ protocol }) => protocol === "https:"),
  plain('not ssl and http.host contains "page"', ({ href }) => href.startsWith("http://page.")),
  plain('starts_with(http.request.uri.path, "/checkout")', ({ pathname }) => pathname === "/checkout/pay"),
  plain('http.request.uri.path ne "/"', ({ pathname }) => pathname !== "/"),
  plain('http.request.full_uri wildcard "https://*/checkout/*"', ({ href }) =>
    href.startsWith("https://shop."),
  ),
];
const openWheres = [
  open('ip.src.country eq "DE"', (_, { country }) => country === "DE"),
  open(
    'ssl and ip.src.country ne "DE"',
    ({ protocol }, { country }) => protocol === "https:" && country !== "DE",
  ),
];
const where = fc.oneof(
  { arbitrary: fc.constantFrom(...wheres), weight: 20 },
  { arbitrary: fc.constantFrom(...openWheres), weight: 1 },
);

const usualValues = fc.constantFrom(
  ...["script-src 'self'", "script-src 'self' cdn.example", "script-src 'none'", "connect-src 'self'"],
  ...["default-src 'self' https:", "connect-src 'none'", "script-src *.cdn.example; connect-src https: wss:"],
  ...["upgrade-insecure-requests", "upgrade-insecure-requests; default-src 'self' https: wss:"],
);

/** Without `sandbox`, because a sandboxed page runs no script and so loads nothing. */
const isUsable = (value: string) => !value.includes("sandbox");
const anyValue = fc.oneof(collidingValue, usualValues, usualValues).filter(isUsable);
const twoValues = fc
  .oneof(relatedValues, fc.tuple(anyValue, anyValue))
  .filter(([one, other]) => one !== other && isUsable(one) && isUsable(other));
const twoWheres = fc.tuple(where, where).filter(([one, other]) => one !== other);

const policy: fc.Arbitrary<Policy> = fc.record({
  action: fc.constantFrom("allow", "allow", "allow", "log"),
  enabled: fc.constantFrom(true, true, true, true, false),
  where,
  value: anyValue,
});
const working = policy.map((each) => ({ ...each, enabled: true }));

const change: fc.Arbitrary<PolicyMove> = fc.oneof(
  working.map((after) => ({ before: null, after })),
  working.map((before) => ({ before, after: null })),
  policy.map((before) => ({ before, after: { ...before, enabled: !before.enabled } })),
  working.map((before) => {
    const action = before.action === "allow" ? ("log" as const) : ("allow" as const);
    return { before, after: { ...before, action } };
  }),
  fc.tuple(working, twoValues).map(([each, [one, other]]) => ({
    before: { ...each, value: one },
    after: { ...each, value: other },
  })),
  fc.tuple(working, twoWheres).map(([each, [one, other]]) => ({
    before: { ...each, where: one },
    after: { ...each, where: other },
  })),
);
const staying = policy.map((each) => ({ before: each, after: each }));

const anyPolicies = fc
  .tuple(fc.array(change, { minLength: 1, maxLength: 2 }), fc.array(staying, { maxLength: 2 }))
  .map((moves) => moves.flat());

/** A policy that upgrades insecure requests is added or removed, which changes only what other policies check. */
const upgrading = fc
  .tuple(working, working, fc.constantFrom("none", "off", "log"), fc.boolean())
  .map(([first, second, other, isComing]): readonly PolicyMove[] => {
    const upgrades: Policy = { ...first, action: "allow", value: "upgrade-insecure-requests" };
    const without: Policy =
      other === "off" ? { ...upgrades, enabled: false } : { ...upgrades, action: "log" };
    const [one, two] = [upgrades, other === "none" ? null : without];
    const secure: Policy = { ...second, value: "script-src 'self' https:; connect-src 'self' https: wss:" };
    return [
      isComing ? { before: two, after: one } : { before: one, after: two },
      { before: secure, after: secure },
    ];
  });
const policies = fc.oneof({ arbitrary: anyPolicies, weight: 9 }, { arbitrary: upgrading, weight: 1 });

const pages = [
  ...["https://page.example/", "http://page.example/", "https://page.example:8443/x"],
  ...["https://shop.example/checkout/pay", "http://shop.example/"],
];

const anyUrl = (kind: "script" | "connection", schemes: RegExp) =>
  anyLoad.filter((load) => load.kind === kind && schemes.test(load.url)).map(({ url }) => url);

const told = fc.constantFrom<Told>(
  ...Array<"urls">(12).fill("urls"),
  "without_scheme",
  "without_scheme",
  "host",
);

const anyCase: fc.Arbitrary<Case> = fc
  .tuple(policies, fc.uniqueArray(fc.constantFrom(...pages), { minLength: 1, maxLength: 2 }))
  .chain(([all, visited]) => {
    const onSome = fc.subarray(visited, { minLength: 1 });
    const script = fc.record({ url: anyUrl("script", /^https?:/), pages: onSome, told });
    const connection = fc
      .record({
        url: anyUrl("connection", /^(https?|wss?):/),
        pages: onSome,
        told,
        by: fc.constantFrom(...CONNECTION_BY),
      })
      .map((seen) => ({ ...seen, by: possible(seen) }));
    return fc.record({
      policies: fc.constant(all),
      scripts: fc.array(script, { minLength: 2, maxLength: 5 }).map((all) => distinct(all, "script")),
      connections: fc
        .array(connection, { minLength: 2, maxLength: 5 })
        .map((all) => distinct(all, "connection")),
      visitor: fc.record({ country: fc.constantFrom("DE", "FR") }),
    });
  });

/**
 * WebSockets have their own schemes. With a policy that upgrades insecure requests, Chromium checks an http: URL of
 * XMLHttpRequest as https:, and of `fetch` unchanged. A detected connection does not say which of them made it.
 */
function possible({ url, by }: { readonly url: string; readonly by: ConnectionBy }): ConnectionBy {
  if (url.startsWith("ws")) return "socket";
  return by === "socket" || (by === "xhr" && url.startsWith("http:")) ? "fetch" : by;
}

/** Without a known scheme, a load has one page, with the scheme of the load. */
function plausible<Each extends Seen>(seen: Each): Each {
  const [page = ""] = seen.pages;
  const isAlike = /^(http|ws):/.test(seen.url) === page.startsWith("http:");
  return seen.told === "urls" || !isAlike ? { ...seen, told: "urls" } : { ...seen, pages: [page] };
}

/** Makes the browser's reports distinguishable by query, which policies ignore. */
function distinct<Each extends Seen>(all: readonly Each[], kind: string): readonly Each[] {
  return all.map(plausible).map((each, index) => ({ ...each, url: `${each.url}?${kind}=${index}` }));
}
