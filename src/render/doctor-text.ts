import { jsonText } from "../model/json-text.js";
import type { Problem } from "../model/problem.js";
import type { Schema } from "../model/wanted.js";
import { plain } from "./plain.js";
import { problemRecord } from "./problems.js";

interface Section {
  readonly section: string;
  readonly can: "read" | "not_entitled" | "forbidden" | "unreadable";
  readonly live: number | null;
  readonly most: number | null;
  readonly problems: readonly Problem[];
}

interface Checkup {
  readonly token: { readonly status: string | null; readonly expires: string | null };
  readonly zones: readonly {
    readonly zone: string;
    readonly zoneId: string | null;
    readonly sections: readonly Section[];
    readonly problems: readonly Problem[];
  }[];
  readonly problems: readonly Problem[];
}

/** The credential, and a line for each zone. Problems are shown elsewhere. */
export function doctorText({ token, zones }: Checkup): string {
  const until = token.expires === null ? "" : `, until ${plain(token.expires)}`;
  const statusText =
    token.status === null ? "the service does not say more of it than the reads show" : plain(token.status);
  const lines = zones.map(({ zone, zoneId, sections, problems: zoneProblems }) => {
    const isMissing = zoneProblems.every(({ code }) => code === "zone_not_found");
    const id = zoneId === null ? (isMissing ? "not found" : "cannot be looked for") : plain(zoneId);
    return `${plain(zone)} ${id}${sections.length === 0 ? "" : `: ${sections.map(sectionText).join(", ")}`}`;
  });
  return [`token: ${statusText}${until}`, ...lines].map((line) => `${line}\n`).join("");
}

const WHY_NOT = {
  not_entitled: "not in the zone's plan",
  forbidden: "forbidden",
  unreadable: "cannot be read",
} as const;

function sectionText({ section, can, live, most }: Section): string {
  if (can !== "read") return `${section} ${WHY_NOT[can]}`;
  if (live === null) return `${section} not listed`;
  return `${section} ${live}${most === null ? "" : ` of ${most}`}`;
}

export function doctorJson({ token, zones, problems }: Checkup): string {
  return jsonText({
    token: { status: token.status, expires_on: token.expires },
    zones: zones.map(({ zone, zoneId, sections, problems: zoneProblems }) => ({
      zone,
      zone_id: zoneId,
      sections: sections.map((each) => ({ ...each, problems: each.problems.map(problemRecord) })),
      problems: zoneProblems.map(problemRecord),
    })),
    problems: problems.map(problemRecord),
  });
}

const text: Schema = { type: "string" };
const count: Schema = { type: ["integer", "null"], minimum: 0 };

function record(properties: { readonly [key: string]: Schema }, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", additionalProperties: false, required, properties };
}

const problem = record(
  {
    code: { ...text, description: "Stable: what scripts match on." },
    severity: { enum: ["error", "warning", "note"] },
    summary: text,
    detail: { ...text, description: "What is wrong and what to do, in full sentences." },
    source: record({ file: text, line: { type: "integer" }, column: { type: "integer" } }),
    pointer: { ...text, description: "JSON pointer inside the file." },
  },
  ["source", "pointer"],
);
const problems: Schema = { type: "array", items: { $ref: "#/$defs/problem" } };

const section = record({
  section: { ...text, description: "Its key in the files." },
  can: { enum: ["read", ...Object.keys(WHY_NOT)] },
  live: {
    ...count,
    description: "Live objects, those of others included; null: not read, or the service does not list them.",
  },
  most: { ...count, description: "How many there can be; null: no limit is known." },
  problems,
});

/** The schema of doctorJson(). Published as schemas/doctor.schema.json. */
export const doctorSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://raw.githubusercontent.com/zoneward/zoneward/v0/schemas/doctor.schema.json",
  title: "Checkup",
  ...record({
    token: {
      ...record({
        status: {
          type: ["string", "null"],
          description: "As the service says it: active, disabled, expired.",
        },
        expires_on: { type: ["string", "null"] },
      }),
      description: "null: the service does not say.",
    },
    zones: {
      type: "array",
      items: record({
        zone: text,
        zone_id: {
          type: ["string", "null"],
          description: "null: it was not found, or could not be looked for.",
        },
        sections: { type: "array", items: section },
        problems,
      }),
    },
    problems: { ...problems, description: "What is wrong beside the zones." },
  }),
  $defs: { problem },
};
