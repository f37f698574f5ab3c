import type { Schema } from "../model/wanted.js";
import { until } from "./until.js";

/**
 * The keys by which a file names, finds, keeps and removes an object that is known by its description.
 *
 * @param noun what the object is called: `policy`
 * @param live what the service has for it: `rule`
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
