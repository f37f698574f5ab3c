import { runStep } from "./action/step.js";
import { exit, signalsOf } from "./run/end-process.js";

const code = await runStep({
  env: process.env,
  cwd: process.cwd(),
  write: (text) => void process.stdout.write(text),
  signals: () => signalsOf(process),
});
await exit(process, code);
