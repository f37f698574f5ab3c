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

/** What follows a directive's name: a list of sources, nothing, or a value with rules of its own. */
type ValueForm = "sources" | "nothing" | "other";

export function valueForm(directive: string): ValueForm {
  if (WITHOUT_VALUE.has(directive)) return "nothing";
  return WITH_SOURCES.has(directive) ? "sources" : "other";
}

const WITHOUT_VALUE: ReadonlySet<string> = new Set(["upgrade-insecure-requests"]);

/** All source lists of CSP3. The service may support more of them later. */
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

/** Directives that browsers support, or once supported. */
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

/** Directives that browsers dropped or never supported. */
export const DEPRECATED_DIRECTIVES: ReadonlySet<string> = new Set([
  "disown-opener",
  "prefetch-src",
  "referrer",
  "reflected-xss",
]);

/**
 * The directives that a browser asks about a kind of load. The first one in force decides. The first name is the
 * effective directive, which violation events report.
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

/** The judged kinds of load, each with its effective directive. */
export const EFFECTIVE = {
  script: "script-src-elem",
  connection: "connect-src",
} as const satisfies { readonly [kind in LoadKind]: EffectiveDirective };

/** A script, or a connection that a script opens. */
export type LoadKind = "script" | "connection";

/** Directives that only say where reports go. */
export const REPORT_DIRECTIVES: ReadonlySet<string> = new Set(["report-to", "report-uri"]);

/** Directives with effects on loads that this version knows. */
export const KNOWN_FOR_LOADS: ReadonlySet<string> = new Set([
  ...Object.values(FALLBACKS).flat(),
  ...WITHOUT_VALUE,
  ...REPORT_DIRECTIVES,
]);

/** Directives with values that this version can compare for strictness. */
export const COMPARABLE: ReadonlySet<string> = new Set([
  ...KNOWN_FOR_LOADS,
  "require-trusted-types-for",
  "trusted-types",
]);
