import { exit } from "../run/end-process.js";
import { EXIT } from "../run/exit-codes.js";
import { credentialsIn, Redactor } from "../run/redact.js";
import { main } from "./main.js";
import { openTerminal, startFolder } from "./terminal.js";

const argv = process.argv.slice(2);
// An emulator tells its own credentials, which the environment may have from an earlier one.
const own = argv[0] === "emulator" ? [] : credentialsIn(process.env);
const redactor = new Redactor(own.map(({ value }) => value));
const cwd = startFolder();
const terminal = openTerminal(process, redactor, cwd ?? "");
const nowhere = async () => {
  terminal.err(
    "zoneward: error: The folder that this was started in is gone. Change to one that is there.\n",
  );
  return EXIT.error;
};
void (cwd === null ? nowhere() : main(argv, terminal))
  .catch(async (error) => (await import("./complain.js")).reportBug(error, terminal))
  .then((code) => exit(process, code));
