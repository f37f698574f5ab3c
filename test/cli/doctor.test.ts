import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { doctorSchema } from "../../src/render/doctor-text.js";
import { readDesired } from "../../src/run/files.js";
import { neededPermissions } from "../../src/run/permissions.js";
import { altering } from "../support/altering-service.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { refusing } from "../support/refusing.js";

const FILE = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies: []
    managed_ruleset: { action: block }
    managed_exceptions: []
    custom_log_fields: { request_fields: [host] }
    logpush_jobs: []
`;

const POLICY = {
  description: "a",
  action: "log",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
};

async function world(
  seed: Seed["zones"],
  files: { readonly [name: string]: string } = {},
  without: readonly string[] = [],
) {
  const emulator = await createEmulator({ seed: { zones: seed }, without });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith(files);
  const env = reaching(emulator);
  return { emulator, cwd, env, doctor: (...args: string[]) => zoneward(["doctor", ...args], { cwd, env }) };
}

test("without files lists each visible zone with its objects and limits", async () => {
  const { doctor, emulator } = await world({
    "shop.example.com": { id: "1".repeat(32), policies: [POLICY], logpush_jobs: [] },
    "free.example.com": { id: "2".repeat(32), plan: "free" },
  });
  const { code, out, err } = await doctor();
  const listed = (counts: { readonly [section: string]: string }) =>
    kinds
      .map(({ section, at }) => `${section} ${counts[section] ?? (at.as === "object" ? 1 : 0)}`)
      .join(", ");
  const notIncluded = "not in the zone's Cloudflare plan";
  const free = {
    policies: "0 (limit 0)",
    managed_ruleset: notIncluded,
    managed_exceptions: notIncluded,
    custom_log_fields: notIncluded,
    logpush_jobs: "0 (limit 4)",
  };
  expect(out.split("\n")).toEqual([
    `address: ${emulator.url}`,
    "credential: CLOUDFLARE_API_TOKEN, active",
    `free.example.com ${"2".repeat(32)}: ${listed(free)}`,
    `shop.example.com ${"1".repeat(32)}: ${listed({ policies: "1", logpush_jobs: "0 (limit 4)" })}`,
    "Write permissions are not checked. A missing one shows up at apply.",
    "",
  ]);
  expect(err).toContain("The zone's Cloudflare plan has no managed rules");
  expect([code, emulator.log.filter(({ method }) => method !== "GET")]).toEqual([0, []]);
});

test("a managed section missing in the zone's Cloudflare plan is an error, or a note if optional", async () => {
  const seed: Seed["zones"] = { "shop.example.com": { plan: "free", policies: [] } };
  const { doctor } = await world(seed, { "zoneward.yaml": FILE });
  expect((await doctor()).code).toBe(1);
  const optional = FILE.replace(
    "{ enabled: true }",
    "{ enabled: true }\n    optional: [managed_ruleset, managed_exceptions, custom_log_fields]",
  );
  const fine = await world(seed, { "zoneward.yaml": optional });
  const { code, out } = await fine.doctor("--format", "json");
  const [zone] = JSON.parse(out).zones;
  expect([code, zone.sections.map(({ can }: { can: string }) => can)]).toEqual([
    0,
    ["read", "read", "not_entitled", "not_entitled", "not_entitled", "read"],
  ]);
});

describe("the token", () => {
  test("of an account is verified at the account", async () => {
    const { emulator, cwd, env } = await world({ "shop.example.com": {} });
    const front = await refusing(emulator.url);
    onTestFinished(() => front.close());
    front.arm({ method: "GET", path: /\/user\/tokens/ });
    const { code, out } = await zoneward(["doctor"], {
      cwd,
      env: { ...env, CLOUDFLARE_BASE_URL: front.url },
    });
    expect([code, out]).toEqual([0, expect.stringContaining("credential: CLOUDFLARE_API_TOKEN, active\n")]);
  });

  const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();

  test.each([
    [{ status: "active", expires_on: inDays(3) }, 0, "warning: Token expires soon"],
    [{ status: "active", expires_on: inDays(30) }, 0, ""],
    [{ status: "active", expires_on: "\u001b[2J" }, 0, ""],
    [{ status: "disabled\u001b[2J" }, 1, "error: Token is not active"],
  ])("is reported as: %j", async (result, expected, said) => {
    const { emulator, cwd } = await world({ "shop.example.com": {} });
    const env = await altering(emulator, (path) =>
      path.endsWith("/tokens/verify")
        ? JSON.stringify({ success: true, errors: [], messages: [], result })
        : undefined,
    );
    const { code, out, err } = await zoneward(["doctor"], { cwd, env });
    expect([code, err]).toEqual([expected, said === "" ? "" : expect.stringContaining(said)]);
    expect(out + err).not.toContain("\u001b");
  });
});

test("an unreachable service is reported once, without further requests", async () => {
  const { emulator, cwd, env } = await world({ "shop.example.com": {} });
  const secure = emulator.url.replace("http:", "https:"); // The emulator does not speak TLS.
  const { code, out, err } = await zoneward(["doctor"], {
    cwd,
    env: { ...env, CLOUDFLARE_BASE_URL: secure },
  });
  expect([code, out, err.match(/No secure connection/g)?.length]).toEqual([1, "", 1]);
  expect(err).toContain(`${secure} cannot be reached: `);
});

test("an unreadable section is named as the files name it", async () => {
  const list = FILE.replace(
    "managed_ruleset: { action: block }",
    "managed_rulesets: [{ action: block, ruleset: Cloudflare OWASP Core Ruleset }]",
  );
  const { cwd, env } = await world({ "shop.example.com": {} }, { "zoneward.yaml": list }, ["Zone WAF Read"]);
  for (const command of ["doctor", "plan"]) {
    const { err } = await zoneward([command], { cwd, env });
    expect(err, command).toContain("zoneward.yaml:6:5: error");
    expect(err, command).not.toContain("zoneward.yaml:4:5");
  }
});

test("a missing permission is reported by its name", async () => {
  const seed = { zones: { "shop.example.com": {} } };
  const cwd = await folderWith({ "zoneward.yaml": FILE });
  const { desired } = await readDesired({ config: [], cwd, environment: {} }, "check");
  const { zones, accounts } = neededPermissions(desired?.zones ?? []);
  const groups = [...zones, ...accounts].flatMap(({ plan }) => plan.map(({ group }) => group));
  expect(groups).toHaveLength(5);
  for (const group of groups) {
    const emulator = await createEmulator({ seed, without: [group] });
    onTestFinished(() => emulator.close());
    for (const command of ["doctor", "plan"]) {
      const { code, err } = await zoneward([command], { cwd, env: reaching(emulator) });
      expect([code, err]).toEqual([1, expect.stringContaining(`permission group ${group}`)]);
    }
  }
});

test("JSON output matches the published schema", async () => {
  const validate = new Ajv2020({ strict: false }).compile(doctorSchema);
  const seed: Seed["zones"] = { "shop.example.com": { plan: "free", status: "pending" } };
  const files = [{}, { "zoneward.yaml": FILE }, { "zoneward.yaml": FILE.replaceAll("shop.", "other.") }];
  for (const each of files) {
    const { doctor } = await world(seed, each, ["Logs Read"]);
    const { out } = await doctor("--format", "json");
    expect(validate(JSON.parse(out)), JSON.stringify(validate.errors)).toBe(true);
  }
  expect(validate({ token: {}, zones: [], problems: [] })).toBe(false);
});

test("an export of zones with smaller Cloudflare plans counts as complete", async () => {
  const { cwd, env } = await world({ "shop.example.com": {}, "free.example.com": { plan: "free" } });
  for (const _ of [1, 2]) {
    const { code, err } = await zoneward(["export", "--out-dir", "zones"], { cwd, env });
    expect([code, err]).toEqual([0, expect.stringContaining("Exported 2 zones")]);
  }
});

test("a rejected token is reported as a failed lookup, not as missing zones", async () => {
  const { cwd, env } = await world({ "shop.example.com": {} }, { "zoneward.yaml": FILE });
  const wrong = { ...env, CLOUDFLARE_API_TOKEN: "a-token-that-is-none-of-the-emulator" };
  const { code, out, err } = await zoneward(["doctor"], { cwd, env: wrong });
  expect([code, out]).toEqual([1, expect.stringContaining("shop.example.com lookup failed\n")]);
  expect(out).toContain("credential: CLOUDFLARE_API_TOKEN, rejected\n");
  expect(err).toBe(REJECTED);
});

const REJECTED = `error: Token rejected for every call
  The service denied all calls: the credential is wrong, expired, or limited to other addresses. Check CLOUDFLARE_API_TOKEN.

`;

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";

test.each([
  ["doctor"],
  ["plan"],
  ["drift"],
  ["adopt"],
  ["export"],
  ["export", "shop.example.com"],
  ["scripts", "list"],
  ["connections", "list"],
  ["scripts", "show", ID],
  ["suggest"],
  ["ready"],
])("%s %s reports a rejected token once, and no missing permission", async (...command) => {
  const zone = (name: string, zoneId: string) =>
    `  ${name}:\n    id: ${zoneId}\n    settings: {}\n    policies: []\n    logpush_jobs: []\n`;
  const file = `version: 1\nzones:\n${zone("shop.example.com", ID)}${zone("blog.example.com", ID.replace("3", "4"))}`;
  const { cwd, env } = await world({ "shop.example.com": {} }, { "zoneward.yaml": file });
  const wrong = { ...env, CLOUDFLARE_API_TOKEN: "a-token-that-is-none-of-the-emulator" };
  const { code, err } = await zoneward([...command, "--quiet"], { cwd, env: wrong });
  expect([code, err.replace(" In 2 zones: shop.example.com, blog.example.com.", "")]).toEqual([1, REJECTED]);
});

test("a token without one permission is told which permission, before the call", async () => {
  const { cwd, env } = await world({ "shop.example.com": {} }, { "zoneward.yaml": FILE }, [
    "Page Shield Read",
  ]);
  const { code, err } = await zoneward(["plan"], { cwd, env });
  expect(code).toBe(1);
  expect(err).toMatch(
    /\n {2}Give the token the permission group Page Shield Read\. GET \/zones\/\S+ returned HTTP 403 /,
  );
  expect(err).not.toContain("Check the credential");
});
