import { describe, expect, onTestFinished, test } from "vitest";
import { managedRulesets } from "../../src/emulator/resources/rulesets/holdings.js";
import { createEmulator, plan, type Seed } from "../../src/index.js";
import { altering } from "../support/altering-service.js";
import { folderWith, reaching } from "../support/cli.js";
import { refusing } from "../support/refusing.js";

const ROOT = "f".repeat(32);
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const root = {
  id: ROOT,
  kind: "root",
  phase: "http_request_firewall_managed",
  rules: [
    { action: "execute", action_parameters: { id: CORE }, expression: "true", description: "Everywhere" },
  ],
};

async function world(section: object, names = ["a.example.com"]) {
  const zones = Object.fromEntries(names.map((name) => [name, {}]));
  const seed: Seed = { account_rulesets: [...managedRulesets, root], zones };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const files = { version: 1, zones: Object.fromEntries(names.map((name) => [name, section])) };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify(files) });
  const planned = (environment = reaching(emulator)) => plan({ cwd, environment, rateLimit: "off" });
  const read = () => emulator.log.map(({ path }) => path).filter((each) => each.startsWith("/accounts/"));
  return { emulator, planned, read };
}

describe("a ruleset that the account executes in all zones", () => {
  test("is reported for each zone that declares it, and read once for all zones", async () => {
    const { planned, read } = await world({ managed_ruleset: { action: "log" } }, [
      "a.example.com",
      "b.example.com",
    ]);
    const { problems, document } = await planned();
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual(
      Array.from({ length: 2 }, () => ["account_rules", "note"]),
    );
    expect(document?.diagnostics.map(({ zone }) => zone)).toEqual(["a.example.com", "b.example.com"]);
    expect(read().filter((path) => path.endsWith(ROOT))).toHaveLength(1);
  });

  test("is reported even if the ruleset needs no lookup, and not if the files remove it", async () => {
    const own = { ruleset: CORE, score_rule: "6179ae15870a4bb7b2d480d4843b323c", action: "log" };
    const { planned } = await world({ managed_ruleset: own });
    expect((await planned()).problems).toMatchObject([{ code: "account_rules" }]);
    const other = await world({ managed_ruleset: { ensure: "absent" } });
    expect((await other.planned()).problems).toEqual([]);
  });

  test("is reported as not visible without read permission", async () => {
    const { emulator, planned } = await world({ managed_ruleset: { action: "log" } });
    const front = await refusing(emulator.url);
    onTestFinished(() => front.close());
    front.arm({ method: "GET", path: new RegExp(ROOT) });
    const { problems, document } = await planned(reaching({ ...emulator, url: front.url }));
    expect(problems).toMatchObject([{ code: "account_rules_unread", severity: "note" }]);
    expect([document?.summary.create, front.refused().length]).toEqual([1, 1]);
  });

  test("fails the section if it cannot be read for another reason", async () => {
    const { emulator, planned } = await world({ managed_ruleset: { action: "log" } });
    const refusal = { success: false, errors: [{ code: 1, message: "no" }], messages: [], result: null };
    const environment = await altering(emulator, (path) =>
      path.endsWith(ROOT) ? JSON.stringify(refusal) : undefined,
    );
    const { problems, document } = await planned(environment);
    expect(problems.filter(({ severity }) => severity === "error")).toHaveLength(1);
    expect([document?.summary.create ?? 0, document?.calls ?? []]).toEqual([0, []]);
  });
});
