import { SERVICE_DIRECTIVES } from "../../csp/directives.js";
import { oneLine, parse } from "../../csp/syntax.js";

import type { JsonObject } from "../../model/json.js";
import type { Service } from "../../model/wanted.js";
import { allowingExpression, withLimit } from "../limits.js";
import { valueText } from "./value.js";

/** A service that takes a policy as long as this one, with the directives that it has. */
export function allowing(declared: JsonObject, service: Service): Service {
  const text = valueText(declared.value ?? null);
  const long = withLimit(service, "policy_value_chars", oneLine(text).length);
  return allowingExpression(declared, allowingDirectives(text, long));
}

function allowingDirectives(text: string, service: Service): Service {
  const names = parse(text).policies.flatMap(({ directives }) => directives.map(({ name }) => name));
  const learnt = names.filter((name) => NAME.test(name) && !SERVICE_DIRECTIVES.has(name));
  const all = new Set([...service.extra_csp_directives, ...learnt]);
  if (all.size === service.extra_csp_directives.length) return service;
  return { ...service, extra_csp_directives: [...all] };
}

/** As files can name directives. */
const NAME = /^[a-z][a-z-]*$/;
