import { FIELD_TYPES } from "../kinds/expression.js";
import { kinds } from "../kinds/index.js";
import { type Kind, listOf, sectionsOf } from "../kinds/kind.js";
import { FORBIDDABLE } from "../model/guardrails.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { RULES } from "../model/unmanaged.js";
import type { Schema, Service } from "../model/wanted.js";
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
  .filter((kind) => kind.shape.named !== undefined)
  .map((kind) => kind.section);

/** Sections whose undeclared live objects can be deleted. */
export const prunedSections: readonly string[] = kinds.flatMap((kind) => listOf(kind)?.section ?? []);

const schemaLocation: Schema = {
  type: "string",
  description: "Where editors find the schema of the file; zoneward does not look at it.",
};

/** The schema of a desired-state file, made of the kinds' schemas. Published as schemas/zoneward.schema.json. */
export function desiredStateSchema(): Schema {
  const defs = kinds.map((kind) => [kind.name, removable(kind.schema)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://raw.githubusercontent.com/zoneward/zoneward/v0/schemas/zoneward.schema.json",
    title: "Desired state",
    description: "How Cloudflare zones should be configured. A key that is absent is not managed.",
    type: "object",
    additionalProperties: false,
    required: ["version"],
    properties: {
      version: { const: 1, description: "The version of the file format." },
      account_id: {
        type: "string",
        description:
          "The account of this file's zones: narrows the look-up of zones by name, and says whose managed rulesets to read.",
        examples: ["023e105f4ecef8ad9ca31a8372d0c353"],
      },
      defaults: {
        $ref: "#/$defs/template",
        description: "A template that every zone of this file extends first.",
      },
      templates: {
        type: "object",
        description: "Bodies that zones extend by name; all files share them.",
        additionalProperties: { $ref: "#/$defs/template" },
      },
      zones: {
        type: "object",
        description: "Zones by name: what each is to be like.",
        additionalProperties: { $ref: "#/$defs/zone" },
      },
      tests: { ...testsSchema, description: "Tests that hold in every zone of this file." },
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
              "The zone's id. Without it the zone is looked up by name. With it nothing is, until something is to be written: then, and in a plan whose base does not have the id, it has to be that of the name at the service.",
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
  description: "What this service's plan and version allow.",
  type: "object",
  additionalProperties: false,
  properties: {
    limits: {
      type: "object",
      description: "Numbers that the service's plan sets.",
      additionalProperties: false,
      properties: {
        policies: {
          type: "integer",
          minimum: 0,
          description:
            "Policies that a zone can have, those of others included; 0: its plan has none. Where a new one would be one too many, another goes first. Default: no limit is known.",
        },
        logpush_jobs: limit(
          "Log-push jobs of a zone, those of others included. Where there is no room for a new one beside the one that it replaces, apply asks for --allow replace_with_gap.",
          defaultService.limits.logpush_jobs,
          0,
        ),
        policy_value_chars: limit(
          "Characters of a policy's CSP value.",
          defaultService.limits.policy_value_chars,
        ),
        expression_chars: limit("Characters of a filter expression.", defaultService.limits.expression_chars),
        custom_log_fields: limit(
          "Custom log fields of a zone, in all lists together.",
          defaultService.limits.custom_log_fields,
        ),
        malicious_score_below: limit(
          "A script with an integrity score below this is malicious.",
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
          description: "Custom log fields per list, in place of limits.custom_log_fields.",
        },
      },
      description: "For accounts that have the newer limit.",
    },
    extra_csp_directives: {
      type: "array",
      items: {
        type: "string",
        pattern: "^[a-z][a-z-]*$",
        description: "A directive is written in lower-case letters and hyphens.",
      },
      description: "CSP directives that the service has learnt since this version.",
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
        "Fields of filter expressions that the service has learnt since this version, with their types. What they do is not known: a change of an expression that has one is unknown.",
      examples: [{ "cf.new.field": "Bytes" }],
    },
  },
};

const testsSchema: JsonObject = {
  type: "array",
  items: { $ref: "#/$defs/test" },
  description:
    "What must work in the zone, and what must not. All tests of a zone, its templates and its defaults are run: none replaces another.",
};

/** An inherited key may be `null`. The keys in `specific`, `extends` and `tests` are not inherited. */
function bodySchema(specific: JsonObject): Schema {
  const inherited = {
    account_id: { type: "string", description: "The account that the zone belongs to." },
    ...Object.fromEntries(kinds.flatMap(sectionSchemas)),
    prune: {
      type: "array",
      items: { enum: prunedSections },
      description:
        "Sections of this zone whose live objects are deleted where no file declares them or lists them under unmanaged. Without it they stay, and the plan names them.",
    },
    optional: {
      type: "array",
      items: { enum: kinds.flatMap(sectionsOf) },
      description:
        "Sections that the zone's plan at the service may not include. Where it does not, that is a note and no error. A missing permission stays an error.",
    },
    unmanaged: unmanagedSchema,
    vars: varsSchema,
  };
  const extended = {
    type: "array",
    items: { type: "string" },
    description: "Templates, merged left to right; the body that names them goes on top.",
  };
  const properties = { ...specific, extends: extended, tests: testsSchema, ...mapValues(inherited, orNull) };
  return { type: "object", additionalProperties: false, properties };
}

const varsSchema: JsonObject = {
  title: "Vars",
  description:
    "Texts of this zone's own: ${vars.NAME} stands for them, and ${zone} for the zone's name, in every text of the zone, its templates and its defaults, also in the name of a secret: ${secret:LOGS_${vars.SITE}}. They can have ${zone} and ${env:NAME} themselves.",
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
    description: `${subject}, by name or id. * stands for any characters, ? for one.`,
    examples: [[example]],
  };
}

const unmanagedSchema: JsonObject = {
  title: "Unmanaged",
  description:
    "What is live in this zone's managed sections, no file declares, and is known and fine. What is not listed is drift.",
  type: "object",
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(
      listSections.map((section) => [section, listing(`Objects of ${section}`, "Made by hand")]),
    ),
    [RULES]: listing("Rules of others in the lists of rules that this zone manages one of", "Office skip"),
  },
};

function sectionSchemas(kind: Kind): readonly (readonly [section: string, schema: JsonObject])[] {
  const ref = { $ref: `#/$defs/${kind.name}` };
  const list = listOf(kind);
  return sectionsOf(kind).map((section) => {
    if (section !== list?.section) return [section, ref];
    // The schema of a list kind already requires the name.
    const items = kind.shape.each === undefined ? ref : { ...ref, ...naming(list.named) };
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

function mapValues(map: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
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
  max_changes: {
    type: "integer",
    minimum: 0,
    description: "The most objects that one run may create, update and delete, in all zones together.",
  },
  max_deletes: {
    type: "integer",
    minimum: 0,
    description:
      "The most objects that one run may delete, in all zones together. What is replaced by a new one counts too.",
  },
  max_changed_share: {
    type: "number",
    minimum: 0,
    maximum: 1,
    description:
      "The largest part of the managed objects, in the run or left out of it, that may change: a number from 0 to 1, so 0.2 is 20 %. What is created, updated and deleted is divided by what the base declares; without a base, by the same and what stays as it is.",
  },
  evidence_days: {
    type: "integer",
    minimum: 0,
    default: 7,
    description:
      "For unproven: how many days the service has to have seen the pages of a policy for before it blocks.",
  },
  forbid: {
    type: "array",
    items: { enum: [...FORBIDDABLE] },
    description:
      "What no change may do. weakens: take protection away, or something of which it cannot be said that it does not. deletes: delete an object. service_off: switch the service off for a zone. starts_blocking: block, or block more, where what runs was let through or only reported. blocks_active_scripts: block a script that runs today and is not known to be malicious. allows_malicious: let pass what is blocked today and is malicious, or may be. unproven: begin to block by a policy, in place of reports, as a new one or as one that blocked nothing so far, without evidence_days of evidence from its pages, or while something was seen there that it would block and that is not known to be malicious. redirects: send records, payloads or reports where they did not go before, with a new job or policy too. drift: undo what was changed outside the files. conflict: change what was changed both in the files and outside them. Both are told by the base that --base names, and refuse where it is not known. unmanaged: apply, whatever it does, while something is live in the managed sections that no file declares and none lists under unmanaged; with a base, what both list.",
  },
};

const guardrailsSchema: Schema = {
  title: "Guardrails",
  description: "What apply refuses unless --allow lifts it for the run.",
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
