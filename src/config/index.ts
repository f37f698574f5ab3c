export { type Desired, desiredFrom, guardrailsFrom } from "./desired.js";
export { DEFAULT_CONFIG, MAX_FILE_BYTES, readConfigFiles, readText } from "./files.js";
export type { Purpose } from "./interpolate.js";
export {
  type Environment,
  type SecretVariable,
  secretValues,
  secretVariables,
} from "./secret-variables.js";
export type { DeclaredZone } from "./zone.js";
