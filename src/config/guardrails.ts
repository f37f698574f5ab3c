import { FORBIDDABLE, type Guardrails, LIMITS } from "../model/guardrails.js";
import { isObject, type Json, textsIn } from "../model/json.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { FileText } from "./files.js";
import { validate } from "./generated/guardrails.validate.js";
import { checkShape } from "./shape.js";
import { parseSource } from "./source.js";

/**
 * Guardrails from a file of their own, whose content is that of `guardrails:`. It comes from whoever runs the program,
 * and nothing in it comes from the environment.
 */
export function guardrailsFrom({ file, text }: FileText): Result<Guardrails> {
  const parsed = parseSource(file, text, "Name what apply is to refuse, such as forbid: [deletes].");
  if (!parsed.ok) return parsed;
  const problems = checkShape(parsed.value, parsed.value.value, validate);
  return problems.length > 0 ? failed(...problems) : ok(guardrailsOf(parsed.value.value));
}

/** What `guardrails:` says. Entries of a wrong shape are known to be wrong already, and are passed over. */
export function guardrailsOf(value: Json | undefined): Guardrails {
  const given = isObject(value) ? value : {};
  const limits = LIMITS.flatMap((name) => {
    const limit = given[name];
    return typeof limit === "number" ? [[name, limit] as const] : [];
  });
  const forbidden = textsIn(given.forbid);
  return {
    limits: Object.fromEntries(limits),
    forbid: FORBIDDABLE.filter((name) => forbidden.includes(name)),
  };
}
