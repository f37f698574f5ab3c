import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type Dialect, plan, rollback } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

const ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353";
const ZONE = "a.example.com";
const ID = "a".repeat(32);

/** Declared before and after. Each section is one change of one object. */
const CHANGES: Readonly<Record<string, readonly [before: object, after: object]>> = {
  settings: [{ enabled: true }, { enabled: true, use_connection_url_path: true }],
  policies: [
    [{ description: "P", action: "log", expression: "true", value: "script-src 'self'" }],
    [{ description: "P", action: "log", expression: "true", value: "script-src 'none'" }],
  ],
  managed_ruleset: [{ paranoia_level: "PL2" }, { paranoia_level: "PL3" }],
  custom_log_fields: [{ request_fields: ["x-a"] }, { request_fields: ["x-a", "x-b"] }],
  logpush_jobs: [
    [{ name: "j", dataset: "http_requests", destination_conf: "https://logs.example/x", fields: ["RayID"] }],
    [
      {
        name: "j",
        dataset: "http_requests",
        destination_conf: "https://logs.example/x",
        fields: ["ClientIP"],
      },
    ],
  ],
};

/** Sections whose list of rules is replaced, which needs one more read. */
const LISTS = ["custom_log_fields"];

/** The requests that an apply makes in addition to those of its plan. */
async function costs(changed: readonly string[], dialect: Dialect, place: object = {}) {
  const seed = { account_id: ACCOUNT, zones: { [ZONE]: { id: ID } } };
  const emulator = await createEmulator({ seed, dialect });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const declare = (isAfter: (section: string) => boolean) => {
    const sections = Object.entries(CHANGES).filter(
      ([section]) => dialect === "service" || section !== "logpush_jobs",
    );
    const body = sections.map(([section, [before, after]]) => [section, isAfter(section) ? after : before]);
    const zones = { [ZONE]: { ...place, ...Object.fromEntries(body) } };
    return writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones }));
  };
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  await declare(() => false);
  expect((await apply(options)).report?.converged).toBe(true);
  await declare((section) => changed.includes(section));
  const before = emulator.log.length;
  const { document } = await plan(options);
  const toPlan = emulator.log.length - before;
  expect(document?.changes.map(({ kind }) => kind)).toHaveLength(changed.length);
  const { report } = await apply(options);
  expect(report?.converged).toBe(true);
  const paths = emulator.log.slice(before + 2 * toPlan).map((each) => `${each.method} ${each.path}`);
  const applied = emulator.log.length;
  expect((await rollback(report?.journal ?? "", options)).report?.converged).toBe(true);
  const undone = emulator.log.slice(applied).map((each) => `${each.method} ${each.path}`);
  return { paths, undone, writes: report?.outcomes.length ?? 0 };
}

describe.each(["service", "interface"] as const)(
  "an apply reads only the changed objects (%s)",
  (dialect) => {
    const sections = Object.keys(CHANGES).filter((each) => dialect === "service" || each !== "logpush_jobs");

    test.each(sections.map((each) => [each]))("%s: once before and once after the write", async (section) => {
      const { paths, writes } = await costs([section], dialect);
      expect([paths.length, writes], paths.join("\n")).toEqual([
        2 + 1 + (LISTS.includes(section) ? 1 : 0),
        1,
      ]);
    });

    test("and sends one more request for a pinned id, unless the plan has seen the zone in the list", async () => {
      const { paths } = await costs(["settings"], dialect, { id: ID, account_id: ACCOUNT });
      expect(paths.length, paths.join("\n")).toBe(2 + 1 + 1);
      const seen = await costs(["settings"], dialect, { id: ID });
      expect(seen.paths.length, seen.paths.join("\n")).toBe(2 + 1);
    });

    test("and a rollback as many, plus one request for the account and the id", async () => {
      const { undone } = await costs(["settings", "managed_ruleset"], dialect);
      const [list, custom] = [1, 1];
      expect(undone.length, undone.join("\n")).toBe(2 + 2 + 2 * 2 + 2 + list + custom);
      expect(undone.filter((each) => each.startsWith("GET /zones?"))).toHaveLength(1);
      expect(undone.filter((each) => each.startsWith("GET /accounts/"))).toHaveLength(1 + list);
    });

    test("and sends at most 13 requests for four changes in one zone", async () => {
      for (const left of sections) {
        const changed = sections.filter((each) => dialect === "interface" || each !== left);
        const { paths, writes } = await costs(changed, dialect);
        const lists = changed.filter((each) => LISTS.includes(each)).length;
        expect([paths.length, writes], paths.join("\n")).toEqual([2 * 4 + 4 + lists, 4]);
        expect(paths.length).toBeLessThanOrEqual(13);
      }
    });
  },
);
