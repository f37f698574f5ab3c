import type { Schema } from "../model/wanted.js";
import { until } from "./until.js";

/**
 * The schema of the keys that identify, rename, keep and delete an object with a description.
 *
 * @param noun the object in messages: `policy`
 * @param live the object in the service: `rule`
 */
export function namedProperties(noun: string, live: string = noun): { readonly [key: string]: Schema } {
  return {
    description: {
      type: "string",
      pattern: "\\S",
      description: `The ${noun}'s name, unique within the zone. To rename, also set renamed_from.`,
    },
    id: {
      type: "string",
      description: `The live ${live}'s id, if two have the same description.`,
      examples: ["9b1f0c6ab5e7441e8f0d7d2c4a91e001"],
    },
    renamed_from: {
      type: "string",
      pattern: "\\S",
      description: `The previous description of the live ${live}.`,
    },
    ensure: { enum: ["absent"], description: `absent: delete the live ${noun}.` },
    until,
  };
}
