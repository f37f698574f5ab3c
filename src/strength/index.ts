export { blocksBeyond } from "./blocks-beyond.js";
export { redirects } from "./compare-places.js";
export { hindered } from "./hindered.js";
export { type Gap, gaps, holds } from "./holds.js";
export { inOwnWords } from "./in-own-words.js";
export { join } from "./join.js";
export { type Questions, questions } from "./questions.js";
export { effectOf, shifts } from "./shifts.js";
export { blockingUpgrades } from "./upgrades.js";
