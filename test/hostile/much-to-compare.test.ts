import { expect, test } from "vitest";
import { validate } from "../../src/index.js";
import { folderWith } from "../support/cli.js";

/** Blocking policies, each with a long pattern. */
function policies(count: number): readonly object[] {
  return Array.from({ length: count }, (_, n) => ({
    description: `P${n}`,
    action: "allow",
    enabled: true,
    expression: `http.request.uri.path matches "${`[a-z0-9]+${n}x{2,5}[^/]*(foo|bar)`.repeat(6)}$"`,
    value: `script-src 'self' https://cdn${n}.example.com`,
  }));
}

async function notCompared(count: number) {
  const body = { version: 1, zones: { "shop.example.com": { policies: policies(count) } } };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify(body) });
  const { problems } = await validate({ cwd, environment: {} });
  return problems.filter(({ code }) => code === "not_compared");
}

test("validate limits the work of comparing policies and gives one warning", async () => {
  expect(await notCompared(2)).toEqual([]);
  const told = await notCompared(40);
  expect(told.map(({ severity }) => severity)).toEqual(["warning"]);
  expect(await notCompared(40)).toEqual(told);
});
