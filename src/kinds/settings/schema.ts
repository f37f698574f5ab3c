import type { Schema } from "../../model/wanted.js";

export const settingsSchema: Schema = {
  title: "Settings",
  description: "Client-side security settings of the zone. A key that is absent is left as it is.",
  type: "object",
  additionalProperties: false,
  properties: {
    enabled: {
      type: "boolean",
      description:
        "Whether client-side security is on for the zone. Switching it off does not switch the zone's policies off.",
    },
    use_cloudflare_reporting_endpoint: {
      type: "boolean",
      description: "Send CSP reports to the service's own host name instead of the zone's.",
    },
    use_service_reporting_endpoint: {
      type: "boolean",
      description: "Another name of use_cloudflare_reporting_endpoint.",
    },
    use_connection_url_path: {
      type: "boolean",
      description: "Store the path of a detected connection's URL, not only its host.",
    },
  },
};
