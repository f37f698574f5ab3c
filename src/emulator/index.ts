export type { Dialect } from "./dialect.js";
export type { Edit, EditCall, Edited, ListEdit } from "./edits.js";
export { createEmulator, type Emulator, type EmulatorOptions } from "./emulator.js";
export {
  checkFaults,
  type FaultName,
  type Faults,
  faultNames,
  NO_FAULTS,
  type Rated,
  type Requests,
  readShortForm,
  type Scheduled,
  type Strike,
  together,
} from "./faults/index.js";
export type { LoggedRequest } from "./log.js";
export type { DetectionSeed } from "./resources/detections.js";
export type { LogpushJobSeed, LogpushSeed } from "./resources/logpush/state.js";
export type { PolicySeed } from "./resources/policies.js";
export type { RuleSeed, RulesetSeed } from "./resources/rulesets/state.js";
export type { SettingsSeed } from "./resources/settings.js";
export { checkSeed, type Seed, type ZoneSeed } from "./seed.js";
