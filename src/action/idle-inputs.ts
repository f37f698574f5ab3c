import { type Problem, problem } from "../model/problem.js";
import type { InputName, Inputs } from "./inputs.js";

/** Inputs that were given and say nothing to this command: who gave them may believe otherwise. */
export function idleInputs({ command, issue, planDigest }: Inputs): readonly Problem[] {
  return [
    ...(issue === "auto" && command !== "drift" ? [idle("issue", "drift", command)] : []),
    ...(planDigest !== null && command !== "apply" ? [idle("plan-digest", "apply", command)] : []),
  ];
}

function idle(input: InputName, of: Inputs["command"], command: Inputs["command"]): Problem {
  const detail = `The input ${input} is for ${of}, and the command is ${command}: it does nothing here.`;
  return { ...problem("idle_input", "An input that does nothing", detail), severity: "warning" };
}
