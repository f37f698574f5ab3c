import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const files = (value: string) => `version: 1
zones:
  ${ZONE}:
    policies:
      - { description: Shop, action: log, expression: "true", value: "${value}" }
      - { description: Blog, action: log, expression: ssl, value: "${value}" }
`;

async function story(dialect: "service" | "interface" = "service") {
  const emulator = await createEmulator({ dialect, seed: { zones: { [ZONE]: {} } } as Seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": files("script-src 'self'") });
  const run = (...args: readonly string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const write = (text: string) => writeFile(path.join(cwd, "zoneward.yaml"), text);
  const text = () => readFile(path.join(cwd, "zoneward.yaml"), "utf8");
  return { emulator, cwd, run, write, text };
}

describe("rollback", () => {
  test("--list shows the applies of this folder, and --last rolls back the latest", async () => {
    const { run, write, emulator } = await story();
    expect((await run("rollback", "--list")).out).toBe(
      "No journals in this folder: nothing was applied from it.\n",
    );
    await run("apply", "--yes");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await write(files("script-src 'none'"));
    await run("apply", "--yes");
    const listed = await run("rollback", "--list", "--format", "json");
    const { runs } = JSON.parse(listed.out);
    expect(runs).toMatchObject([
      { zones: [ZONE], done: 2, failed: 0, unknown: 0, ended: true },
      { zones: [ZONE], done: 2, failed: 0, unknown: 0, ended: true },
    ]);
    expect(runs[0].started > runs[1].started).toBe(true);
    expect((await run("rollback", "--list")).out).toMatch(
      /^\.zoneward\/journal\/\S+\.jsonl\n {2}\d{4}-\S+: 2 calls done, in shop\.example\.com; plan \S+\n {2}update policy "\S+", update policy "\S+"\n\.zoneward/,
    );
    const back = await run("rollback", "--last", "--yes");
    expect(back.code).toBe(0);
    expect(back.err).toContain(`Last journal: ${runs[0].journal}\n`);
    expect(emulator.state().zones[ZONE]?.policies?.map(({ value }) => value)).toEqual([
      "script-src 'self'",
      "script-src 'self'",
    ]);
    expect((await run("rollback", "--list")).out).toContain(
      `: rollback of the run of ${runs[0].started}: 2 calls done`,
    );
  });

  test("--last again finishes the rollback, and does not undo it", async () => {
    const { run, emulator } = await story();
    await run("apply", "--yes");
    await run("rollback", "--last", "--yes");
    const again = await run("rollback", "--last", "--yes");
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing to do; 1 zone as before.")]);
    expect(emulator.state().zones[ZONE]?.policies ?? []).toEqual([]);
  });

  test("--list names the whole plan of a partly applied one", async () => {
    const { run } = await story();
    await run("plan", "-o", "plan.json");
    await run("apply", "plan.json", "--only", "policy/Shop", "--yes");
    const { runs } = JSON.parse((await run("rollback", "--list", "--format", "json")).out);
    const { digest } = JSON.parse((await run("show", "plan.json", "--format", "json")).out);
    expect(runs).toMatchObject([
      { part_of: digest, undoes: null, changes: [{ action: "create", key: "Shop" }] },
    ]);
    expect((await run("rollback", "--list")).out).toContain(`, part of ${digest}\n  create policy "Shop"\n`);
  });

  test("--list separates the changes that an apply did not start", async () => {
    const seed = { zones: { [ZONE]: {} } } as Seed;
    const emulator = await createEmulator({ seed, without: ["Page Shield Write"] });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({ "zoneward.yaml": files("script-src 'self'") });
    const run = (...args: readonly string[]) => zoneward(args, { cwd, env: reaching(emulator) });
    await run("apply", "--yes");
    expect((await run("rollback", "--list")).out).toMatch(
      /: 0 calls done, 1 failed, in .*\n {2}create policy "Shop"\n {2}not started: create policy "Blog"\n$/,
    );
  });

  test("--last rolls back the latest apply of these files only", async () => {
    const { run, cwd, emulator } = await story();
    await run("apply", "--yes");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await writeFile(
      path.join(cwd, "other.yaml"),
      `version: 1\nzones:\n  ${ZONE}:\n    settings: { enabled: true }\n`,
    );
    await run("apply", "-c", "other.yaml", "--yes");
    expect((await run("rollback", "--last", "--yes")).code).toBe(0);
    expect(emulator.state().zones[ZONE]).toMatchObject({ settings: { enabled: true } });
    expect(emulator.state().zones[ZONE]?.policies ?? []).toEqual([]);
    expect((await run("rollback", "--last", "-c", "third.yaml", "--yes")).err).toContain(
      "No journal in .zoneward/journal is from an apply of third.yaml.",
    );
    expect((await run("rollback", "--list", "--last")).err).toContain("Pass one or the other.");
  });

  test("--last is refused without journals or beside a journal", async () => {
    const { run } = await story();
    expect((await run("rollback", "--last", "--yes")).err).toContain(".zoneward/journal has no journal");
    expect((await run("rollback", "x.jsonl", "--last", "--yes")).err).toContain("Pass one or the other.");
    expect((await run("rollback", "--yes")).err).toContain("Name the journal of the apply to undo");
  });

  test("--last names the previous run if the latest one changed nothing", async () => {
    const { run, cwd } = await story();
    await run("apply", "--yes");
    const folder = path.join(cwd, ".zoneward/journal");
    const journals = async () => (await readdir(folder)).filter((each) => each.endsWith(".jsonl")).toSorted();
    const [name = ""] = await journals();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const refusing = await createEmulator({
      seed: { zones: { [ZONE]: {} } },
      without: ["Page Shield Write"],
    });
    onTestFinished(() => refusing.close());
    expect((await zoneward(["apply", "--yes"], { cwd, env: reaching(refusing) })).code).toBe(1);
    const idle = (await journals()).at(-1) ?? "";
    const { err } = await run("rollback", "--last", "--yes");
    expect(err).toContain(`Last journal: .zoneward/journal/${idle}\n`);
    expect(err).toContain(
      `That run changed nothing. To undo the last run that did, or may have: zoneward rollback .zoneward/journal/${name}\n`,
    );
    // A run with an unreadable or unfinished journal may have changed something, so it is not skipped.
    const unread = name.replace(/-\w+\.jsonl$/, "-ffffffff.jsonl");
    await writeFile(path.join(folder, unread), "{}\n");
    expect((await run("rollback", "--last", "--yes")).err).toContain(
      `That run changed nothing. The journal before it cannot be read: .zoneward/journal/${unread}\n`,
    );
    const [begin = ""] = (await readFile(path.join(folder, idle), "utf8")).split("\n");
    await writeFile(path.join(folder, idle), `${begin}\n`);
    expect((await run("rollback", "--last", "--yes")).err).not.toContain("That run changed nothing");
  });

  test("--last does not skip an unreadable latest journal", async () => {
    const { run, cwd } = await story();
    await run("apply", "--yes");
    const folder = path.join(cwd, ".zoneward/journal");
    await writeFile(path.join(folder, "99991231T000000000Z-00000000.jsonl"), "{}\n");
    expect((await run("rollback", "--last", "--yes")).code).toBe(1);
    const { out } = await run("rollback", "--list");
    expect(out).toContain("99991231T000000000Z-00000000.jsonl\n  cannot be read: ");
    expect((await readdir(folder)).filter((name) => name.endsWith(".jsonl"))).toHaveLength(2);
  });
});

describe.each(["service", "interface"] as const)("adopt (%s)", (dialect) => {
  async function drifted() {
    const told = await story(dialect);
    await told.run("apply", "--yes");
    for (const description of ["Shop", "Blog"])
      told.emulator.edit({
        edit: "policy",
        zone: ZONE,
        where: { description },
        set: { value: "script-src 'none'" },
      });
    return told;
  }

  test("writes what it judged, reading the zone once", async () => {
    const { run, emulator } = await drifted();
    const before = emulator.log.length;
    expect((await run("adopt")).code).toBe(0);
    const read = emulator.log.slice(before).filter((each) => each.path.includes(`/page_shield/policies`));
    expect(read).toHaveLength(1);
  });

  test("--dry-run writes nothing and shows a patch", async () => {
    const { run, text } = await drifted();
    const before = await text();
    const { code, out } = await run("adopt", "--dry-run");
    expect(code).toBe(0);
    expect(await text()).toBe(before);
    expect(out).toMatch(/^Without --base, .*\nWould be adopted into zoneward\.yaml:\n/);
    expect(out).toContain("2 changes would be adopted.\n");
    expect(out).toContain("--- a/zoneward.yaml\n+++ b/zoneward.yaml\n@@ ");
    expect(out).toMatch(/^-.*Shop.*script-src 'self'.*$/m);
    expect(out).toMatch(/^\+.*Shop.*script-src 'none'.*$/m);
    const json = JSON.parse((await run("adopt", "--dry-run", "--format", "json")).out);
    expect(json).toMatchObject({ ok: true, files: ["zoneward.yaml"], patch: expect.stringContaining("@@ ") });
  });

  test("--only writes back the picked objects only", async () => {
    const { run, text } = await drifted();
    const { out } = await run("adopt", "--only", "policy/Sh*");
    expect(out).toContain("1 change adopted.");
    const lines = (await text()).split("\n");
    expect(lines.find((line) => line.includes("Shop"))).toContain("'none'");
    expect(lines.find((line) => line.includes("Blog"))).toContain("'self'");
    expect((await run("adopt", "--only", "polcy")).err).toContain("polcy");
  });
});
