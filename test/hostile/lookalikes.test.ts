import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { changedRuns } from "../../src/render/changed-text.js";
import { visible } from "../../src/render/safe-text.js";
import { changedTexts, quotedBoth } from "../../src/render/values.js";
import { coverWords } from "../../src/strength/scope-words.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

/** A Cyrillic letter in place of a Latin one. */
const LOOKALIKE = "shop.ex\u0430mple.com";

test("a lookalike host can be told from the original in every format", async () => {
  const policy = (host: string) => ({
    description: "Checkout",
    action: "allow",
    enabled: true,
    expression: `http.host eq "${host}"`,
    value: "script-src 'self'",
  });
  const emulator = await createEmulator({
    seed: {
      zones: {
        "shop.example.com": {
          policies: [{ id: "9b1f0c6ab5e7441e8f0d7d2c4a91e001", ...policy("shop.example.com") }],
        },
      },
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const zone = { policies: [policy(LOOKALIKE)] };
  await writeFile(
    path.join(cwd, "zoneward.yaml"),
    JSON.stringify({ version: 1, zones: { "shop.example.com": zone } }),
  );
  for (const format of ["text", "markdown", "html"]) {
    const { code, out } = await zoneward(["plan", "--format", format], { cwd, env: reaching(emulator) });
    expect(code).toBe(0);
    expect(out).toContain("xn--exmple-4nf.com");
    expect(out).toContain("ex\\u{430}mple");
    expect(out.replace(/<pre>.*?<\/pre>/gs, "")).not.toContain(LOOKALIKE);
  }
});

describe("words of letters that all look Latin", () => {
  const [latin, cyrillic] = ["copy", "\u0441\u043e\u0440\u0443"];

  test("are escaped if no other letter reveals their script", () => {
    expect(visible(cyrillic)).toBe("\\u{441}\\u{43e}\\u{440}\\u{443}");
    expect(visible(`${cyrillic} \u0436`)).toBe(`${cyrillic} \u0436`);
  });

  test.each([
    [latin, cyrillic],
    [`${latin} \u0436`, `${cyrillic} \u0436`],
  ])("can be told from Latin words before and after: %s", (before, after) => {
    for (const [a, b] of [changedTexts(before, after), quotedBoth(before, after)]) {
      expect(a).not.toBe(b);
      expect(b).toContain("\\u{441}\\u{43e}\\u{440}\\u{443}");
    }
    expect(changedRuns(before, after)?.some(({ text }) => text === cyrillic) ?? false).toBe(false);
  });
});

describe("a change of scope", () => {
  test.each([
    ["mixed", 'http.host eq "a.example"', 'http.host eq ""', "no longer on some pages, now on others"],
    [
      "mixed",
      'http.request.uri.path eq ""',
      'http.request.uri.path eq "/a"',
      "no longer on some pages, now on others",
    ],
    [
      "mixed",
      'raw.http.request.uri.path eq "/a"',
      'http.request.uri.path eq "/a"',
      "no longer on some pages, now on others",
    ],
    [
      "mixed",
      'http.host eq "a.example"',
      'http.host in {"a.example" "b.example"}',
      "no longer on some pages, now on others",
    ],
    [
      "mixed",
      'http.host eq "a.example"',
      `http.host eq "${LOOKALIKE}"`,
      `no longer on a.example, now on ${LOOKALIKE} (not ASCII: shop.xn--exmple-4nf.com)`,
    ],
    [
      "mixed",
      'http.request.uri.path eq "/a"',
      'http.request.uri.path eq "/\u0430"',
      "no longer on /a, now on /%D0%B0",
    ],
    [
      "mixed",
      'http.host eq "a.example"',
      'http.host eq "b.example"',
      "no longer on a.example, now on b.example",
    ],
  ] as const)("%s: %s → %s", (way, before, after, words) => {
    expect(coverWords(way, before, after, "page")).toBe(words);
  });
});
