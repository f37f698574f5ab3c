import type { Schema } from "../model/declared-zone.js";
import { jsonText } from "../model/json-text.js";
import { areAll, type Problem } from "../model/problem.js";
import { problemRecord } from "./problems.js";
import { plain } from "./safe-text.js";

interface Section {
  readonly section: string;
  readonly can: "read" | "not_entitled" | "forbidden" | "unreadable";
  readonly live: number | null;
  readonly most: number | null;
  readonly problems: readonly Problem[];
}

interface Checkup {
  readonly baseUrl: string;
  readonly credential: string;
  readonly token: { readonly status: string | null; readonly expires: string | null };
  readonly zones: readonly {
    readonly zone: string;
    readonly zoneId: string | null;
    readonly sections: readonly Section[];
    readonly problems: readonly Problem[];
  }[];
  readonly problems: readonly Problem[];
}

/** Address, credential, and a line for each zone. Problems are shown elsewhere. */
export function doctorText({ baseUrl, credential, token, zones }: Checkup): string {
  const until = token.expires === null ? "" : `, until ${plain(token.expires)}`;
  const statusText = token.status === null ? "status unknown" : plain(token.status);
  const lines = zones.map(({ zone, zoneId, sections, problems: zoneProblems }) => {
    const isMissing = areAll(zoneProblems, "zone_not_found");
    const id = zoneId === null ? (isMissing ? "not found" : "lookup failed") : plain(zoneId);
    return `${plain(zone)} ${id}${sections.length === 0 ? "" : `: ${sections.map(sectionText).join(", ")}`}`;
  });
  const reach = [`address: ${plain(baseUrl)}`, `credential: ${credential}, ${statusText}${until}`];
  return [...reach, ...lines, LIMITS].map((line) => `${line}\n`).join("");
}

const LIMITS = "Write permissions are not checked. A missing one shows up at apply.";

const WHY_NOT = {
  not_entitled: "not in the zone's Cloudflare plan",
  forbidden: "permission denied",
  unreadable: "cannot be read",
} as const;

function sectionText({ section, can, live, most }: Section): string {
  if (can !== "read") return `${section} ${WHY_NOT[can]}`;
  if (live === null) return `${section} not listed`;
  return `${section} ${live}${most === null ? "" : ` (limit ${most})`}`;
}

export function doctorJson({ baseUrl, credential, token, zones, problems }: Checkup): string {
  return jsonText({
    base_url: baseUrl,
    credential,
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
    code: { ...text, description: "Stable, for scripts." },
    severity: { enum: ["error", "warning", "note"] },
    summary: text,
    detail: { ...text, description: "The cause and the fix, in full sentences." },
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
    description: "Live objects, undeclared ones included; null: not read, or the service does not list them.",
  },
  most: { ...count, description: "The limit of objects; null: unknown." },
  problems,
});

/** The schema of doctorJson(). Published as schemas/doctor.schema.json. */
export const doctorSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://raw.githubusercontent.com/zoneward/zoneward/v0/schemas/doctor.schema.json",
  title: "Checkup",
  ...record({
    base_url: { ...text, description: "The address of the API." },
    credential: { ...text, description: "The environment variables that hold the credential." },
    token: {
      ...record({
        status: {
          type: ["string", "null"],
          description: "In the service's words: active, disabled, expired. rejected: it denied all calls.",
        },
        expires_on: { type: ["string", "null"] },
      }),
      description: "null: unknown.",
    },
    zones: {
      type: "array",
      items: record({
        zone: text,
        zone_id: {
          type: ["string", "null"],
          description: "null: not found, or the lookup failed.",
        },
        sections: { type: "array", items: section },
        problems,
      }),
    },
    problems: { ...problems, description: "Problems of the whole run." },
  }),
  $defs: { problem },
};
