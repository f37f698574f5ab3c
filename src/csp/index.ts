export { type CanonicalCsp, canonical, canonicalSource } from "./canonical.js";
export { check } from "./check.js";
export { diff } from "./diff.js";
export { SERVICE_DIRECTIVES } from "./directives.js";
export { equal } from "./equal.js";
export type { Finding } from "./finding.js";
export { inForce } from "./in-force.js";
export { type Csp, type Directive, type Policy, parse, type Source } from "./parse.js";
export { fromMap, oneLine } from "./render.js";
