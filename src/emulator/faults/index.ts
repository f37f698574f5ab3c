export {
  checkFaults,
  editsIn,
  type Faults,
  faultsProblem,
  NO_FAULTS,
  type Rated,
  type Requests,
  readShortForm,
  type Scheduled,
  type Strike,
  together,
} from "./faults.js";
export { type StrikingFault, striking } from "./striking.js";
export { type FaultName, faultNames, faults } from "./table.js";
