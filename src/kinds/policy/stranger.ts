import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { effectOf, shifts } from "../../strength/index.js";
import { requestsOf } from "../expression.js";
import type { Stranger } from "../kind.js";
import { strengthOf } from "./strength.js";

/** A policy that no file declares. Beside others it can only block more: what it does alone is what it adds. */
export function strangerOf({ ref, normal, raw }: Item): Stranger {
  const effect = effectOf(shifts({}, strengthOf(normal)));
  return { ref, list: "policies", does: wordsFor(normal), effect, raw: raw ?? {} };
}

function wordsFor({ enabled, action, value = "", expression = "" }: SealedObject): string {
  const off =
    enabled === true
      ? ""
      : enabled === false
        ? "is switched off; otherwise "
        : "may be switched off; otherwise ";
  const csp = cutEnd(asText(value), MAX_CHARS);
  const where = `on ${requestsOf(asText(expression))}`;
  switch (action) {
    case "allow":
      return `${off}blocks what ${csp} does not allow, ${where}`;
    case "log":
      return `${off}reports what ${csp} does not allow, ${where}`;
    case "add_reporting_directives":
      return `${off}adds reporting directives ${where}`;
    default:
      return `${off}does ${JSON.stringify(cutEnd(asText(action ?? null), MAX_CHARS))}, which is not known here, ${where}`;
  }
}

const MAX_CHARS = 100;
