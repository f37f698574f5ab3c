import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  apply,
  createEmulator,
  type Dialect,
  drift,
  type Emulator,
  type PlanDocument,
  type Problem,
  plan,
  ready,
  type Seed,
  suggest,
} from "../src/index.js";
import { type Palette, palette } from "../src/render/palette.js";
import { readyText } from "../src/render/ready-text.js";
import { suggestText } from "../src/render/suggest-text.js";
import { showPlan } from "../src/run/plan-formats.js";
import { itIs } from "./support/clock.js";
import { objectsOf } from "./support/objects.js";
import { checkRequest, checkResponse, openapiAvailable } from "./support/openapi.js";
import {
  formatScenario,
  parseScenario,
  type Round,
  roundsOf,
  type Scenario,
  sectionText,
} from "./support/scenario.js";
import { zoneByZone } from "./support/zone-by-zone.js";

/**
 * Each scenario file is a live state and rounds. A round is a desired state with its expected output. Every round is
 * planned, applied and planned again, in both dialects. The second plan must be empty.
 *
 * Sections before the first `config`, for the whole file: `live` (a seed), `dialects`, `environment` (variables; values of
 * those named SECRET… must never be printed), `events` and `requests` (log lines), `emulator` (options such as limits),
 * and `beyond the schema` (why live objects differ from the published schema).
 *
 * Sections of a round: `config`, `base` (the config before it), `today` (the date), `allow`, `only` (the targets, one a line),
 * and the expected `plan`, `drift`, `ready`, `suggest`, `calls`, `calls (interface)` and `problems`.
 *
 * UPDATE_SCENARIOS=1 rewrites the expectations. Review the diff before you commit it.
 */
const FOLDER = path.join(import.meta.dirname, "scenarios");
const updating = process.env.UPDATE_SCENARIOS === "1";

const files = (await readdir(FOLDER)).filter((file) => file.endsWith(".txt")).sort();

for (const file of files) {
  const text = await readFile(path.join(FOLDER, file), "utf8");
  const scenario = parseScenario(text);
  const dialects = (sectionText(scenario, "dialects")?.trim().split(/\s+/) ?? [
    "service",
    "interface",
  ]) as Dialect[];
  describe.each(dialects)(`${file}: ${scenario.title} (%s)`, (dialect) => {
    let emulator: Emulator;
    let folder: string;
    beforeEach(async () => {
      emulator = await createEmulator({
        ...yamlMap(sectionText(scenario, "emulator")),
        dialect,
        seed: parse(sectionText(scenario, "live") ?? "zones: {}") as Seed,
      });
      folder = await mkdtemp(path.join(tmpdir(), "zoneward-scenario-"));
    });
    afterEach(async () => {
      await emulator.close();
      await rm(folder, { recursive: true });
    });
    test("each round plans as expected, applies, and then has no changes", async () => {
      const actual: ReadonlyMap<string, string>[] = [];
      const environment = yamlMap(sectionText(scenario, "environment"));
      const logs = await writeLogs(scenario, folder);
      for (const round of roundsOf(scenario))
        actual.push(await playRound(round, emulator, folder, dialect, environment, logs));
      const odd = sectionText(scenario, "beyond the schema") !== undefined;
      if (openapiAvailable && dialect === "service" && !odd) expectConforming(emulator);
      if (updating) await update(path.join(FOLDER, file), actual);
    });
  });
}

/** The log files, as options of a plan. */
type Logs = { [option in "events" | "requests"]?: readonly string[] };

async function writeLogs(scenario: Scenario, folder: string): Promise<Logs> {
  const logs: Logs = {};
  for (const option of ["events", "requests"] as const) {
    const lines = sectionText(scenario, option);
    if (lines === undefined) continue;
    await writeFile(path.join(folder, `${option}.log`), lines);
    logs[option] = [`${option}.log`];
  }
  return logs;
}

async function playRound(
  round: Round,
  emulator: Emulator,
  folder: string,
  dialect: Dialect,
  environment: Readonly<Record<string, string>>,
  logs: Logs,
): Promise<ReadonlyMap<string, string>> {
  await writeFile(path.join(folder, "zoneward.yaml"), round.config);
  const base = round.expected.get("base");
  await mkdir(path.join(folder, "before"), { recursive: true });
  if (base !== undefined) await writeFile(path.join(folder, "before/zoneward.yaml"), base);
  const today = round.expected.get("today")?.trim();
  if (today !== undefined) itIs(today);
  const options = {
    ...logs,
    ...(base === undefined ? {} : { base: "before" }),
    cwd: folder,
    environment: {
      ...environment,
      CLOUDFLARE_API_TOKEN: emulator.token,
      CLOUDFLARE_BASE_URL: emulator.url,
    },
    rateLimit: "off",
    only: (round.expected.get("only") ?? "").split("\n").filter((name) => name !== ""),
    allow: (round.expected.get("allow") ?? "").split(/\s+/).filter((name) => name !== ""),
  };
  const firstRequest = emulator.log.length;
  const before = emulator.state();
  const planned = await plan(options);
  expect(emulator.writes().length, "planning sends no writes").toBe(writesBefore(emulator, firstRequest));
  expectNoSecret(planned, environment);
  const actual = new Map([["problems", problemsOf(planned.problems)]]);
  if (round.expected.has("drift")) {
    const { document } = await drift(options);
    if (document !== null) actual.set("drift", showPlan(document, false, false, "drift"));
  }
  if (round.expected.has("ready")) actual.set("ready", textOf(await ready(options), readyText));
  if (round.expected.has("suggest")) actual.set("suggest", textOf(await suggest(options), suggestText));
  if (planned.document !== null) {
    actual.set("plan", showPlan(planned.document, false, false));
    actual.set(callsSection(dialect), callsOf(planned.document));
  }
  if (!updating) expectAsTold(round, actual, dialect);
  const config = parse(round.config) as Config; // planning has accepted it
  const managed = base === undefined ? [config] : [config, parse(base) as Config];
  expectOnlyManaged(emulator, firstRequest, managed);
  if (planned.document !== null) await applyAndCheck(planned.document, options, config, emulator, before);
  return actual;
}

/** A report as a terminal without colours shows it. */
function textOf<Report>(
  { report }: { readonly report: Report | null },
  text: (report: Report, colors: Palette) => string,
): string {
  return report === null ? "" : text(report, palette(false));
}

function yamlMap(text: string | undefined): Readonly<Record<string, string>> {
  return (text === undefined ? {} : parse(text)) as Record<string, string>; // scenario files are trusted
}

function writesBefore(emulator: Emulator, index: number): number {
  return emulator.log.slice(0, index).filter(({ method }) => method !== "GET").length;
}

function expectAsTold(round: Round, actual: ReadonlyMap<string, string>, dialect: Dialect): void {
  for (const name of ["plan", "drift", "ready", "suggest", "problems"]) {
    const expected = round.expected.get(name);
    if (expected !== undefined) expect(trimmed(actual.get(name)), name).toBe(trimmed(expected));
  }
  if (!round.expected.has("problems")) expect(actual.get("problems")).toBe("");
  const calls = round.expected.get(callsSection(dialect));
  if (calls !== undefined) expect(trimmed(actual.get(callsSection(dialect))), "calls").toBe(trimmed(calls));
}

function callsSection(dialect: Dialect): string {
  return dialect === "interface" ? "calls (interface)" : "calls";
}

function trimmed(text: string | undefined): string | undefined {
  return text?.trimEnd();
}

function problemsOf(problems: readonly Problem[]): string {
  return problems
    .map(
      ({ severity, code, at, detail }) =>
        `${at === null ? "-" : `${at.line}:${at.column}`} ${severity} ${code}: ${detail.replace(REQUEST_ID, "")}\n`,
    )
    .join("");
}

/** Request ids differ in every run. */
const REQUEST_ID = / \(request id [^)]*\)/g;

function callsOf(document: PlanDocument): string {
  return document.calls
    .map(
      ({ method, path: at, body }) => `${method} ${at}${body === null ? "" : ` ${JSON.stringify(body)}`}\n`,
    )
    .join("");
}

/**
 * Expects no request for sections that neither the config nor the base declares. One exception: a plan for policies reads
 * the settings, because detection affects what a change of a policy means.
 */
function expectOnlyManaged(emulator: Emulator, from: number, configs: readonly Config[]): void {
  const bodies = configs.flatMap(({ zones = {} }) => Object.values(zones));
  if (bodies.some((body) => body.extends !== undefined) || configs.some((each) => "defaults" in each)) return;
  const isRead = bodies.some((body) => body.policies !== undefined);
  const requests = emulator.log.slice(from);
  const paths = requests.flatMap(({ method, path: asked }) =>
    isRead && method === "GET" && pathsOf.settings?.(asked) ? [] : [asked],
  );
  for (const [section, isIts] of Object.entries(pathsOf))
    if (!bodies.some((body) => section.split(" ").some((each) => body[each] !== undefined)))
      expect(paths.filter(isIts), section).toEqual([]);
}

/** The requests of each section. Sections that share their requests share an entry. */
const pathsOf: { readonly [section: string]: (path: string) => boolean } = {
  settings: (each) => each.endsWith("/page_shield"),
  policies: (each) => each.includes("/policies"),
  "managed_ruleset managed_rulesets managed_exceptions": (each) =>
    each.includes("http_request_firewall_managed") || each.startsWith("/accounts/"),
  custom_log_fields: (each) => each.includes("http_log_custom_fields"),
  logpush_jobs: (each) => each.includes("/logpush/"),
  zone_settings: (each) => each.includes("/settings/"),
};

async function applyAndCheck(
  document: PlanDocument,
  options: Parameters<typeof apply>[0],
  config: Config,
  emulator: Emulator,
  before: Seed,
): Promise<void> {
  const refused = document.guardrails.some((each) => !each.allowed);
  const failed = document.zones.some((zone) => zone.status !== "planned");
  const written = emulator.writes().length;
  const applied = await apply({ ...options, plan: document });
  const writes = zoneByZone(emulator.writes().slice(written), document.calls);
  if (refused) {
    expect(writes, "a refusal by a guardrail prevents all writes").toEqual([]);
    return;
  }
  const sent = writes.map(({ method, path: at, body }) => ({ method, path: at, body }));
  const planned = document.calls.map((call) => ({
    method: call.method,
    path: withMadeIds(call, writes),
    body: withSecrets(call.body, config, options?.environment),
  }));
  expect(sent, "each zone gets the planned calls, in order").toEqual(planned);
  expect(writes.every(({ tookEffect }) => tookEffect)).toBe(true);
  expectForeignUntouched(document, before, emulator.state());
  expect(applied.report?.converged).toBe(!failed);
  expectNoSecret(applied, options?.environment);
  const again = await plan(options);
  expect(again.document?.calls, "a second plan is empty").toEqual([]);
}

/** A planned body with secret references replaced by their values. */
function withSecrets(
  body: PlanDocument["calls"][number]["body"],
  config: Config,
  environment: Environment = {},
): unknown {
  if (body === null) return null;
  const filled = Object.entries(body ?? {}).map(([field, value]) => {
    const [, source, name = ""] = /^\{"\$secret":"(env|file):(.*)"\}$/.exec(JSON.stringify(value)) ?? [];
    if (source === undefined) return [field, value];
    return [field, source === "env" ? environment[name] : inFile(name, config, environment)];
  });
  return Object.fromEntries(filled);
}

/** The value of `ZONE/KIND/NAME/FIELD` in the files: from the zone itself, else from the last template that sets it. */
function inFile(reference: string, config: Config, environment: Environment): unknown {
  const [, zone = "", name, field = ""] = /^([^/]+)\/logpush_job\/(.+)\/([^/]+)$/.exec(reference) ?? [];
  const found = layersOf(config.zones?.[zone] ?? {}, config)
    .flatMap(({ logpush_jobs: jobs = [] }) => jobs.filter((job) => job.name === name))
    .map((job) => field.split(".").reduce<unknown>((value, key) => (value as Layer)?.[key], job)) // a map or nothing
    .find((value) => value !== undefined);
  if (found === undefined) throw new Error(`the files have nothing for ${reference}`);
  return JSON.parse(JSON.stringify(found), (_, value) =>
    typeof value === "string" ? withVariables(value, environment) : value,
  );
}

function withVariables(text: string, environment: Environment): string {
  return text.replace(
    /\$\{(?:env|secret):(\w+)(?::-(.*?))?\}/g,
    (_, name: string, otherwise = "") => environment[name] ?? otherwise,
  );
}

function layersOf(body: Layer, config: Config): readonly Layer[] {
  const bases = (body.extends ?? []).toReversed();
  return [body, ...bases.flatMap((name) => layersOf(config.templates?.[name] ?? {}, config))];
}

/** The parts of a round's config that this file reads. */
interface Config {
  readonly zones?: { readonly [name: string]: Layer };
  readonly templates?: { readonly [name: string]: Layer };
  readonly [key: string]: unknown;
}

interface Layer {
  readonly extends?: readonly string[];
  readonly logpush_jobs?: readonly { readonly name: string; readonly [field: string]: unknown }[];
  readonly [section: string]: unknown;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The values of variables named SECRET… must never be printed. */
function expectNoSecret(output: unknown, environment: Environment = {}): void {
  const text = JSON.stringify(output);
  for (const [name, value] of Object.entries(environment))
    if (name.startsWith("SECRET")) expect(text, name).not.toContain(value ?? "");
}

/** The path of a call, with ids from the answers to earlier calls. */
function withMadeIds(
  { path: at }: PlanDocument["calls"][number],
  writes: ReturnType<Emulator["writes"]>,
): string {
  return at.replace(/\{result:(\d+)\}/g, (_, number) => {
    const answer = writes[Number(number) - 1]?.response as { result?: { id?: unknown } } | undefined; // an envelope
    return String(answer?.result?.id);
  });
}

/** Expects that objects without a change in the plan are byte for byte as before. */
function expectForeignUntouched(document: PlanDocument, before: Seed, after: Seed): void {
  const changed = new Set(document.changes.map(({ id, zone, kind }) => id ?? `${zone} ${kind}`));
  const now = objectsOf(after);
  const others = [...objectsOf(before)].filter(([key]) => !changed.has(key));
  for (const [key, text] of others) expect(now.get(key), key).toBe(text);
  const keys = others.map(([key]) => key);
  expect([...now.keys()].filter((key) => keys.includes(key))).toEqual(keys);
}

function expectConforming(emulator: Emulator): void {
  const findings = emulator.log.flatMap(({ method, path: at, body, status, response }) => [
    ...checkRequest(method, at, body),
    ...checkResponse(method, at, status ?? 0, response),
  ]);
  expect(findings, "requests and answers that violate the published schema").toEqual([]);
}

async function update(file: string, actual: readonly ReadonlyMap<string, string>[]): Promise<void> {
  const text = await readFile(file, "utf8");
  let round = -1;
  const head = text.slice(0, text.search(/^=== /m));
  const sections = parseScenario(text).sections.map((section) => {
    if (section.name === "config") round++;
    const fresh = actual[round]?.get(section.name);
    return fresh === undefined
      ? section
      : { name: section.name, text: fresh.endsWith("\n") || fresh === "" ? fresh : `${fresh}\n` };
  });
  await writeFile(file, formatScenario(head, sections));
}
