import type { Body, Entry, FleetFile } from "./file.js";

/** A realistic change of the fleet's file. */
export interface Change {
  readonly name: string;
  /** Edits the parsed file in place. */
  readonly edit: (file: FleetFile) => void;
}

const SHOP = "site3.example.com";
const BLOG = "site1.example.com";

export const changes: readonly Change[] = [
  {
    name: "a new script host in every zone with policies",
    edit: in_("large", (body) => {
      entry(body.policies, "Scripts of ${zone}").value = {
        "script-src": ["'self'", "cdn.${zone}", "js.payments.example", "chat.example"],
      };
    }),
  },
  {
    name: "a policy blocks in one zone",
    edit: own(SHOP, (body) => {
      body.policies = [{ description: "Scripts of ${zone}", action: "allow" }];
    }),
  },
  {
    name: "a fourth policy, which reaches the limit together with the undeclared one",
    edit: in_("large", (body) => {
      body.policies?.push({
        description: "Forms of ${zone}",
        action: "log",
        expression: 'http.host eq "forms.${zone}"',
        value: { "form-action": ["'self'"] },
      });
    }),
  },
  {
    name: "a policy is renamed and has another scope",
    edit: in_("large", (body) => {
      Object.assign(entry(body.policies, "Checkout"), {
        description: "Checkout and cart",
        renamed_from: "Checkout",
        expression: 'http.host eq "${zone}" and http.request.uri.path in {"/checkout" "/cart"}',
      });
    }),
  },
  {
    name: "a policy is removed",
    edit: in_("large", (body) => {
      replace(body.policies, "Frames", { description: "Frames", ensure: "absent" });
    }),
  },
  {
    name: "detection is switched off in one zone",
    edit: own(BLOG, (body) => {
      body.settings = { enabled: false };
    }),
  },
  {
    name: "connection paths are kept in every zone",
    edit: in_("site", (body) => {
      body.settings = { enabled: true, use_connection_url_path: true };
    }),
  },
  {
    name: "a higher paranoia level and a lower threshold in every zone",
    edit: in_("site", (body) => {
      Object.assign(ruleset(body, "OWASP Core"), { paranoia_level: "PL3", score_threshold: 25 });
    }),
  },
  {
    name: "the core ruleset only logs in one zone",
    edit: own(BLOG, (body) => {
      body.managed_rulesets = [{ ruleset: "Cloudflare OWASP Core Ruleset", action: "log" }];
    }),
  },
  {
    name: "tags and rules of the managed ruleset have other actions",
    edit: in_("site", (body) => {
      Object.assign(ruleset(body, "Cloudflare Managed"), {
        tags: { wordpress: { enabled: true }, drupal: { action: "log" } },
        rules: { "159eb0e6cfd47a9d0d823898ede3d53f": { action: "managed_challenge" } },
      });
    }),
  },
  {
    name: "a ruleset applies to only some requests",
    edit: in_("site", (body) => {
      ruleset(body, "Exposed").expression = 'http.request.uri.path in {"/login" "/signup"}';
    }),
  },
  {
    name: "a ruleset is removed",
    edit: in_("site", (body) => {
      ruleset(body, "Exposed").ensure = "absent";
      delete ruleset(body, "Exposed").action;
    }),
  },
  {
    name: "an exception for searches that skips a single rule",
    edit: in_("site", (body) => {
      body.managed_exceptions?.push({
        description: "Search of ${zone}",
        expression: 'http.host eq "${zone}" and http.request.uri.path eq "/search"',
        skip: { "Cloudflare OWASP Core Ruleset": ["6179ae15870a4bb7b2d480d4843b323c"] },
      });
    }),
  },
  {
    name: "an exception skips more rulesets for fewer requests",
    edit: in_("site", (body) => {
      Object.assign(entry(body.managed_exceptions, "Uploads"), {
        expression: 'http.request.uri.path eq "/upload/image"',
        skip: ["Cloudflare OWASP Core Ruleset", "Cloudflare Managed Ruleset"],
      });
    }),
  },
  {
    name: "exceptions are reordered",
    edit: in_("site", (body) => {
      body.managed_exceptions?.reverse();
    }),
  },
  {
    name: "an exception is removed in one zone",
    edit: own(BLOG, (body) => {
      body.managed_exceptions = [{ description: "Uploads", ensure: "absent" }];
    }),
  },
  {
    name: "an exception is renamed and switched off",
    edit: in_("site", (body) => {
      Object.assign(entry(body.managed_exceptions, "Uploads"), {
        description: "Large uploads",
        renamed_from: "Uploads",
        enabled: false,
      });
    }),
  },
  {
    name: "other headers and no cookies are logged",
    edit: in_("site", (body) => {
      body.custom_log_fields = { request_fields: ["x-forwarded-for", "x-real-ip"], cookie_fields: [] };
    }),
  },
  {
    name: "custom log fields are removed in one zone",
    edit: own(SHOP, (body) => {
      body.custom_log_fields = { request_fields: null, cookie_fields: null, ensure: "absent" };
    }),
  },
  {
    name: "jobs log more fields to another destination",
    edit: in_("large", (body) => {
      Object.assign(entry(body.logpush_jobs, "requests"), {
        fields: ["ClientIP", "RayID", "EdgeStartTimestamp"],
        destination_conf: "${secret:OTHER_${vars.SITE}}",
      });
    }),
  },
  {
    name: "one more job, which reaches the limit together with the undeclared one",
    edit: in_("large", (body) => {
      body.logpush_jobs?.push({
        name: "requests",
        dataset: "spectrum_events",
        destination_conf: "${secret:OTHER_${vars.SITE}}",
      });
    }),
  },
  {
    name: "a job is removed in one zone, and another is switched off in every zone",
    edit: (file) => {
      in_("large", (body) => {
        entry(body.logpush_jobs, "requests").enabled = false;
      })(file);
      own(SHOP, (body) => {
        body.logpush_jobs = [{ name: "events-${zone}", dataset: "${vars.EVENTS}", ensure: "absent" }];
      })(file);
    },
  },
];

function in_(template: string, edit: (body: Body) => void): Change["edit"] {
  return ({ templates }) => edit(templates[template] ?? {});
}

function own(zone: string, edit: (body: Body) => void): Change["edit"] {
  return ({ zones }) => edit(zones[zone] ?? {});
}

function entry(entries: Entry[] | undefined, name: string): Entry {
  return entries?.find((each) => each.description === name || each.name === name) ?? {};
}

function replace(entries: Entry[] | undefined, name: string, other: Entry): void {
  entries?.splice(entries.indexOf(entry(entries, name)), 1, other);
}

function ruleset({ managed_rulesets: rulesets }: Body, part: string): Entry {
  return rulesets?.find((each) => String(each.ruleset).includes(part)) ?? {};
}
