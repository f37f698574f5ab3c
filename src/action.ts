import { runStep } from "./action/step.js";
import { end, signalsOf } from "./process.js";

const code = await runStep({
  env: process.env,
  cwd: process.cwd(),
  write: (text) => void process.stdout.write(text),
  signals: () => signalsOf(process),
});
await end(process, code);
