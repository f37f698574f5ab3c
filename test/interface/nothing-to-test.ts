/**
 * Statements in sections 2 to 8 of the interface's documentation that no test can show.
 *
 * heading: introduces what follows. unspecified: names something left open. traffic: concerns requests and logs on their way
 * through the service, not its configuration. dashboard: describes another program.
 */
export const nothingToTest: readonly {
  readonly section: string;
  readonly reason: "heading" | "unspecified" | "traffic" | "dashboard";
  readonly says: readonly string[];
}[] = [
  { section: "2", reason: "heading", says: ["Common response envelope (all operations):"] },
  {
    section: "2.4",
    reason: "unspecified",
    says: [
      "Allowed values of action other than log and allow: not shown.",
      "Which policy fields are required: not shown.",
      "Fields of a policy beyond those above: not shown.",
    ],
  },
  {
    section: "2.5",
    reason: "heading",
    says: [
      "Rule fields:",
      "action_parameters for action execute:",
      "action_parameters for action log_custom_field: see section 2.6.",
    ],
  },
  {
    section: "2.6",
    reason: "heading",
    says: ["action_parameters object of a rule with action log_custom_field:", "Rules:"],
  },
  {
    section: "2.7",
    reason: "traffic",
    says: ["The log entries then carry the configured fields and their values."],
  },
  { section: "2.7", reason: "unspecified", says: ["Other job fields: not shown."] },
  {
    section: "3",
    reason: "unspecified",
    says: [
      "Values of status other than active and infrequent: not shown.",
      "Transitions of script, connection and policy statuses: not shown.",
    ],
  },
  { section: "4.1", reason: "heading", says: ["List query parameters (scripts and connections):"] },
  {
    section: "4.1",
    reason: "unspecified",
    says: ["Further filtering and sorting parameters exist but are not shown."],
  },
  {
    section: "4.3",
    reason: "heading",
    says: [
      "Deploy and tune the managed core ruleset for a zone.",
      "Dashboard options for the managed ruleset:",
      "Configure custom log fields for a zone.",
    ],
  },
  {
    section: "4.3",
    reason: "traffic",
    says: ["The action runs when the threat score is greater than the threshold."],
  },
  { section: "4.3", reason: "unspecified", says: ["API identifiers of the other actions: not shown."] },
  {
    section: "4.3",
    reason: "dashboard",
    says: ["The same configuration is possible in the dashboard…"],
  },
  {
    section: "5",
    reason: "unspecified",
    says: ["The permissions or roles an API token needs: not shown."],
  },
  {
    section: "6",
    reason: "unspecified",
    says: ["Events: not shown.", "No notifications, webhooks or event kinds are described."],
  },
  {
    section: "7",
    reason: "unspecified",
    says: ["Error codes, HTTP failure status codes, the shape of an error item…"],
  },
  {
    section: "8",
    reason: "traffic",
    says: ["Custom field data length | 8 KB…", "Repeated headers | only…", "Modified headers | only…"],
  },
  {
    section: "8",
    reason: "unspecified",
    says: ["Rate limits, maximum per_page, and maximum number of policies: not shown."],
  },
];
