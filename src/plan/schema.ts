import { DASHBOARD_ADDRESS } from "../model/dashboard.js";
import { UNSEEN } from "../model/detection.js";
import type { Schema } from "../model/wanted.js";
import { FORMAT_VERSION } from "./digest.js";

const text: Schema = { type: "string" };
const count: Schema = { type: "integer", minimum: 0 };
const nullable: Schema = { type: ["string", "null"] };
const time: Schema = { type: ["string", "null"], pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$" };
const indexes: Schema = { type: "array", items: count };
/** A schema with what it is about. */
function said(description: string, schema: Schema = text): Schema {
  return { ...schema, description };
}

const zoneName = said("The zone's name, as the files have it.");
const kindName = said("What kind of object: policy, logpush_job, …");
const liveId = said("The live object's id; null: it has none, or none yet.", nullable);
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
    file: said("As it was found, from the folder that the command ran in."),
    line: count,
    column: count,
  }),
  description: "A place in a desired-state file; lines and columns count from 1.",
};

const diagnostic = record(
  "Diagnostic",
  {
    severity: { enum: ["error", "warning", "note"] },
    code: said("Stable: what scripts match on."),
    message: said("What is wrong and what to do, in full sentences."),
    zone: said("Absent: it is about the run."),
    source: { $ref: "#/$defs/source" },
    accepted: {
      ...record(
        "Accepted",
        {
          until: said("The last day on which it holds."),
          reason: said("As the comment in the file gives it."),
          days_left: { ...count, description: "Where that is soon." },
        },
        ["days_left"],
      ),
      description: "Of a note that would be a warning: until when and why a comment in the files accepts it.",
    },
  },
  ["zone", "source", "accepted"],
);

const field = record(
  "PlannedField",
  {
    path: said("The field, as the files call it; a.b is b inside a."),
    before: { description: "null: the field is not there." },
    after: { description: "null: the field goes." },
    base: {
      description:
        "What the base has, where the origin is conflict: what it was before the files and somebody outside them changed it. null: the base does not have it. Absent: the origin is another, or the value is sensitive. It is in no digest.",
    },
    origin: { $ref: "#/$defs/origin" },
    parts: list(
      record("PlannedPart", {
        part: said("A directive's name; empty for a set."),
        change: { enum: ["added", "removed", "changed"] },
        added: list(text, "What the part gains."),
        removed: list(text, "What the part loses."),
      }),
      "For a CSP value: what each directive gains and loses. For a set: what it gains and loses, as one part without a name.",
    ),
    written: {
      ...record("WrittenSides", {
        before: said(
          "What the base has there, where live was as the base says; null: what was there before is not known.",
          nullable,
        ),
        after: said("What the files have there."),
      }),
      description:
        "For a sensitive value: its references as the files have them, such as ${secret:NAME}. What is written out beside them is (sensitive).",
    },
    source: {
      ...source,
      description: "Where the files say it. Only of an object that is live, and of a field that they say.",
    },
  },
  ["base", "parts", "written", "source"],
);

const effect: Schema = {
  enum: ["strengthens", "weakens", "mixed", "neutral", "unknown"],
  description: "What is done to protection, in all dimensions together.",
};
const isMalicious: Schema = { type: ["boolean", "null"], description: "null: there is nothing to tell by." };

const dimension = record("PlannedDimension", {
  dimension: said("What of protection: the service, the CSP of the pages, the level, the threshold, …"),
  effect: {
    enum: ["strengthens", "weakens", "mixed", "unknown", "neutral"],
    description: "neutral: it does nothing to protection, for what why says.",
  },
  why: said("In a few words for people."),
  witness: {
    description: "One thing that was stopped, or covered, before and is not after; null: none is known.",
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
      "Of the script or connection: scripts show ID tells more. Null: the service has not detected it, only browsers have reported it, and anybody can make up a report.",
  },
  url: text,
  malicious: isMalicious,
  page: {
    type: ["string", "null"],
    description: "The first page where it happens; null: no page of it is known.",
  },
  own: { type: "boolean", description: "One of the service's own, which it puts into pages itself." },
  reports: {
    $ref: "#/$defs/reports",
    description: "What browsers reported of it. Absent: no report is known.",
  },
};

const moved = {
  ...record("MovedDetections", {
    newly_blocked: list({ $ref: "#/$defs/moved_detection" }, "Not blocked before, blocked after."),
    newly_reported: list({ $ref: "#/$defs/moved_detection" }, "Never blocked, reported only after."),
    newly_allowed: list({ $ref: "#/$defs/moved_detection" }, "Blocked before, not blocked after."),
    undecided: list(
      record(
        "UndecidedDetection",
        {
          ...detection,
          may_be: list({ enum: ["newly_blocked", "newly_reported", "newly_allowed"] }, "What it may be."),
        },
        ["reports"],
      ),
      "What an expression, a page or a URL leaves open.",
    ),
  }),
  description: "Of the detections of one kind those to which something happens.",
};

const linesByPath: Schema = record("LinesByPath", {
  lines: count,
  paths: list(
    record("PathLines", { path: said("/api/* is all that is below /api."), lines: count }),
    "Those with most lines, the most first.",
  ),
  other_paths: said("Lines of all other paths, and of those that tell none.", count),
});

const requestLines: Schema = {
  ...record(
    "PlannedRequestLines",
    {
      does: {
        enum: ["applies_to", "skips"],
        description: "What the object does to requests that its expression matches.",
      },
      lines: said("Lines of the zone.", count),
      before: said("Those of them that surely match before.", count),
      after: said("Those that surely match after.", count),
      more: { $ref: "#/$defs/lines_by_path", description: "Those that match only after." },
      fewer: { $ref: "#/$defs/lines_by_path", description: "Those that match only before." },
      becomes: {
        enum: ["blocks", "reports"],
        description:
          "What it does now on requests that match before and after. Absent: what it has done before.",
      },
      kept: {
        $ref: "#/$defs/lines_by_path",
        description: "With becomes: those that match before and after.",
      },
      undecided: record("UndecidedLines", {
        lines: said("Those of which it is open whether they match before, or after.", count),
        untold: list(
          record(
            "UntoldField",
            {
              field: said('A field of expressions that they do not tell: http.request.headers["x"].'),
              lines: count,
              log_fields: list(
                text,
                "What a job would have to log for lines to tell it, beside what they have. Absent: no line can.",
              ),
              custom_log_field: {
                ...record("CustomLogField", { list: text, name: text }),
                description: "The entry of custom_log_fields that has it logged.",
              },
            },
            ["log_fields", "custom_log_field"],
          ),
          "Empty: it is open for another reason.",
        ),
      }),
    },
    ["becomes", "kept"],
  ),
  description:
    "What lines of requests answer: how many the change is about. Absent: none were given, or it moves no requests.",
};

const shownAt = said(
  "Where the service's dashboard shows it, of what was changed outside the files and what no file declares; ?to= where the account is not known: it lets people choose. It is in no digest.",
  { type: "string", pattern: DASHBOARD_ADDRESS },
);

const attribution = record("Attribution", {
  found: {
    enum: ["named", "candidates", "none"],
    description:
      "named: the newest call that may have touched it wrote what is live. candidates: one of these; what they wrote the log does not say. none: it has nobody.",
  },
  by: list(
    record("AuditedActor", {
      who: {
        type: "string",
        description:
          'An e-mail address, token "NAME", or a user, a token, the service, somebody (the log does not say who).',
      },
      through: { enum: ["dashboard", "api", "zoneward"] },
      time: { type: ["string", "null"], description: "When, in UTC, as RFC 3339 has it." },
    }),
    "The newest first.",
  ),
});

const madeBy = {
  $ref: "#/$defs/attribution",
  description:
    "Who changed it outside the files, as the account's audit log has it. Only where that was asked for; never in a saved plan.",
};

const change = record(
  "PlannedChange",
  {
    zone: zoneName,
    zone_id: text,
    kind: kindName,
    key: { type: "string", description: "What people call the object; unique for its kind in its zone." },
    id: liveId,
    was: { type: "string", description: "The key before a rename." },
    action: { enum: ["create", "update", "delete"] },
    replaces: {
      const: true,
      description:
        "Of an update: the live object with this id is deleted, and a new one takes its place, since it cannot change in place.",
    },
    taken_over: {
      const: true,
      description:
        "The live state already is as the files say, and the base says something else. No call belongs to it. before is what the base says, after what the files say; effect and impact are those of the files against the base.",
    },
    origin: { $ref: "#/$defs/origin" },
    effect: { $ref: "#/$defs/effect" },
    drift_effect: {
      $ref: "#/$defs/effect",
      description: "What was done to protection outside the files. Only where something was.",
    },
    drift_dimensions: list(
      { $ref: "#/$defs/planned_dimension" },
      "What was done to protection outside the files, dimension by dimension. With drift_effect.",
    ),
    dashboard: shownAt,
    who: madeBy,
    dimensions: list(
      { $ref: "#/$defs/planned_dimension" },
      "What it does to protection, dimension by dimension.",
    ),
    fields: list(field, "The fields that are different."),
    source: {
      description: "Where the files declare it; null: they do not, or not any more.",
      anyOf: [{ $ref: "#/$defs/source" }, { type: "null" }],
    },
    removed: {
      ...source,
      description: "Where the base declares what the files no longer do, and what is therefore deleted.",
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
              "What the pages load nobody knows, also where nothing is listed. detection_off: the service does not look. detection_unread: whether it does could not be read. nothing_seen: nothing was ever seen on these pages.",
          },
        },
        ["scripts", "connections", "unseen"],
      ),
      description:
        "For policies: what of the impact on the zone the change brings about. Without scripts or connections: those could not be read.",
    },
    request_lines: requestLines,
  },
  [
    ...["was", "replaces", "taken_over", "drift_effect", "drift_dimensions", "dashboard", "who"],
    ...["removed", "impact", "request_lines"],
  ],
);

const call = record("PlannedCall", {
  step: { type: "integer", minimum: 1, description: "Its number within the run." },
  zone: zoneName,
  method: { enum: ["POST", "PUT", "PATCH", "DELETE"] },
  path: { type: "string", description: "After the base address." },
  body: { description: "null: the call has no body." },
  changes: { ...indexes, description: "Indices into changes." },
  after: { ...indexes, description: "Steps that must be done before." },
});

const zone = record(
  "PlannedZone",
  {
    zone: zoneName,
    zone_id: said("null: it could not be found.", nullable),
    status: {
      enum: ["planned", "partly", "failed"],
      description:
        "partly: not_planned has the sections and objects of which nothing is planned, and why. failed: nothing of the zone is planned; problem says why.",
    },
    requests: { ...count, description: "Requests that reading the zone took." },
    digest: said("Of this zone's part of the plan.", digest),
    written: {
      ...record("WrittenTexts", {
        texts: list(
          record("WrittenText", {
            kind: kindName,
            key: said("What people call the object."),
            path: said("The field, as the files call it."),
            text: said(
              "As the files have it, with its references. What is sensitive and written out is (sensitive).",
            ),
          }),
          "In the order of the files.",
        ),
        digest: said("Of all of them together, what is sensitive and written out included.", digest),
      }),
      description:
        "What the files say of the zone that calls do not have as it is written: values with a ${…}, and sensitive ones. It is in the digest. Absent: there is nothing of the kind.",
    },
    not_planned: list(
      record(
        "SectionNotPlanned",
        {
          section: said("Its key in the files."),
          object: said(
            "The key of the one object of it that is left out, which stays as it is live. Absent: all of the section is left out.",
          ),
          problem: { $ref: "#/$defs/diagnostic" },
        },
        ["object"],
      ),
      "Sections, or single objects of sections, of which nothing is planned or sent, each with why. They are in the digest. Absent: all are planned. In a zone that is planned, the files name them under optional, and its plan at the service does not include them.",
    ),
    tests: list(
      record("TestResult", {
        name: said("What the test is called, or what it is about."),
        source,
        failures: list({ $ref: "#/$defs/diagnostic" }, "What does not pass of it; empty: it passes."),
      }),
      "What came of the zone's tests on the state after the plan. Absent: it has none, or none were run.",
    ),
    problem: { $ref: "#/$defs/diagnostic" },
  },
  ["digest", "written", "not_planned", "tests", "problem"],
);

const sums: Schema = record(
  "ImpactSums",
  {
    tried: { ...count, description: "Active and infrequent detections, and what browsers reported." },
    newly_blocked: said("Blocked after and not before.", count),
    newly_reported: said("Reported after and not before, and never blocked.", count),
    newly_allowed: said("Blocked before and not after.", count),
    undecided: said("Of which that cannot be said.", count),
    malicious_allowed: { ...count, description: "Of those newly allowed." },
    only_reported: {
      ...count,
      description: "Of those tried, how many only reports speak for. Absent: none.",
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
      unseen: list(text, "Zones with pages of which nobody knows what they load. Absent: there are none."),
    },
    ["unseen"],
  ),
  description: "Of the detections of each kind, how many something happens to.",
};

/** The shape of a plan document. Published as schemas/plan.schema.json. */
export const planSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://raw.githubusercontent.com/zoneward/zoneward/v0/schemas/plan.schema.json",
  ...record(
    "PlanDocument",
    {
      format_version: { const: FORMAT_VERSION, description: "Changes when readers would have to." },
      summary: {
        ...record(
          "PlanSummary",
          {
            zones: said("Zones of the run, failed ones included.", count),
            as_in_base: said(
              "Zones beside them that the files do not change since the base, which were not read. Absent: all were to be planned.",
              count,
            ),
            left_out: said(
              "Zones beside them that are not named, of those in the files, or in the saved plan that this is a part of. They were not read. Absent: none was named.",
              count,
            ),
            create: said("Changes that create an object.", count),
            update: said("Changes that update one.", count),
            delete: said("Changes that delete one.", count),
            taken_over: said(
              "Changes without a call: the live state already is as the files say. Absent: none.",
              count,
            ),
            unchanged: said("Declared objects that are as declared.", count),
            unmanaged: said("What is live in managed sections and no file declares.", count),
            not_listed: said("Of that, what the files do not list under unmanaged either.", count),
            calls: said("Calls that apply sends.", count),
            requests: {
              ...count,
              description: "Requests that planning took, those for all zones together included.",
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
              description: "What policy changes mean for what runs today; null: no policy changes.",
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
            config: list(text, "What -c named."),
            zones: list(text, "What --zone named."),
            guardrails: { type: "string", description: "What --guardrails named." },
            base: { type: "string", description: "What --base named." },
            about: { const: "drift", description: "Only what was changed outside the files." },
            changed: {
              const: true,
              description:
                "Only the zones that the files change since the base. Their names are in the digest.",
            },
            only: list(text, "What --only named: kinds, or kinds and names of objects. Absent: all."),
            part_of: said("The digest of the saved plan that this is a part of. Absent: of none.", digest),
            not_compared: list(
              record("NotCompared", {
                zone: zoneName,
                kind: kindName,
                key: { type: "string", description: "What people call the object." },
                path: said("The field, as the files call it; a.b is b inside a."),
                secrets: list(text, "The names of its secrets that are not set."),
                taken: {
                  enum: ["unchanged", "changed", "unknown"],
                  description:
                    "unchanged: the files have it in the same words as the base. changed: in other words, not at all, or in an object that a new one takes the place of, so that it is sent. unknown: nothing tells what the files had before, or whether it has drifted; it is left as it is live, and an apply that has the secret refuses to change what the plan does not show.",
                },
              }),
              "Fields whose live values could not be compared, since their secrets are not set. Absent: there are none.",
            ),
          },
          ["guardrails", "base", "about", "changed", "only", "part_of", "not_compared"],
        ),
        description: "What the plan was made from: apply reads the same when it is not told otherwise.",
      },
      base: {
        type: "string",
        pattern: "^(git:[0-9a-f]{40,64}|sha256:[0-9a-f]{64})$",
        description:
          "The files before the change: the commit that they were read from, or of a folder what they say. It is in the digest. Absent: no base was given, or it could not be read.",
      },
      request_lines: {
        ...record("LinesRead", {
          lines: said("Of requests in zones of the plan.", count),
          first: said("When the first of these requests came; null: none says when.", nullable),
          last: said("When the last came.", nullable),
          other_zones: said(
            "Of requests in other zones, and of those that name neither zone nor host.",
            count,
          ),
          other_datasets: said("Of other datasets.", count),
          broken: said("That are no whole JSON object.", count),
        }),
        description: "Lines of requests that were read. Absent: none were given.",
      },
      changes: list(change, "What is different, object by object."),
      calls: list(call, "What apply sends, in order within each zone."),
      zones: list(zone, "Every zone of the run."),
      unmanaged: list(
        record(
          "UnmanagedObject",
          {
            zone: zoneName,
            kind: said("What kind of object; of a rule, whose list it stands in."),
            key: said("What people call it; empty: nobody has named it."),
            id: liveId,
            does: said("What it does, in words for people."),
            effect: { $ref: "#/$defs/effect", description: "What it does to protection that it is there." },
            fields: list(
              { type: "string" },
              "Of an object that the files declare: its fields that they do not. Absent: it is about the object as a whole.",
            ),
            known: {
              enum: ["listed", "newly_listed", "not_listed"],
              description:
                "Whether the files list it under unmanaged. newly_listed: they do, and the base does not. not_listed: it is drift.",
            },
            list: said("The key of unmanaged that it can be listed under."),
            list_as: said("What to write there; null: it has no name that serves, nor an id.", nullable),
            dashboard: shownAt,
            who: madeBy,
          },
          ["fields", "dashboard", "who"],
        ),
        "What is live in managed sections and no file declares: objects, fields by which declared objects may lose records, and rules of others. It stays.",
      ),
      guardrails: list(
        record(
          "Guardrail",
          {
            name: said("As --allow takes it."),
            zone: said("Absent: it is what all zones come to together."),
            message: said("What it refuses, in full sentences."),
            allowed: { type: "boolean", description: "Lifted by --allow." },
            changes: {
              ...indexes,
              description:
                "Which of the changes it is about, counted from 0. Absent: none in particular, such as a sum over the run.",
            },
          },
          ["zone", "changes"],
        ),
        "What stands against applying the plan.",
      ),
      seen: list(
        record("SeenObject", {
          zone: zoneName,
          kind: kindName,
          key: said("What people call it."),
          id: liveId,
          state: { description: "null: not live." },
        }),
        "The live state of each object that the plan touches.",
      ),
      expires_at: {
        type: "string",
        pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
        description:
          "Not to be applied from then on. There only with --max-age, as all else has no time in it.",
      },
      digest: {
        ...digest,
        description:
          "Of the calls, the zones' ids, what was seen, what the files have written where calls have references, and the base: two plans that do the same have the same.",
      },
      diagnostics: list({ $ref: "#/$defs/diagnostic" }, "Errors and warnings."),
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
          first: said("When the first of those that say so was made, in UTC; null: none says so.", time),
          last: said("When the last was made.", time),
          origin_only: {
            const: true,
            description:
              "All of them name the load's origin alone, as browsers do after a redirect: its path is not known. Absent: it is.",
          },
          path_prefix: {
            const: true,
            description:
              "The URL stands for all that begin with it, which were too many to be kept one by one. Absent: it is the load's own.",
          },
        },
        ["origin_only", "path_prefix"],
      ),
      description: "Reports by browsers of one load, as one.",
    },
    moved_detection: record("MovedDetection", detection, ["reports"]),
    impact_sums: sums,
    lines_by_path: linesByPath,
    origin: {
      enum: ["declared", "drift", "conflict", "mixed", "unknown"],
      description:
        "Where a difference comes from. declared: the change to the files. drift: live moved away from the base. conflict: both. mixed: the fields of a change differ in that. unknown: there is no base to tell by, or what the change lets go of could not be compared with it.",
    },
  },
};
