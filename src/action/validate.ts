import { nothingDone, type Outcome, type Surroundings } from "./outcome.js";
import { problemsIn, runCommand } from "./run-command.js";

/** Checks the files offline. */
export async function validate({ inputs, terminal }: Surroundings): Promise<Outcome> {
  const { code, value } = await runCommand("validate", [], { config: inputs.config }, terminal);
  return nothingDone("validate", code, problemsIn(value) ?? []);
}
