import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator, rollback, type ZoneSeed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { rechecked } from "../support/journals.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: One, action: log, expression: "true", value: "script-src 'self'" }
`;

const LOG_FIELDS = {
  action: "log_custom_field",
  action_parameters: { request_fields: [{ name: "content-type" }] },
  expression: "true",
  enabled: true,
};

interface Begun {
  readonly emulator: Emulator;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly journal: string;
  readonly text: string;
}

/** A zone, and an apply to it. */
async function begin(config = CONFIG, env = {}, zone: ZoneSeed = {}): Promise<Begun> {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": zone } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": config });
  const all = { ...reaching(emulator), ...env };
  const applied = await zoneward(["apply", "--yes", "--quiet"], { cwd, env: all });
  expect(applied.code).toBe(0);
  const [, journal = ""] = /^To roll back: zoneward rollback (\S+)$/m.exec(applied.out) ?? [];
  const text = await readFile(path.join(cwd, journal), "utf8");
  return { emulator, cwd, env: all, journal, text };
}

describe("zoneward rollback", () => {
  test("shows its plan, runs with --yes, and writes its own journal", async () => {
    const { emulator, cwd, env, journal } = await begin();
    const { code, out } = await zoneward(["rollback", journal, "--yes"], { cwd, env });
    expect(code).toBe(0);
    expect(out).toContain("enabled: true → false");
    expect(out).toContain('- weakens (undo create)  policy "One"');
    expect(out).toContain("0 to recreate, 1 to revert, 1 to delete, ");
    expect(out).toContain('  done  deleted policy "One" (shop.example.com)\n');
    expect(out).toContain("  done  reverted settings (shop.example.com)\n");
    expect(out).not.toContain("/zones/");
    expect(out).toContain("Rollback: 2 calls done, 0 failed, 0 not started; 1 zone as before.");
    expect(emulator.state().zones["shop.example.com"]?.policies ?? []).toEqual([]);
    const journals = await readdir(path.join(cwd, ".zoneward/journal"));
    expect(journals.filter((name) => name.endsWith(".jsonl"))).toHaveLength(2);
    const again = await zoneward(["rollback", journal, "--yes"], { cwd, env });
    expect(again.out).toContain("Rollback: nothing to do; 1 zone as before.");
  });

  test("says that the files have what it undid, unless it undid a rollback", async () => {
    const { cwd, env, journal } = await begin();
    const first = await zoneward(["rollback", journal, "--yes", "-q"], { cwd, env });
    expect(first.err).toContain("Your files still contain these changes.");
    const { runs } = JSON.parse((await zoneward(["rollback", "--list", "--format", "json"], { cwd })).out);
    const second = await zoneward(["rollback", runs[0].journal, "--yes"], { cwd, env });
    expect([second.code, second.out]).toEqual([0, expect.stringContaining("2 calls done")]);
    expect(second.err).not.toContain("Your files");
  });

  test("does not call a zone restored if a later change stays", async () => {
    const { emulator, cwd, env, journal } = await begin();
    const set = { action: "allow" };
    emulator.edit({ edit: "policy", zone: "shop.example.com", where: { description: "One" }, set });
    const { code, out, err } = await zoneward(["rollback", journal, "--yes"], { cwd, env });
    expect([code, err]).toEqual([0, expect.stringContaining("delete it in the dashboard. It stays")]);
    expect(out).toContain("1 zone as before, except the changes listed above.");
    const again = await zoneward(["rollback", journal, "--yes"], { cwd, env });
    expect(again.out).toContain("nothing to do; 1 zone as before, except the changes listed above.");
  });

  test("does not mention custom log fields that it did not need", async () => {
    const both = (job: string) => `version: 1
zones:
  shop.example.com:
    custom_log_fields: { request_fields: [content-type] }
    logpush_jobs: [${job}]
`;
    const job = {
      name: "ours",
      dataset: "http_requests",
      enabled: true,
      destination_conf: "https://logs.example/in",
      output_options: { field_names: ["RayID", "RequestHeaders"] },
    };
    const zone: ZoneSeed = {
      logpush_jobs: [job],
      rulesets: [{ phase: "http_log_custom_fields", rules: [LOG_FIELDS] }],
    };
    const { cwd, env, journal } = await begin(both("{ name: ours, timestamps: rfc3339 }"), {}, zone);
    const { code, out, err } = await zoneward(["rollback", journal, "--yes"], { cwd, env });
    expect([code, out]).toEqual([0, expect.stringContaining('reverted logpush_job "ours"')]);
    expect(err).not.toContain("custom log fields");
  });

  test("does not call unrelated objects undeclared", async () => {
    const theirs = {
      description: "Theirs",
      action: "log",
      enabled: true,
      expression: "true",
      value: "img-src 'self'",
    };
    const { cwd, env, journal } = await begin(CONFIG, {}, { policies: [theirs] });
    const { out } = await zoneward(["rollback", journal, "--yes"], { cwd, env });
    expect(out).toContain("1 zone as before");
    expect(out).not.toContain("Theirs");
  });

  test("writes nothing without --yes", async () => {
    const { emulator, cwd, env, journal } = await begin();
    const writes = emulator.writes().length;
    const { code, out, err } = await zoneward(["rollback", journal], { cwd, env });
    expect(code).toBe(1);
    expect(out).toContain('- weakens (undo create)  policy "One"');
    expect(err).toContain("Pass --yes. Nothing was written.");
    expect(emulator.writes()).toHaveLength(writes);
  });

  test("prints the report as JSON", async () => {
    const { cwd, env, journal } = await begin();
    const { code, out } = await zoneward(["rollback", journal, "--yes", "--format", "json"], { cwd, env });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ summary: { done: 2, failed: 0 }, converged: true });
  });

  test("shows guardrails, and is not refused by them", async () => {
    const { cwd, env, journal } = await begin();
    await writeFile(path.join(cwd, "strict.yaml"), "forbid: [deletes, service_off]\n");
    const args = ["rollback", journal, "--yes", "--guardrails", "strict.yaml"];
    const { code, out, err } = await zoneward(args, { cwd, env });
    expect(code).toBe(0);
    for (const name of ["deletes", "service_off"])
      expect(err).toContain(`note: Guardrail ${name} would refuse this in a plan\n`);
    expect(`${out}${err}`).not.toMatch(/refused by|Refused by|--allow/);
  });

  test("needs no files, with a warning", async () => {
    const { cwd, env, journal, text } = await begin();
    const bare = await folderWith({ "journal.jsonl": text });
    const { code, err } = await zoneward(["rollback", "journal.jsonl", "--yes"], { cwd: bare, env });
    expect(code).toBe(0);
    expect(err).toContain("warning: Planned without the files");
    const named = await zoneward(["rollback", journal, "-c", "missing.yaml"], { cwd, env });
    expect(named.code).toBe(1);
    expect(named.err).toContain("missing.yaml");
  });

  test("exits with 1 if a secret is missing, after the rest", async () => {
    const job = (destination: string) =>
      `${CONFIG}    logpush_jobs:\n      - { name: j, dataset: http_requests, destination_conf: "\${secret:${destination}}" }\n`;
    const env = { OLD: "https://a.example/old", NEW: "https://a.example/new" };
    const { emulator, cwd, env: all } = await begin(job("OLD"), env);
    await writeFile(path.join(cwd, "zoneward.yaml"), job("NEW").replace("enabled: true", "enabled: false"));
    const applied = await zoneward(["apply", "--yes"], { cwd, env: all });
    const [, journal = ""] = /rollback (\S+)$/m.exec(applied.out) ?? [];
    const first = await zoneward(["rollback", journal, "--yes"], { cwd, env: all });
    expect(first.code).toBe(1);
    expect(first.err).toContain('destination_conf of logpush_job "j" in shop.example.com');
    expect(emulator.state().zones["shop.example.com"]?.settings?.enabled).toBe(true);
    await writeFile(path.join(cwd, "zoneward.yaml"), job("OLD"));
    const unset = await zoneward(["rollback", journal, "--yes"], { cwd, env: reaching(emulator) });
    expect(unset.code).toBe(1);
    const { code, out, err } = await zoneward(["rollback", journal, "--yes"], { cwd, env: all });
    expect(code).toBe(0);
    expect(out + err).not.toContain("a.example");
    expect(emulator.state().zones["shop.example.com"]?.logpush_jobs?.[0]?.destination_conf).toBe(env.OLD);
  });

  describe("of a job whose destination changed with other fields", () => {
    const OLD = "https://a.example/old";
    const NEW = "https://a.example/new";
    const SURE = { CHANGED: NEW, FORMER: OLD };
    const job = (secret: string) =>
      `${CONFIG}    logpush_jobs:\n      - { name: j, dataset: http_requests, destination_conf: "\${secret:${secret}}", fields: [ClientIP, RayID] }\n`;

    async function changed() {
      const output_options = { field_names: ["ClientIP"] };
      const live = { id: 7, name: "j", dataset: "http_requests", enabled: true, destination_conf: OLD };
      const begun = await begin(job("CHANGED"), SURE, { logpush_jobs: [{ ...live, output_options }] });
      const back = (env = {}) =>
        zoneward(["rollback", begun.journal, "--yes"], { cwd: begun.cwd, env: { ...begun.env, ...env } });
      const destination = () =>
        begun.emulator.state().zones["shop.example.com"]?.logpush_jobs?.[0]?.destination_conf;
      return { ...begun, back, destination };
    }

    test("names the destination each time until it is restored", async () => {
      const { cwd, back, destination } = await changed();
      for (const time of [1, 2, 3]) {
        const { code, out, err } = await back();
        expect([time, code]).toEqual([time, 1]);
        expect(err).toContain('destination_conf of logpush_job "j" in shop.example.com');
        expect(out).toContain("0 of 1 zone as before");
      }
      expect(destination()).toBe(NEW);
      await writeFile(path.join(cwd, "zoneward.yaml"), job("FORMER"));
      expect(await back()).toMatchObject({ code: 0 });
      expect(destination()).toBe(OLD);
      expect(await back()).toMatchObject({ code: 0 });
    });

    test("names the destination once without --yes", async () => {
      const { cwd, env, journal, emulator } = await changed();
      const writes = emulator.writes().length;
      const { code, err } = await zoneward(["rollback", journal], { cwd, env });
      expect(code).toBe(1);
      expect(err.split('destination_conf of logpush_job "j" in shop.example.com')).toHaveLength(2);
      expect(err).toContain("Confirmation needed");
      expect(emulator.writes()).toHaveLength(writes);
    });

    test("neither accepts another value nor claims success on a second run", async () => {
      const { back, destination, emulator } = await changed();
      await back();
      const writes = emulator.writes().length;
      const { code, err } = await back({ CHANGED: "https://a.example/third" });
      expect(code).toBe(1);
      expect(err).toContain("Secret may not be restored");
      expect(emulator.writes()).toHaveLength(writes);
      expect(destination()).toBe(NEW);
    });
  });

  test("works in the library", async () => {
    const { cwd, env, journal } = await begin();
    const { report, document } = await rollback(journal, { cwd, environment: env });
    expect(report).toMatchObject({ summary: { done: 2 }, converged: true });
    expect(document?.summary).toMatchObject({ update: 1, delete: 1 });
    const { problems } = await rollback("gone.jsonl", { cwd, environment: env });
    expect(problems.map(({ code }) => code)).toEqual(["bad_journal"]);
  });

  test("accepts only zones of the journal in --zone", async () => {
    const { cwd, env, journal } = await begin();
    const { code, err } = await zoneward(["rollback", journal, "--zone", "blog.*"], { cwd, env });
    expect(code).toBe(1);
    expect(err).toContain(
      "--zone blog.* matches none of the journal's zones. The apply wrote to shop.example.com.",
    );
    const own = await zoneward(["rollback", journal, "--zone", "shop.*", "--yes"], { cwd, env });
    expect(own.code).toBe(0);
  });

  test("fails for a zone that no longer exists", async () => {
    const { cwd, env, text } = await begin();
    const id = JSON.parse(text.split("\n")[1] ?? "").zone_id;
    await writeFile(path.join(cwd, "other.jsonl"), rechecked(text.replaceAll(id, "0".repeat(32))));
    const { code, err } = await zoneward(["rollback", "other.jsonl", "--yes"], { cwd, env });
    expect(code).toBe(1);
    expect(err).toContain("shop.example.com");
  });

  test("never quotes a file that only the journal names", async () => {
    const { cwd, env, text } = await begin();
    await writeFile(path.join(cwd, ".netrc"), "machine api.example login bob password of-bob");
    const forged = rechecked(text.replace('"config":["zoneward.yaml"]', '"config":[".netrc"]'));
    await writeFile(path.join(cwd, "forged.jsonl"), forged);
    const { out, err } = await zoneward(["rollback", "forged.jsonl"], { cwd, env });
    expect(err).toContain(".netrc cannot be used, so the rollback is planned without the files");
    expect(out + err).not.toContain("machine");
  });

  test("cuts the names of files in a journal", async () => {
    const { cwd, env, text } = await begin();
    const names = [`${"x".repeat(100_000)}.yaml`, ...Array.from({ length: 5_000 }, (_, n) => `${n}.yaml`)];
    const forged = rechecked(text.replace('"config":["zoneward.yaml"]', `"config":${JSON.stringify(names)}`));
    await writeFile(path.join(cwd, "forged.jsonl"), forged);
    const { out, err } = await zoneward(["rollback", "forged.jsonl"], { cwd, env });
    expect(err).toContain("cannot be used, so the rollback is planned without the files");
    expect((out + err).length).toBeLessThan(5_000);
  });

  test.each([
    [
      "an object of another kind",
      "managed_ruleset",
      (text: string) => text.replaceAll("custom_rule", "managed_ruleset"),
    ],
    [
      "a rule that does something else",
      "custom_rule",
      (text: string) => text.replace(/"action":"block"(?=,"position")/, '"action":"execute"'),
    ],
  ])("never brings back %s from an edited journal", async (_, kind, edit) => {
    const rules = [{ description: "Old", expression: 'http.host eq "a"', action: "block" }];
    const rulesets = [{ phase: "http_request_firewall_custom", rules }];
    const config = `version: 1\nzones: { shop.example.com: { custom_rules: [{ description: Old, ensure: absent }] } }\n`;
    const { emulator, cwd, env, text } = await begin(config, {}, { rulesets });
    const forged = edit(text);
    expect(forged).not.toBe(text);
    await writeFile(path.join(cwd, "forged.jsonl"), rechecked(forged));
    const writes = emulator.writes().length;
    const { code, out, err } = await zoneward(["rollback", "forged.jsonl", "--yes"], { cwd, env });
    expect([code, emulator.writes().length]).toEqual([1, writes]);
    expect(err).toContain(
      `What the journal has as ${kind} "Old" in shop.example.com before the apply is no ${kind}: it was edited.`,
    );
    expect(out).not.toContain("strengthens");
  });

  test("reads no path from the id of a setting in an edited journal", async () => {
    const config = "version: 1\nzones: { shop.example.com: { zone_settings: { ssl: strict } } }\n";
    const { emulator, cwd, env, text } = await begin(
      config,
      {},
      { zone_settings: { values: { ssl: "full" } } },
    );
    const forged = text.replace('"raw":{"ssl":', '"raw":{"../../x":{"value":1},"ssl":');
    expect(forged).not.toBe(text);
    await writeFile(path.join(cwd, "forged.jsonl"), rechecked(forged));
    const { code, err } = await zoneward(["rollback", "forged.jsonl", "--yes"], { cwd, env });
    expect(code).toBe(1);
    expect(err).toContain("shop.example.com: The zone setting ../../x has an unknown form.");
    expect(emulator.log.map((each) => each.path).join()).not.toContain("..");
  });

  test("never takes a destination from a journal, which hides it in the plan", async () => {
    const job = { name: "logs", dataset: "http_requests", destination_conf: "https://logs.example.com/in" };
    const config = `${CONFIG}    logpush_jobs: [{ name: logs, ensure: absent }]\n`;
    const { emulator, cwd, env, text } = await begin(config, {}, { logpush_jobs: [job] });
    const hidden = '"destination_conf":{"$sensitive":"different"}';
    const forged = text.replace(hidden, '"destination_conf":"https://stranger.example/in"');
    expect(forged).not.toBe(text);
    await writeFile(path.join(cwd, "forged.jsonl"), rechecked(forged));
    const { code, err } = await zoneward(["rollback", "forged.jsonl", "--yes"], { cwd, env });
    expect(code).toBe(1);
    expect(err).toContain(
      'The files do not give the former destination_conf of logpush_job "logs" in shop.example.com,',
    );
    expect(emulator.state().zones["shop.example.com"]?.logpush_jobs ?? []).toEqual([]);
  });

  test("warns of a journal without an end", async () => {
    const { cwd, env, journal, text } = await begin();
    await writeFile(path.join(cwd, "begun.jsonl"), text.split("\n").slice(0, -2).join("\n").concat("\n"));
    const { code, err } = await zoneward(["rollback", "begun.jsonl", "--yes"], { cwd, env });
    expect(code).toBe(0);
    expect(err).toContain("warning: Journal has no end");
    const ended = await zoneward(["rollback", journal, "--yes"], { cwd, env });
    expect(ended.err).not.toContain("has no end");
  });

  test("does nothing for a journal without calls", async () => {
    const { cwd, env, text } = await begin();
    await writeFile(path.join(cwd, "begun.jsonl"), `${text.split("\n")[0]}\n`);
    const { code, out } = await zoneward(["rollback", "begun.jsonl", "--yes"], { cwd, env });
    expect(code).toBe(0);
    expect(out).toContain("Rollback: nothing to do; 0 zones as before.");
  });

  test.each([
    ["without a name", [], "Name the journal of the apply to undo"],
    ["that is a folder", [".zoneward/journal"], ".zoneward/journal cannot be read: it is not a regular file"],
    ["that is missing", ["gone.jsonl"], "gone.jsonl cannot be read: it does not exist"],
    ["that is something else", ["zoneward.yaml"], "does not start like a journal"],
    ["that is damaged", ["damaged.jsonl"], "is damaged or was edited. Line 2"],
    ["that was edited", ["edited.jsonl"], "is damaged or was edited. Line 2"],
    ["with an id that leaves its path", ["elsewhere.jsonl"], "is damaged or was edited. Line 2"],
  ])("refuses a journal %s", async (_, operands, message) => {
    const { emulator, cwd, env, text } = await begin();
    await writeFile(path.join(cwd, "damaged.jsonl"), text.replace('"type":"zone"', '"type":"zome"'));
    const { zone_id: id } = JSON.parse(text.split("\n")[1] ?? "");
    await writeFile(path.join(cwd, "elsewhere.jsonl"), rechecked(text.replaceAll(id, "../accounts")));
    await writeFile(path.join(cwd, "edited.jsonl"), text.replace('"kind":"policy"', '"kind":"zzz"'));
    const writes = emulator.writes().length;
    const { code, err } = await zoneward(["rollback", ...operands, "--yes"], { cwd, env });
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(emulator.writes()).toHaveLength(writes);
    const json = await zoneward(["rollback", ...operands, "--format", "json"], { cwd, env });
    expect(JSON.parse(json.out)).toMatchObject({ ok: false });
  });
});
