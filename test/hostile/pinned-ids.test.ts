import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const SANDBOX = "5a".repeat(16);
const SHOP = "5b".repeat(16);

/** A file that gives this id to the zone sandbox. */
function file(id: string | null, enabled: boolean): string {
  const pin = id === null ? "" : `id: ${id}, `;
  return `version: 1\nzones:\n  sandbox.example.com: { ${pin}settings: { enabled: ${enabled} } }\n`;
}

/** Two protected zones, and a file that declares one of them. */
async function start(files: Readonly<Record<string, string>>) {
  const on = { settings: { enabled: true } };
  const emulator = await createEmulator({
    seed: {
      zones: { "sandbox.example.com": { id: SANDBOX, ...on }, "shop.example.com": { id: SHOP, ...on } },
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith(files);
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const lookUps = () => emulator.log.filter((each) => each.path.startsWith("/zones?")).length;
  return { emulator, cwd, run, lookUps };
}

describe("an id declared under another zone's name", () => {
  const wrong = { "zoneward.yaml": file(SHOP, false) };

  test("makes apply refuse and name both zones", async () => {
    const { emulator, run } = await start(wrong);
    const { code, err } = await run("apply", "--yes");
    expect(code).toBe(1);
    expect(emulator.writes()).toEqual([]);
    expect(err).toContain("error: The zone's id is another zone's\n");
    expect(err).toContain(`sandbox.example.com the id ${SHOP}, which is the zone shop.example.com there`);
  });

  test("makes apply of a saved plan refuse too", async () => {
    const { emulator, run } = await start(wrong);
    expect((await run("plan", "-o", "plan.json")).code).toBe(0);
    const { code, err } = await run("apply", "plan.json");
    expect([code, emulator.writes()]).toEqual([1, []]);
    expect(err).toContain("which is the zone shop.example.com there");
  });

  test.each([
    ["is new to the zone", file(null, true)],
    ["differs from the base", file(SANDBOX, true)],
    ["came with a new zone", "version: 1\nzones: { shop.example.com: { settings: { enabled: true } } }\n"],
    // The base has the same id under its right name.
    [
      "belonged to another zone before",
      `version: 1\nzones: { shop.example.com: { id: ${SHOP}, settings: { enabled: true } } }\n`,
    ],
  ])("makes the plan of a change fail if it %s", async (_, before) => {
    const { run, cwd } = await start(wrong);
    await mkdir(path.join(cwd, "base"));
    await writeFile(path.join(cwd, "base/zoneward.yaml"), before);
    const { code, err } = await run("plan", "--base", "base");
    expect(code).toBe(1);
    expect(err).toContain("error: The zone's id is another zone's\n");
    expect(err).toContain("shop.example.com");
  });

  test("makes the plan of a change fail if the change names another account for a correct id", async () => {
    const other = file(SANDBOX, true).replace("id: ", `account_id: ${"5c".repeat(16)}, id: `);
    const { run, cwd } = await start({ "zoneward.yaml": other });
    await mkdir(path.join(cwd, "base"));
    await writeFile(path.join(cwd, "base/zoneward.yaml"), file(SANDBOX, true));
    const { code, err } = await run("plan", "--base", "base");
    expect([code, err]).toEqual([1, expect.stringContaining("error: Zone is in another account\n")]);
  });

  test("stops a rollback whose journal contains it", async () => {
    const { cwd, run } = await start({ "zoneward.yaml": file(SANDBOX, false) });
    const applied = await run("apply", "--yes");
    const journal = /Journal: (\S+)/.exec(applied.err)?.[1] ?? "";
    // In the account of the rollback, this id belongs to the shop.
    const zones = { "sandbox.example.com": { id: SHOP }, "shop.example.com": { id: SANDBOX } };
    const other = await createEmulator({ seed: { zones } });
    onTestFinished(() => other.close());
    const { code, err } = await zoneward(["rollback", journal, "--yes"], { cwd, env: reaching(other) });
    expect([code, other.writes()]).toEqual([1, []]);
    expect(err).toContain(`sandbox.example.com the id ${SANDBOX}, which is the zone shop.example.com there`);
  });
});

describe("a correct id", () => {
  test("costs no lookup to plan and one to apply", async () => {
    const { run, lookUps, emulator } = await start({ "zoneward.yaml": file(SANDBOX, false) });
    expect((await run("plan")).code).toBe(0);
    expect(lookUps()).toBe(0);
    expect((await run("apply", "--yes")).code).toBe(0);
    expect([lookUps(), emulator.writes().length]).toEqual([1, 1]);
    expect((await run("apply", "--yes")).code).toBe(0);
    expect(lookUps()).toBe(1);
  });

  test("that the base also has costs no lookup to plan", async () => {
    const { run, cwd, lookUps } = await start({ "zoneward.yaml": file(SANDBOX, false) });
    await mkdir(path.join(cwd, "base"));
    await writeFile(path.join(cwd, "base/zoneward.yaml"), file(SANDBOX, true));
    expect((await run("plan", "--base", "base")).code).toBe(0);
    expect(lookUps()).toBe(0);
  });

  test("of a zone whose name cannot be read makes apply refuse", async () => {
    const { run, emulator } = await start({ "zoneward.yaml": file(SANDBOX, false) });
    emulator.arm({ rates: [{ method: "GET", path: "/zones", fault: "no-result", chance: 1 }] });
    const { code, err } = await run("apply", "--yes");
    expect([code, emulator.writes()]).toEqual([1, []]);
    expect(err).toContain("GET /zones?name=sandbox.example.com");
  });
});
