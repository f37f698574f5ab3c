import { canonical } from "../../csp/canonical.js";
import { diff } from "../../csp/diff.js";
import { parsedCsp } from "../../csp/syntax.js";
import { asText, type Json } from "../../model/json.js";
import { expressionField } from "../expression.js";
import { enabledField, type Fields, nameField } from "../fields.js";
import { valueText } from "./check.js";

const TO_BLOCK = "To block what the value does not allow, write allow.";
const TO_REPORT = "To report what the value does not allow, write log.";

/**
 * Every call sends all five fields, as other clients do. It is undocumented whether the service keeps the fields that a
 * PUT leaves out.
 */
export const fields: Fields = {
  description: { ...nameField, form: "text", alwaysSent: true },
  action: {
    form: "text",
    required: true,
    alwaysSent: true,
    hints: { block: TO_BLOCK, enforce: TO_BLOCK, deny: TO_BLOCK, report: TO_REPORT },
    show: actionText,
  },
  enabled: { ...enabledField, form: "flag", alwaysSent: true },
  expression: { ...expressionField, required: true, alwaysSent: true, identifies: true },
  value: {
    form: "text",
    spell: valueText,
    maxChars: { limit: "policy_value_chars", name: "The CSP value" },
    required: true,
    alwaysSent: true,
    identifies: true,
    canonical: (value) => (typeof value === "string" ? canonical(parsedCsp(value)) : value),
    parts: (before, after) => diff(asText(before), asText(after)),
  },
};

function actionText(value: Json): string | null {
  if (value === "allow") return "allow (blocks the rest)";
  return value === "log" ? "log (reports only)" : null;
}
