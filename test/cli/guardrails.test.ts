import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type PlanDocument, plan } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONES = `zones:
  blog.example.com: { settings: { enabled: true, use_connection_url_path: true } }
  shop.example.com:
    settings: { enabled: false }
    policies: [{ description: Old, ensure: absent }]
`;

/** The blog's change strengthens. The shop's changes switch the service off and delete a policy. */
async function start(guardrails: string) {
  const policies = [
    { description: "Old", action: "allow", enabled: true, expression: "true", value: "script-src 'self'" },
  ];
  const shop = { settings: { enabled: true }, policies };
  const seed = { zones: { "blog.example.com": {}, "shop.example.com": shop } };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": config(guardrails) });
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const write = (name: string, text: string) => writeFile(path.join(cwd, name), text);
  const read = async (name: string) =>
    JSON.parse(await readFile(path.join(cwd, name), "utf8")) as PlanDocument; // plan -o writes this shape.
  const options = { cwd, environment: reaching(emulator) };
  return { emulator, run, write, read, options };
}

function config(guardrails: string): string {
  return `version: 1\nguardrails: { ${guardrails} }\n${ZONES}`;
}

describe("a guardrail", () => {
  test.each([
    ["max_changes", "max_changes: 2", "The run would change 3 objects; max_changes is 2."],
    ["max_deletes", "max_deletes: 0", "The run would delete 1 object; max_deletes is 0."],
    ["max_changed_share", "max_changed_share: 0.9", "change 3 of 3 objects in the files, a share of 1;"],
    ["weakens", "forbid: [weakens]", "protection in shop.example.com"],
    ["deletes", "forbid: [deletes]", 'shop.example.com would lose 1 object: policy "Old".'],
    [
      "service_off",
      "forbid: [service_off]",
      "Client-side security would be switched off for shop.example.com.",
    ],
  ])("%s is shown by plan, refuses apply, and is lifted by --allow", async (name, guardrails, text) => {
    const { emulator, run } = await start(guardrails);
    const planned = await run("plan");
    expect([planned.code, planned.err]).toEqual([0, ""]);
    expect(planned.out).toContain(`guardrail ${name}: `);
    expect(planned.out).toContain(text);
    const refused = await run("apply", "--yes");
    expect(refused.code).toBe(3);
    expect(refused.err).toContain(`error: Refused by guardrail ${name}; nothing was written\n  `);
    expect(refused.err).toContain(`--allow ${name}.`);
    expect(emulator.writes()).toEqual([]);
    const allowed = await run("apply", "--yes", "--allow", name);
    expect(allowed.code).toBe(0);
    expect(allowed.out).toContain(`guardrail ${name} (lifted by --allow): `);
    expect(emulator.writes()).toHaveLength(3);
  });

  test("is lifted alone, and others still refuse", async () => {
    const { emulator, run } = await start("max_changes: 2, forbid: [deletes, service_off]");
    const { code, err } = await run("apply", "--yes", "--allow", "deletes", "--allow", "max_changes");
    expect(code).toBe(3);
    expect(err.match(/Refused by guardrail \w+/g)).toEqual(["Refused by guardrail service_off"]);
    expect(emulator.writes()).toEqual([]);
  });

  test("is in the plan document, with its zone if it concerns one", async () => {
    const { run } = await start("max_deletes: 0, forbid: [deletes]");
    const { out } = await run("plan", "--format", "json", "--allow", "deletes");
    const { guardrails } = JSON.parse(out) as PlanDocument; // plan prints this shape.
    expect(guardrails).toEqual([
      {
        name: "deletes",
        zone: "shop.example.com",
        message: expect.any(String),
        allowed: true,
        changes: expect.any(Array),
      },
      { name: "max_deletes", message: expect.any(String), allowed: false },
    ]);
  });

  test("lifted by --allow is reported on stderr beside a JSON report", async () => {
    const { run } = await start("forbid: [deletes]");
    const { code, out, err } = await run("apply", "--yes", "--format", "json", "--allow", "deletes");
    expect([code, JSON.parse(out).converged]).toEqual([0, true]);
    expect(err).toContain("warning: Guardrail deletes is lifted by --allow\n");
  });

  test("refuses in JSON with --format json", async () => {
    const { run } = await start("forbid: [deletes]");
    const { code, out } = await run("apply", "--yes", "--format", "json");
    expect([code, JSON.parse(out)]).toEqual([
      3,
      { ok: false, problems: [expect.objectContaining({ code: "deletes", severity: "error" })] },
    ]);
  });

  test("must exist to be named in --allow", async () => {
    const { run } = await start("");
    const { code, err } = await run("plan", "--allow", "delete");
    expect(code).toBe(1);
    expect(err).toContain("Did you mean deletes?");
  });

  test("with a count refuses if a zone could not be planned, and the failed zone is an error", async () => {
    const { emulator, run, write } = await start("");
    await write("zoneward.yaml", `${config("max_changes: 99")}  gone.example.com: { settings: {} }\n`);
    const { code, err } = await run("apply", "--yes");
    expect(code).toBe(1);
    expect(err).toContain("the total of the run is unknown: gone.example.com could not be planned.");
    expect(err).toContain("zoneward.yaml:8:3: error: ");
    expect(emulator.writes()).toEqual([]);
    const without = await run("apply", "--yes", "--zone", "blog.*", "--zone", "shop.*");
    expect(without.code).toBe(0);
  });
});

describe("--guardrails", () => {
  test("tightens the guardrails of the files and never loosens them", async () => {
    const { emulator, run, write } = await start("max_deletes: 0");
    await write("outside.yaml", "max_deletes: 99\nforbid: [service_off]\n");
    const { code, err } = await run("apply", "--yes", "--guardrails", "outside.yaml");
    expect(code).toBe(3);
    expect(err.match(/Refused by guardrail \w+/g)).toEqual([
      "Refused by guardrail service_off",
      "Refused by guardrail max_deletes",
    ]);
    expect(emulator.writes()).toEqual([]);
  });

  test("is recorded in a saved plan, and apply may name another file", async () => {
    const { emulator, run, write } = await start("");
    await write("outside.yaml", "forbid: [deletes]\n");
    await run("plan", "--guardrails", "outside.yaml", "-o", "plan.json");
    expect((await run("apply", "plan.json")).code).toBe(3);
    expect(emulator.writes()).toEqual([]);
    await write("other.yaml", "max_changes: 3\n");
    expect((await run("apply", "plan.json", "--guardrails", "other.yaml")).code).toBe(0);
  });

  test.each([
    ["is missing", "none.yaml", "none.yaml:1:1: error: File not found"],
    [
      "forbids an unknown guardrail",
      "wrong.yaml",
      "wrong.yaml:1:10: error: Invalid value for item 1 of forbid",
    ],
  ])("refuses plan and apply if the file %s", async (_, file, message) => {
    const { emulator, run, write } = await start("");
    await write("wrong.yaml", "forbid: [everything]\n");
    for (const args of [["plan"], ["apply", "--yes"]]) {
      const { code, out, err } = await run(...args, "--guardrails", file);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain(message);
    }
    expect(emulator.log).toEqual([]);
  });
});

describe("a saved plan", () => {
  test("does not carry lifted guardrails over to apply", async () => {
    const { emulator, run, read } = await start("forbid: [deletes]");
    await run("plan", "--allow", "deletes", "-o", "plan.json");
    expect((await read("plan.json")).guardrails).toMatchObject([{ name: "deletes", allowed: true }]);
    expect((await run("apply", "plan.json")).code).toBe(3);
    expect(emulator.writes()).toEqual([]);
    expect((await run("apply", "plan.json", "--allow", "deletes")).code).toBe(0);
  });

  test("is checked against the current guardrails of the files", async () => {
    const { emulator, run, write } = await start("");
    await run("plan", "-o", "plan.json");
    await write("zoneward.yaml", config("forbid: [service_off]"));
    expect((await run("apply", "plan.json")).code).toBe(3);
    expect(emulator.writes()).toEqual([]);
  });
});

describe("the library", () => {
  test("takes a guardrails file, and reports refusals in the document", async () => {
    const { emulator, write, options } = await start("");
    await write("outside.yaml", "forbid: [deletes]\n");
    const refused = await apply({ ...options, guardrails: "outside.yaml" });
    expect(refused.report).toBeNull();
    expect(refused.document?.guardrails).toMatchObject([{ name: "deletes", allowed: false }]);
    expect(emulator.writes()).toEqual([]);
    const planned = await plan({ ...options, guardrails: "none.yaml" });
    expect(planned.document).toBeNull();
    const allowed = await apply({ ...options, guardrails: "outside.yaml", allow: ["deletes"] });
    expect(allowed.report?.converged).toBe(true);
  });
});
