export type { Dialect } from "./dialect.js";
export type { Edit, EditCall, Edited, ListEdit } from "./edits/index.js";
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
export type { DetectionSeed } from "./parts/detections.js";
export type { LogpushJobSeed, LogpushSeed } from "./parts/logpush/index.js";
export type { PolicySeed } from "./parts/policies.js";
export type { RulesetSeed } from "./parts/rulesets/index.js";
export type { RuleSeed } from "./parts/rulesets/rules.js";
export type { SettingsSeed } from "./parts/settings.js";
export { checkSeed, type Seed, type ZoneSeed } from "./seed.js";
