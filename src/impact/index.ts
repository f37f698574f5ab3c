export { impactOf } from "./impact-of.js";
export { movedKinds } from "./moved-kinds.js";
export { touching, unseenChanges } from "./unseen.js";
