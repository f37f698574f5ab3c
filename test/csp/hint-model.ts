import { allows } from "../../src/csp/match/allows.js";
import { fc } from "../support/random.js";
import { policies, type Reading } from "./inline-model.js";

/**
 * Whether a page may prefetch a URL. CSP3's "Does resource hint request violate policy?" allows a prefetch
 * if a policy has no `default-src`, or if one of its fetch directives has a matching source. Chromium also
 * asks the directive for workers.
 */
export function prefetches(csp: string, page: string, url: string, reading: Reading): boolean {
  return policies(csp).every((directives) => {
    if (!directives.has("default-src")) return true;
    const worker = ["worker-src", "child-src", "script-src", "default-src"].find((name) =>
      directives.has(name),
    );
    const isDynamic = directives.get(worker ?? "")?.includes("'strict-dynamic'") === true;
    if (reading === "Chromium" && isDynamic) return true;
    return FETCH_DIRECTIVES.some((name) => {
      const urls = (directives.get(name) ?? ["'none'"]).filter((source) => source !== "'strict-dynamic'");
      return allows({ page, csp: `script-src ${urls.join(" ")}`, kind: "script", url }).allowed === true;
    });
  });
}

export const FETCH_DIRECTIVES = [
  ...[
    "default-src",
    "script-src",
    "style-src",
    "img-src",
    "font-src",
    "connect-src",
    "media-src",
    "object-src",
  ],
  ...["frame-src", "child-src", "worker-src", "manifest-src"],
];

const list = fc.subarray(["'self'", "https://a.example", "a.example/js/", "http:", "'strict-dynamic'"]);

const defaults = fc.option(list.map((sources) => `default-src ${sources.join(" ")}; `));

/**
 * Two values with all fetch directives, which differ in `default-src`, in one other directive, or not at
 * all.
 */
export const hintValues: fc.Arbitrary<[string, string]> = fc
  .tuple(defaults, defaults, fc.constantFrom(...FETCH_DIRECTIVES.slice(1)), list, list)
  .map(([mine, yours, name, common, more]): [string, string] => {
    const rest = FETCH_DIRECTIVES.slice(1).map((each) => `${each} ${common.join(" ")}`);
    const wider = `${name} ${[...common, ...more].join(" ")}`;
    return [
      [`${mine ?? ""}${wider}`, ...rest].join("; "),
      [yours ?? "", ...rest].join("; ").replace(/^; /, ""),
    ];
  });

export const hintUrls = [
  ...["https://a.example/", "https://a.example/js/x", "http://a.example/js/x", "https://page.example/x"],
  ...["https://b.example/", "http://b.example/", "http://page.example/x"],
];
