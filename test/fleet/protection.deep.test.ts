import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import {
  apply,
  createEmulator,
  type Emulator,
  exportZones,
  type PlanDocument,
  plan,
  render,
  rollback,
} from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { essenceOf } from "../support/essence.js";
import { objectsOf } from "../support/objects.js";
import { zones } from "./fleet.js";
import { protectionChanges } from "./terraform-changes.js";
import { byHand, protectedFile, protectedSeed } from "./terraform-fleet.js";

let emulator: Emulator;

beforeAll(async () => {
  emulator = await createEmulator({ seed: protectedSeed });
});
afterAll(() => emulator.close());

async function start() {
  const cwd = await folderWith({});
  return {
    options: { cwd, environment: reaching(emulator), rateLimit: "off" },
    write: (text: string) => writeFile(path.join(cwd, "zoneward.yaml"), text),
  };
}

function errorsIn(problems: readonly { readonly severity: string }[]) {
  return problems.filter(({ severity }) => severity === "error");
}

/** The sentence that counts the changes, without the requests that planning took. */
function summaryOf(document: PlanDocument | null): string {
  if (document === null) return "no plan";
  const last = render.text(document).trimEnd().split("\n").at(-1) ?? "";
  return last.replace(/; planning used .*$/, "");
}

test("an export with one template has every declared rule and setting, and plans no changes", async () => {
  const { options, write } = await start();
  const exported = await exportZones({ ...options, template: "site" });
  expect(errorsIn(exported.problems)).toEqual([]);
  const text = exported.text ?? "";
  const { templates, zones: bodies } = parse(text);
  expect(Object.keys(templates)).toEqual(["site"]);
  expect(Object.keys(bodies)).toHaveLength(zones.length);
  expect(Object.keys(templates.site)).toEqual(
    expect.arrayContaining(["custom_rules", "rate_limits", "zone_settings"]),
  );
  await write(text);
  const { document, problems } = await plan(options);
  expect(errorsIn(problems)).toEqual([]);
  expect(document).toMatchObject({ changes: [], calls: [], summary: { zones: 40 } });
});

test("templates written by hand plan no changes", async () => {
  const { options, write } = await start();
  await write(stringify(protectedFile()));
  const { document, problems } = await plan(options);
  expect(errorsIn(problems)).toEqual([]);
  expect(document).toMatchObject({ changes: [], calls: [], summary: { zones: 40 } });
});

test.each(protectionChanges)("$name: is planned, applied and rolled back", async ({ edit, summary }) => {
  const { options, write } = await start();
  const before = emulator.state();
  const rulesByHand = () => [...objectsOf(emulator.state())].filter(([id]) => byHand.has(id));
  const others = rulesByHand();
  expect(others).toHaveLength(zones.length);
  const file = protectedFile();
  edit(file);
  await write(stringify(file));

  const { document, problems } = await plan(options);
  expect(errorsIn(problems)).toEqual([]);
  expect(summaryOf(document)).toBe(summary);
  if (document === null) return;
  const { report } = await apply({ ...options, plan: document });
  expect(report?.zones.filter(({ converged }) => !converged)).toEqual([]);
  expect(rulesByHand()).toEqual(others);
  expect((await plan(options)).document).toMatchObject({ changes: [], calls: [] });

  await write(stringify(protectedFile()));
  const back = await rollback(report?.journal ?? "", options);
  expect(errorsIn(back.problems)).toEqual([]);
  expect(back.report?.converged).toBe(true);
  expect(rulesByHand()).toEqual(others);
  expect(essenceOf(emulator.state())).toEqual(essenceOf(before));
});
