export { type BaseFiles, readBaseFiles } from "./base-files.js";
export { type DeclaredZone, type Desired, desiredFrom } from "./desired.js";
export { DEFAULT_CONFIG, MAX_FILE_BYTES, readConfigFiles, readText } from "./files.js";
export { guardrailsFrom } from "./guardrails.js";
export type { Purpose } from "./interpolate.js";
export { type Environment, type SecretVariable, secretValues, secretVariables } from "./interpolate.js";
