/** Sentences of the interface's documentation, and the test that shows them. */
export interface Shown {
  /** The number of the section. */
  readonly section: string;
  /** The document's own words; `…` stands for the rest of a long sentence. */
  readonly says: readonly string[];
  /** The name is the title of a scenario or a test, or the first column of a table's row. */
  readonly test: { readonly file: string; readonly name: string };
}

/** Every testable sentence in sections 2 to 8 of the interface's documentation, with its test. */
export const sentences: readonly Shown[] = [
  {
    section: "2",
    says: [
      "result | object or array | the resource, or the list of resources",
      "result_info | object | only on list responses of the service (see Pagination)",
    ],
    test: { file: "test/interface/endpoints.test.ts", name: "List scripts" },
  },
  {
    section: "2",
    says: ["result_info | object | only on list responses of the service (see Pagination)"],
    test: { file: "test/interface/endpoints.test.ts", name: "List policies" },
  },
  {
    section: "2",
    says: ["success | boolean", "messages | array"],
    test: { file: "test/interface/endpoints.test.ts", name: "%s fails in the same envelope" },
  },
  {
    section: "2",
    says: ["success | boolean", "errors | array | empty on success", "messages | array"],
    test: { file: "test/interface/endpoints.test.ts", name: "Get settings" },
  },
  {
    section: "2",
    says: [
      "Pagination object result_info: page (integer), per_page (integer), count (integer, items in this page)…",
    ],
    test: {
      file: "test/emulator/detections.test.ts",
      name: "is paged, with empty pages after the last one",
    },
  },
  {
    section: "2.1",
    says: [
      "enabled | boolean | the service on or off for the zone",
      "use_service_reporting_endpoint | boolean | returned by the read operation…",
      "use_connection_url_path | boolean | returned by the read operation",
    ],
    test: { file: "test/interface/endpoints.test.ts", name: "Get settings" },
  },
  {
    section: "2.1",
    says: ["updated_at | string, ISO 8601 timestamp with fractional seconds"],
    test: {
      file: "test/interface/settings.test.ts",
      name: "enabled switches the service on and off and changes updated_at",
    },
  },
  {
    section: "2.1",
    says: [
      "use_service_reporting_endpoint | boolean | returned by the read operation…",
      "use_connection_url_path | boolean | returned by the read operation",
    ],
    test: {
      file: "test/interface/settings.test.ts",
      name: "other settings are written under the names in the service's answers",
    },
  },
  {
    section: "2.1",
    says: ["The update response returns only enabled and updated_at."],
    test: { file: "test/interface/endpoints.test.ts", name: "Update settings" },
  },
  {
    section: "2.2",
    says: [
      "id | string | hexadecimal",
      "url | string | URL of the script",
      "added_at | string | ISO 8601 timestamp",
      "first_seen_at | string | ISO 8601 timestamp",
      "last_seen_at | string | ISO 8601 timestamp",
      "host | string | hostname where it was seen",
      "domain_reported_malicious | boolean",
      "url_reported_malicious | boolean",
      "first_page_url | string",
      "status | string | see section 3",
      "url_contains_cdn_cgi_path | boolean",
      "hash | string | 64 hexadecimal characters",
      "obfuscation_score | integer",
      "dataflow_score | integer",
      "fetched_at | string | ISO 8601 timestamp",
      "page_urls | array of string | only in the single-script response",
      "versions | array of objects | only in the single-script response; each has hash, js_integrity_score, fetched_at",
    ],
    test: {
      file: "test/interface/detections.test.ts",
      name: "come with every field; pages and versions only come with a request for one script",
    },
  },
  {
    section: "2.2",
    says: [
      "malicious_domain_categories | array of string | present only when reported (seen on connections)",
      "malicious_url_categories | array of string | present only when the URL is reported malicious",
    ],
    test: {
      file: "test/interface/detections.test.ts",
      name: "have categories only if they are reported malicious",
    },
  },
  {
    section: "2.2",
    says: ["js_integrity_score | integer | lower than 50 means malicious"],
    test: { file: "test/interface/detections.test.ts", name: "are malicious below a score of 50" },
  },
  {
    section: "2.2",
    says: ["Some fields may be absent depending on the account plan."],
    test: {
      file: "test/cli/detections.test.ts",
      name: "shows what the service reports of each script and whether the script is malicious",
    },
  },
  {
    section: "2.3",
    says: [
      "Fields: id (hexadecimal string), url, added_at, first_seen_at…",
      "Types are as for scripts.",
      "Script-only fields (hash, the scores, fetched_at, page_urls, versions) are not part of a connection.",
    ],
    test: {
      file: "test/interface/detections.test.ts",
      name: "connections come with their own fields, including an empty list of categories",
    },
  },
  {
    section: "2.4",
    says: [
      "id | string | assigned by the service, returned in the create response",
      "expression | string | filter expression selecting which requests the policy applies to…",
    ],
    test: {
      file: "test/interface/policies.test.ts",
      name: "is sent with all of its fields and identified by the returned id",
    },
  },
  {
    section: "2.4",
    says: ["description | string | free text"],
    test: { file: "test/interface/policies.test.ts", name: "may have any text for a description" },
  },
  {
    section: "2.4",
    says: ["action | string | log or allow"],
    test: { file: "test/interface/policies.test.ts", name: "may have the action %s" },
  },
  {
    section: "2.4",
    says: ["enabled | string in request and response examples (true) | a boolean form is not shown"],
    test: {
      file: "test/interface/policies.test.ts",
      name: "enabled is read and written as text",
    },
  },
  {
    section: "2.4",
    says: ["value | string | a CSP directive string…"],
    test: {
      file: "test/interface/policies.test.ts",
      name: "has its value on one line with quoted keywords, also if it is declared as a map",
    },
  },
  {
    section: "2.4",
    says: ["value | string | a CSP directive string…"],
    test: { file: "test/csp/check.test.ts", name: "a keyword without quotes is an error" },
  },
  {
    section: "2.4",
    says: ["Action log: scripts not allowed by the policy raise a policy violation but are not blocked."],
    test: { file: "test/strength/shifts.test.ts", name: "from blocking to reporting weakens" },
  },
  {
    section: "2.4",
    says: ["Action allow: scripts not allowed by the policy are blocked."],
    test: { file: "test/strength/shifts.test.ts", name: "from reporting to blocking strengthens" },
  },
  {
    section: "2.4",
    says: [
      "Action log: scripts not allowed by the policy raise a policy violation but are not blocked.",
      "Action allow: scripts not allowed by the policy are blocked.",
    ],
    test: {
      file: "test/scenarios/from-drift.txt",
      name: "Changes made outside the files are reverted field by field.",
    },
  },
  {
    section: "2.4",
    says: [
      "In script-src, a bare hostname allows scripts hosted on exactly that host (not its parent domain).",
    ],
    test: { file: "test/interface/policies.test.ts", name: "a host differs from its parent domain" },
  },
  {
    section: "2.4",
    says: ["A full URL allows that script."],
    test: {
      file: "test/interface/policies.test.ts",
      name: "a full URL differs from another script of the host",
    },
  },
  {
    section: "2.4",
    says: ["'self' allows scripts of the same origin (same scheme and hostname)."],
    test: {
      file: "test/interface/policies.test.ts",
      name: "'self' is a keyword, and self without quotes is a host",
    },
  },
  {
    section: "2.5",
    says: ["Ruleset fields: id, name, description, source…"],
    test: { file: "test/interface/endpoints.test.ts", name: "List account rulesets" },
  },
  {
    section: "2.5",
    says: ["Ruleset fields: id, name, description, source…"],
    test: { file: "test/interface/endpoints.test.ts", name: "Update zone ruleset" },
  },
  {
    section: "2.5",
    says: ["Only one zone-level ruleset per phase can exist."],
    test: {
      file: "test/interface/endpoints.test.ts",
      name: "a second ruleset for a zone's phase is refused, and one for another phase is accepted",
    },
  },
  {
    section: "2.5",
    says: [
      "id | string",
      "version | string",
      "action | string | e.g. execute, log_custom_field; on managed-ruleset rules…",
      "description | string",
      "score_threshold | integer | only on the last rule of the managed core ruleset",
      "last_updated | string | timestamp",
      "ref | string",
      "enabled | boolean",
    ],
    test: {
      file: "test/interface/endpoints.test.ts",
      name: "all rules of the managed ruleset have an action and a version, and only the last has a threshold",
    },
  },
  {
    section: "2.5",
    says: [
      "action_parameters | object | depends on action (below)",
      "expression | string | true for the rules described here",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "looks up the ids of the ruleset and its last rule, and creates the missing entry point",
    },
  },
  {
    section: "2.5",
    says: [
      "action_parameters | object | depends on action (below)",
      "expression | string | true for the rules described here",
    ],
    test: {
      file: "test/interface/log-fields.test.ts",
      name: "are created with a POST of the ruleset and a PUT of its one rule",
    },
  },
  {
    section: "2.5",
    says: ["id | string | id of the managed ruleset to deploy", "version | string | latest"],
    test: { file: "test/interface/managed-ruleset.test.ts", name: "is sent with all of its fields" },
  },
  {
    section: "2.5",
    says: ["overrides | object | optional"],
    test: { file: "test/interface/managed-ruleset.test.ts", name: "at PL4 disables no level" },
  },
  {
    section: "2.5",
    says: ["overrides.categories | array of…"],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "at %s disables only the higher levels",
    },
  },
  {
    section: "2.5",
    says: ["overrides.rules | array of…"],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "has the threshold %j as %d on the last rule",
    },
  },
  {
    section: "2.6",
    says: [
      "request_fields | array of {name: string} | HTTP request header names, lower case",
      "response_fields | array of {name: string} | HTTP response header names, lower case",
      "cookie_fields | array of {name: string} | cookie names, case sensitive",
    ],
    test: {
      file: "test/interface/log-fields.test.ts",
      name: "are created with a POST of the ruleset and a PUT of its one rule",
    },
  },
  {
    section: "2.6",
    says: ["At least one of the three arrays must be present."],
    test: { file: "test/config/bad-input/log-fields.ts", name: "custom log fields without a list" },
  },
  {
    section: "2.6",
    says: ["At least one of the three arrays must be present."],
    test: { file: "test/emulator/rulesets-refused.test.ts", name: "without a list" },
  },
  {
    section: "2.6",
    says: ["Header names must be in lower case."],
    test: { file: "test/config/bad-input/log-fields.ts", name: "header names that are not in lower case" },
  },
  {
    section: "2.6",
    says: ["Header names must be in lower case."],
    test: { file: "test/emulator/rulesets-refused.test.ts", name: "with a header in capitals" },
  },
  {
    section: "2.6",
    says: ["Cookie names must have the same capitalization as in the HTTP request."],
    test: {
      file: "test/scenarios/custom-fields-cookies.txt",
      name: "Cookie names are case-sensitive: two names that differ only in case are two cookies.",
    },
  },
  {
    section: "2.6",
    says: ["The rule expression must be true."],
    test: {
      file: "test/scenarios/custom-fields-drifted.txt",
      name: "A rule that was changed by hand is reset: it is switched on and has the fields of the file.",
    },
  },
  {
    section: "2.6",
    says: ["The rule expression must be true."],
    test: { file: "test/emulator/rulesets-refused.test.ts", name: "for only some requests" },
  },
  {
    section: "2.7",
    says: [
      "Create body fields: name (string), destination_conf…",
      "To log custom fields, the fields list includes Cookies, RequestHeaders and/or ResponseHeaders accordingly.",
    ],
    test: {
      file: "test/interface/logpush.test.ts",
      name: "a job that logs custom fields is created after the fields, with all fields in logpull_options",
    },
  },
  {
    section: "2.7",
    says: [
      "To log custom fields, the fields list includes Cookies, RequestHeaders and/or ResponseHeaders accordingly.",
    ],
    test: {
      file: "test/scenarios/custom-fields-jobs.txt",
      name: "Custom log fields are created before a job logs them and removed after no job does. A mismatch is a warning.",
    },
  },
  {
    section: "3",
    says: [
      "the service setting | enabled = false | PUT page_shield settings with enabled: true…",
      "the service setting | enabled = true | PUT page_shield settings with enabled: false…",
    ],
    test: {
      file: "test/interface/settings.test.ts",
      name: "enabled switches the service on and off and changes updated_at",
    },
  },
  {
    section: "3",
    says: [
      "Script and connection status values seen: active, infrequent.",
      "When no status filter is given on a list, only records with status active are returned.",
      "Filtering with status=infrequent returns infrequently reported ones.",
    ],
    test: {
      file: "test/interface/detections.test.ts",
      name: "of %s has active ones by default, and can be filtered by status and host",
    },
  },
  {
    section: "4",
    says: ["Paths are relative to {base_url}."],
    test: { file: "test/api/client.test.ts", name: "carries the token, and a content type only with a body" },
  },
  {
    section: "4",
    says: [
      "{zone_id}, {script_id}, {connection_id}, {policy_id}…",
      "A zone id is obtainable from the zone list endpoint /zones.",
    ],
    test: {
      file: "test/interface/endpoints.test.ts",
      name: "ids are hexadecimal, and a zone has an id and a name",
    },
  },
  {
    section: "4",
    says: ["A zone id is obtainable from the zone list endpoint /zones."],
    test: {
      file: "test/scenarios/two-zones.txt",
      name: "Zones are found by name or id, extend templates, and are planned in the order of the file.",
    },
  },
  {
    section: "4",
    says: ["Script and connection ids come from the list responses."],
    test: {
      file: "test/interface/detections.test.ts",
      name: "come with every field; pages and versions only come with a request for one script",
    },
  },
  {
    section: "4.1",
    says: ["Get settings | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Get settings" },
  },
  {
    section: "4.1",
    says: ["Update settings | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Update settings" },
  },
  {
    section: "4.1",
    says: ["List scripts | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "List scripts" },
  },
  {
    section: "4.1",
    says: ["Get script | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Get script" },
  },
  {
    section: "4.1",
    says: ["List connections | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "List connections" },
  },
  {
    section: "4.1",
    says: ["Get connection | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Get connection" },
  },
  {
    section: "4.1",
    says: ["List policies | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "List policies" },
  },
  {
    section: "4.1",
    says: ["Get policy | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Get policy" },
  },
  {
    section: "4.1",
    says: ["Create policy | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Create policy" },
  },
  {
    section: "4.1",
    says: ["Update policy | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Update policy" },
  },
  {
    section: "4.1",
    says: ["Delete policy | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Delete policy" },
  },
  {
    section: "4.1",
    says: [
      "hosts | string | filter by hostname",
      "status | string | filter by status; default is active when omitted",
    ],
    test: {
      file: "test/interface/detections.test.ts",
      name: "of %s has active ones by default, and can be filtered by status and host",
    },
  },
  {
    section: "4.1",
    says: ["page | integer | page number, first page is 1", "per_page | integer | items per page"],
    test: { file: "test/interface/detections.test.ts", name: "of %s is read page by page from page 1" },
  },
  {
    section: "4.2",
    says: ["List account rulesets | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "List account rulesets" },
  },
  {
    section: "4.2",
    says: ["Get account ruleset | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Get account ruleset" },
  },
  {
    section: "4.2",
    says: ["Get zone entry point ruleset | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Get zone entry point ruleset" },
  },
  {
    section: "4.2",
    says: ["Update zone ruleset rule | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Update zone ruleset rule" },
  },
  {
    section: "4.2",
    says: ["List zone rulesets | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "List zone rulesets" },
  },
  {
    section: "4.2",
    says: ["Create zone ruleset | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Create zone ruleset" },
  },
  {
    section: "4.2",
    says: ["Update zone ruleset | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Update zone ruleset" },
  },
  {
    section: "4.2",
    says: ["Create log-push job | …"],
    test: { file: "test/interface/endpoints.test.ts", name: "Create log-push job" },
  },
  {
    section: "4.2",
    says: ["Get account ruleset | …"],
    test: {
      file: "test/interface/endpoints.test.ts",
      name: "all rules of the managed ruleset have an action and a version, and only the last has a threshold",
    },
  },
  {
    section: "4.3",
    says: [
      "Obtain the managed ruleset id from List account rulesets.",
      "Obtain the entry point ruleset of phase http_request_firewall_managed.",
      "That rule exists only if the ruleset was already deployed.",
      "Threshold and action: read the managed ruleset with Get account ruleset and take the id of its last rule.",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "looks up the ids of the ruleset and its last rule, and creates the missing entry point",
    },
  },
  {
    section: "4.3",
    says: [
      "Find the rule with action execute whose action_parameters.id is the managed ruleset id.",
      "Paranoia level PLn: PATCH that rule, adding overrides.categories entries…",
      "Rules of all lower levels stay enabled.",
      "Example: PL2 disables paranoia-level-3 and paranoia-level-4.",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "at %s disables only the higher levels",
    },
  },
  {
    section: "4.3",
    says: ["Deploying is done by creating such a rule in the entry point ruleset."],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "adds its rule to the existing rules of the phase's ruleset",
    },
  },
  {
    section: "4.3",
    says: [
      "PATCH the execute rule with overrides.rules holding…",
      "Score threshold | Low (60 and higher), Medium (40 and higher, default), High (25 and higher)",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "has the threshold %j as %d on the last rule",
    },
  },
  {
    section: "4.3",
    says: [
      "PATCH the execute rule with overrides.rules holding…",
      "Action | Block (default), Managed Challenge, JS Challenge, Log, Interactive Challenge",
      "API identifiers of actions that were seen: block, managed_challenge, log.",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "has the action %s on the last rule only",
    },
  },
  {
    section: "4.3",
    says: [
      "Individual rules can be disabled with rule overrides.",
      "Other dashboard options: disabling specific rules or tags…",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "can disable single rules and tags, and can be limited to some requests",
    },
  },
  {
    section: "4.3",
    says: ["Other dashboard options: disabling specific rules or tags…"],
    test: {
      file: "test/scenarios/managed-payload-logging.txt",
      name: "Payload logging is kept through other changes, set, and removed.",
    },
  },
  {
    section: "4.3",
    says: [
      "Paranoia level | PL1 (default), PL2, PL3, PL4",
      "Score threshold | Low (60 and higher), Medium (40 and higher, default), High (25 and higher)",
      "Action | Block (default), Managed Challenge, JS Challenge, Log, Interactive Challenge",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "starts with PL1, the threshold 40 and block",
    },
  },
  {
    section: "4.3",
    says: ["A Low threshold means a high threshold value, so more rules must match before the action runs."],
    test: { file: "test/kinds/managed-ruleset.random.test.ts", name: "to a higher threshold weakens" },
  },
  {
    section: "4.3",
    says: ["List zone rulesets."],
    test: {
      file: "test/kinds/custom-log-fields.test.ts",
      name: "a ruleset without an entry point is found in the list and filled",
    },
  },
  {
    section: "4.3",
    says: ["Look for kind = zone and phase = http_log_custom_fields.", "Keep its id."],
    test: {
      file: "test/interface/log-fields.test.ts",
      name: "are put into the zone's ruleset for their phase",
    },
  },
  {
    section: "4.3",
    says: [
      "If none exists, create it with POST (kind zone, phase http_log_custom_fields, plus name and description).",
      "PUT the ruleset with one rule: action = log_custom_field, expression = true…",
    ],
    test: {
      file: "test/interface/log-fields.test.ts",
      name: "are created with a POST of the ruleset and a PUT of its one rule",
    },
  },
  {
    section: "4.3",
    says: [
      "Create or update a log-push job whose logpull_options fields list includes Cookies, RequestHeaders and/or ResponseHeaders.",
    ],
    test: {
      file: "test/interface/logpush.test.ts",
      name: "a job that logs custom fields is created after the fields, with all fields in logpull_options",
    },
  },
  {
    section: "5",
    says: ["API token | header Authorization: Bearer <API_TOKEN>…"],
    test: { file: "test/interface/authentication.test.ts", name: "with an API token" },
  },
  {
    section: "5",
    says: ["Account email and global key | headers X-Auth-Email: <EMAIL> and X-Auth-Key: <API_KEY>…"],
    test: { file: "test/interface/authentication.test.ts", name: "with an email and a global key" },
  },
  {
    section: "5",
    says: ["Account email and global key | headers X-Auth-Email: <EMAIL> and X-Auth-Key: <API_KEY>…"],
    test: { file: "test/api/client.test.ts", name: "carries email and key if there is no token" },
  },
  {
    section: "5",
    says: [
      "API token | header Authorization: Bearer <API_TOKEN>…",
      "Requests with a body also send Content-Type: application/json.",
    ],
    test: { file: "test/api/client.test.ts", name: "carries the token, and a content type only with a body" },
  },
  {
    section: "6",
    says: ["Detected scripts and connections appear only as records returned by list and get operations."],
    test: {
      file: "test/interface/detections.test.ts",
      name: "come with every field; pages and versions only come with a request for one script",
    },
  },
  {
    section: "7",
    says: [
      "Every response uses the envelope of section 2 with success, errors (array) and messages (array).",
    ],
    test: { file: "test/interface/endpoints.test.ts", name: "%s fails in the same envelope" },
  },
  {
    section: "7",
    says: ["On success success is true and errors is empty."],
    test: { file: "test/interface/endpoints.test.ts", name: "Get settings" },
  },
  {
    section: "7",
    says: [
      "Rules for custom fields that a request must satisfy: at least one of the three field arrays…",
      "A request that breaks them is invalid; the error it gets: not shown.",
    ],
    test: { file: "test/emulator/rulesets-refused.test.ts", name: "without a list" },
  },
  {
    section: "7",
    says: [
      "Rules for custom fields that a request must satisfy: at least one of the three field arrays…",
      "A request that breaks them is invalid; the error it gets: not shown.",
    ],
    test: { file: "test/emulator/rulesets-refused.test.ts", name: "with a header in capitals" },
  },
  {
    section: "7",
    says: [
      "Rules for custom fields that a request must satisfy: at least one of the three field arrays…",
      "A request that breaks them is invalid; the error it gets: not shown.",
    ],
    test: { file: "test/emulator/rulesets-refused.test.ts", name: "for only some requests" },
  },
  {
    section: "7",
    says: ["Rules for custom fields that a request must satisfy: at least one of the three field arrays…"],
    test: {
      file: "test/scenarios/custom-fields-cookies.txt",
      name: "Cookie names are case-sensitive: two names that differ only in case are two cookies.",
    },
  },
  {
    section: "8",
    says: ["Custom fields per zone | 40 across request headers, response headers and cookies together…"],
    test: {
      file: "test/interface/log-fields.test.ts",
      name: "may have forty names in all lists, and with one more nothing is sent",
    },
  },
  {
    section: "8",
    says: ["Custom fields per zone | 40 across request headers, response headers and cookies together…"],
    test: {
      file: "test/emulator/rulesets-refused.test.ts",
      name: "in the %s dialect, with %s, is answered as documented",
    },
  },
  {
    section: "8",
    says: ["Zone rulesets per phase | one zone-level ruleset per phase | rulesets"],
    test: {
      file: "test/interface/endpoints.test.ts",
      name: "a second ruleset for a zone's phase is refused, and one for another phase is accepted",
    },
  },
  {
    section: "8",
    says: ["Malicious classification threshold | 50; js_integrity_score below it means malicious | scripts"],
    test: { file: "test/interface/detections.test.ts", name: "are malicious below a score of 50" },
  },
  {
    section: "8",
    says: [
      "Score thresholds (dashboard) | Low 60 and higher, Medium 40 and higher, High 25 and higher | managed core ruleset",
    ],
    test: {
      file: "test/interface/managed-ruleset.test.ts",
      name: "has the threshold %j as %d on the last rule",
    },
  },
];
