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
