/** The library: the same as the commands, typed. */
export {
  type Applying,
  type ApplyOptions,
  apply,
  type FilesOptions,
  type Planning,
  type PlanOptions,
  plan,
  rollback,
  type Validation,
  validate,
} from "./commands/library.js";
export type { DesiredState, Policy, Settings } from "./config/generated/desired-state.js";
export * as csp from "./csp/index.js";
export {
  createEmulator,
  type DetectionSeed,
  type Dialect,
  type Edit,
  type EditCall,
  type Edited,
  type Emulator,
  type EmulatorOptions,
  type FaultName,
  type Faults,
  faultNames,
  type LoggedRequest,
  type LogpushJobSeed,
  type PolicySeed,
  type Rated,
  type Scheduled,
  type Seed,
  type SettingsSeed,
  type ZoneSeed,
} from "./emulator/index.js";
export * as expression from "./expression/index.js";
export type { PartChange } from "./model/plan.js";
export type { Problem, Span } from "./model/problem.js";
export type { ApplyReport, CallOutcome, ZoneOutcomeReport } from "./model/report.js";
export type {
  PlanDocument,
  PlannedCall,
  PlannedChange,
  PlannedField,
  PlannedZone,
} from "./plan/generated/plan-document.js";
