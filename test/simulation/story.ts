import { idOf } from "../../src/emulator/ids.js";
import { type Dialect, type Edit, type FaultName, faultNames } from "../../src/emulator/index.js";
import type { JsonObject } from "../../src/model/json.js";
import { fc } from "../support/random.js";
import { overlapping } from "../support/random-protection.js";
import { liveZone, zone as zoneBody } from "../support/random-zones.js";
import { declaredJobs, liveJobs } from "./planted.js";

/** Everything that will happen, decided in advance by the seed. */
export interface Story {
  readonly seed: number;
  readonly dialect: Dialect;
  readonly zones: readonly ZoneStory[];
  readonly chapters: readonly Chapter[];
  /** A final rollback of the last apply that wrote a journal. Null: none. */
  readonly rollback: { readonly tries: readonly Disturbance[] } | null;
}

export interface ZoneStory {
  readonly name: string;
  readonly id: string;
  /** Whether the files contain the id; otherwise it is looked up. */
  readonly isPinned: boolean;
  readonly live: JsonObject;
  /** The contents of the files, first and later. */
  readonly bodies: readonly [JsonObject, JsonObject];
}

/** One state of the files, applied until everything is done. */
export interface Chapter {
  readonly body: 0 | 1;
  readonly guardrails: JsonObject | null;
  /** Null: plan and apply in one step. */
  readonly saved: Saved | null;
  /** Disturbed applies. An undisturbed one follows. */
  readonly tries: readonly Disturbance[];
  /** The first disturbed apply is rolled back instead of finished. */
  readonly isTakenBack: boolean;
}

/** A plan saved to a file, and what happens before it is applied. */
export interface Saved {
  readonly between: readonly OthersEdit[];
  readonly tampered: "a body" | "a call less" | "a path" | "what is shown" | null;
  readonly areFilesChanged: boolean;
}

export interface Disturbance {
  readonly faults: readonly { readonly at: Moment; readonly fault: FaultName; readonly times: number }[];
  readonly edits: readonly {
    readonly at: Moment;
    readonly when: "before" | "after";
    readonly others: OthersEdit;
  }[];
  /** Changes made by others while the plan awaits confirmation. */
  readonly meanwhile: OthersEdit | null;
  readonly end: Kill | Interruption | null;
}

/** A request of the run: the nth of all requests, or of the writes. */
export interface Moment {
  readonly method?: "write";
  readonly nth: number;
}

/** The process dies. */
export interface Kill {
  readonly as: "kill";
  readonly at: Moment;
  /** Before or after the effect of the request. */
  readonly when: "before" | "after";
  /** The part of the journal since the last effect that reached the disk, from 0 to 1. The last line may be torn. */
  readonly kept: number;
  /** The whole journal is lost. */
  readonly isJournalLost: boolean;
}

/** A signal tells the process to end. */
export interface Interruption {
  readonly as: "interruption";
  readonly at: Moment;
}

export interface OthersEdit {
  /** Whether the change affects nothing that the files may declare. */
  readonly isBeside: boolean;
  readonly edit: Edit;
}

/** Gives the same story for the same seed. */
export function storyOf(seed: number): Story {
  const [story] = fc.sample(fc.noBias(stories), { seed: spread(seed), numRuns: 1 });
  if (story === undefined) throw new Error("one was asked for");
  return { seed, ...story };
}

/** Mixes the seed, because stories of adjacent seeds would start alike. */
function spread(seed: number): number {
  return Number.parseInt(idOf("story", seed).slice(0, 8), 16) | 0;
}

const ZONES = ["a.example.com", "b.example.com"];

/** A file or a live zone from the generators. */
type Body = { readonly [field: string]: unknown };

const pairs: fc.Arbitrary<{ readonly live: Body; readonly first: Body; readonly second: Body }> = fc.oneof(
  fc.record({ live: liveZone, first: zoneBody, second: zoneBody }),
  fc
    .record({ one: overlapping, other: overlapping })
    .map(({ one, other }) => ({ live: one.live, first: one.zone, second: other.zone })),
);

const rarely = fc.integer({ min: 1, max: 8 }).map((drawn) => drawn === 8);
const foreignRules = fc.constantFrom("first", "last", "none");

function zoneStory(index: number, dialect: Dialect): fc.Arbitrary<ZoneStory> {
  return fc
    .record({ pair: pairs, foreignRule: foreignRules, isPinned: fc.boolean(), hasTwins: rarely })
    .map(({ pair: { live, first, second }, foreignRule, isPinned, hasTwins }) => {
      const body = (drawn: Body) => plainly(bodyFor(drawn, live, dialect));
      return {
        name: ZONES[index] ?? "",
        id: "ab".charAt(index).repeat(32),
        isPinned,
        live: plainly(withForeign(live, foreignRule, index, hasTwins)),
        bodies: [body(first), body(second)],
      };
    });
}

/** In the form of a file. */
function plainly(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** The interface dialect has no zone settings and cannot list jobs, so neither converges there. */
function bodyFor(drawn: Body, live: Body, dialect: Dialect): Body {
  const { policies, custom_rules: rules, rate_limits: limits, prune, ...others } = drawn;
  const { logpush_jobs: jobs, zone_settings: settings, ...rest } = others;
  const sections = {
    ...rest,
    ...(policies === undefined ? {} : { policies: creatable(policies, live.policies, POLICY) }),
    ...(rules === undefined ? {} : { custom_rules: creatable(rules, rulesIn(live, CUSTOM), RULE) }),
    ...(limits === undefined ? {} : { rate_limits: creatable(limits, rulesIn(live, LIMITS), LIMIT) }),
    ...(settings === undefined || dialect === "interface" ? {} : { zone_settings: settings }),
    ...(jobs === undefined || dialect === "interface"
      ? {}
      : { logpush_jobs: declaredJobs(creatable(jobs, live.logpush_jobs, JOB)) }),
  };
  // Only sections in the file can be pruned.
  const lists = ((prune ?? []) as readonly string[]).filter((list) => list in sections);
  return lists.length === 0 ? sections : { ...sections, prune: lists };
}

const POLICY = { action: "allow", expression: "true", value: "script-src 'self'" };
const RULE = { action: "block", expression: "true" };
const LIMIT = { ...RULE, characteristics: ["ip.src"], period: 10, requests_per_period: 5 };
const JOB = { dataset: "http_requests", destination_conf: "https://b.example/logs", fields: ["RayID"] };

/** Objects that are not live need all required fields, or the whole file would be refused. */
function creatable(entries: unknown, live: unknown, needed: Body): unknown {
  const nameOf = ({ description, name }: Body) => description ?? name;
  const names = new Set(((live ?? []) as readonly Body[]).map(nameOf));
  return withClearRenames(entries as readonly Body[]).map((entry) =>
    names.has(nameOf(entry)) || "ensure" in entry ? entry : { ...needed, ...entry },
  );
}

/** A declared name, and a name with two successors, cannot be a former name. */
function withClearRenames(entries: readonly Body[]): readonly Body[] {
  const taken = new Set(entries.map(({ description }) => description));
  return entries.map((entry) => {
    const { renamed_from: former, ...rest } = entry;
    if (former === undefined || taken.has(former)) return rest;
    taken.add(former);
    return entry;
  });
}

function rulesIn({ rulesets = [] }: Body, phase: string): unknown {
  const lists = rulesets as readonly { readonly phase: string; readonly rules: readonly unknown[] }[];
  return lists.find((list) => list.phase === phase)?.rules ?? [];
}

const WAF = "http_request_firewall_managed";
const CUSTOM = "http_request_firewall_custom";
const LIMITS = "http_ratelimit";
const LOG_FIELDS = "http_log_custom_fields";

/** Each zone has undeclared objects besides those that the files may declare. */
function withForeign(live: Body, foreignRule: string, index: number, hasTwins: boolean): Body {
  const {
    policies = [],
    logpush_jobs: jobs = [],
    rulesets = [],
  } = live as { readonly [part: string]: unknown[] };
  const policy = { action: "log", enabled: true, expression: "true", value: "img-src 'self'" };
  const rule = { description: "Foreign", action: "skip", action_parameters: { ruleset: "current" } };
  const job = { id: 900 + index, name: "foreign", dataset: "dns_logs", enabled: true };
  const lists = rulesets as readonly { readonly phase: string; readonly rules: readonly unknown[] }[];
  const others = lists.filter(({ phase }) => phase !== WAF);
  const own = lists.find(({ phase }) => phase === WAF)?.rules ?? [];
  const foreign = { id: `${"ab".charAt(index)}e`.repeat(16), expression: "true", ...rule };
  const rules = foreignRule === "first" ? [foreign, ...own] : [...own, foreign];
  return {
    ...live,
    policies: [
      { id: `${"ab".charAt(index)}f`.repeat(16), description: "Foreign", ...policy },
      ...(hasTwins ? policies : distinct(policies)),
    ],
    logpush_jobs: [
      // A job without a declared name cannot be restored by a rollback, because no file has its destination.
      ...liveJobs((jobs as readonly Body[]).filter(({ name }) => name !== undefined)),
      { ...job, ...liveJobs([{ destination_conf: "https://a.example/logs" }])[0] },
    ],
    rulesets: foreignRule === "none" ? lists : [...others, { phase: WAF, rules }],
  };
}

function distinct(policies: readonly unknown[]): readonly unknown[] {
  const all = policies as readonly { readonly description: string }[];
  return [...new Map(all.map((each) => [each.description, each])).values()];
}

const MINE = fc.constantFrom("connect-src mine.example", "script-src mine.example");
const pooled = fc.constantFrom("A", "B", "C", "D", "E");
const jobNames = fc.constantFrom("j", "k", "l");
const ruleNames = fc.constantFrom("R", "S", "T");
const newPolicy = { action: "log", enabled: true, expression: "true" };

function besideEdits(zone: string): fc.Arbitrary<OthersEdit> {
  const foreign = { description: "Foreign" };
  const edits = fc.oneof<fc.Arbitrary<Edit>[]>(
    fc.record({ value: MINE, nth: fc.integer({ min: 1, max: 99 }) }).map(({ value, nth }) => ({
      edit: "policy",
      zone,
      add: { ...newPolicy, description: `Added ${nth}`, value },
    })),
    MINE.map((value) => ({ edit: "policy", zone, where: foreign, set: { value } })),
    fc.constant({ edit: "policy", zone, where: foreign, remove: true }),
    fc.constant({ edit: "logpush_job", zone, where: { name: "foreign" }, set: { enabled: false } }),
    fc.constant({ edit: "rule", zone, phase: WAF, where: foreign, set: { enabled: false } }),
    fc.constant({
      edit: "rule",
      zone,
      phase: WAF,
      add: {
        description: "Added",
        expression: "true",
        action: "skip",
        action_parameters: { ruleset: "current" },
      },
    }),
    fc.constantFrom(CUSTOM, LIMITS).map((phase) => ({
      edit: "rule",
      zone,
      phase,
      where: { description: "Office" },
      set: { enabled: false },
    })),
    fc.constant({
      edit: "rule",
      zone,
      phase: CUSTOM,
      add: { description: "Added", expression: "true", action: "log" },
    }),
    fc.constantFrom("on", "off").map((ipv6) => ({ edit: "zone_settings", zone, set: { ipv6 } })),
  );
  return edits.map((edit) => ({ isBeside: true, edit }));
}

function drifts(zone: string): fc.Arbitrary<OthersEdit> {
  const edits = fc.oneof<fc.Arbitrary<Edit>[]>(
    fc
      .record({ description: pooled, value: MINE })
      .map(({ description, value }) => ({ edit: "policy", zone, where: { description }, set: { value } })),
    fc.record({ description: pooled, enabled: fc.boolean() }).map(({ description, enabled }) => ({
      edit: "policy",
      zone,
      where: { description },
      set: { enabled },
    })),
    pooled.map((description) => ({ edit: "policy", zone, where: { description }, remove: true })),
    fc
      .record({ description: pooled, value: MINE })
      .map((added) => ({ edit: "policy", zone, add: { ...newPolicy, ...added } })),
    fc.boolean().map((enabled) => ({ edit: "settings", zone, set: { enabled } })),
    fc.boolean().map((enabled) => ({
      edit: "rule",
      zone,
      phase: WAF,
      where: { action: "execute" },
      set: { enabled },
    })),
    fc.constantFrom(WAF, LOG_FIELDS).map((phase) => ({
      edit: "rule",
      zone,
      phase,
      where: { action: phase === WAF ? "execute" : "log_custom_field" },
      remove: true,
    })),
    fc
      .record({ name: jobNames, enabled: fc.boolean() })
      .map(({ name, enabled }) => ({ edit: "logpush_job", zone, where: { name }, set: { enabled } })),
    jobNames.map((name) => ({ edit: "logpush_job", zone, where: { name }, remove: true })),
    fc
      .record({ phase: fc.constantFrom(CUSTOM, LIMITS), description: ruleNames, enabled: fc.boolean() })
      .map(({ phase, description, enabled }) => ({
        edit: "rule",
        zone,
        phase,
        where: { description },
        set: { enabled },
      })),
    fc
      .record({ phase: fc.constantFrom(CUSTOM, LIMITS), description: ruleNames })
      .map(({ phase, description }) => ({ edit: "rule", zone, phase, where: { description }, remove: true })),
    // No file has these values.
    fc
      .subarray<[string, string]>(
        [
          ["ssl", "off"],
          ["min_tls_version", "1.1"],
        ],
        { minLength: 1 },
      )
      .map((set) => ({ edit: "zone_settings", zone, set: Object.fromEntries(set) })),
  );
  return edits.map((edit) => ({ isBeside: false, edit }));
}

const moments: fc.Arbitrary<Moment> = fc.oneof(
  fc.record({ method: fc.constant("write" as const), nth: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ nth: fc.integer({ min: 1, max: 40 }) }),
);
const sides = fc.constantFrom("before" as const, "after" as const);

/** Without hanging and dripping faults, which need a real clock. Another test covers them. */
export const FAULTS = faultNames.filter((name) => !/^(hang|drip)/.test(name));

/** Once, as often as a read is retried, or until all retries fail. */
const times = fc.constantFrom(1, 1, 1, 6, 60);

const ends = fc.oneof(
  { arbitrary: fc.constant(null), weight: 3 },
  {
    arbitrary: fc.record<Kill>({
      as: fc.constant("kill"),
      at: moments,
      when: sides,
      kept: fc.constantFrom(1, 1, 0.9, 0.5, 0.1, 0),
      isJournalLost: fc.constantFrom(false, false, true),
    }),
    weight: 5,
  },
  { arbitrary: fc.record<Interruption>({ as: fc.constant("interruption"), at: moments }), weight: 1 },
);

const guardrails = fc.constantFrom<JsonObject | null>(
  ...Array.from({ length: 40 }, () => null),
  { max_changes: 0 },
  { max_deletes: 0 },
  { forbid: ["weakens"] },
);

const tampered = fc.constantFrom(
  ...([null, null, null, "a body", "a call less", "a path", "what is shown"] as const),
);

const stories: fc.Arbitrary<Omit<Story, "seed">> = fc
  .record({
    dialect: fc.constantFrom<Dialect>("service", "service", "service", "interface"),
    zones: fc.constantFrom(1, 1, 2),
    edits: fc.constantFrom("none", "none", "beside", "any"),
  })
  .chain(({ dialect, zones, edits }) => {
    const names = ZONES.slice(0, zones);
    const edit = fc
      .constantFrom(...names)
      .chain((name) => (edits === "any" ? fc.oneof(besideEdits(name), drifts(name)) : besideEdits(name)));
    const most = edits === "none" ? 0 : 1;
    const disturbance = fc.record<Disturbance>({
      faults: fc.array(fc.record({ at: moments, fault: fc.constantFrom(...FAULTS), times }), {
        maxLength: 2,
      }),
      edits: fc.array(fc.record({ at: moments, when: sides, others: edit }), { maxLength: 2 * most }),
      meanwhile: most === 0 ? fc.constant(null) : fc.option(edit, { freq: 3 }),
      end: ends,
    });
    const saved = fc.record({
      between: fc.array(edit, { maxLength: most }),
      tampered,
      areFilesChanged: fc.constantFrom(false, false, false, true),
    });
    const chapter = (body: 0 | 1) =>
      fc.record<Chapter>({
        body: fc.constant(body),
        guardrails,
        saved: fc.option(saved, { freq: 2 }),
        tries: fc.array(disturbance, { maxLength: 2 }),
        isTakenBack: fc.constantFrom(false, false, true),
      });
    return fc.record({
      dialect: fc.constant(dialect),
      zones: fc.tuple(...names.map((_, index) => zoneStory(index, dialect))),
      chapters: fc.oneof(fc.tuple(chapter(0)), fc.tuple(chapter(0), chapter(1))),
      rollback: fc.option(fc.record({ tries: fc.array(disturbance, { maxLength: 1 }) })),
    });
  });
