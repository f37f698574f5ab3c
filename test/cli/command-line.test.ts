import { describe, expect, test } from "vitest";
import { folderWith, zoneward } from "../support/cli.js";

describe("a wrong command line says what is meant", () => {
  const cases: [line: string, says: string][] = [
    [
      "plan --format yaml",
      "--format must be text, json, markdown, html, sarif, codequality or junit, not yaml.",
    ],
    [
      "plan --format xml",
      "--format must be text, json, markdown, html, sarif, codequality or junit, not xml.",
    ],
    ["plan --format jsno", "not jsno. Did you mean json?"],
    ["rollback --lst", "Unknown flag --lst for zoneward rollback. Did you mean --last or --list?"],
    ["apply --auto-approve", "Unknown flag --auto-approve for zoneward apply. Use --yes."],
    ["plan -f a.yaml", "Unknown flag -f for zoneward plan. Use -c (--config)."],
    ["plan --target policy/A", "Unknown flag --target for zoneward plan. Use --only or --zone."],
    ["init", "Unknown command init. There is nothing to set up. zoneward export ZONE -o zoneward.yaml"],
    [
      "destroy",
      "Unknown command destroy. Set ensure: absent on the object, or list its section under prune, and apply.",
    ],
    ["constructor", "Unknown command constructor. See zoneward --help."],
  ];
  test.each(cases)("%s", async (line, says) => {
    const { code, out, err } = await zoneward(line.split(" "));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^error: Invalid command line\n {2}/);
    expect(err).toContain(says);
    if (!says.includes("Did you mean")) expect(err).not.toContain("Did you mean");
  });
});

test.each(["plan", "drift", "apply", "adopt"])(
  "%s without a credential also reports the errors of the files",
  async (command) => {
    const cwd = await folderWith({ "zoneward.yaml": "version: 1\nzone: {}\n" });
    const { code, err } = await zoneward([command], { cwd, env: {} });
    expect(code).toBe(1);
    expect(err).toContain("CLOUDFLARE_API_TOKEN");
    expect(err).toContain("zoneward.yaml:2:1: error: Unknown key");
  },
);

test("a missing guardrails file is not found", async () => {
  const cwd = await folderWith({ "zoneward.yaml": "version: 1\nzones: {}\n" });
  const env = { CLOUDFLARE_API_TOKEN: "a-token-that-is-not-used-here" };
  const { code, err } = await zoneward(["plan", "--guardrails", "strict.yaml"], { cwd, env });
  expect([code, err]).toEqual([1, expect.stringContaining("strict.yaml:1:1: error: File not found\n")]);
  expect(err).not.toContain("ENOENT");
});
