import { EXIT, type Run } from "./command.js";
import { version } from "./program.js";

export const run: Run = async (_args, terminal) => {
  terminal.out(`${version}\n`);
  return EXIT.done;
};
