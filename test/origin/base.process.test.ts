import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import {
  adopt,
  apply,
  createEmulator,
  drift,
  type PlanDocument,
  type PlanOptions,
  plan,
  type ZoneSeed,
} from "../../src/index.js";

const ZONE = "shop.example.com";
const ID = "53".repeat(16);

function policy<Other extends object>(description: string, other?: Other) {
  return { description, action: "log", expression: "true", value: "script-src 'self'", ...other };
}

function fileOf(zones: { readonly [zone: string]: object }, rest: object = {}): string {
  return stringify({ version: 1, ...rest, zones });
}

interface Story {
  /** Null: the base has no such file. */
  readonly base: string | null;
  readonly files: string;
  readonly live: ZoneSeed;
}

async function told({ base, files, live }: Story) {
  const cwd = await folder();
  await mkdir(path.join(cwd, "before"));
  if (base !== null) await writeFile(path.join(cwd, "before/zoneward.yaml"), base);
  await writeFile(path.join(cwd, "zoneward.yaml"), files);
  const { emulator, options } = await serviceWith(cwd, live);
  return { cwd, emulator, options: { ...options, base: "before" } };
}

async function serviceWith(cwd: string, live: ZoneSeed) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: { id: ID, ...live } } } });
  onTestFinished(() => emulator.close());
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token };
  return { emulator, options: { cwd, baseUrl: emulator.url, environment, rateLimit: "off" } };
}

async function folder(): Promise<string> {
  const cwd = await mkdtemp(path.join(tmpdir(), "zoneward-test-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  return cwd;
}

function gitIn(cwd: string): (...args: readonly string[]) => string {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  return (...args) =>
    execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

async function planned(options: PlanOptions): Promise<PlanDocument> {
  const { document, problems } = await plan(options);
  if (document === null) throw new Error(JSON.stringify(problems));
  return document;
}

function changesOf({ changes }: PlanDocument): readonly string[] {
  return changes.map(({ action, key, origin }) => `${action} ${key} ${origin}`);
}

function codesOf({ diagnostics }: PlanDocument): readonly string[] {
  return diagnostics.map(({ code }) => code);
}

const live = (...names: readonly string[]) =>
  names.map((name, index) => ({ id: String(index + 1).repeat(32), enabled: true, ...policy(name) }));

describe("things removed from the files", () => {
  test("an entry removed from a kept list is deleted, and the plan names its line in the base", async () => {
    const { options } = await told({
      base: fileOf({ [ZONE]: { policies: [policy("A"), policy("B")] } }),
      files: fileOf({ [ZONE]: { policies: [policy("A")] } }),
      live: { policies: live("A", "B", "Foreign") },
    });
    const document = await planned(options);
    expect(changesOf(document)).toEqual(["delete B declared"]);
    expect(document.changes[0]).toMatchObject({
      source: { file: "zoneward.yaml", line: 4 },
      removed: { file: "zoneward.yaml", line: 9 },
    });
    expect(document.unmanaged.map(({ key }) => key)).toEqual(["Foreign"]);
    const { report } = await apply(options);
    expect(report?.converged).toBe(true);
    const again = await planned(options);
    expect([again.calls, again.changes.map(({ taken_over }) => taken_over)]).toEqual([[], [true]]);
  });

  test("a removed entry that was changed outside is deleted as a conflict", async () => {
    const [one = absurd()] = live("A");
    const { options } = await told({
      base: fileOf({ [ZONE]: { policies: [policy("A")] } }),
      files: fileOf({ [ZONE]: { policies: [] } }),
      live: { policies: [{ ...one, action: "allow" }] },
    });
    const document = await planned(options);
    expect(changesOf(document)).toEqual(["delete A mixed"]);
    const origins = document.changes[0]?.fields.map(({ path: field, origin }) => `${field} ${origin}`);
    expect(origins).toContain("action conflict");
    expect(origins).toContain("value declared");
  });

  test("an entry that was absent, or is now pinned or renamed, is not deleted", async () => {
    const [a = absurd(), b = absurd()] = live("A", "B");
    const { options } = await told({
      base: fileOf({
        [ZONE]: { policies: [{ description: "Gone", ensure: "absent" }, policy("A"), policy("B")] },
      }),
      files: fileOf({
        [ZONE]: {
          policies: [
            { id: a.id, ...policy("A again") },
            { renamed_from: "B", ...policy("B again") },
          ],
        },
      }),
      live: { policies: [a, b] },
    });
    expect(changesOf(await planned(options))).toEqual(["update A again declared", "update B again declared"]);
  });

  test("removed sections, zones and fields are let go without calls", async () => {
    const { options, emulator } = await told({
      base: fileOf({
        [ZONE]: { settings: { enabled: true }, policies: [policy("A", { enabled: true })] },
        "other.example.com": { settings: { enabled: true } },
      }),
      files: fileOf({ [ZONE]: { policies: [policy("A")] } }),
      live: { policies: live("A") },
    });
    const document = await planned(options);
    expect(document.calls).toEqual([]);
    const released = document.diagnostics.filter(({ code }) => code === "no_longer_managed");
    expect(released.map(({ message }) => message.split(". ")[1]?.split(" What")[0])).toEqual([
      "other.example.com: the files no longer have the zone (zoneward.yaml:12 in the base)",
      "shop.example.com: the files no longer have settings (zoneward.yaml:4 in the base)",
      'shop.example.com: the files no longer have enabled (zoneward.yaml:11 in the base) of policies "A"',
    ]);
    expect(emulator.writes()).toEqual([]);
    const one = await planned({ ...options, zones: ["shop.*"] });
    expect(codesOf(one)).toEqual(["no_longer_managed", "no_longer_managed"]);
  });

  test("a removed entry whose name several live objects have deletes none of them and gives a warning", async () => {
    const { options } = await told({
      base: fileOf({ [ZONE]: { policies: [policy("A")] } }),
      files: fileOf({ [ZONE]: { policies: [] } }),
      live: { policies: live("A", "A") },
    });
    const document = await planned(options);
    expect(document.calls).toEqual([]);
    expect(codesOf(document)).toContain("not_deleted");
  });
});

describe("an unusable base", () => {
  const files = fileOf({ [ZONE]: { policies: [policy("A", { action: "allow" })] } });

  test("that is missing deletes nothing, makes origins unknown and gives a warning", async () => {
    for (const base of ["nowhere", ".", "git:no-such-ref", "git:--help"]) {
      const { options } = await told({ base: null, files, live: { policies: live("A", "B") } });
      const document = await planned({ ...options, base });
      expect(codesOf(document)).toContain("base_not_read");
      expect(changesOf(document)).toEqual(["update A unknown"]);
      expect(document.base).toBeUndefined();
    }
  });

  test("with errors is not used, and the first error is named", async () => {
    const { options } = await told({ base: "version: 1\nzonse: {}\n", files, live: {} });
    const { diagnostics } = await planned(options);
    expect(diagnostics[0]).toMatchObject({ code: "base_not_read" });
    expect(diagnostics[0]?.message).toContain("(zoneward.yaml:2 of the base)");
  });

  test("without the file makes origins unknown and gives a warning", async () => {
    const { options } = await told({ base: null, files, live: { policies: live("A", "B") } });
    const document = await planned(options);
    expect(changesOf(document)).toEqual(["update A unknown"]);
    expect(document.base).toBeUndefined();
    expect(codesOf(document)).toContain("base_without_files");
  });

  test("that is unknown makes apply refuse until allowed, and drift and adopt warn", async () => {
    for (const base of ["nowhere", "before", "git:no-such-ref"]) {
      const { options, emulator } = await told({ base: null, files, live: { policies: live("A") } });
      const refused = await apply({ ...options, base });
      expect(refused.document?.guardrails.map(({ name, zone }) => [name, zone])).toEqual([
        ["base_unread", undefined],
      ]);
      expect([refused.report, emulator.writes()]).toEqual([null, []]);
      const { document } = await drift({ ...options, base });
      expect(document?.guardrails.map(({ name }) => name)).toEqual(["base_unread"]);
      expect((await adopt({ ...options, base })).problems.map(({ severity }) => severity)).toEqual(["error"]);
      const lifted = await apply({ ...options, base, allow: ["base_unread"] });
      expect(lifted.report?.converged).toBe(true);
    }
  });

  test("with errors in its zones still enforces its guardrails", async () => {
    const base = fileOf({ [ZONE]: { policiez: [] } }, { guardrails: { forbid: ["weakens"] } });
    const { options } = await told({ base, files, live: { policies: live("A", "B") } });
    const document = await planned({ ...options, failOn: [] });
    expect(document.diagnostics[0]?.message).toContain("The guardrails of the base still apply.");
    await writeFile(
      path.join(options.cwd, "zoneward.yaml"),
      fileOf({ [ZONE]: { policies: [{ description: "A", ensure: "absent" }] } }),
    );
    expect((await planned(options)).guardrails.map(({ name }) => name)).toEqual(["base_unread", "weakens"]);
  });

  test("with an unset secret leaves only that field's origin unknown", async () => {
    const job = (name: string, destination: string) => ({
      name,
      dataset: "http_requests",
      destination_conf: destination,
    });
    const { options } = await told({
      base: fileOf({ [ZONE]: { logpush_jobs: [job("J", "${secret:OLD}"), job("K", "${secret:GONE}")] } }),
      files: fileOf({ [ZONE]: { logpush_jobs: [{ ...job("J", "${secret:NEW}"), enabled: true }] } }),
      live: {
        logpush_jobs: ["J", "K"].map((name, index) => ({
          id: index + 1,
          enabled: false,
          ...job(name, "https://logs.example/?access=0123456789abcdef"),
        })),
      },
    });
    const environment = { ...options.environment, NEW: "https://logs.example/?access=fedcba9876543210" };
    const document = await planned({ ...options, environment });
    expect(changesOf(document)).toEqual(["update J mixed", "delete K declared"]);
    expect(document.changes[0]?.fields.map(({ path: field, origin }) => `${field} ${origin}`).sort()).toEqual(
      ["destination_conf unknown", "enabled declared"],
    );
    const { guardrails } = await planned({ ...options, environment, failOn: ["drift"] });
    expect(guardrails.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      `drift: The origin of changes of ${ZONE} is unknown, because variables of the base are not set: logpush_job "J" (destination_conf). If this is intended, pass --allow drift.`,
    ]);
  });

  test("that contains the credential of the run is not used and not shown", async () => {
    const { options } = await told({ base: null, files, live: {} });
    const token = options.environment.CLOUDFLARE_API_TOKEN;
    await writeFile(
      path.join(options.cwd, "before/zoneward.yaml"),
      fileOf({ [ZONE]: {}, [`${token}.example.com`]: {} }),
    );
    const { document, problems } = await plan(options);
    expect(JSON.stringify([document, problems])).not.toContain(token);
    expect(document?.diagnostics[0]?.code).toBe("base_not_read");
  });
});

describe("drift", () => {
  const files = fileOf({
    [ZONE]: { prune: ["policies"], policies: [policy("A"), { description: "Z", ensure: "absent" }] },
  });

  test("without a base is every difference from the files", async () => {
    const [a = absurd(), z = absurd(), foreign = absurd()] = live("A", "Z", "Foreign");
    const { options } = await told({
      base: null,
      files,
      live: {
        policies: [{ ...a, action: "allow" }, z, foreign],
      },
    });
    const { base: _, ...rest } = options;
    const { document } = await drift(rest);
    expect(changesOf(document ?? absurd())).toEqual([
      "update A drift",
      "delete Z drift",
      "delete Foreign drift",
    ]);
    expect(document?.changes.map((each) => each.drift_effect)).toEqual([
      "strengthens",
      "strengthens",
      "strengthens",
    ]);
    // The calls are the same, but a plan of drift cannot be applied as a plan of a change.
    const plan = await planned(rest);
    expect(document?.calls).toEqual(plan.calls);
    expect(document?.zones).toEqual(plan.zones);
    expect(document?.digest).not.toBe(plan.digest);
  });

  test("shows the effect of the outside change, whatever the files declare now", async () => {
    const { options } = await told({
      base: fileOf({ [ZONE]: { managed_ruleset: { paranoia_level: "PL3" } } }),
      files: fileOf({ [ZONE]: { managed_ruleset: { paranoia_level: "PL4" } } }),
      live: {},
    });
    const { base: _, ...rest } = options;
    await writeFile(
      path.join(options.cwd, "other.yaml"),
      fileOf({ [ZONE]: { managed_ruleset: { paranoia_level: "PL1" } } }),
    );
    await apply({ ...rest, config: "other.yaml" });
    const { document } = await drift(options);
    expect(changesOf(document ?? absurd())).toEqual(["update managed_ruleset conflict"]);
    expect(document?.changes[0]).toMatchObject({ effect: "strengthens", drift_effect: "weakens" });
  });
});

describe("guardrails", () => {
  const weaker = fileOf({ [ZONE]: { policies: [policy("A")] } }, { guardrails: { max_changes: 5 } });
  const strict = fileOf(
    { [ZONE]: { policies: [policy("A")] } },
    {
      guardrails: { max_changes: 1, forbid: ["drift", "conflict"] },
      service: { limits: { malicious_score_below: 20 } },
    },
  );

  test("of the base are enforced too, and changes to guardrails come first", async () => {
    const { options } = await told({ base: strict, files: weaker, live: {} });
    const { diagnostics, guardrails } = await planned(options);
    expect(diagnostics.slice(0, 2)).toMatchObject([
      {
        code: "guardrails_changed",
        message: expect.stringContaining("max_changes 1 → 5; no longer forbidden: drift, conflict"),
      },
      { code: "service_changed", message: expect.stringContaining("limits.malicious_score_below: 20 → 50") },
    ]);
    expect(guardrails.map(({ name }) => name)).toEqual(["drift"]);
  });

  test("that forbid drift or conflict refuse unknown origins", async () => {
    const { options } = await told({ base: null, files: strict, live: { policies: live("A") } });
    const { base: _, ...rest } = options;
    expect((await planned(rest)).guardrails).toEqual([]);
    await writeFile(path.join(options.cwd, "zoneward.yaml"), strict.replace("action: log", "action: allow"));
    expect((await planned(rest)).guardrails.map(({ name }) => name)).toEqual(["drift", "conflict"]);
    await writeFile(path.join(options.cwd, "before/zoneward.yaml"), strict);
    expect((await planned(options)).guardrails).toEqual([]);
    expect((await apply({ ...rest, allow: ["drift"] })).report).toBeNull();
  });
});

test("a git commit can be the base for files anywhere in the repository, and the plan names it", async () => {
  const top = await folder();
  const cwd = path.join(top, "infra/zones");
  await mkdir(cwd, { recursive: true });
  const git = gitIn(top);
  git("init", "-q", "-b", "main");
  await writeFile(path.join(cwd, "a.yaml"), fileOf({ [ZONE]: { policies: [policy("A"), policy("B")] } }));
  git("add", ".");
  git("commit", "-qm", "before");
  const commit = git("rev-parse", "HEAD").trim();
  await writeFile(
    path.join(cwd, "a.yaml"),
    fileOf({ [ZONE]: { policies: [policy("A", { action: "allow" })] } }),
  );
  const { options } = await serviceWith(cwd, { policies: live("A", "B") });
  for (const config of ["a.yaml", ".", "*.yaml", path.join(cwd, "a.yaml")]) {
    const document = await planned({ ...options, config, base: "git:main" });
    expect(document.base).toBe(`git:${commit}`);
    expect(changesOf(document)).toEqual(["update A declared", "delete B declared"]);
  }
  await writeFile(path.join(top, "../outside.yaml"), fileOf({ [ZONE]: {} }));
  onTestFinished(() => rm(path.join(top, "../outside.yaml")));
  const far = await planned({ ...options, config: "../../../outside.yaml", base: "git:main" });
  expect(far.diagnostics[0]).toMatchObject({ code: "base_not_read" });
  expect(far.diagnostics[0]?.message).toContain("outside the repository");
});

test("links in a commit are followed as in the folder, but not out of the repository", async () => {
  const top = await folder();
  const git = gitIn(top);
  git("init", "-q", "-b", "main");
  await mkdir(path.join(top, "shared/zones"), { recursive: true });
  await mkdir(path.join(top, "other"));
  const before = fileOf({ [ZONE]: { policies: [policy("A"), policy("B")] } });
  await writeFile(path.join(top, "shared/zones/a.conf"), before);
  await writeFile(path.join(top, "other/more.yaml"), "no: [yaml of ours\n");
  await symlink("../shared/zones/a.conf", path.join(top, "other/linked.yml"));
  await symlink("shared", path.join(top, "live"));
  await symlink("/etc/hostname", path.join(top, "away.yaml"));
  git("add", ".");
  git("commit", "-qm", "before");
  await writeFile(path.join(top, "shared/zones/a.conf"), fileOf({ [ZONE]: { policies: [policy("A")] } }));
  const { options } = await serviceWith(top, { policies: live("A", "B") });
  for (const config of [
    "other/linked.yml",
    "live/zones/a.conf",
    "shared/zones/*.conf",
    "live/zones/*.conf",
  ]) {
    const document = await planned({ ...options, config, base: "git:main" });
    expect([config, ...changesOf(document)]).toEqual([config, "delete B declared"]);
    expect([[], ["link_leaves_config"]]).toContainEqual(codesOf(document));
  }
  await rm(path.join(top, "away.yaml"));
  await writeFile(path.join(top, "away.yaml"), before);
  const away = await planned({ ...options, config: "away.yaml", base: "git:main" });
  expect(away.diagnostics[0]?.message).toContain("leads out of the repository");
});

test("only possible config files are read from a large repository", async () => {
  const top = await folder();
  const git = gitIn(top);
  git("init", "-q", "-b", "main");
  await writeFile(path.join(top, "zoneward.yaml"), fileOf({ [ZONE]: { policies: [policy("A")] } }));
  git("add", ".");
  const [, hash] = git("ls-files", "-s").split(/\s/);
  const lines = Array.from({ length: 10_500 }, (_, n) => `100644 ${hash}\tmany/${n}.yaml\n`);
  execFileSync("git", ["update-index", "--index-info"], { cwd: top, input: lines.join("") });
  git("commit", "-qm", "before");
  const { options } = await serviceWith(top, { policies: live("A") });
  const document = await planned({ ...options, base: "git:main" });
  expect([...changesOf(document), ...codesOf(document)]).toEqual([]);
  expect(document.base).toMatch(/^git:/);
});

describe("a saved plan", () => {
  const story = {
    base: fileOf({ [ZONE]: { policies: [policy("A"), policy("B")] } }),
    files: fileOf({ [ZONE]: { policies: [policy("A")] } }),
    live: { policies: live("A", "B") },
  };

  test("cannot be applied with another base", async () => {
    const { cwd, options } = await told(story);
    const saved = await planned(options);
    await writeFile(path.join(cwd, "before/zoneward.yaml"), `${story.base}# another\n`);
    const { report } = await apply({ ...options, plan: saved });
    expect(report?.zones.flatMap(({ problems }) => problems.map(({ code }) => code))).toEqual(["stale_base"]);
    expect(saved.digest).not.toBe((await planned(options)).digest);
  });

  test("does not count as already applied if only the base is missing", async () => {
    const { options, emulator } = await told(story);
    const saved = await planned(options);
    const { base: _, ...rest } = options;
    const { report } = await apply({ ...rest, plan: saved });
    expect(report?.zones.flatMap(({ problems }) => problems.map(({ code }) => code))).toEqual(["stale_base"]);
    expect(emulator.writes()).toEqual([]);
    expect((await apply({ ...options, plan: saved })).report?.converged).toBe(true);
    expect((await apply({ ...options, plan: saved })).report?.converged).toBe(true);
  });

  test("of drift reverts only drift", async () => {
    const { options, emulator } = await told({
      base: story.base,
      files: story.files.replace("action: log", "action: log\n        enabled: false"),
      live: { policies: live("A", "B").map((each) => ({ ...each, value: "img-src 'self'" })) },
    });
    const { document } = await drift(options);
    expect(changesOf(document ?? absurd())).toEqual(["update A drift"]);
    const { report } = await apply({ ...options, plan: document ?? absurd() });
    expect(report?.converged).toBe(true);
    expect(emulator.state().zones[ZONE]?.policies).toMatchObject([
      { description: "A", enabled: true, value: "script-src 'self'" },
      { description: "B" },
    ]);
  });
});

function absurd(): never {
  throw new Error("no plan");
}
