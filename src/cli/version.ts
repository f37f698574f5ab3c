import { EXIT } from "../run/exit-codes.js";
import { version } from "../run/version.js";
import type { Run } from "./command.js";

export const run: Run = async (_args, terminal) => {
  terminal.out(`${version}\n`);
  return EXIT.done;
};
