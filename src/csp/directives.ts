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
