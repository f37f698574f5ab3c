import type { Schema } from "../../model/declared-zone.js";
import { text } from "../schema.js";

export const TIMESTAMPS = ["unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns"] as const;

export const logpushJobSchema: Schema = {
  title: "Log-push job",
  description: "A job that pushes the zone's logs to a destination.",
  type: "object",
  additionalProperties: false,
  // A job without a name is declared by its id, because names are optional in the service's schema.
  if: { properties: { id: false } },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: { properties: { name: true }, required: ["name"] },
  properties: {
    name: text("The job's name, unique within the zone and dataset. To rename, also set renamed_from."),
    id: {
      type: ["integer", "string"],
      minimum: 1,
      // YAML rounds larger numbers to the id of another job.
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: "^[1-9][0-9]{0,15}$",
      description: "The live job's id, if it has no name or two have the same.",
    },
    renamed_from: text("The previous name of the live job."),
    ensure: { enum: ["absent"], description: "absent: delete the live job." },
    dataset: {
      type: "string",
      pattern: "^[a-zA-Z0-9_-]{1,256}$",
      description: "The dataset to push, such as http_requests.",
    },
    enabled: { type: "boolean", description: "Whether the job pushes. Default of a new job: true." },
    destination_conf: text("The destination's URL with its options. It is sensitive: write ${secret:NAME}."),
    ownership_challenge: text(
      "The ownership token that the service wrote to the destination. It is sensitive, and sent only for a new job or destination.",
    ),
    fields: {
      type: "array",
      items: {
        type: "string",
        pattern: "^\\w+$",
        description: "A field of the dataset.",
      },
      description: "The fields of each record. Their order matters only in CSV.",
      examples: [["ClientIP", "EdgeStartTimestamp", "RayID"]],
    },
    timestamps: {
      enum: [...TIMESTAMPS],
      description: "The format of times: a number since 1970, or RFC 3339.",
    },
    logpull_options: {
      type: "string",
      description:
        "The older form of fields and timestamps, instead of them. Options that it does not name get their defaults.",
      examples: ["fields=ClientIP,RayID&timestamps=rfc3339"],
    },
    extra: {
      type: "object",
      description: "Other fields of the job in the API, such as filter, max_upload_bytes or output_options.",
      examples: [{ max_upload_bytes: 5000000 }],
    },
  },
};
