import type { Run } from "./command.js";
import { planAbout } from "./plan.js";

export const run: Run = (args, terminal) => planAbout("drift", args, terminal);
