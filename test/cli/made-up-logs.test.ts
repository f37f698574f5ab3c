import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { writeLogs } from "../../src/cli/made-up-logs.js";
import { allows } from "../../src/csp/match/allows.js";
import type { Seed } from "../../src/index.js";
import { folderWith } from "../support/cli.js";

const NOW = new Date("2026-11-24T10:00:00Z");
const VALUE = "script-src 'self' https://cdn.example.net; connect-src 'self'";

const seed: Seed = {
  zones: {
    "shop.example.com": {
      policies: [
        {
          id: "a".repeat(32),
          description: "Shop",
          action: "log",
          enabled: true,
          expression: "true",
          value: VALUE,
        },
      ],
      scripts: [{ url: "https://chat.example/w.js", page_urls: ["shop.example.com/cart"] }],
    },
    "quiet.example.com": {},
  },
};

type Line = Readonly<Record<string, unknown>>;

async function written() {
  const folder = path.join(await folderWith({}), "logs");
  const done = await writeLogs(folder, seed, NOW);
  const files = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith(".log.gz"))
    .sort();
  const lines = async (dataset: string): Promise<readonly Line[]> => {
    const texts = await Promise.all(
      files
        .filter((file) => file.includes(`/${dataset}/`))
        .map(async (file) => gunzipSync(await readFile(path.join(folder, file))).toString()),
    );
    return texts.flatMap((text) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
  };
  return { folder, done, files, lines };
}

test("made-up logs look like 14 days of jobs, and are the same for the same zones and day", async () => {
  const first = await written();
  expect(first.done).toEqual({ ok: true, value: 14 * 3 });
  expect(first.files[0]).toMatch(
    /^quiet\.example\.com\/http_requests\/20261110\/20261110T000000Z_20261110T235959Z_[0-9a-f]{8}\.log\.gz$/,
  );
  const again = await written();
  expect(again.files).toEqual(first.files);
  expect(await again.lines("page_shield_events")).toEqual(await first.lines("page_shield_events"));
  expect(await again.lines("http_requests")).toEqual(await first.lines("http_requests"));
});

test("made-up events are loads that the live policies refuse, and a little noise", async () => {
  const events = await (await written()).lines("page_shield_events");
  const own = events.filter(({ URL: url }) => !String(url).startsWith("chrome-extension:"));
  expect(own.length).toBeGreaterThan(100);
  expect(events.length - own.length).toBe(14);
  expect(new Set(own.map(({ URL: url }) => url))).toContain("https://chat.example/w.js");
  for (const { URL: url, PageURL: page, ResourceType: type, Action: action } of own) {
    const kind = type === "script" ? "script" : "connection";
    expect(allows({ kind, url: String(url), page: String(page), csp: VALUE }).allowed).toBe(false);
    expect(action).toBe("log");
  }
});

test("a folder that is not empty is refused", async () => {
  const folder = await folderWith({ "a.txt": "mine" });
  const done = await writeLogs(folder, seed, NOW);
  expect(done).toMatchObject({
    ok: false,
    problems: [{ detail: `${folder} is not empty. Name an empty or a new folder.` }],
  });
  expect(await readdir(folder)).toEqual(["a.txt"]);
});
