export { type DeclaredZone, type Desired, desiredFrom } from "./desired.js";
export { readConfigFiles } from "./files.js";
export type { Environment } from "./interpolate.js";
