import { FORBIDDABLE } from "../model/guardrails.js";
import type { Schema } from "../model/wanted.js";

/** The shape of `guardrails:` in a desired-state file. */
export const guardrailsSchema: Schema = {
  title: "Guardrails",
  description: "What apply refuses unless --allow lifts it for the run.",
  type: "object",
  additionalProperties: false,
  properties: {
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
        "The largest part of the managed objects of a run that may change: a number from 0 to 1, so 0.2 is 20 %. What is created, updated and deleted is divided by the same and what stays as it is.",
    },
    forbid: {
      type: "array",
      items: { enum: [...FORBIDDABLE] },
      description:
        "What no change may do. weakens: take protection away, or something of which it cannot be said that it does not. deletes: delete an object. service_off: switch the service off for a zone. starts_blocking: block, or block more, where what runs was let through or only reported. blocks_active_scripts: block a script that runs today and is not known to be malicious. allows_malicious: let pass what is blocked today and is malicious, or may be. redirects: send records, payloads or reports where they did not go before, with a new job or policy too. drift: undo what was changed outside the files. conflict: change what was changed both in the files and outside them. Both are told by the base that --base names, and refuse where it is not known. unmanaged: apply, whatever it does, while something is live in the managed sections that no file declares and none lists under unmanaged; with a base, what both list.",
    },
  },
};

/** The same as a file of its own, as `--guardrails` reads it. Published as schemas/guardrails.schema.json. */
export function guardrailsFileSchema(): Schema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://unpkg.com/zoneward/schemas/guardrails.schema.json",
    ...guardrailsSchema,
  };
}
