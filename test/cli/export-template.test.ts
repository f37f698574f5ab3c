import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type Dialect, type Seed, type ZoneSeed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { refusing } from "../support/refusing.js";
import { IN_EVERY_ZONE, onlySections, SECTIONS } from "../support/sections.js";

function shop(zone: string, more: ZoneSeed = {}): ZoneSeed {
  return {
    settings: { enabled: true },
    policies: [
      policy(`Scripts of ${zone}`, `http.host eq "${zone}"`, `script-src 'self' cdn.${zone} not${zone}`),
      policy(
        "Checkout",
        'http.request.uri.path eq "/pay"',
        zone.startsWith("c.") ? "img-src 'none'" : "img-src 'self'",
      ),
      ...(more.policies ?? []),
    ],
    logpush_jobs: [
      {
        name: `logs-${zone}`,
        dataset: "http_requests",
        enabled: true,
        destination_conf: `https://logs.example/${zone}`,
      },
    ],
  };
}

function policy(description: string, expression: string, value: string) {
  return { description, action: "log", enabled: true, expression, value };
}

const four: Seed = {
  zones: {
    "a.example.com": shop("a.example.com"),
    "b.example.com": shop("b.example.com", { policies: [policy("Only here", "true", "img-src 'self'")] }),
    "c.example.com": shop("c.example.com"),
    "d.example.org": shop("d.example.org"),
  },
};

async function start(seed: Seed = four, dialect: Dialect = "service") {
  const emulator = await createEmulator({ seed, dialect, logpushCreationOnly: false });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { emulator, cwd, run };
}

test("export --template moves common objects into a template, and reports the differences", async () => {
  const { run, cwd } = await start();
  const { code, out, err } = await run("export", "--template", "site");
  expect(code).toBe(0);
  const sections = ["settings", "policies", "logpush_jobs", "zone_settings"];
  const shown = onlySections(out, ...sections);
  expect(shown.slice(shown.indexOf("version:"))).toMatchInlineSnapshot(`
    "version: 1
    templates:
      site:
        settings:
          enabled: true
          use_cloudflare_reporting_endpoint: false
          use_connection_url_path: false
        policies:
          - description: Scripts of \${zone}
            action: log
            enabled: true
            expression: http.host eq "\${zone}"
            value: script-src 'self' cdn.\${zone} not\${zone}
          - description: Checkout
            action: log
            enabled: true
            expression: http.request.uri.path eq "/pay"
        logpush_jobs:
          - name: logs-\${zone}
            dataset: http_requests
            enabled: true
            destination_conf: \${secret:\${vars.SITE}_LOGS_\${vars.SITE}}
        zone_settings:
          ssl: full
          min_tls_version: "1.0"
          tls_1_3: on
          ciphers: []
          0rtt: off
          always_use_https: off
          automatic_https_rewrites: on
          opportunistic_encryption: on
          tls_client_auth: off
          browser_check: on
          challenge_ttl: 1800
          hotlink_protection: off
          email_obfuscation: on
          security_level: medium
          security_header:
            enabled: false
            max_age: 0
            include_subdomains: false
            preload: false
            nosniff: false
    zones:
      a.example.com:
        extends: [site]
        vars:
          SITE: A_EXAMPLE_COM
        policies:
          - description: Checkout
            value: img-src 'self'
      b.example.com:
        extends: [site]
        vars:
          SITE: B_EXAMPLE_COM
        policies:
          - description: Checkout
            value: img-src 'self'
          - description: Only here
            action: log
            enabled: true
            expression: "true"
            value: img-src 'self'
      c.example.com:
        extends: [site]
        vars:
          SITE: C_EXAMPLE_COM
        policies:
          - description: Checkout
            value: img-src 'none'
      d.example.org:
        extends: [site]
        vars:
          SITE: D_EXAMPLE_ORG
        policies:
          - description: Checkout
            value: img-src 'self'
    "
  `);
  const shared = SECTIONS.filter((name) => sections.includes(name) || IN_EVERY_ZONE.includes(name));
  const complete = 2 + IN_EVERY_ZONE.length;
  expect(
    err,
  ).toBe(`Exported 4 zones with ${13 + 4 * IN_EVERY_ZONE.length} objects. Set A_EXAMPLE_COM_LOGS_A_EXAMPLE_COM, B_EXAMPLE_COM_LOGS_B_EXAMPLE_COM, C_EXAMPLE_COM_LOGS_C_EXAMPLE_COM, D_EXAMPLE_ORG_LOGS_D_EXAMPLE_ORG in the environment before apply. Without them, plan does not compare the destinations.
Template site holds what all 4 zones share: ${complete} complete objects, 1 partial, in ${shared.join(", ")}.
Differs per zone:
  policies, "Checkout", value: differs in c.example.com
  policies, "Only here": only in b.example.com
`);
  await writeFile(path.join(cwd, "zoneward.yaml"), out);
  expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
  // One changed line of the template changes each zone.
  await writeFile(path.join(cwd, "zoneward.yaml"), out.replace('eq "/pay"', 'eq "/checkout"'));
  const planned = await run("plan", "--format", "json");
  expect(JSON.parse(planned.out).summary).toMatchObject({ zones: 4, update: 4, create: 0, delete: 0 });
});

test("export --template into a folder writes the template into the shared file", async () => {
  const { run, cwd } = await start();
  expect((await run("export", "--template", "site", "--out-dir", "zones")).code).toBe(0);
  expect(await readdir(path.join(cwd, "zones"))).toHaveLength(5);
  const shared = parse(await readFile(path.join(cwd, "zones/shared.yaml"), "utf8"));
  expect(Object.keys(shared)).toEqual(["version", "templates"]);
  const zone = parse(await readFile(path.join(cwd, "zones/a.example.com.yaml"), "utf8"));
  expect(zone.zones["a.example.com"]).toMatchObject({ extends: ["site"], vars: { SITE: "A_EXAMPLE_COM" } });
  expect((await run("drift", "-c", "zones", "--detailed-exitcode")).code).toBe(0);
});

test("export --template of one zone moves all but ids into the template", async () => {
  const { run } = await start();
  const { out, err } = await run("export", "a.example.com", "--template", "site");
  expect(parse(out).zones["a.example.com"]).toEqual({ extends: ["site"], vars: { SITE: "A_EXAMPLE_COM" } });
  // Only the whole name is replaced, not a longer name that contains it.
  expect(out).toContain("value: script-src 'self' cdn.${zone} nota.example.com");
  expect(err).toContain(
    `Template site holds what the zone has: ${3 + IN_EVERY_ZONE.length} complete objects`,
  );
});

test("export --template writes no template for zones without common objects", async () => {
  const settings = (on: boolean) => ({
    enabled: on,
    use_cloudflare_reporting_endpoint: on,
    use_connection_url_path: on,
  });
  const zones = {
    "a.example.com": { settings: settings(true), policies: [policy("A", "true", "img-src 'self'")] },
    "b.example.com": { settings: settings(false) },
  };
  const { emulator, cwd } = await start({ zones });
  // New zones have objects in common, such as their zone settings. Those of one zone are not readable here.
  const front = await refusing(emulator.url);
  onTestFinished(() => front.close());
  front.arm({
    method: "GET",
    path: new RegExp(`/zones/${emulator.zones["b.example.com"]}/(?!page_shield$)`),
  });
  const env = { ...reaching(emulator), CLOUDFLARE_BASE_URL: front.url };
  const { out, err } = await zoneward(["export", "--template", "site"], { cwd, env });
  expect(parse(out).templates).toBeUndefined();
  expect(err).toContain("No template site was written: the zones share nothing.");
});

test("export --template takes exceptions up to the first that differs, because their order counts", async () => {
  const skip = (description: string) => ({
    action: "skip",
    action_parameters: { ruleset: "current" },
    expression: `http.request.uri.path eq "/${description}"`,
    description,
    enabled: true,
  });
  const core = {
    action: "execute",
    action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" },
    expression: "true",
  };
  const zone = (...names: string[]): ZoneSeed => ({
    rulesets: [{ phase: "http_request_firewall_managed", rules: [...names.map(skip), core] }],
  });
  const { run, cwd } = await start({
    zones: { "a.example.com": zone("x", "y", "z"), "b.example.com": zone("x", "own", "y", "z") },
  });
  const { out, err } = await run("export", "--template", "site");
  const { templates, zones } = parse(out);
  const namesOf = (body: { managed_exceptions: { description: string }[] }) =>
    body.managed_exceptions.map(({ description }) => description);
  expect(namesOf(templates.site)).toEqual(["x"]);
  expect(namesOf(zones["b.example.com"])).toEqual(["own", "y", "z"]);
  expect(err).toContain('managed_exceptions, "y", "z": after rules that differ per zone');
  await writeFile(path.join(cwd, "zoneward.yaml"), out);
  expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
});

test("export --template takes a managed ruleset even if other zones have more rulesets", async () => {
  const executing = (id: string) => ({ action: "execute", action_parameters: { id }, expression: "true" });
  const zone = (...ids: string[]): ZoneSeed => ({
    rulesets: [{ phase: "http_request_firewall_managed", rules: ids.map(executing) }],
  });
  const core = "4814384a9e5d4991b9815dcfc25d2f1f";
  const { run, cwd } = await start({
    zones: { "a.example.com": zone(core), "b.example.com": zone(core, "efb7b8c949ac4650a09736fc376e9aee") },
  });
  const { out, err } = await run("export", "--template", "site");
  const { templates, zones } = parse(out);
  expect(templates.site.managed_rulesets).toMatchObject([{ ruleset: "Cloudflare OWASP Core Ruleset" }]);
  expect(zones["a.example.com"]).toEqual({ extends: ["site"] });
  expect(err).toContain('managed_rulesets, "Cloudflare Managed Ruleset": not in a.example.com');
  await writeFile(path.join(cwd, "zoneward.yaml"), out);
  expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
});

test("export --template refuses an invalid template name before any request", async () => {
  const { run } = await start();
  for (const name of ["__proto__", "a b", "${zone}", "x".repeat(65)]) {
    const { code, out, err } = await run("export", "--template", name);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("cannot name a template");
  }
});
