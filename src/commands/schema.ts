import { desiredStateSchema } from "../config/schema.js";
import { planSchema } from "../plan/schema.js";
import { EXIT, type Run } from "./command.js";

export const run: Run = async (args, terminal) => {
  const which = args.operands[0] ?? "config";
  if (which !== "config" && which !== "plan") {
    terminal.err(`zoneward: error: There is no schema ${which}. Say config or plan.\n`);
    return EXIT.error;
  }
  terminal.out(`${JSON.stringify(which === "config" ? desiredStateSchema() : planSchema, null, 2)}\n`);
  return EXIT.done;
};
