import { setFlagsFromString } from "node:v8";
import { main } from "./cli/main.js";
import { openTerminal } from "./cli/terminal.js";
import { end } from "./process.js";
import { credentialsIn, Redactor } from "./run/redact.js";

// The heap may grow by half of what is in use before it is cleared, in place of up to three times that: a plan of a large
// fleet is mostly made of what is soon forgotten.
setFlagsFromString("--heap-growing-percent=50");
// The V8 of Node 20 has nothing between its quick compiler and its thorough one, which soon takes longer than it saves in a
// plan of some hundred zones: code has to run seven times as long as usual before it is worth that. Later ones have.
if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=500000");
const argv = process.argv.slice(2);
// An emulator tells its own credentials, which the environment may have from an earlier one.
const own = argv[0] === "emulator" ? [] : credentialsIn(process.env);
const redactor = new Redactor(own.map(({ value }) => value));
const terminal = openTerminal(process, redactor);
const reportBug = async (error: unknown) => (await import("./cli/complain.js")).reportBug(error, terminal);
void main(argv, terminal)
  .catch(reportBug)
  .then((code) => end(process, code, terminal.opened));
