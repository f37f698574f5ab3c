import type { Change } from "./changes.js";
import type { Body, Entry } from "./file.js";

/** A change of the fleet's file, and the last line of its plan's text. */
export interface PlannedChangeOfFleet extends Change {
  readonly summary: string;
}

const SHOP = "site3.example.com";
const BLOG = "site1.example.com";

export const protectionChanges: readonly PlannedChangeOfFleet[] = [
  {
    name: "a rule that blocks in every zone",
    edit: in_("site", ({ custom_rules: rules }) => {
      rules?.push({
        description: "No dumps",
        expression: 'ends_with(http.request.uri.path, ".sql")',
        action: "block",
      });
    }),
    summary:
      "Plan: 40 strengthen. 40 to create, 0 to update, 0 to delete, 320 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "a partner's checks skip no managed ruleset any more",
    edit: in_("site", ({ custom_rules: rules }) => {
      entry(rules, "Partner checks of ${zone}").skip = { ruleset: "current", products: ["bic"] };
    }),
    summary:
      "Plan: 40 strengthen. 0 to create, 40 to update, 0 to delete, 280 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "a partner's checks come from anywhere",
    edit: in_("site", ({ custom_rules: rules }) => {
      entry(rules, "Partner checks of ${zone}").expression = 'http.request.uri.path eq "/healthz"';
    }),
    summary:
      "Plan: 40 weaken. 0 to create, 40 to update, 0 to delete, 280 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "a rule only logs in one zone",
    edit: own(SHOP, { custom_rules: [{ description: "Admin from the office", action: "log" }] }),
    summary:
      "Plan: 1 weakens. 0 to create, 1 to update, 0 to delete, 319 unchanged in 40 zones. 1 API call to apply",
  },
  {
    name: "a rule is renamed and challenges",
    edit: in_("site", ({ custom_rules: rules }) => {
      Object.assign(entry(rules, "No repositories"), {
        description: "No sources",
        renamed_from: "No repositories",
        action: "managed_challenge",
      });
    }),
    summary:
      "Plan: 40 weaken. 0 to create, 40 to update, 0 to delete, 280 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "a rule is deleted",
    edit: in_("site", ({ custom_rules: rules }) => {
      rules?.splice(1, 1, { description: "No repositories", ensure: "absent" });
    }),
    summary:
      "Plan: 40 weaken. 0 to create, 0 to update, 40 to delete, 280 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "rules are reordered",
    edit: in_("site", ({ custom_rules: rules }) => {
      rules?.reverse();
    }),
    summary:
      "Plan: 40 weaken, 40 strengthen. 0 to create, 80 to update, 0 to delete, 240 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "a rule moves behind one that stays undeclared",
    edit: in_("site", ({ custom_rules: rules }) => {
      entry(rules, "Partner checks of ${zone}").position = "last";
      rules?.push(...(rules?.splice(0, 1) ?? []));
    }),
    summary:
      "Plan: 40 strengthen. 0 to create, 40 to update, 0 to delete, 280 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "another answer to blocked requests",
    edit: in_("large", ({ custom_rules: rules }) => {
      entry(rules, "Old API").response = { status_code: 404, content_type: "text/plain", content: "Nothing" };
    }),
    summary:
      "Plan: 20 neutral. 0 to create, 20 to update, 0 to delete, 300 unchanged in 40 zones. 20 API calls to apply",
  },
  {
    name: "a rule is off in one zone",
    edit: own(BLOG, { custom_rules: [{ description: "No repositories", enabled: false }] }),
    summary:
      "Plan: 1 weakens. 0 to create, 1 to update, 0 to delete, 319 unchanged in 40 zones. 1 API call to apply",
  },
  {
    name: "fewer logins",
    edit: in_("site", ({ rate_limits: limits }) => {
      entry(limits, "Logins").requests_per_period = 3;
    }),
    summary:
      "Plan: 40 strengthen. 0 to create, 40 to update, 0 to delete, 280 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "more requests, and a block in place of the challenge",
    edit: in_("paid", ({ rate_limits: limits }) => {
      Object.assign(entry(limits, "API"), {
        requests_per_period: 600,
        action: "block",
        mitigation_timeout: 60,
      });
    }),
    summary:
      "Plan: 30 mixed. 0 to create, 30 to update, 0 to delete, 290 unchanged in 40 zones. 30 API calls to apply",
  },
  {
    name: "only failed logins count, on the larger plans",
    edit: in_("large", (body) => {
      body.rate_limits = [{ description: "Logins", counting_expression: "http.response.code eq 401" }];
    }),
    summary:
      "Plan: 20 unknown. 0 to create, 20 to update, 0 to delete, 300 unchanged in 40 zones. 20 API calls to apply",
  },
  {
    name: "one more rate limit on the larger plans",
    edit: in_("large", (body) => {
      body.rate_limits = [
        {
          description: "Search",
          expression: 'http.request.uri.path eq "/search"',
          characteristics: ["cf.unique_visitor_id"],
          period: 60,
          requests_per_period: 30,
          action: "block",
          mitigation_timeout: 600,
        },
      ];
    }),
    summary:
      "Plan: 20 strengthen. 20 to create, 0 to update, 0 to delete, 320 unchanged in 40 zones. 20 API calls to apply",
  },
  {
    name: "a rate limit is deleted in one zone",
    edit: own(SHOP, { rate_limits: [{ description: "API", ensure: "absent" }] }),
    summary:
      "Plan: 1 weakens. 0 to create, 0 to update, 1 to delete, 319 unchanged in 40 zones. 1 API call to apply",
  },
  {
    name: "a rate limit is renamed and has an answer of its own",
    edit: in_("paid", ({ rate_limits: limits }) => {
      Object.assign(entry(limits, "API"), {
        description: "API calls",
        renamed_from: "API",
        action: "block",
        response: { status_code: 429, content_type: "application/json", content: "{}" },
      });
    }),
    summary:
      "Plan: 30 strengthen. 0 to create, 30 to update, 0 to delete, 290 unchanged in 40 zones. 30 API calls to apply",
  },
  {
    name: "an older TLS version in one zone",
    edit: own(BLOG, { zone_settings: { min_tls_version: "1.0" } }),
    summary:
      "Plan: 1 weakens. 0 to create, 1 to update, 0 to delete, 319 unchanged in 40 zones. 1 API call to apply",
  },
  {
    name: "HSTS is off in one zone, and longer in every other one",
    edit: (file) => {
      in_("site", ({ zone_settings: settings }) => {
        Object.assign(settings?.security_header ?? {}, { max_age: 63_072_000 });
      })(file);
      own(SHOP, { zone_settings: { security_header: { enabled: false } } })(file);
    },
    summary:
      "Plan: 1 weakens, 39 strengthen. 0 to create, 40 to update, 0 to delete, 280 unchanged in 40 zones. 40 API calls to apply",
  },
  {
    name: "several settings in every zone",
    edit: in_("site", ({ zone_settings: settings }) => {
      Object.assign(settings ?? {}, {
        min_tls_version: "1.3",
        security_level: "high",
        other: { http3: "on" },
      });
    }),
    summary:
      "Plan: 40 unknown. 0 to create, 40 to update, 0 to delete, 280 unchanged in 40 zones. 120 API calls to apply",
  },
  {
    name: "everything that protects is looser at once",
    edit: (file) => {
      in_("site", ({ custom_rules: rules, rate_limits: limits, zone_settings: settings }) => {
        entry(rules, "No repositories").action = "managed_challenge";
        entry(limits, "Logins").requests_per_period = 50;
        Object.assign(settings ?? {}, { ssl: "flexible", always_use_https: false });
      })(file);
      in_("paid", ({ managed_rulesets: rulesets }) => {
        Object.assign(rulesets?.[0] ?? {}, { action: "log" });
      })(file);
    },
    summary:
      "Plan: 150 weaken. 0 to create, 150 to update, 0 to delete, 170 unchanged in 40 zones. 190 API calls to apply",
  },
];

function in_(template: string, edit: (body: Body) => void): Change["edit"] {
  return ({ templates }) => edit(templates[template] ?? {});
}

function own(zone: string, body: Body): Change["edit"] {
  return ({ zones }) => {
    Object.assign(zones[zone] ?? {}, body);
  };
}

function entry(entries: Entry[] | undefined, description: string): Entry {
  return entries?.find((each) => each.description === description) ?? {};
}
