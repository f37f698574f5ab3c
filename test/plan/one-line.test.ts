import { expect, onTestFinished, test } from "vitest";
import { createEmulator, plan } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

/** Every change and problem refers to its line, and all copies together would exceed the longest possible string. */
const MOST_CHARS = 2 ** 29;

test("a file may be one long line with many changes", async () => {
  const zones = { "a.example.com": { id: "a".repeat(32) } };
  const emulator = await createEmulator({ seed: { zones } });
  onTestFinished(() => emulator.close());
  const policies = Array.from({ length: 600 }, (_, index) => ({
    description: `Area ${index}`,
    action: "log",
    expression: `starts_with(http.request.uri.path, "/${index}/")`,
    value: "script-src 'self'",
  }));
  const vars = { padding: "x".repeat(1_000_000) };
  const file = JSON.stringify({
    version: 1,
    zones: { "a.example.com": { ...zones["a.example.com"], vars, policies } },
  });
  expect(file.length * policies.length).toBeGreaterThan(MOST_CHARS);
  const cwd = await folderWith({ "zoneward.yaml": file });
  const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
  expect(document?.changes).toHaveLength(policies.length);
});
