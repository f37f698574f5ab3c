export { carryOut } from "./carry-out.js";
export { checkEdit } from "./check.js";
export type { Ask, Edit, EditCall, Edited, ListEdit } from "./edit.js";
