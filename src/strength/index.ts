export { join } from "./join.js";
export { blocksBeyond, type Gap, keepsProtection, protectionGaps } from "./protection-gaps.js";
export { type Questions, questions } from "./questions.js";
export { redirects } from "./ranks-sets-places.js";
export { effectOf, hindered, shifts, withOwnReasons } from "./shifts.js";
export { blockingUpgrades } from "./upgrades.js";
