import type { Terminal } from "../cli/command.js";
import { openTerminal } from "../cli/terminal.js";
import type { StepEnvironment } from "./inputs.js";
import { commandEnvironment, type Runner } from "./runner.js";

import { textInStepWords } from "./step-words.js";

/** The terminal that commands have in a step: nobody sits there, and all that is said goes into one log. */
export function stepTerminal(
  process: NodeJS.Process,
  environment: StepEnvironment,
  runner: Runner,
  hiding: Terminal["hiding"],
  cwd: string,
): Terminal {
  const { interrupted, catchSignals } = openTerminal(process, hiding);
  return {
    out: (text) => runner.log(text),
    err: (text) => runner.log(textInStepWords(text, null)),
    hiding,
    environment: commandEnvironment(environment),
    cwd,
    interactive: false,
    colors: { out: false, err: false },
    input: async () => new Uint8Array(),
    ask: async () => null,
    interrupted,
    catchSignals,
  };
}
