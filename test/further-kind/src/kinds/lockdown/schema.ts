import type { Schema } from "../../model/wanted.js";

export const lockdownSchema: Schema = {
  title: "Lockdown",
  description: "URLs that only some addresses may ask for.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    description: {
      type: "string",
      pattern: "\\S",
      description: "The lockdown's name, unique within the zone. It is how the lockdown is found again.",
    },
    id: { type: "string", description: "Pins the live lockdown with this id." },
    renamed_from: { type: "string", pattern: "\\S", description: "The description that it had before." },
    ensure: { enum: ["absent"], description: "absent: delete the lockdown if it is live." },
    urls: {
      type: "array",
      minItems: 1,
      items: { type: "string" },
      description: "The URLs, in which * stands for any characters.",
    },
    addresses: {
      type: "array",
      minItems: 1,
      items: { type: "string" },
      description: "The IP addresses, and ranges of them, that may ask for the URLs.",
    },
    paused: { type: "boolean", description: "Whether the lockdown does nothing for now." },
  },
};
