import { kinds } from "../../src/kinds/index.js";
import { HEADER, HSTS, settings } from "../../src/kinds/zone-settings/fields.js";

const ZONE = "shop.example.com";
export const ZONE_ID = "353c8d1a7323a8d9ca50e4ef0135e023";
const ACCOUNT_ID = "a".repeat(32);
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORING = "6179ae15870a4bb7b2d480d4843b323c";

export type Answers = Readonly<Record<string, unknown>>;

/** The answers of a zone without any objects. */
export function emptyZone(id: string): Answers {
  const answers = kinds.map(({ at }) => {
    if (at.as === "rules") return [`rulesets/phases/${at.phase.name}/entrypoint`, { id: "0c", rules: [] }];
    return [at.path.join("/"), at.as === "collection" ? [] : null] as const;
  });
  return Object.fromEntries(answers.map(([path, answer]) => [`/zones/${id}/${path}`, answer]));
}

/** A live state in which every text, and many keys, are this text. The ids are valid. */
export function hostileState(text: string): Answers {
  const zone = `/zones/${ZONE_ID}`;
  const key = keyOf(text);
  const rule = { id: "0e", action: text, expression: text, description: text, ref: text, [key]: text };
  const policy = { action: "log", enabled: true, expression: "true", value: "script-src 'self'" };
  const detection = { url: text, host: text, status: text, first_page_url: text, page_urls: [text, text] };
  const judged = { url_reported_malicious: true, malicious_url_categories: [text], [key]: { [key]: text } };
  const account = { id: ACCOUNT_ID, name: text };
  return {
    ...emptyZone(ZONE_ID),
    "/zones": [
      { id: ZONE_ID, name: ZONE, account, [key]: text },
      { id: "0".repeat(32), name: text, account },
    ],
    [`${zone}/page_shield`]: { enabled: false, [key]: text, updated_at: text },
    [`${zone}/page_shield/policies`]: [
      { ...policy, id: "01", description: "value", value: `script-src 'self' ${text}; ${text} 'self'` },
      { ...policy, id: "02", description: "long", value: `img-src a.example; ${text}` },
      { ...policy, id: "03", description: "expression", expression: text, action: text },
      { ...policy, id: "04", description: text, value: text, [key]: text },
      { ...policy, id: "05", description: `${text} `, [key]: { [key]: text } },
    ],
    [`${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`]: {
      id: "0c",
      name: text,
      description: text,
      phase: "http_request_firewall_managed",
      rules: [
        rule,
        {
          id: "0d",
          action: "execute",
          expression: text,
          description: text,
          action_parameters: {
            id: CORE,
            version: text,
            [key]: text,
            matched_data: { public_key: text },
            overrides: {
              categories: [{ category: text, enabled: false }],
              rules: [
                { id: SCORING, score_threshold: 60, action: text },
                { id: text, enabled: false },
              ],
            },
          },
        },
      ],
    },
    [`${zone}/rulesets/phases/http_request_firewall_custom/entrypoint`]: {
      id: "1c",
      phase: "http_request_firewall_custom",
      description: text,
      rules: [
        { ...rule, id: "1d" },
        {
          id: "1e",
          action: "skip",
          expression: text,
          description: text,
          action_parameters: {
            phases: ["http_request_firewall_managed", text],
            products: [text],
            [key]: text,
          },
        },
        { id: "1f", action: "execute", expression: text, action_parameters: { id: text } },
        {
          id: "1b",
          action: "skip",
          expression: text,
          action_parameters: { rulesets: [text], rules: { [key]: [text] } },
        },
      ],
    },
    [`${zone}/rulesets/phases/http_ratelimit/entrypoint`]: {
      id: "2c",
      rules: [
        {
          id: "2d",
          action: "block",
          expression: text,
          description: text,
          action_parameters: { response: { status_code: 429, content_type: text, content: text } },
          ratelimit: {
            characteristics: ["cf.colo.id", text],
            period: 60,
            requests_per_period: 10,
            mitigation_timeout: 60,
            counting_expression: text,
            [key]: text,
          },
        },
      ],
    },
    ...Object.fromEntries(
      [...settings.keys(), HEADER].map((id) => {
        const value = id === HEADER ? { [HSTS]: { [key]: text } } : text;
        return [`${zone}/settings/${id}`, { id, value, editable: true, [key]: text }];
      }),
    ),
    [`${zone}/rulesets/phases/http_log_custom_fields/entrypoint`]: {
      id: "0a",
      phase: "http_log_custom_fields",
      description: text,
      rules: [
        rule,
        {
          id: "0b",
          action: "log_custom_field",
          expression: text,
          description: text,
          action_parameters: { cookie_fields: [{ name: text }], [key]: [{ name: text }] },
        },
      ],
    },
    [`/accounts/${ACCOUNT_ID}/rulesets`]: [
      {
        id: CORE,
        name: "Cloudflare OWASP Core Ruleset",
        kind: "managed",
        phase: "http_request_firewall_managed",
      },
      { id: "0f", name: text, description: text, kind: "managed" },
    ],
    [`/accounts/${ACCOUNT_ID}/rulesets/${CORE}`]: {
      id: CORE,
      name: text,
      rules: [{ id: SCORING, score_threshold: 60, action: text, categories: [text], description: text }],
    },
    [`${zone}/logpush/datasets/${text}/fields`]: { RayID: text },
    [`${zone}/logpush/jobs`]: [
      {
        id: 1,
        name: "options",
        dataset: "http_requests",
        enabled: true,
        destination_conf: "https://logs.example/in",
        frequency: text,
        output_options: { field_names: ["RayID", text], timestamp_format: text, [key]: text },
        [key]: text,
        error_message: text,
      },
      { id: 2, name: "old-style", dataset: text, logpull_options: text, destination_conf: text },
      { id: 3, name: text, dataset: text, destination_conf: text, [key]: { [key]: [text] } },
    ],
    [`${zone}/logpush/datasets/http_requests/fields`]: { RayID: text, [text]: text, [key]: text },
    [`${zone}/page_shield/scripts`]: [
      { id: "e1", ...detection, ...judged, hash: text, versions: [{ [key]: text }] },
    ],
    [`${zone}/page_shield/connections`]: [{ id: "e2", ...detection, ...judged }],
    [`${zone}/page_shield/scripts/e1`]: { id: "e1", ...detection, ...judged, versions: [{ [key]: text }] },
  };
}

/** A desired state that changes something in every object of the live state. */
export const DESIRED = `version: 1
zones:
  ${ZONE}:
    settings: { enabled: true }
    policies:
      - { description: value, value: "script-src 'self' b.example" }
      - { description: long, value: "img-src a.example b.example" }
      - { description: expression, expression: 'http.host eq "a.example"', action: log }
    managed_ruleset: { expression: 'true', score_threshold: 40, action: block, disabled_tags: [a-tag] }
    custom_log_fields: { cookie_fields: [session] }
    logpush_jobs:
      - name: options
        timestamps: unix
        fields: [RayID]
        extra: { frequency: low, output_options: { record_prefix: a } }
      - { name: old-style, fields: [RayID] }
`;

export const PRUNING = `${DESIRED}    prune: [policies, logpush_jobs]\n`;

/** The text as a key. Names of Object.prototype members are refused as keys, so they get a space. */
export function keyOf(text: string): string {
  return text in {} ? `${text} ` : text;
}
