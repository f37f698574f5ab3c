import { uniform } from "../../expression/spelling/render.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Members } from "../../model/strength.js";
import { allFields } from "./field.js";

/** What is logged, and of which requests. A rule that is switched off logs nothing. */
export function strengthOf(normal: SealedObject): Dimensions {
  if (normal.enabled === false) return { logged: logged([]) };
  if (normal.enabled !== true)
    return {
      logged: {
        as: "unknown",
        is: JSON.stringify(normal),
        why: "whether the rule is switched on is not known",
      },
    };
  return {
    logged: logged(allFields(normal)),
    logged_requests: { as: "scope", of: uniform(asText(normal.expression ?? "")) },
  };
}

function logged(of: readonly string[]): Members {
  return { as: "set", stronger: "more", of, said: { come: "logged", go: "no longer logged" } };
}
