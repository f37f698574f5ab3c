import { main } from "./cli/main.js";
import { openTerminal } from "./cli/terminal.js";
import { end } from "./process.js";
import { credentialsIn, Redactor } from "./run/redact.js";

const argv = process.argv.slice(2);
// An emulator tells its own credentials, which the environment may have from an earlier one.
const own = argv[0] === "emulator" ? [] : credentialsIn(process.env);
const redactor = new Redactor(own.map(({ value }) => value));
const terminal = openTerminal(process, redactor);
const reportBug = async (error: unknown) => (await import("./cli/complain.js")).reportBug(error, terminal);
void main(argv, terminal)
  .catch(reportBug)
  .then((code) => end(process, code, terminal.opened));
