export { type Environment } from "./interpolate.js";
export { readConfigFiles } from "./files.js";
export { type Desired, desiredFrom, type DeclaredZone } from "./desired.js";
