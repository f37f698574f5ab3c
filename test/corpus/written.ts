import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import type { Dialect, Seed } from "../../src/index.js";
import { ROOT } from "../support/cli.js";
import { parseScenario, type Round, roundsOf, type Scenario, sectionText } from "../support/scenario.js";
import type { Step, Story } from "./record.js";

const SCENARIOS = path.join(ROOT, "test/scenarios");
const EXAMPLES = path.join(ROOT, "examples");

/** The scenarios and the examples: each round planned, as drift too where it has a base, applied, and in the end taken back. */
export async function writtenStories(): Promise<ReadonlyMap<string, readonly Story[]>> {
  const files = (await readdir(SCENARIOS)).filter((file) => file.endsWith(".txt")).sort();
  const stories = await Promise.all(files.map(storiesOf));
  const of = (dialect: Dialect) => stories.flat().filter((each) => each.dialect === dialect);
  return new Map([
    ["scenarios-service", of("service")],
    ["scenarios-interface", of("interface")],
    ["examples", await exampleStories()],
  ]);
}

async function storiesOf(file: string): Promise<readonly Story[]> {
  const scenario = parseScenario(await readFile(path.join(SCENARIOS, file), "utf8"));
  const dialects = sectionText(scenario, "dialects")?.trim().split(/\s+/) ?? ["service", "interface"];
  return dialects.map((dialect) => ({
    name: file.replace(".txt", ""),
    dialect: dialect as Dialect, // a scenario's are
    live: yamlOf<Seed>(scenario, "live", "zones: {}"),
    emulator: yamlOf(scenario, "emulator", "{}"),
    environment: yamlOf(scenario, "environment", "{}"),
    steps: stepsOf(scenario),
  }));
}

function yamlOf<Value>(scenario: Scenario, section: string, otherwise: string): Value {
  return parse(sectionText(scenario, section) ?? otherwise) as Value; // a scenario says what it needs
}

function stepsOf(scenario: Scenario): readonly Step[] {
  const rounds = roundsOf(scenario).flatMap(roundSteps);
  return [...rounds, { run: ["rollback", "JOURNAL", "--yes", "--format", "json"] }];
}

function roundSteps({ config, expected }: Round): readonly Step[] {
  const base = expected.get("base");
  const today = expected.get("today")?.trim();
  const allow = (expected.get("allow") ?? "").split(/\s+/).filter((name) => name !== "");
  const words = [
    ...(base === undefined ? [] : ["--base", "before"]),
    ...allow.flatMap((name) => ["--allow", name]),
    ...["--format", "json"],
  ];
  const run = (...run: readonly string[]): Step => ({ run, ...(today === undefined ? {} : { today }) });
  return [
    { files: { "zoneward.yaml": config, "before/zoneward.yaml": base ?? null } },
    ...(base === undefined && !expected.has("drift") ? [] : [run("drift", ...words)]),
    run("plan", ...words, "-o", "plan.json"),
    run("apply", "plan.json", ...words),
  ];
}

async function exampleStories(): Promise<readonly Story[]> {
  const complete = await readFile(path.join(EXAMPLES, "complete.yaml"), "utf8");
  const live = parse(await readFile(path.join(EXAMPLES, "complete.live.yaml"), "utf8")) as Seed; // it is one
  const secrets = [...complete.matchAll(/\$\{(?:env|secret):(\w+)/g)].map(([, name = ""]) => name);
  const environment = Object.fromEntries(secrets.map((name) => [name, `https://logs.example/${name}`]));
  const json = ["--format", "json"];
  const steps: readonly Step[] = [
    { files: { "zoneward.yaml": complete } },
    { run: ["validate", ...json] },
    { run: ["permissions", ...json] },
    { run: ["drift", ...json] },
    { run: ["plan", ...json, "--max-age", "60"] },
    { run: ["plan", ...json, "--fail-on", "weakens", "--fail-on", "unmanaged", "--fail-on", "deletes"] },
    { run: ["apply", ...json, "--yes"] },
    { run: ["plan", ...json] },
    { run: ["rollback", "JOURNAL", ...json, "--yes"] },
  ];
  return [{ name: "complete", dialect: "service", live, environment, steps }];
}
