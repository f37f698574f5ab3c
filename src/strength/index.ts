export { join } from "./join.js";
export {
  blocksBeyond,
  type Gap,
  keepsProtection,
  protectionGaps,
  type Questions,
  questions,
} from "./protection-gaps.js";
export { redirects } from "./ranks-sets-places.js";
export { effectOf, hindered, shifts, withOwnReasons } from "./shifts.js";
export { blockingUpgrades } from "./upgrades.js";
