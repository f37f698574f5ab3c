import { main } from "./cli/main.js";
import { openTerminal } from "./cli/terminal.js";
import { credentialsIn, Redactor } from "./run/redact.js";

const argv = process.argv.slice(2);
// An emulator tells its own credentials, which the environment may have from an earlier one.
const own = argv[0] === "emulator" ? [] : credentialsIn(process.env);
const hiding = new Redactor(own.map(({ value }) => value));
const code = await main(argv, openTerminal(process, hiding));
// Left to itself, Node waits a while for the HTTP parser's compiler threads before it ends.
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit(process.exitCode ?? code);

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
