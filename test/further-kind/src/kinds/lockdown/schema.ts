import type { Schema } from "../../model/declared-zone.js";
import { namedProperties } from "../schema.js";

export const lockdownSchema: Schema = {
  title: "Lockdown",
  description: "URLs that only some addresses may ask for.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("lockdown"),
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
