import { desiredStateSchema, guardrailsFileSchema } from "../config/schema.js";
import type { Schema } from "../model/declared-zone.js";
import { planSchema } from "../plan/schema.js";
import { doctorSchema } from "../render/doctor-text.js";
import { EXIT } from "../run/exit-codes.js";
import type { Run } from "./command.js";
import { complain } from "./complain.js";

export const run: Run = async (args, terminal) => {
  const name = args.operands[0] ?? "config";
  const schema = schemas.get(name);
  if (schema === undefined)
    return complain(`Unknown schema ${name}. Use ${[...schemas.keys()].join(", ")}.`, terminal);
  terminal.out(`${JSON.stringify(schema(), null, 2)}\n`);
  return EXIT.done;
};

const schemas: ReadonlyMap<string, () => Schema> = new Map([
  ["config", desiredStateSchema],
  ["guardrails", guardrailsFileSchema],
  ["plan", () => planSchema],
  ["doctor", () => doctorSchema],
]);
