import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { IN_SYNC, start, switched } from "./start.js";

test.each([
  ["true", true, "alice@example.com in the dashboard"],
  ["true", false, "a user in the dashboard"],
  ["true", undefined, "a user in the dashboard"],
  ["role", true, "a user in the dashboard"],
  ["false", true, null],
])("with who: %s, in a repository with private: %s, names %s", async (who, isPrivate, said) => {
  const { emulator, github, step } = await start(IN_SYNC);
  emulator.edit({ ...switched(true), by: "alice@example.com" });
  const { code, summary, outputs } = await step({
    event: "schedule",
    payload: isPrivate === undefined ? {} : { repository: { private: isPrivate } },
    inputs: { command: "drift", issue: "auto", who, "plan-file": "plan.json" },
  });
  expect(code).toBe(0);
  const told = [summary, github.issues[0]?.body ?? ""];
  for (const text of told) {
    if (said !== null) expect(text.replaceAll("`", "")).toContain(`by ${said}`);
    if (said?.startsWith("alice") !== true) expect(text).not.toContain("alice");
  }
  expect(await readFile(outputs["plan-file"] ?? "", "utf8")).not.toContain('"who"');
});

test("the input who has an effect on plan and drift only", async () => {
  const { step } = await start();
  expect((await step({ inputs: { command: "validate", who: "true" } })).commands).toContainEqual(
    expect.stringContaining("The input who has no effect on the command validate. It is for plan"),
  );
});
