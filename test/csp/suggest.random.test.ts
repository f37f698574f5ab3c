import { expect, test } from "vitest";
import { allows } from "../../src/csp/match/allows.js";
import { suggestSources } from "../../src/csp/suggest.js";
import { fc, runs } from "../support/random.js";

const hosts = [
  "b.cdn.example",
  "a.b.co.uk",
  "c.b.co.uk",
  "b.co.uk",
  "d.co.uk",
  "cdn.example",
  "js.payments.example",
  "tag.example:8443",
  "shop.example.com",
  "a.cdn.example",
];
const url = fc.oneof(
  fc
    .record({
      scheme: fc.constantFrom("https", "http", "wss", "ws"),
      host: fc.constantFrom(...hosts),
      path: fc.constantFrom("/", "/a.js", "/lib/b.js", "/lib/", "/a;b.js", "/c,d.js", "/%2c"),
    })
    .map(({ scheme, host, path }) => `${scheme}://${host}${path}`),
  fc.constantFrom("data:,x", "blob:https://shop.example.com/1", "https://[::1]/x.js", ""),
);
const seen = fc.array(
  fc.record({
    kind: fc.constantFrom("script" as const, "connection" as const),
    url,
    pages: fc.subarray(
      ["https://shop.example.com/", "http://shop.example.com/x", "https://www.example.com/"],
      { minLength: 1 },
    ),
  }),
  { maxLength: 12 },
);
const value = fc.constantFrom(
  "script-src 'none'; connect-src 'none'",
  "default-src 'self'",
  "default-src 'none'; script-src https://cdn.example",
  "script-src-elem 'self'; script-src https:; connect-src wss:",
  "script-src 'nonce-abc' 'strict-dynamic'; connect-src 'self'",
  "img-src *",
  "script-src 'self'; upgrade-insecure-requests, default-src https:",
  "connect-src 'self' https://cdn.example/lib/",
  "",
);

/** Whether a value allows a load on all of its pages. */
function passes(
  csp: string,
  { kind, url: written, pages }: { kind: "script" | "connection"; url: string; pages: readonly string[] },
) {
  return pages.every((page) => allows({ csp, kind, page, url: written }).allowed === true);
}

test("a suggestion allows every load that it does not refuse, removes nothing, and adds nothing unused", () => {
  fc.assert(
    fc.property(
      value,
      seen,
      seen,
      fc.constantFrom("host" as const, "path" as const, { hosts: 2 }),
      (csp, loads, never, by) => {
        const found = suggestSources(
          csp,
          loads.map((each) => ({ ...each, of: each })),
          { by, never },
        );
        for (const { pages, ...load } of never)
          for (const page of pages)
            if (!passes(csp, { ...load, pages: [page] }) && !passes(csp, { ...load, pages }))
              expect(passes(found.value, { ...load, pages: [page] })).toBe(
                passes(csp, { ...load, pages: [page] }),
              );
        const refused = new Set(found.refused.map(({ of }) => of));
        for (const load of loads) {
          expect(passes(found.value, load)).toBe(!refused.has(load));
          if (passes(csp, load)) expect(passes(found.value, load)).toBe(true);
        }
        expect(found.value).not.toMatch(
          /unsafe|(^|\s)(https?|wss?|data|blob):(\s|;|$)/.test(csp)
            ? /unsafe/
            : /unsafe|(^|\s)(https?|wss?|data|blob):(\s|;|,|$)/,
        );
        for (const { source, loads: those } of found.added) {
          expect(those.length).toBeGreaterThan(0);
          expect(found.value).toContain(source);
          expect(source).not.toMatch(/^(http|ws):|\*\.(example|co\.uk)(:|$)/);
        }
        if (found.added.length === 0) expect(found.value).toBe(csp);
      },
    ),
    { numRuns: runs(8000) },
  );
});

test("each added source is needed by a seen load", () => {
  fc.assert(
    fc.property(value, seen, fc.constantFrom("host" as const, { hosts: 2 }), (csp, loads, by) => {
      const found = suggestSources(
        csp,
        loads.map((each) => ({ ...each, of: each })),
        { by },
      );
      for (const { source, loads: those } of found.added) {
        const without = found.value
          .split(" ")
          .map((word) => (word.replace(/[;,]$/, "") === source ? word.slice(source.length) : word))
          .join(" ");
        expect(those.every((load) => passes(found.value, load))).toBe(true);
        expect(those.some((load) => !passes(without, load)) || csp.includes(source)).toBe(true);
      }
    }),
    { numRuns: runs(8000) },
  );
});
