import { FIELD_LISTS } from "../kinds/logged-fields.js";
import type { JsonObject } from "../model/json.js";

const texts = (description: string, example: string): JsonObject => ({
  type: "array",
  items: { type: "string", pattern: "\\S", description: "A name or URL is not empty." },
  description,
  examples: [[example]],
});

const loads = (subject: string, example: string): JsonObject => ({
  type: "object",
  additionalProperties: false,
  description: `${subject} by their URLs, each whole or as the page would write it (/app.js).`,
  properties: {
    allowed: texts("No policy that blocks refuses them. One in log may: it only reports.", example),
    blocked: texts("A policy that blocks refuses them.", "https://evil.example/x"),
    reported: texts(
      "They are let pass, and a policy in log refuses them: what it would block.",
      "https://evil.example/x",
    ),
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
  description: "What must work in a zone, and what must not: of a page, or of a request.",
  type: "object",
  additionalProperties: false,
  properties: {
    name: { type: "string", description: "What it is called in reports. Default: what it is about." },
    page: {
      type: "string",
      pattern: "^https?://",
      description: "A page is a URL that begins with https:// or http://.",
      examples: ["https://shop.example.com/checkout"],
    },
    request: {
      type: "object",
      additionalProperties: false,
      description: "A request. Beside page: what else is known of the request for the page.",
      properties: {
        method: { type: "string", description: "Default: GET." },
        host: { type: "string", description: "Default: the zone's name." },
        path: {
          type: "string",
          pattern: "^/",
          description: "A path begins with /. It may have a query. Default: /.",
        },
        headers: {
          type: "object",
          additionalProperties: { type: ["string", "array"], items: { type: "string" } },
          description: "All headers that it has, besides Host. Without this key nothing is known of them.",
        },
        fields: {
          type: "object",
          additionalProperties: true,
          description: "What else is known of it, by fields of expressions.",
          examples: [{ "ip.src.country": "DE" }],
        },
      },
    },
    scripts: loads("Scripts that the page loads,", "https://js.payments.example/v3.js"),
    connections: loads("What scripts of the page connect to,", "https://api.payments.example/"),
    managed_rulesets: {
      type: "object",
      additionalProperties: false,
      description:
        "Managed rulesets by their names or ids. A request that an exception skips past one does not get it.",
      properties: {
        applies: texts("They look at the request.", "Cloudflare OWASP Core Ruleset"),
        does_not_apply: texts("They do not.", "Cloudflare OWASP Core Ruleset"),
      },
    },
    log: logged("Custom log fields that are logged of the request."),
    does_not_log: logged("Custom log fields that are not."),
    undecided: {
      enum: ["ok", "fails"],
      description: "Whether it passes where what it asks cannot be decided.",
      default: "fails",
    },
  },
};
