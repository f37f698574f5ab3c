import type { Schema } from "../../model/wanted.js";

export const TIMESTAMPS = ["unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns"] as const;

export const logpushJobSchema: Schema = {
  title: "Log-push job",
  description: "A job that pushes logs of the zone to a destination.",
  type: "object",
  additionalProperties: false,
  // The service's schema has names as optional: a job without one is declared by its id.
  if: { properties: { id: false } },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: { properties: { name: true }, required: ["name"] },
  properties: {
    name: {
      type: "string",
      pattern: "\\S",
      description:
        "The job's name, unique within the zone and the dataset. It is how the job is found again: use renamed_from to change it. One that has none at the service is declared by its id alone.",
    },
    id: {
      type: ["integer", "string"],
      minimum: 1,
      // YAML rounds larger numbers to the id of another job.
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: "^[1-9][0-9]{0,15}$",
      description: "Pins the live job with this id, a whole number.",
    },
    renamed_from: { type: "string", pattern: "\\S", description: "The name that the live job had before." },
    ensure: { enum: ["absent"], description: "absent: delete the job if it is live." },
    dataset: {
      type: "string",
      pattern: "^[a-zA-Z0-9_-]{1,256}$",
      description: "What is logged, such as http_requests: letters, digits, hyphens and underscores.",
    },
    enabled: { type: "boolean", description: "Whether the job pushes. A new job does." },
    destination_conf: {
      type: "string",
      pattern: "\\S",
      description:
        "Where the logs go: a URL with the destination's options. It is sensitive: write ${secret:NAME}.",
    },
    ownership_challenge: {
      type: "string",
      pattern: "\\S",
      description:
        "Proof that the destination is yours: what the service has written there. It is sensitive, and sent only when the job is created or its destination changes.",
    },
    fields: {
      type: "array",
      items: {
        type: "string",
        pattern: "^\\w+$",
        description: "A field's name is letters, digits and underscores.",
      },
      description: "The fields of each record. Their order counts only in CSV.",
      examples: [["ClientIP", "EdgeStartTimestamp", "RayID"]],
    },
    timestamps: {
      enum: [...TIMESTAMPS],
      description: "How points in time are written: a number since 1970, or as RFC 3339 has it.",
    },
    logpull_options: {
      type: "string",
      description:
        "The older form of fields and timestamps, in their place. It is owned whole, as the service takes it: an option that it does not name has its default.",
      examples: ["fields=ClientIP,RayID&timestamps=rfc3339"],
    },
    extra: {
      type: "object",
      description:
        "Other fields of the API's job, such as filter, max_upload_bytes or output_options, owned as given.",
      examples: [{ max_upload_bytes: 5000000 }],
    },
  },
};
