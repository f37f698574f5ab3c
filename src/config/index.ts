export { type BaseFiles, readBaseFiles } from "./base-files.js";
export { type Desired, desiredFrom, guardrailsFrom } from "./desired.js";
export { DEFAULT_CONFIG, MAX_FILE_BYTES, readConfigFiles, readText } from "./files.js";
export {
  type Environment,
  type Purpose,
  type SecretVariable,
  secretValues,
  secretVariables,
} from "./interpolate.js";
export type { DeclaredZone } from "./zone.js";
