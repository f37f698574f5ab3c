import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Dialect, Edit, JsonObject, Seed } from "../../src/index.js";
import type { Step, Story } from "./record.js";

/**
 * Zones that the simulation drew, live and declared twice, and what is done to them: one of the scripts below each.
 * They are kept as drawn, so that what draws them can change.
 */
const DRAWN = path.join(import.meta.dirname, "drawn.jsonl");

interface Drawn {
  readonly seed: number;
  readonly dialect: Dialect;
  readonly zones: readonly DrawnZone[];
}

interface DrawnZone {
  readonly name: string;
  readonly id: string;
  readonly live: JsonObject;
  readonly bodies: readonly [JsonObject, JsonObject];
}

export async function drawnStories(): Promise<ReadonlyMap<string, readonly Story[]>> {
  const rows = (await readFile(DRAWN, "utf8")).trimEnd().split("\n");
  const drawn = rows.map((row) => JSON.parse(row) as Drawn); // as this was written
  const names = Object.keys(scripts);
  const stories = drawn.map((each, index) => storyOf(each, names[index % names.length] ?? ""));
  return new Map(
    names.map((name) => [`drawn-${name}`, stories.filter((each) => each.name.startsWith(`${name} `))]),
  );
}

function storyOf(drawn: Drawn, script: string): Story {
  const live = Object.fromEntries(drawn.zones.map(({ name, id, live }) => [name, { id, ...live }]));
  return {
    name: `${script} ${drawn.seed} ${drawn.dialect}`,
    dialect: drawn.dialect,
    live: { zones: live } as Seed, // as drawn
    environment: { DESTINATION: "https://a.example/logs?header_Authorization=planted-environment-5f3e" },
    steps: scripts[script]?.(drawn) ?? [],
  };
}

const JSON_OUT = ["--format", "json"];
const ALLOW = ["--allow", "prune_all", "--allow", "replace_with_gap"];
const apply: Step = { run: ["apply", "--yes", ...ALLOW, ...JSON_OUT] };
const plan: Step = { run: ["plan", ...JSON_OUT] };
const rollback: Step = { run: ["rollback", "JOURNAL", "--yes", ...JSON_OUT] };

const scripts: { readonly [name: string]: (drawn: Drawn) => readonly Step[] } = {
  /** A change of the files with what was before it, and back. */
  base: (drawn) => [
    ...files(drawn, 0),
    apply,
    ...files(drawn, 1),
    before(drawn, 0),
    { run: ["plan", "--base", "before", ...JSON_OUT] },
    { run: ["apply", "--base", "before", "--yes", ...ALLOW, ...JSON_OUT] },
    rollback,
  ],
  /** Somebody else changes what is live; the files' change meets it. */
  drift: (drawn) => [
    ...files(drawn, 0),
    apply,
    others(drawn),
    { run: ["drift", ...JSON_OUT] },
    ...files(drawn, 1),
    before(drawn, 0),
    { run: ["drift", "--base", "before", ...JSON_OUT] },
    { run: ["plan", "--base", "before", "--fail-on", "conflict", ...JSON_OUT] },
    { run: ["apply", "--base", "before", "--fail-on", "conflict", "--yes", ...ALLOW, ...JSON_OUT] },
    { run: ["apply", "--base", "before", "--yes", ...ALLOW, ...JSON_OUT] },
  ],
  adopt: (drawn) => [
    ...files(drawn, 0),
    apply,
    others(drawn),
    { run: ["adopt", ...JSON_OUT], files: ["zoneward.yaml"] },
    { run: ["adopt", "--new", ...JSON_OUT], files: ["zoneward.yaml"] },
    plan,
  ],
  /** What both bodies have in common comes from templates. */
  templates: (drawn) => [
    templated(drawn),
    { run: ["plan", "-o", "plan.json", ...ALLOW, ...JSON_OUT] },
    { run: ["apply", "plan.json", ...ALLOW, ...JSON_OUT] },
    rollback,
  ],
  guardrails: (drawn) => [
    ...files(drawn, drawn.seed % 2 === 0 ? 0 : 1, { max_changes: 1, forbid: ["weakens", "deletes"] }),
    plan,
    apply,
    {
      run: [
        "apply",
        "--yes",
        "--allow",
        "max_changes",
        "--allow",
        "weakens",
        "--allow",
        "deletes",
        ...JSON_OUT,
      ],
    },
  ],
  /** A write is struck, its effect done or not; then all runs again. */
  faults: (drawn) => [
    ...files(drawn, 0),
    struck(drawn, "write", 1),
    apply,
    ...files(drawn, 1),
    struck(drawn, "write", 2),
    rollback,
  ],
  reads: (drawn) => [...files(drawn, 0), struck(drawn, "GET", 3), everyRead(drawn), apply],
  killed: (drawn) => [
    ...files(drawn, 0),
    { run: ["apply", "--yes", ...ALLOW, ...JSON_OUT], kill: 1 },
    apply,
    ...files(drawn, 1),
    { run: ["apply", "--yes", ...ALLOW, ...JSON_OUT], kill: 2 },
    rollback,
  ],
  "killed-rollback": (drawn) => [
    ...files(drawn, 1),
    apply,
    { run: ["rollback", "JOURNAL", "--yes", ...JSON_OUT], kill: 1 },
    plan,
    apply,
  ],
  forbidden: (drawn) => [
    ...files(drawn, 0),
    { run: ["plan", ...JSON_OUT], refused: forbiddenRead(drawn) },
    { run: ["apply", "--yes", ...ALLOW, ...JSON_OUT], refused: { method: forbiddenWrite(drawn), path: /./ } },
    apply,
  ],
  /** What was approved is not what is there any more. */
  stale: (drawn) => [
    ...files(drawn, 0),
    { run: ["plan", "-o", "plan.json", ...ALLOW, ...JSON_OUT] },
    others(drawn),
    { run: ["apply", "plan.json", ...ALLOW, ...JSON_OUT] },
    { run: ["plan", "-o", "plan.json", ...ALLOW, ...JSON_OUT] },
    ...files(drawn, 1),
    { run: ["apply", "plan.json", ...ALLOW, ...JSON_OUT] },
  ],
};

function files({ zones }: Drawn, body: 0 | 1, guardrails?: JsonObject): readonly Step[] {
  const entries = zones.map(({ name, bodies }) => [name, bodies[body]]);
  const file = {
    version: 1,
    ...(guardrails === undefined ? {} : { guardrails }),
    zones: Object.fromEntries(entries),
  };
  return [{ files: { "zoneward.yaml": JSON.stringify(file, null, 1) } }];
}

function before({ zones }: Drawn, body: 0 | 1): Step {
  const entries = zones.map(({ name, bodies }) => [name, bodies[body]]);
  return {
    files: { "before/zoneward.yaml": JSON.stringify({ version: 1, zones: Object.fromEntries(entries) }) },
  };
}

/** The first body is a template and the second another; the zone has of its own what a third of the sections say. */
function templated({ zones, seed }: Drawn): Step {
  const templates: Record<string, JsonObject> = {};
  const bodies: Record<string, object> = {};
  for (const [
    index,
    {
      name,
      bodies: [first, second],
    },
  ] of zones.entries()) {
    const own = Object.entries(second).filter(
      ([section], at) => (at + seed) % 3 === 0 && section !== "prune",
    );
    templates[`base-${index}`] = Object.fromEntries(
      Object.entries(first).filter(([section]) => section !== "prune"),
    );
    templates[`more-${index}`] = Object.fromEntries(
      Object.entries(second).filter(([section]) => section === "settings" || section === "custom_log_fields"),
    );
    bodies[name] = { extends: [`base-${index}`, `more-${index}`], ...Object.fromEntries(own) };
  }
  const file = { version: 1, defaults: { settings: { enabled: true } }, templates, zones: bodies };
  return { files: { "zoneward.yaml": JSON.stringify(file, null, 1) } };
}

const WAF = "http_request_firewall_managed";

function others({ zones, seed }: Drawn): Step {
  return { edits: zones.flatMap(({ name }) => editsIn(name).filter((_, index) => (index + seed) % 3 !== 0)) };
}

function editsIn(zone: string): readonly Edit[] {
  const policy = { action: "log", enabled: true, expression: "true" };
  return [
    { edit: "settings", zone, set: { enabled: false } },
    { edit: "policy", zone, where: { description: "A" }, set: { value: "script-src mine.example" } },
    { edit: "policy", zone, where: { description: "B" }, set: { enabled: false } },
    { edit: "policy", zone, where: { description: "C" }, remove: true },
    { edit: "policy", zone, where: { description: "Foreign" }, set: { value: "connect-src mine.example" } },
    { edit: "policy", zone, add: { ...policy, description: "Added", value: "img-src mine.example" } },
    { edit: "rule", zone, phase: WAF, where: { action: "execute" }, set: { enabled: false } },
    {
      edit: "rule",
      zone,
      phase: "http_log_custom_fields",
      where: { action: "log_custom_field" },
      remove: true,
    },
    { edit: "logpush_job", zone, where: { name: "j" }, set: { enabled: false } },
    { edit: "logpush_job", zone, where: { name: "k" }, remove: true },
  ];
}

const FAULTS = [
  ...(["500-before", "500-after", "reset-before", "reset-after", "503-after", "html-after"] as const),
  ...(["success-false-before", "429-plain", "cut-off", "no-result", "truncated"] as const),
];

function struck({ seed }: Drawn, method: "write" | "GET", nth: number): Step {
  const fault = FAULTS[Math.floor(seed / 3 + nth) % FAULTS.length] ?? "500-before";
  return { run: ["apply", "--yes", ...ALLOW, ...JSON_OUT], faults: { schedule: [{ method, nth, fault }] } };
}

/** As often as it is tried. */
function everyRead({ seed }: Drawn): Step {
  const list = ["*/policies", "*/rulesets*", "*/logpush/jobs", "*/page_shield"][seed % 4] ?? "*";
  return {
    run: ["apply", "--yes", ...ALLOW, ...JSON_OUT],
    faults: { rates: [{ method: "GET", path: list, chance: 1, fault: "500-before" }] },
  };
}

function forbiddenRead({ seed }: Drawn) {
  const paths = [/\/zones\?/, /\/policies/, /\/rulesets/, /\/logpush\//, /\/page_shield$/];
  return { method: "GET", path: paths[seed % paths.length] ?? /./ };
}

function forbiddenWrite({ seed }: Drawn): string {
  return ["PUT", "POST", "PUT", "PATCH", "DELETE"][seed % 5] ?? "PUT";
}
