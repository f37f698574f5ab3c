import { expect, test } from "vitest";
import { validate } from "../../src/index.js";
import { folderWith } from "../support/cli.js";

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `Odd${n}`);
}

const job = { name: "logs", dataset: "http_requests", destination_conf: "https://logs.example.com/in" };
const policy = { description: "All", action: "log", expression: "true" };

test.each([
  ["fields of a job", { logpush_jobs: [{ ...job, fields: names(30_000) }] }],
  ["fields in logpull_options", { logpush_jobs: [{ ...job, logpull_options: `fields=${names(30_000)}` }] }],
  [
    "directives in a map",
    { policies: [{ ...policy, value: Object.fromEntries(names(10_000).map((name) => [name, ["'self'"]])) }] },
  ],
  [
    "unknown fields",
    {
      policies: [300, 30_000].map((count) => ({
        ...policy,
        description: `${count}`,
        expression: names(count)
          .map((name) => `http.${name.toLowerCase()} eq "a"`)
          .join(" or "),
        value: "script-src 'self'",
      })),
    },
  ],
  [
    "conditions",
    {
      policies: [
        {
          ...policy,
          expression: names(18_000)
            .map((name) => `http.request.uri.path eq "${name}"`)
            .join(" or "),
          value: "script-src 'self'",
        },
      ],
    },
  ],
  ["sources of a directive", { policies: [{ ...policy, value: { "script-src": names(20_000) } }] }],
])(
  "validate takes few seconds for very many %s",
  async (_, zone) => {
    const cwd = await folderWith({
      "zoneward.yaml": JSON.stringify({ version: 1, zones: { "shop.example.com": zone } }),
    });
    const before = process.cpuUsage();
    const { problems } = await validate({ cwd, environment: {} });
    const { user } = process.cpuUsage(before);
    expect(problems.length).toBeGreaterThan(0);
    expect(user / 1e6).toBeLessThan(10);
  },
  120_000,
);
