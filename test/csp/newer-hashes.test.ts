import { expect, test } from "vitest";
import { check } from "../../src/csp/check.js";
import { includes } from "../../src/csp/inclusion/includes.js";
import { type Attempt, allows } from "../../src/csp/match/allows.js";
import { explain } from "../../src/csp/match/explain.js";
import { suggestSources } from "../../src/csp/suggest.js";

const HASH = "'url-sha256-AAAA'";
const PAGE = "https://page.example/";
const script = (csp: string): Attempt => ({ page: PAGE, csp, kind: "script", url: "https://a.example/x.js" });

test("a URL hash disables the hosts of its list, and the explanation says that browsers differ", () => {
  const attempt = script(`script-src a.example ${HASH}`);
  const verdict = allows(attempt);
  expect(verdict).toMatchObject({ allowed: false, policies: [{ why: "url_hash" }] });
  expect(explain(attempt, verdict).join(" ")).toContain(
    `script-src has ${HASH}, so that its hosts, schemes and 'self' do not count. Browsers that do not know hashes of URLs heed the hosts`,
  );
});

test("a hash that is not valid base64 disables nothing", () => {
  expect(allows(script("script-src * 'url-sha256-A'")).allowed).toBe(true);
  expect(allows(script("script-src * 'url-sha256-AAAA===='")).allowed).toBe(true);
});

test("frames and form targets keep their hosts beside a URL hash", () => {
  for (const name of ["frame-src", "form-action", "frame-ancestors"]) {
    expect(includes(`${name} a.example ${HASH}`, `${name} a.example`)).toBe(true);
  }
  expect(includes(`img-src a.example ${HASH}`, "img-src a.example")).toBe(false);
});

test("an eval hash disables 'unsafe-eval', but not for WebAssembly", () => {
  const [evaluates, compiles] = ["script-src 'unsafe-eval'", "script-src 'wasm-unsafe-eval'"];
  expect(includes(`${evaluates} 'eval-sha256-AAAA'`, evaluates)).toBe(false);
  expect(includes(`${evaluates} 'eval-sha256-AAAA'`, compiles)).toBe(true);
});

test("loads of older browsers count in comparisons", () => {
  expect(includes(`script-src a.example ${HASH}`, `script-src a.example b.example ${HASH}`)).toBe(false);
});

test.each([
  [HASH, "csp_url_hash"],
  ["'eval-sha384-AAAA'", "csp_eval_hash"],
])("the check of %s does not recommend removing the hash", (hash, code) => {
  const [found, ...others] = check(`script-src a.example ${hash}`);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code, severity: "warning" });
  expect(found?.message).toContain(" again.");
});

test("suggests no source for a list whose hosts a URL hash disables", () => {
  const csp = `script-src ${HASH}`;
  const load = { kind: "script", url: "https://a.example/x.js", pages: [PAGE], of: "a" } as const;
  expect(suggestSources(csp, [load])).toEqual({
    value: csp,
    added: [],
    refused: [{ of: "a", why: "url_hash" }],
  });
});

test("leaves a connection undecided when the answer depends on the API, and explains why", () => {
  const attempt: Attempt = {
    page: PAGE,
    csp: "connect-src https:; upgrade-insecure-requests",
    kind: "connection",
    url: "http://a.example/",
  };
  const verdict = allows(attempt);
  expect(verdict).toMatchObject({
    allowed: "unknown",
    directive: null,
    policies: [{ why: "depends_on_api" }],
  });
  expect(explain(attempt, verdict)[0]).toContain("is undecided: connect-src refuses its URL as it stands");
  expect(allows({ ...attempt, api: "beacon" }).allowed).toBe(false);
  expect(allows({ ...attempt, api: "ping" }).allowed).toBe(true);
});
