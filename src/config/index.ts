export { type Environment } from "./interpolate.js";
export { readConfigFiles, type FileText } from "./files.js";
export { type Desired, desiredFrom, type DeclaredZone } from "./desired.js";
