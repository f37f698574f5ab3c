import type { Schema } from "../../model/declared-zone.js";
import type { Fields } from "../fields.js";
import { oneIn } from "../keys.js";
import type { Kind } from "../kind.js";
import { sameNames } from "../same-names.js";

const schema: Schema = {
  title: "URL normalization",
  description: "How paths are spelled before rules look at them. A key that is absent is left as it is.",
  type: "object",
  additionalProperties: false,
  properties: {
    type: { enum: ["cloudflare", "rfc3986"], description: "By whose rules paths are spelled." },
    scope: { enum: ["none", "incoming", "both"], description: "Which requests are spelled so." },
  },
};

const fields: Fields = { type: { form: "text" }, scope: { form: "text" } };

/** URL normalization: one object in each zone, which always exists. */
export const urlNormalization: Kind = {
  ...sameNames(fields),
  name: "url_normalization",
  ...oneIn("url_normalization"),
  depends: { area: "requests" },
  schema,
  fields,
  service: {
    included: { as: "URL normalization" },
    permissions: { read: "Zone Settings Read", write: "Zone Settings Write" },
    dashboard: "rules/settings",
  },
  at: { as: "object", path: ["url_normalization"] },

  dimensions: ({ normal: { scope } }) => ({
    normalized: {
      as: "rank",
      value: ["none", "incoming", "both"].indexOf(String(scope)),
      called: "paths are normalized of requests",
      is: String(scope),
    },
  }),
};
