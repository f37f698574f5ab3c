/** The directives that the service's documentation lists for the value of a policy. */
export const SERVICE_DIRECTIVES: ReadonlySet<string> = new Set([
  "script-src",
  "connect-src",
  "default-src",
  "img-src",
  "style-src",
  "font-src",
  "object-src",
  "media-src",
  "child-src",
  "form-action",
  "worker-src",
  "base-uri",
  "manifest-src",
  "frame-src",
  "frame-ancestors",
  "upgrade-insecure-requests",
]);

/** What may follow a directive's name: a list of sources, nothing, or something with rules of its own. */
type ValueForm = "sources" | "nothing" | "other";

export function valueForm(directive: string): ValueForm {
  if (WITHOUT_VALUE.has(directive)) return "nothing";
  return WITH_SOURCES.has(directive) ? "sources" : "other";
}

const WITHOUT_VALUE: ReadonlySet<string> = new Set(["upgrade-insecure-requests"]);

/** All source lists of CSP3, not only those of the service: it may learn more of them. */
const WITH_SOURCES: ReadonlySet<string> = new Set([
  "child-src",
  "connect-src",
  "default-src",
  "fenced-frame-src",
  "font-src",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "prefetch-src",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "worker-src",
  "base-uri",
  "form-action",
  "frame-ancestors",
  "navigate-to",
]);

/** Directives that browsers know, or once knew. */
export const BROWSER_DIRECTIVES: ReadonlySet<string> = new Set([
  ...WITH_SOURCES,
  ...WITHOUT_VALUE,
  "block-all-mixed-content",
  "plugin-types",
  "report-to",
  "report-uri",
  "require-sri-for",
  "require-trusted-types-for",
  "sandbox",
  "trusted-types",
  "webrtc",
]);

/** Directives that browsers have given up, or never had. */
export const DEPRECATED_DIRECTIVES: ReadonlySet<string> = new Set([
  "disown-opener",
  "prefetch-src",
  "referrer",
  "reflected-xss",
]);

/**
 * Which directives a browser asks about a kind of load, the first that is in force decides. The first is the
 * effective directive, which is what violation events name.
 */
export const FALLBACKS = {
  "script-src-elem": ["script-src-elem", "script-src", "default-src"],
  "script-src-attr": ["script-src-attr", "script-src", "default-src"],
  "script-src": ["script-src", "default-src"],
  "connect-src": ["connect-src", "default-src"],
  "style-src-elem": ["style-src-elem", "style-src", "default-src"],
  "style-src-attr": ["style-src-attr", "style-src", "default-src"],
  "img-src": ["img-src", "default-src"],
  "font-src": ["font-src", "default-src"],
  "media-src": ["media-src", "default-src"],
  "object-src": ["object-src", "default-src"],
  "manifest-src": ["manifest-src", "default-src"],
  "frame-src": ["frame-src", "child-src", "default-src"],
  "fenced-frame-src": ["fenced-frame-src", "frame-src", "child-src", "default-src"],
  "worker-src": ["worker-src", "child-src", "script-src", "default-src"],
  "base-uri": ["base-uri"],
  "form-action": ["form-action"],
  "frame-ancestors": ["frame-ancestors"],
} as const satisfies { readonly [effective: string]: readonly string[] };

export type EffectiveDirective = keyof typeof FALLBACKS;

/** The kinds of load that are judged, each with its effective directive. */
export const EFFECTIVE = {
  script: "script-src-elem",
  connection: "connect-src",
} as const satisfies { readonly [kind in LoadKind]: EffectiveDirective };

/** What is loaded: a script, or a connection that a script opens. */
export type LoadKind = "script" | "connection";

/** Directives that say where reports go, and limit nothing. */
const REPORTING: readonly string[] = ["report-to", "report-uri"];

/** Directives of which this version knows what they do to loads. */
export const KNOWN_FOR_LOADS: ReadonlySet<string> = new Set([
  ...Object.values(FALLBACKS).flat(),
  ...WITHOUT_VALUE,
  ...REPORTING,
]);

/** Directives of which this version knows whether one value is stricter than another. */
export const COMPARABLE: ReadonlySet<string> = new Set([
  ...KNOWN_FOR_LOADS,
  "require-trusted-types-for",
  "trusted-types",
]);
