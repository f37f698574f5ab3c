import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, ROOT, reaching, zoneward } from "../support/cli.js";

/** The official Prometheus client, which CI installs. */
const python = path.join(ROOT, ".python/bin/python");
const isThere = existsSync(python);
if (!isThere)
  console.warn(`SKIPPED: the official Prometheus client reads metrics, because ${python} is missing. Install it with
  python3 -m venv .python && .python/bin/pip install prometheus-client==0.26.0`);

const READ = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families as read
json.dump([[each.name, each.type, bool(each.documentation), [[s.name, s.labels, s.value] for s in each.samples]]
  for each in read(sys.stdin.read())], sys.stdout)
`;

type Sample = readonly [name: string, labels: Readonly<Record<string, string>>, value: number];
type Family = readonly [name: string, type: string, isExplained: boolean, samples: readonly Sample[]];

function familiesIn(text: string): readonly Family[] {
  return JSON.parse(execFileSync(python, ["-c", READ], { input: text, encoding: "utf8" }));
}

async function metricsOf(command: string): Promise<readonly Family[]> {
  const seed = { zones: { "shop.example.com": {}, "blog.example.com": { policies: [BY_HAND, CHANGED] } } };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": FILES });
  await zoneward([command, "--metrics", "z.prom"], { cwd, env: reaching(emulator) });
  return familiesIn(await readFile(path.join(cwd, "z.prom"), "utf8"));
}

const BY_HAND = {
  description: "By hand",
  action: "log",
  enabled: true,
  expression: "true",
  value: "img-src *",
};
const CHANGED = { ...BY_HAND, description: "Shop", value: "script-src b.example" };
const FILES = `version: 1
zones:
  shop.example.com: { settings: { enabled: true } }
  blog.example.com:
    settings: { enabled: true }
    policies: [{ description: Shop, action: log, expression: "true", value: script-src a.example }]
  gone.example.com: { settings: { enabled: true } }
`;

describe.skipIf(!isThere)("the official Prometheus client", () => {
  test.each(["plan", "drift"])("reads the metrics of %s correctly", async (command) => {
    const families = await metricsOf(command);
    for (const [name, type, isExplained, samples] of families) {
      expect([name, type, isExplained]).toEqual([name, "gauge", true]);
      expect(samples.filter((sample) => sample[0] !== name)).toEqual([]);
    }
    const told = Object.fromEntries(families.map(([name, , , samples]) => [name, samples]));
    expect(told).toMatchObject({
      zoneward_run_good: [["zoneward_run_good", {}, 0]],
      zoneward_last_good_run_timestamp_seconds: [],
      zoneward_zones: [
        ["zoneward_zones", { status: "planned" }, 2],
        ["zoneward_zones", { status: "failed" }, 1],
      ],
      zoneward_unmanaged_objects: [
        ["zoneward_unmanaged_objects", { kind: "policy", known: "not_listed" }, 1],
      ],
    });
    const counted = command === "plan" ? "zoneward_changes" : "zoneward_drifted_objects";
    const kinds = told[counted]?.map(([, { kind }, value]) => [kind, value]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        ["settings", 2],
        ["policy", 1],
      ]),
    );
  });
});
