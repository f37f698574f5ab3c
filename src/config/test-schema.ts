import { FIELD_LISTS } from "../kinds/logged-fields.js";
import type { JsonObject } from "../model/json.js";

const texts = (description: string, example: string): JsonObject => ({
  type: "array",
  items: { type: "string", pattern: "\\S", description: "A name or URL." },
  description,
  examples: [[example]],
});

const loads = (subject: string, example: string): JsonObject => ({
  type: "object",
  additionalProperties: false,
  description: `${subject}, by full URL or as written in the page (/app.js).`,
  properties: {
    allowed: texts("Not blocked by any policy. A policy in log may report them.", example),
    blocked: texts("Blocked by a policy.", "https://evil.example/x"),
    reported: texts("Not blocked, and reported by a policy in log.", "https://evil.example/x"),
  },
});

const logged = (description: string): JsonObject => ({
  type: "object",
  additionalProperties: false,
  description,
  properties: Object.fromEntries(
    FIELD_LISTS.map((list) => [list, texts(`Names in ${list}.`, "content-type")]),
  ),
});

/** The schema of one test. Running the test reports wrong combinations of keys. */
export const testSchema: JsonObject = {
  title: "Test",
  description: "A test of a page or of a request.",
  type: "object",
  additionalProperties: false,
  properties: {
    name: { type: "string", description: "The test's name in reports. Default: its subject." },
    page: {
      type: "string",
      pattern: "^https?://",
      description: "The page's URL. The page is requested with GET.",
      examples: ["https://shop.example.com/checkout"],
    },
    request: {
      type: "object",
      additionalProperties: false,
      description: "A request. With page: more facts about the request for the page.",
      examples: [{ path: "/login" }],
      properties: {
        method: { type: "string", description: "The method. Default: GET." },
        host: { type: "string", description: "The host. Default: the zone's name." },
        path: {
          type: "string",
          pattern: "^/",
          description: "The path, with or without a query. Default: /.",
        },
        headers: {
          type: "object",
          additionalProperties: { type: ["string", "array"], items: { type: "string" } },
          description: "All headers except Host. Default: unknown headers.",
        },
        fields: {
          type: "object",
          additionalProperties: true,
          description: "More facts, by expression field.",
          examples: [{ "ip.src.country": "DE" }],
        },
      },
    },
    scripts: loads("Scripts that the page loads", "https://js.payments.example/v3.js"),
    connections: loads("Connections of the page's scripts", "https://api.payments.example/"),
    managed_rulesets: {
      type: "object",
      additionalProperties: false,
      description: "Managed rulesets, by name or id. A ruleset that an exception skips does not apply.",
      properties: {
        applies: texts("Rulesets that apply to the request.", "Cloudflare OWASP Core Ruleset"),
        does_not_apply: texts("Rulesets that do not apply.", "Cloudflare OWASP Core Ruleset"),
      },
    },
    custom_rules: {
      enum: ["blocked", "challenged", "skipped", "passed"],
      description:
        "What the zone's custom rules do with the request. skipped: a rule lets it skip protection, and none blocks or challenges it; passed: none of the three.",
    },
    log: logged("Custom log fields that are logged."),
    does_not_log: logged("Custom log fields that are not logged."),
    undecided: {
      enum: ["ok", "fails"],
      description: "Whether an undecided test passes (ok) or fails.",
      default: "fails",
    },
  },
};
