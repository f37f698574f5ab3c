import { FIELD_TYPES } from "../kinds/expression.js";
import { kinds } from "../kinds/index.js";
import { type Kind, listOf, nameField, sectionsOf } from "../kinds/kind.js";
import type { Schema, Service } from "../model/declared-zone.js";
import { FORBIDDABLE } from "../model/guardrails.js";
import { isList, isObject, type Json, type JsonObject, mapValues } from "../model/json.js";
import { LIMITS } from "../model/limits.js";
import { RULES } from "../model/unmanaged.js";
import { testSchema } from "./test-schema.js";

/** Limits of the service unless the files set others. Source: Cloudflare's documentation. */
export const defaultService: Service = {
  limits: {
    logpush_jobs: 4,
    policy_value_chars: 6000,
    expression_chars: 4096,
    custom_log_fields: 40,
    malicious_score_below: 50,
  },
  custom_log_fields: null,
  extra_csp_directives: [],
  extra_expression_fields: {},
};

/** Sections that are lists of named objects. */
const listSections: readonly string[] = kinds
  .filter((kind) => nameField(kind) !== null)
  .map((kind) => kind.section);

/** Sections whose undeclared live objects can be deleted. */
export const prunedSections: readonly string[] = kinds.flatMap((kind) => listOf(kind)?.section ?? []);

const schemaLocation: Schema = {
  type: "string",
  description: "The address of this schema, for editors. zoneward ignores it.",
};

/** The schema of a desired-state file, made of the kinds' schemas. Published as schemas/zoneward.schema.json. */
export function desiredStateSchema(): Schema {
  const defs = kinds.map((kind) => [kind.name, removable(kind.schema)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://raw.githubusercontent.com/zoneward/zoneward/v0/schemas/zoneward.schema.json",
    title: "Desired state",
    description: "The desired state of Cloudflare zones. An absent key is not managed.",
    type: "object",
    additionalProperties: false,
    required: ["version"],
    properties: {
      version: { const: 1, description: "The version of the file format." },
      account_id: {
        type: "string",
        description:
          "The account of this file's zones. It narrows the lookup of zones by name and selects the account's rulesets.",
        examples: ["023e105f4ecef8ad9ca31a8372d0c353"],
      },
      defaults: {
        $ref: "#/$defs/template",
        description: "A template that every zone of this file extends first.",
      },
      templates: {
        type: "object",
        description: "Templates by name. All files share them.",
        additionalProperties: { $ref: "#/$defs/template" },
      },
      zones: {
        type: "object",
        description: "The zones, by name.",
        additionalProperties: { $ref: "#/$defs/zone" },
      },
      tests: { ...testsSchema, description: "Tests for every zone of this file." },
      guardrails: guardrailsSchema,
      service: serviceSchema,
      $schema: schemaLocation,
    },
    $defs: {
      template: { title: "Template", ...bodySchema({}) },
      zone: {
        title: "Zone",
        ...bodySchema({
          id: {
            type: "string",
            description:
              "The zone's id. Default: looked up by name. The id must belong to the name before anything is written.",
            examples: ["353c8d1a7323a8d9ca50e4ef0135e023"],
          },
        }),
      },
      test: testSchema,
      ...Object.fromEntries(defs),
    },
  };
}

const limit = (description: string, value: number, minimum = 1): Schema => ({
  type: "integer",
  minimum,
  description,
  default: value,
});

const serviceSchema: Schema = {
  title: "Service",
  description: "Limits and additions of the service. Each default is the documented value.",
  type: "object",
  additionalProperties: false,
  properties: {
    limits: {
      type: "object",
      description: "Limits of the zone's Cloudflare plan.",
      additionalProperties: false,
      properties: {
        policies: {
          type: "integer",
          minimum: 0,
          description:
            "The most policies in a zone, undeclared ones included. 0: the Cloudflare plan has none. Default: no limit.",
        },
        logpush_jobs: limit(
          "The most log-push jobs in a zone, undeclared ones included.",
          defaultService.limits.logpush_jobs,
          0,
        ),
        policy_value_chars: limit(
          "The most characters in a CSP value.",
          defaultService.limits.policy_value_chars,
        ),
        expression_chars: limit(
          "The most characters in a filter expression.",
          defaultService.limits.expression_chars,
        ),
        custom_log_fields: limit(
          "The most custom log fields in a zone, over all lists.",
          defaultService.limits.custom_log_fields,
        ),
        malicious_score_below: limit(
          "A script with a lower integrity score counts as malicious.",
          defaultService.limits.malicious_score_below,
        ),
      },
    },
    custom_log_fields: {
      type: "object",
      additionalProperties: false,
      required: ["per_list"],
      properties: {
        per_list: {
          type: "integer",
          minimum: 1,
          description: "The most custom log fields in each list. It replaces limits.custom_log_fields.",
        },
      },
      description: "The newer limit of some accounts.",
    },
    extra_csp_directives: {
      type: "array",
      items: {
        type: "string",
        pattern: "^[a-z][a-z-]*$",
        description: "A directive in lowercase letters and hyphens.",
      },
      description: "CSP directives that the service accepts and this version does not know.",
    },
    extra_expression_fields: {
      type: "object",
      propertyNames: {
        pattern: "^\\w{1,50}(\\.\\w{1,50}){0,10}$",
      },
      additionalProperties: {
        enum: [...FIELD_TYPES],
      },
      description:
        "Expression fields that this version does not know, with their types. A change to an expression with such a field has unknown effect.",
      examples: [{ "cf.new.field": "Bytes" }],
    },
  },
};

const testsSchema: JsonObject = {
  type: "array",
  items: { $ref: "#/$defs/test" },
  description: "Tests of the zone. Tests of templates and defaults are run too.",
};

/** An inherited key may be `null`. The keys in `specific`, `extends` and `tests` are not inherited. */
function bodySchema(specific: JsonObject): Schema {
  const inherited = {
    account_id: { type: "string", description: "The zone's account." },
    ...Object.fromEntries(kinds.flatMap(sectionSchemas)),
    prune: {
      type: "array",
      items: { enum: prunedSections },
      description:
        "Sections whose undeclared live objects are deleted, unless unmanaged lists them. Default: undeclared objects are left alone.",
    },
    optional: {
      type: "array",
      items: { enum: kinds.flatMap(sectionsOf) },
      description:
        "Sections that the zone's Cloudflare plan may lack. A lacking section is a note and no error.",
    },
    unmanaged: unmanagedSchema,
    vars: varsSchema,
  };
  const extended = {
    type: "array",
    items: { type: "string" },
    description: "Templates, merged from left to right. The zone's own keys win.",
  };
  const properties = { ...specific, extends: extended, tests: testsSchema, ...mapValues(inherited, orNull) };
  return { type: "object", additionalProperties: false, properties };
}

const varsSchema: JsonObject = {
  title: "Vars",
  description:
    "Variables for ${vars.NAME} in every string of the zone, its templates and defaults. A value may contain ${zone} and ${env:NAME}.",
  type: "object",
  propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
  additionalProperties: { type: ["string", "number", "boolean", "null"] },
  examples: [{ SITE: "SHOP" }],
};

/** Names or ids. Ids of jobs are numbers. */
function listing(subject: string, example: string): JsonObject {
  return {
    type: ["array", "null"],
    items: { type: ["string", "integer"], pattern: "\\S" },
    description: `${subject}, by name or id. * matches any characters, ? matches one.`,
    examples: [[example]],
  };
}

const unmanagedSchema: JsonObject = {
  title: "Unmanaged",
  description: "Undeclared objects to acknowledge. Undeclared objects that are not listed are drift.",
  type: "object",
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(
      listSections.map((section) => [section, listing(`Undeclared ${section}`, "Made by hand")]),
    ),
    [RULES]: listing("Undeclared rules in the managed lists of rules", "Office skip"),
  },
};

function sectionSchemas(kind: Kind): readonly (readonly [section: string, schema: JsonObject])[] {
  const ref = { $ref: `#/$defs/${kind.name}` };
  const list = listOf(kind);
  return sectionsOf(kind).map((section) => {
    if (section !== list?.section) return [section, ref];
    // The schema of an object already requires a name that is a field.
    const items = nameField(kind) === null ? { ...ref, ...naming(list.named) } : ref;
    return [section, { type: "array", items }];
  });
}

function naming(key: string): JsonObject {
  return { required: [key], properties: { [key]: { type: "string" } } };
}

/** In a body, `null` removes a key of a template. So every property may be null, except the name of a list entry. */
function removable(schema: Schema): Schema {
  const { required: alwaysRequired, then } = schema as JsonObject; // schemas are JSON
  const required = [alwaysRequired, isObject(then) ? then.required : undefined].flatMap((names) =>
    isList(names) ? names : [],
  );
  const properties = (schema.properties ?? {}) as JsonObject; // schemas are JSON
  return {
    ...schema,
    properties: mapValues(properties, (item, key) => (required.includes(key) ? item : orNull(item))),
  };
}

function orNull(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { type, enum: values } = schema;
  if (isList(values)) return { ...schema, enum: [...values, null] };
  if (typeof type === "string") return { ...schema, type: [type, "null"] };
  if (isList(type)) return { ...schema, type: [...type, "null"] };
  return { anyOf: [schema, { type: "null" }] };
}

/** The shape of `guardrails:` in a desired-state file. */
const guardrailProperties: Readonly<Record<string, Schema>> = {
  ...mapValues(LIMITS, ({ schema }) => schema),
  evidence_days: {
    type: "integer",
    minimum: 0,
    default: 7,
    description: "Days of evidence that unproven requires from a policy's pages.",
  },
  forbid: {
    type: "array",
    items: { enum: [...FORBIDDABLE] },
    description: "The kinds of changes that apply refuses. docs/safety.md explains each.",
  },
};

const guardrailsSchema: Schema = {
  title: "Guardrails",
  description: "Limits and kinds of changes that apply refuses. --allow lifts a guardrail for one run.",
  type: "object",
  additionalProperties: false,
  properties: guardrailProperties,
};

/** The schema of the file that `--guardrails` reads. Published as schemas/guardrails.schema.json. */
export function guardrailsFileSchema(): Schema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://raw.githubusercontent.com/zoneward/zoneward/v0/schemas/guardrails.schema.json",
    ...guardrailsSchema,
    properties: { ...guardrailProperties, $schema: schemaLocation },
  };
}
