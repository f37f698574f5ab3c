import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const FILES = `version: 1\nzones:\n  ${ZONE}:\n    settings: { enabled: true }\n    policies: []\n`;

/** A line of the format in https://prometheus.io/docs/instrumenting/exposition_formats/. */
const LINE =
  /^(?:# HELP [a-z_]+ [^\n]+|# TYPE [a-z_]+ gauge|[a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})? [\d.e+-]+)$/;

async function story() {
  const emulator = await createEmulator({
    seed: {
      zones: {
        [ZONE]: {
          policies: [
            { description: "By hand", action: "log", enabled: true, expression: "true", value: "img-src *" },
          ],
        },
      },
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": FILES });
  const run = async (...args: readonly string[]) => {
    const { code, err } = await zoneward([...args, "--metrics", "z.prom"], { cwd, env: reaching(emulator) });
    const text = await readFile(path.join(cwd, "z.prom"), "utf8").catch(() => "");
    expect(text.endsWith("\n")).toBe(true);
    for (const line of text.trimEnd().split("\n")) expect(line).toMatch(LINE);
    return { code, err, text };
  };
  return { cwd, emulator, run };
}

const goodAt = (text: string) => Number(/^zoneward_last_good_run_timestamp_seconds (\S+)$/m.exec(text)?.[1]);

test("drift counts changes made outside the files by kind and effect", async () => {
  const { run } = await story();
  const { code, text } = await run("drift");
  expect(code).toBe(0);
  expect(text).toContain('zoneward_zones{status="planned"} 1\n');
  expect(text).toContain('zoneward_drifted_objects{kind="settings",effect="weakens"} 1\n');
  expect(text).toContain('zoneward_unmanaged_objects{kind="policy",known="not_listed"} 1\n');
  expect(text).toContain("zoneward_failed_jobs 0\n");
  expect(text).toMatch(/^zoneward_requests [1-9]\d*$/m);
  expect(text).toContain("zoneward_run_good 1\n");
  expect(Math.abs(goodAt(text) - Date.now() / 1000)).toBeLessThan(60);
  expect(text).not.toContain("zoneward_changes");
  expect((await run("plan")).text).toMatch(/^zoneward_changes\{kind="settings",effect="\w+"\} 1$/m);
});

test("a failed run keeps the time of the last good run", async () => {
  const { run, cwd } = await story();
  const before = goodAt((await run("drift")).text);
  await writeFile(
    path.join(cwd, "zoneward.yaml"),
    `${FILES}  gone.example.com: { settings: { enabled: true } }\n`,
  );
  const partly = await run("drift");
  expect(partly.code).toBe(1);
  expect(partly.text).toContain("zoneward_run_good 0\n");
  expect(partly.text).toContain('zoneward_zones{status="failed"} 1\n');
  expect(goodAt(partly.text)).toBe(before);
  await writeFile(path.join(cwd, "zoneward.yaml"), "version: 2\n");
  const none = await run("drift");
  expect([none.code, goodAt(none.text)]).toEqual([1, before]);
  expect(none.text).not.toContain("zoneward_zones");
});

test("a run that cannot start is not a good run", async () => {
  const { run, cwd } = await story();
  await run("drift");
  expect((await zoneward(["drift", "--metrics", "z.prom"], { cwd, env: {} })).code).toBe(1);
  expect(await readFile(path.join(cwd, "z.prom"), "utf8")).toContain("zoneward_run_good 0\n");
});

test.each([
  ["no/such/z.prom", "Does its folder exist?"],
  [
    "zoneward.yaml",
    "zoneward.yaml exists and is not a file of metrics that zoneward wrote. Name another file.",
  ],
])("unwritable metrics are an error, and other files are kept: %s", async (file, said) => {
  const { cwd, emulator } = await story();
  const { code, err } = await zoneward(["drift", "--metrics", file], { cwd, env: reaching(emulator) });
  expect(code).toBe(1);
  expect(err).toContain(said);
  expect(await readFile(path.join(cwd, "zoneward.yaml"), "utf8")).toBe(FILES);
});
