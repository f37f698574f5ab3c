import packageJson from "../../package.json" with { type: "json" };
import { EXIT, type Run } from "./command.js";

export const version: string = packageJson.version;

export const run: Run = async (_args, terminal) => {
  terminal.out(`${version}\n`);
  return EXIT.done;
};
