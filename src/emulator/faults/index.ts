export { checkFaults, faultsProblem } from "./check.js";
export {
  editsIn,
  type Faults,
  NO_FAULTS,
  type Rated,
  type Requests,
  type Scheduled,
  type Strike,
} from "./faults.js";
export { readShortForm } from "./short-form.js";
export { type StrikingFault, striking } from "./striking.js";
export { type FaultName, faultNames, faults } from "./table.js";
export { together } from "./together.js";
