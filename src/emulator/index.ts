export type { Dialect } from "./dialect.js";
export type { EditCall, Edited } from "./edits.js";
export { createEmulator, type Emulator, type EmulatorOptions } from "./emulator.js";
export {
  checkFaults,
  type Faults,
  NO_FAULTS,
  type Rated,
  type Requests,
  readShortForm,
  type Scheduled,
  type Strike,
  together,
} from "./faults/faults.js";
export { type FaultName, faultNames } from "./faults/table.js";
export type { LoggedRequest } from "./log.js";
export { type Plan, type PlanChoice, planNames, readPlan, type ZoneStatus } from "./plans.js";
export type { DetectionSeed } from "./resources/detections.js";
export type { Edit, ListEdit, Seed, ZoneSeed } from "./resources/index.js";
export type { LogpushJobSeed, LogpushSeed } from "./resources/logpush/state.js";
export type { PolicySeed } from "./resources/policies.js";
export type { RuleSeed, RulesetSeed } from "./resources/rulesets/state.js";
export type { SettingsSeed } from "./resources/settings.js";
export type { ZoneSettingsSeed } from "./resources/zone-settings.js";
export { checkSeed } from "./seed.js";
