import { didYouMean } from "../model/did-you-mean.js";
import { isObject, type Json, type JsonObject, pick } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import type { Dimensions } from "../model/strength.js";
import type { Field } from "./fields.js";
import { error, type Finding, warningAt } from "./kind.js";
import { parametersOf } from "./phase.js";
import { text } from "./schema.js";
import type { RuleEffect } from "./unmanaged-rules.js";

/** The actions that stop or log requests, by their names in the API. */
export const ACTIONS: readonly string[] = ["block", "managed_challenge", "js_challenge", "challenge", "log"];

export function actionField(actions: readonly string[], description: string): Field {
  return {
    schema: text(`${description}: ${actions.join(", ")}.`),
    form: "text",
    required: true,
    identifies: true,
    show: (value) => (value === "log" ? "log (stops nothing)" : null),
  };
}

export const responseField: Field = {
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["status_code", "content_type", "content"],
    description: "The answer to blocked requests. Default: Cloudflare's page.",
    properties: {
      status_code: { type: "integer", description: "The status: 400 to 499.", examples: [403] },
      content_type: text("text/html, text/plain, text/xml or application/json.", {
        examples: ["text/plain"],
      }),
      content: { type: "string", description: "The body.", examples: ["Gone"] },
    },
  },
  form: "any",
  show: (value) => (isObject(value) ? `${value.status_code ?? ""} ${value.content_type ?? ""}` : null),
};

/** The response of a live rule, as the field of the normal form. */
export function responseIn(rule: JsonObject): JsonObject {
  return pick(parametersOf(rule), ["response"]);
}

/** The members of a rule that may have a response. Other parameters of a live rule with the same action stay. */
export function responseMembers(
  { action, response = null }: JsonObject,
  live: JsonObject | null,
): JsonObject {
  const { response: _, ...others } = live !== null && live.action === action ? parametersOf(live) : {};
  const parameters = { ...others, ...(response === null ? {} : { response }) };
  return Object.keys(parameters).length === 0 ? {} : { action_parameters: parameters };
}

/** The effect of the response. In HTML and XML, which is any other type, scripts run as those of the site. */
export function responseStrength({ enabled, response = null }: SealedObject): Dimensions {
  // Browsers load scripts of any text type, but not with the status of an error. No field is a secret.
  const { content_type: type = null, status_code: status = null } = isObject(response) ? response : {};
  const isData = SCRIPTLESS.includes(type as Json) && typeof status === "number" && status >= 400;
  if (enabled === false || response === null || isData) return {};
  const why = "the response can run scripts as a page of the site";
  return { response: { as: "unknown", is: JSON.stringify(response), why } };
}

export function blockEffect(does: string, rule: JsonObject): RuleEffect {
  const isPlain = Object.keys(responseStrength(responseIn(rule))).length === 0;
  if (isPlain) return { does, effect: "strengthens" };
  return { does: `${does}, with a response that can run scripts`, effect: "unknown" };
}

const SCRIPTLESS: readonly Json[] = ["text/plain", "application/json"];

/** Problems of a declared action and response. */
export function checkAction(
  { action, response }: JsonObject,
  actions: readonly string[],
): readonly Finding[] {
  const known = actions.find((each) => each === action);
  return [
    ...(typeof action === "string" ? checkKnown("action", action, actions) : []),
    ...(isObject(response) ? checkResponse(response, known) : []),
  ];
}

/** @param action undefined: absent or unknown */
function checkResponse(response: JsonObject, action: string | undefined): readonly Finding[] {
  const { status_code: status, content_type: type, content } = response;
  const isKnownStatus = typeof status !== "number" || (status >= 400 && status <= 499);
  const statusReason = `Cloudflare documents statuses from 400 to 499, not ${status}.`;
  const size = typeof content === "string" ? new TextEncoder().encode(content).length : 0;
  return [
    ...(action === undefined || action === "block" ? [] : [responseWithout(action)]),
    ...(isKnownStatus ? [] : [unusual(["response", "status_code"], statusReason)]),
    ...(typeof type === "string" ? checkKnown("content_type", type, CONTENT_TYPES, ["response"]) : []),
    ...(size > MOST_BYTES
      ? [unusual(["response", "content"], `Cloudflare documents at most 30 KB; this has ${size} bytes.`)]
      : []),
  ];
}

const CONTENT_TYPES: readonly string[] = ["text/html", "text/plain", "text/xml", "application/json"];
const MOST_BYTES = 30 * 1024;

function responseWithout(action: string): Finding {
  const detail = `Only a rule that blocks has a response; this one has the action ${action}. Remove response, or write action: block.`;
  return error(["response"], "response_without_block", "Response without action block", detail);
}

/** A value that the service does not document. It may be newer than this version, so it is sent. */
export function unusual(path: Finding["path"], reason: string): Finding {
  const name = path.filter((step) => typeof step === "string").at(-1) ?? "";
  const detail = `${reason} It is sent as written. Check the value.`;
  return warningAt(path, "unknown_value", `Unknown value of ${name}`, detail);
}

/** Words of other tools for an action. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["deny", "block"],
  ["drop", "block"],
  ["reject", "block"],
  ["allow", "skip"],
  ["bypass", "skip"],
  ["captcha", "managed_challenge"],
]);

/** The action skip needs another key. */
function withKey(value: string): string {
  return value === "skip" ? "skip, with a key skip that names what to skip" : value;
}

export function checkKnown(
  field: string,
  value: string,
  known: readonly string[],
  parents: Finding["path"] = [],
  index: Finding["path"] = [],
): readonly Finding[] {
  if (known.includes(value)) return [];
  const reason = `Cloudflare documents no ${field.replace(/s$/, "")} ${JSON.stringify(value)}. ${didYouMean(OTHER_WORDS.get(value.toLowerCase()) ?? value, known, "", withKey)}`;
  return [unusual([...parents, field, ...index], reason.trim())];
}
