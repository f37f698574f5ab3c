import { DASHBOARD_ADDRESS } from "../model/dashboard.js";
import type { Schema } from "../model/declared-zone.js";
import { UNSEEN } from "../model/detection.js";
import { FORMAT_VERSION } from "./digest.js";

const text: Schema = { type: "string" };
const count: Schema = { type: "integer", minimum: 0 };
const nullable: Schema = { type: ["string", "null"] };
const time: Schema = { type: ["string", "null"], pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$" };
const indexes: Schema = { type: "array", items: count };
function doc(description: string, schema: Schema = text): Schema {
  return { ...schema, description };
}

const zoneName = doc("The zone's name as written in the files.");
const kindName = doc("The kind of the object: policy, logpush_job, …");
const liveId = doc("The live object's id. null: none, or none yet.", nullable);
const digest: Schema = { type: "string", pattern: "^sha256:[0-9a-f]{64}$" };

function record(
  title: string,
  properties: { readonly [key: string]: Schema },
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { title, type: "object", additionalProperties: false, required, properties };
}

function list(items: Schema, description: string): Schema {
  return { type: "array", items, description };
}

const source: Schema = {
  ...record("SourcePlace", {
    file: doc("The path, relative to the working directory."),
    line: count,
    column: count,
  }),
  description: "A place in a desired-state file. Lines and columns count from 1.",
};

const diagnostic = record(
  "Diagnostic",
  {
    severity: { enum: ["error", "warning", "note"] },
    code: doc("A stable code for scripts."),
    message: doc("The cause and the fix, in full sentences."),
    zone: doc("Absent: the diagnostic is about the run."),
    source: { $ref: "#/$defs/source" },
    accepted: {
      ...record(
        "Accepted",
        {
          until: doc("The last day of the acceptance."),
          reason: doc("The reason given in the comment."),
          days_left: { ...count, description: "The days left. Absent: more than two weeks." },
        },
        ["days_left"],
      ),
      description: "The comment in the files that accepts this warning. Accepted warnings are notes.",
    },
  },
  ["zone", "source", "accepted"],
);

const field = record(
  "PlannedField",
  {
    path: doc("The field's key in the files. a.b is b inside a."),
    before: { description: "The value before. null: absent." },
    after: { description: "The value after. null: removed." },
    base: {
      description:
        "For origin conflict: the value in the base, null if the base has none. Absent: another origin, or a sensitive value.",
    },
    origin: { $ref: "#/$defs/origin", description: "The origin of this difference." },
    parts: list(
      record("PlannedPart", {
        part: doc("The directive. Empty for a set."),
        change: { enum: ["added", "removed", "changed"] },
        added: list(text, "The added sources or items."),
        removed: list(text, "The removed sources or items."),
      }),
      "The sources added to and removed from each directive of a CSP value. A set is one part without a name.",
    ),
    written: {
      ...record("WrittenSides", {
        before: doc("The text in the base, if the live value equals it. null: unknown.", nullable),
        after: doc("The text in the files."),
      }),
      description:
        "The references of a sensitive value, such as ${secret:NAME}. Other text is shown as (sensitive).",
    },
    source: {
      ...source,
      description:
        "The place of the field in the files. Absent: the object is new, or the files do not have the field.",
    },
  },
  ["base", "parts", "written", "source"],
);

const effect: Schema = {
  enum: ["strengthens", "weakens", "mixed", "neutral", "unknown"],
  description: "The effect on protection, over all dimensions.",
};
const isMalicious: Schema = { type: ["boolean", "null"], description: "null: unknown." };

const dimension = record("PlannedDimension", {
  dimension: doc(
    "The dimension of protection: the service, the CSP of the pages, the level, the threshold, …",
  ),
  effect: {
    enum: ["strengthens", "weakens", "mixed", "unknown", "neutral"],
    description: "The effect on this dimension.",
  },
  why: doc("The reason in a few words."),
  witness: {
    description: "A load or request that was stopped before and is not after. null: none is known.",
    anyOf: [
      record("LoadWitness", {
        as: { const: "load" },
        kind: { enum: ["script", "connection"] },
        page: text,
        url: text,
      }),
      record("RequestWitness", { as: { const: "request" }, request: { type: "object" } }),
      { type: "null" },
    ],
  },
});

const detection = {
  id: {
    ...nullable,
    description:
      "The id of the script or connection. null: only browsers reported it, and reports can be forged.",
  },
  url: text,
  malicious: isMalicious,
  page: {
    type: ["string", "null"],
    description: "The first page with the load. null: unknown.",
  },
  own: { type: "boolean", description: "Whether the service itself puts the load into pages." },
  reports: {
    $ref: "#/$defs/reports",
    description: "The browsers' reports of this load. Absent: none.",
  },
};

const moved = {
  ...record("MovedDetections", {
    newly_blocked: list({ $ref: "#/$defs/moved_detection" }, "Not blocked before, blocked after."),
    newly_reported: list({ $ref: "#/$defs/moved_detection" }, "Never blocked, and reported only after."),
    newly_allowed: list({ $ref: "#/$defs/moved_detection" }, "Blocked before, not blocked after."),
    undecided: list(
      record(
        "UndecidedDetection",
        {
          ...detection,
          may_be: list(
            { enum: ["newly_blocked", "newly_reported", "newly_allowed"] },
            "The possible outcomes.",
          ),
        },
        ["reports"],
      ),
      "Loads whose outcome an expression, a page or a URL leaves open.",
    ),
  }),
  description: "The detections of one kind with a new outcome.",
};

const linesByPath: Schema = record("LinesByPath", {
  lines: count,
  paths: list(
    record("PathLines", { path: doc("A path. /api/* is everything below /api."), lines: count }),
    "The paths with the most lines, the most first.",
  ),
  other_paths: doc("Lines of all other paths, and lines without a path.", count),
});

const limitedLines = (description: string): Schema => ({
  ...record(
    "LimitedLines",
    {
      lines: { type: ["integer", "null"], minimum: 0, description: "Lines beyond the limit. null: unknown." },
      bound: {
        enum: ["at_most", "at_least"],
        description:
          "at_most: some lines lack a characteristic, and share a counter. at_least: lines that are undecided or have no time are not counted.",
      },
      unknown: {
        enum: ["score", "requests_to_origin", "no_timeout", "no_time", "not_logged", "undecided", "too_many"],
        description:
          "Why the number is unknown. score: responses count; requests_to_origin: lines do not tell cached requests; no_timeout: mitigation_timeout is not set; no_time: no line has EdgeStartTimestamp; not_logged: no line has a characteristic; undecided: the expressions are; too_many: more than a million requests.",
      },
      by: list(text, "The characteristics that lines have."),
      not_logged: list(text, "The characteristics that lines lack."),
    },
    ["bound", "unknown"],
  ),
  description,
});

const requestLines: Schema = {
  ...record(
    "PlannedRequestLines",
    {
      does: {
        enum: ["applies_to", "skips"],
        description: "Whether the object applies to matching requests or skips them.",
      },
      lines: doc("The zone's lines.", count),
      before: doc("Lines that surely match before.", count),
      after: doc("Lines that surely match after.", count),
      more: { $ref: "#/$defs/lines_by_path", description: "Lines that match only after." },
      fewer: { $ref: "#/$defs/lines_by_path", description: "Lines that match only before." },
      becomes: {
        enum: ["blocks", "reports"],
        description: "The new outcome for requests that match before and after. Absent: the same outcome.",
      },
      kept: {
        $ref: "#/$defs/lines_by_path",
        description: "With becomes: lines that match before and after.",
      },
      limited: {
        ...record(
          "PlannedLimited",
          {
            before: limitedLines("Under the rate limit before. Absent: none."),
            after: limitedLines("Under the rate limit after. Absent: none."),
          },
          ["before", "after"],
        ),
        description: "Lines that the rate limit would have limited. Absent: the object is not a rate limit.",
      },
      undecided: record("UndecidedLines", {
        lines: doc("Lines that may or may not match, before or after.", count),
        untold: list(
          record(
            "UntoldField",
            {
              field: doc('A field that the lines do not have: http.request.headers["x"].'),
              lines: count,
              log_fields: list(text, "The fields that a job must log to decide. Absent: no field can."),
              custom_log_field: {
                ...record("CustomLogField", { list: text, name: text }),
                description: "The entry of custom_log_fields that logs the field.",
              },
            },
            ["log_fields", "custom_log_field"],
          ),
          "The fields that the lines do not have. Empty: undecided for another reason.",
        ),
      }),
    },
    ["becomes", "kept", "limited"],
  ),
  description:
    "The logged requests that the change affects. Absent: no logs were given, or no request is affected.",
};

const shownAt = doc(
  "The dashboard page of an object that drifted or is undeclared. With ?to=, the reader chooses the account.",
  { type: "string", pattern: DASHBOARD_ADDRESS },
);

const attribution = record("Attribution", {
  found: {
    enum: ["named", "candidates", "none"],
    description:
      "named: this call wrote the live state. candidates: one of these calls did. none: the log has no such call.",
  },
  by: list(
    record("AuditedActor", {
      who: {
        type: "string",
        description:
          'An e-mail address, token "NAME", or a user, a token, the service or somebody if the log has no name.',
      },
      through: { enum: ["dashboard", "api", "zoneward"] },
      time: { type: ["string", "null"], description: "The time in UTC (RFC 3339)." },
    }),
    "The authors, the newest first.",
  ),
});

const madeBy = {
  $ref: "#/$defs/attribution",
  description:
    "The author of a change outside the files, from the account's audit log. Only with --who, and never in a saved plan.",
};

const change = record(
  "PlannedChange",
  {
    zone: zoneName,
    zone_id: text,
    kind: kindName,
    key: { type: "string", description: "The object's name, unique for its kind in its zone." },
    id: liveId,
    was: { type: "string", description: "The key before a rename." },
    action: { enum: ["create", "update", "delete"] },
    replaces: {
      const: true,
      description:
        "The update creates a new object and then deletes the live one. The changed field cannot change in place.",
    },
    taken_over: {
      const: true,
      description:
        "The live state already equals the files, and the base differs: no call is needed. before, effect and impact are relative to the base.",
    },
    applied: {
      const: true,
      description:
        "The saved plan that is being applied has this change, and the live state already has it. Only with taken_over.",
    },
    origin: { $ref: "#/$defs/origin" },
    effect: { $ref: "#/$defs/effect" },
    drift_effect: {
      $ref: "#/$defs/effect",
      description: "The effect of the drift on protection. Absent: no drift.",
    },
    drift_dimensions: list(
      { $ref: "#/$defs/planned_dimension" },
      "The effect of the drift, dimension by dimension. Present with drift_effect.",
    ),
    dashboard: shownAt,
    who: madeBy,
    dimensions: list(
      { $ref: "#/$defs/planned_dimension" },
      "The effect, reason by reason. A dimension can have several.",
    ),
    fields: list(field, "The fields that differ."),
    source: {
      description: "The declaration in the files. null: none.",
      anyOf: [{ $ref: "#/$defs/source" }, { type: "null" }],
    },
    removed: {
      ...source,
      description:
        "The declaration in the base of an object that is deleted because the files no longer have it.",
    },
    impact: {
      ...record(
        "PlannedImpact",
        {
          scripts: { $ref: "#/$defs/moved" },
          connections: { $ref: "#/$defs/moved" },
          unseen: {
            enum: UNSEEN,
            description:
              "Why the impact is unknown. detection_off: detection is off; detection_unread: its state could not be read; nothing_seen: nothing was seen on these pages.",
          },
        },
        ["scripts", "connections", "unseen"],
      ),
      description:
        "The impact of a changed policy on detected loads. Without scripts or connections: these could not be read.",
    },
    request_lines: requestLines,
  },
  [
    "was",
    "replaces",
    "taken_over",
    "applied",
    "drift_effect",
    "drift_dimensions",
    "dashboard",
    "who",
    "removed",
    "impact",
    "request_lines",
  ],
);

const call = record("PlannedCall", {
  step: { type: "integer", minimum: 1, description: "The call's number in the run." },
  zone: zoneName,
  method: { enum: ["POST", "PUT", "PATCH", "DELETE"] },
  path: { type: "string", description: "The path after the base address." },
  body: { description: "The body. null: none." },
  changes: { ...indexes, description: "The changes that the call belongs to, as indices into changes." },
  after: { ...indexes, description: "Steps that must come first." },
});

const zone = record(
  "PlannedZone",
  {
    zone: zoneName,
    zone_id: doc("The zone's id. null: not found.", nullable),
    status: {
      enum: ["planned", "partly", "failed"],
      description:
        "partly: the sections and objects in not_planned have no plan. failed: the zone has no plan, and problem gives the reason.",
    },
    requests: { ...count, description: "Requests used to read the zone." },
    digest: doc("The digest of this zone's part of the plan.", digest),
    written: {
      ...record("WrittenTexts", {
        texts: list(
          record("WrittenText", {
            kind: kindName,
            key: doc("The object's name."),
            path: doc("The field's key in the files."),
            text: doc("The text with its references. A sensitive literal is shown as (sensitive)."),
          }),
          "The values, in the order of the files.",
        ),
        digest: doc("The digest of all values, sensitive literals included.", digest),
      }),
      description: "Values with a ${…} and sensitive values, as written in the files. Absent: none.",
    },
    not_planned: list(
      record(
        "SectionNotPlanned",
        {
          section: doc("The section's key in the files."),
          object: doc("The object that is left out. Absent: the whole section."),
          problem: { $ref: "#/$defs/diagnostic" },
        },
        ["object"],
      ),
      "Sections and objects without a plan, each with the reason. Absent: none.",
    ),
    tests: list(
      record("TestResult", {
        name: doc("The test's name, or its subject."),
        source,
        failures: list({ $ref: "#/$defs/diagnostic" }, "The failures. Empty: the test passes."),
      }),
      "The results of the zone's tests on the state after the plan. Absent: no test was run.",
    ),
    problem: { $ref: "#/$defs/diagnostic" },
  },
  ["digest", "written", "not_planned", "tests", "problem"],
);

const sums: Schema = record(
  "ImpactSums",
  {
    tried: { ...count, description: "Active and infrequent detections, and loads reported by browsers." },
    newly_blocked: doc("Blocked only after.", count),
    newly_reported: doc("Reported only after, and never blocked.", count),
    newly_allowed: doc("Blocked only before.", count),
    undecided: doc("Loads with an unknown outcome.", count),
    malicious_allowed: { ...count, description: "Malicious loads among those newly allowed." },
    only_reported: {
      ...count,
      description: "Loads that were reported and never detected. Absent: none.",
    },
  },
  ["only_reported"],
);

const impact = {
  ...record(
    "ImpactSummary",
    {
      scripts: { $ref: "#/$defs/impact_sums" },
      connections: { $ref: "#/$defs/impact_sums" },
      unread: list(text, "Zones whose scripts or connections could not be read."),
      unseen: list(text, "Zones with pages whose loads are unknown. Absent: none."),
    },
    ["unseen"],
  ),
  description: "The number of detections of each kind with a new outcome.",
};

/** The shape of a plan document. Published as schemas/plan.schema.json. */
export const planSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://raw.githubusercontent.com/zoneward/zoneward/v0/schemas/plan.schema.json",
  ...record(
    "PlanDocument",
    {
      format_version: {
        const: FORMAT_VERSION,
        description: "The version of this format. It changes when readers must change.",
      },
      summary: {
        ...record(
          "PlanSummary",
          {
            zones: doc("Zones of the run, failed zones included.", count),
            as_in_base: doc("With --changed: zones that equal the base and were not read.", count),
            left_out: doc(
              "With --zone: zones of the files, or of the saved plan, that were not named and not read.",
              count,
            ),
            create: doc("Changes that create an object.", count),
            update: doc("Changes that update an object.", count),
            delete: doc("Changes that delete an object.", count),
            taken_over: doc(
              "Changes without a call, because the live state already equals the files. Absent: none.",
              count,
            ),
            unchanged: doc("Declared objects without a difference.", count),
            unmanaged: doc("Undeclared objects in managed sections.", count),
            not_listed: doc("Undeclared objects that are not listed under unmanaged.", count),
            calls: doc("Calls that apply sends.", count),
            requests: {
              ...count,
              description: "Requests used for planning.",
            },
            effects: {
              ...record("EffectCounts", {
                strengthens: count,
                weakens: count,
                mixed: count,
                neutral: count,
                unknown: count,
              }),
              description: "Changes by their effect.",
            },
            origins: {
              ...record("OriginCounts", {
                declared: count,
                drift: count,
                conflict: count,
                mixed: count,
                unknown: count,
              }),
              description: "Changes by their origin.",
            },
            impact: {
              description: "The impact of policy changes on detected loads. null: no policy changes.",
              anyOf: [impact, { type: "null" }],
            },
          },
          ["as_in_base", "left_out", "taken_over"],
        ),
        description: "Counts over the run.",
      },
      inputs: {
        ...record(
          "PlanInputs",
          {
            config: list(text, "The values of -c."),
            zones: list(text, "The values of --zone."),
            guardrails: { type: "string", description: "The value of --guardrails." },
            base: { type: "string", description: "The value of --base." },
            about: { const: "drift", description: "The plan has drift only." },
            changed: {
              const: true,
              description: "The plan has only zones that differ from the base.",
            },
            only: list(text, "The values of --only. Absent: all objects."),
            part_of: doc("The digest of the saved plan that this plan is a part of.", digest),
            not_compared: list(
              record("NotCompared", {
                zone: zoneName,
                kind: kindName,
                key: { type: "string", description: "The object's name." },
                path: doc("The field's key in the files. a.b is b inside a."),
                secrets: list(text, "The secrets that are not set."),
                taken: {
                  enum: ["unchanged", "changed", "unknown"],
                  description:
                    "unchanged: written as in the base. changed: written differently, and sent. unknown: no text to compare with, and left as it is.",
                },
              }),
              "Fields that were not compared because their secrets are not set. Absent: none.",
            ),
          },
          ["guardrails", "base", "about", "changed", "only", "part_of", "not_compared"],
        ),
        description: "The inputs of the plan. apply uses the same inputs unless its flags name others.",
      },
      base: {
        type: "string",
        pattern: "^(git:[0-9a-f]{40,64}|sha256:[0-9a-f]{64})$",
        description:
          "The base: its commit, or the digest of a folder's contents. Absent: no base was given, or it could not be read.",
      },
      request_lines: {
        ...record("LinesRead", {
          lines: doc("Requests in zones of the plan.", count),
          first: doc("The time of the first request. null: unknown.", nullable),
          last: doc("The time of the last request. null: unknown.", nullable),
          other_zones: doc("Requests in other zones, or without a zone and host.", count),
          other_datasets: doc("Lines of other datasets.", count),
          broken: doc("Lines that are not complete JSON objects.", count),
        }),
        description: "The lines read with --requests. Absent: no logs were given.",
      },
      changes: list(change, "The differences, object by object."),
      calls: list(call, "The calls that apply sends, in order within each zone."),
      zones: list(zone, "Every zone of the run."),
      unmanaged: list(
        record(
          "UnmanagedObject",
          {
            zone: zoneName,
            kind: doc("The kind of the object. For a rule: the kind of its list."),
            key: doc("The object's name. Empty: unnamed."),
            id: liveId,
            does: doc("What the object does, in a few words."),
            effect: { $ref: "#/$defs/effect", description: "The effect of the object on protection." },
            fields: list(
              { type: "string" },
              "The undeclared fields of a declared object. Absent: the whole object is undeclared.",
            ),
            known: {
              enum: ["listed", "newly_listed", "not_listed"],
              description:
                "Whether unmanaged lists the object. newly_listed: only the files do, not the base; not_listed: the object is drift.",
            },
            list: doc("The key of unmanaged that can list the object."),
            list_as: doc("The entry to write there. null: no usable name or id.", nullable),
            dashboard: shownAt,
            who: madeBy,
          },
          ["fields", "dashboard", "who"],
        ),
        "Undeclared objects, fields and rules in managed sections. They are left alone.",
      ),
      guardrails: list(
        record(
          "Guardrail",
          {
            name: doc("The name for --allow."),
            zone: doc("Absent: the guardrail is about the run."),
            message: doc("The reason for the refusal, in full sentences."),
            allowed: { type: "boolean", description: "Whether --allow lifts it." },
            changes: {
              ...indexes,
              description: "The refused changes, as indices into changes. Absent: the run as a whole.",
            },
          },
          ["zone", "changes"],
        ),
        "The guardrails that refuse the plan.",
      ),
      seen: list(
        record("SeenObject", {
          zone: zoneName,
          kind: kindName,
          key: doc("The object's name."),
          id: liveId,
          state: { description: "The live state. null: not found." },
        }),
        "The live state of each object that the plan touches.",
      ),
      expires_at: {
        type: "string",
        pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
        description: "The end of the plan's validity. Only with --max-age.",
      },
      digest: {
        ...digest,
        description:
          "The digest of the plan's calls and of the live state they rest on. Plans that do the same have the same digest.",
      },
      diagnostics: list({ $ref: "#/$defs/diagnostic" }, "Errors, warnings and notes."),
    },
    ["base", "request_lines", "expires_at"],
  ),
  $defs: {
    source,
    diagnostic,
    effect,
    moved,
    planned_dimension: dimension,
    attribution,
    reports: {
      ...record(
        "Reports",
        {
          count: { type: "integer", minimum: 1 },
          first: doc("The time of the first report, in UTC. null: unknown.", time),
          last: doc("The time of the last report, in UTC. null: unknown.", time),
          origin_only: {
            const: true,
            description: "All reports name the origin alone, as browsers do after a redirect.",
          },
          path_prefix: {
            const: true,
            description: "The URL stands for all URLs that begin with it.",
          },
        },
        ["origin_only", "path_prefix"],
      ),
      description: "The browsers' reports of one load.",
    },
    moved_detection: record("MovedDetection", detection, ["reports"]),
    impact_sums: sums,
    lines_by_path: linesByPath,
    origin: {
      enum: ["declared", "drift", "conflict", "mixed", "unknown"],
      description:
        "The origin of a difference. declared: the files changed; drift: the live state changed; conflict: both; mixed: the fields differ; unknown: no base, or not comparable.",
    },
  },
};
