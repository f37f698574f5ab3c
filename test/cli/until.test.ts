import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { itIs } from "../support/clock.js";

const RULE = "1a2b3c4d5e6f708192a3b4c5d6e7f809";

/** A policy with a warning, and a line above the policy. */
const withWarning = (above: string, value = `"script-src 'self' 'unsafe-inline'"`, beside = "") => `version: 1
zones:
  shop.example.com:
    policies:
      ${above}
      - description: Checkout
        action: allow
        expression: "true"
        value: ${value}${beside}
      - { description: Other, action: allow, expression: http.host eq "a", value: "script-src 'unsafe-inline'" }
`;
const ACCEPTED = "# zoneward: accept csp_unsafe_inline until 2026-12-31: the old cart needs it";

const IDLE_TEMPLATE = `templates:
  old:
    policies:
      - description: Old cart
        value: script-src 'self' ${ACCEPTED}
`;

async function validated(text: string, today: string, ...flags: readonly string[]) {
  itIs(today);
  const cwd = await folderWith({ "zoneward.yaml": text });
  return zoneward(["validate", ...flags], { cwd });
}

const NOTE = /^zoneward\.yaml:9: note: csp_unsafe_inline is accepted until 2026-12-31(.*)$/m;
const WARNINGS = /warning: .*\[csp_unsafe_inline\]/g;

describe("a warning accepted by a comment", () => {
  test("becomes a note at that entry only", async () => {
    const { code, err } = await validated(withWarning(ACCEPTED), "2026-11-24");
    expect(code).toBe(0);
    expect(NOTE.exec(err)?.[1]).toBe(": the old cart needs it");
    expect(err.match(WARNINGS)).toHaveLength(1);
    expect(err).toContain("zoneward.yaml:10:");
  });

  test("may be accepted on the same line, and inside a value of several lines", async () => {
    const beside = await validated(withWarning("# a policy", undefined, `  ${ACCEPTED}`), "2026-11-24");
    expect(beside.err.match(WARNINGS)).toHaveLength(1);
    const map = `\n          script-src:\n            - "'self'"\n            - "'unsafe-inline'" ${ACCEPTED}`;
    const deep = await validated(withWarning("# a policy", map), "2026-11-24");
    expect(deep.err).toContain("zoneward.yaml:12: note: csp_unsafe_inline is accepted");
    expect(deep.err.match(WARNINGS)).toHaveLength(1);
  });

  test.each([
    ["2026-12-16", ": the"],
    ["2026-12-17", ", for 14 more days: the"],
    ["2026-12-30", ", for 1 more day: the"],
    ["2026-12-31", ", the last day of it: the"],
  ])("shows on %s that the acceptance ends soon", async (today, said) => {
    const { err } = await validated(withWarning(ACCEPTED), today);
    expect(NOTE.exec(err)?.[1]).toMatch(new RegExp(`^${said}`));
  });

  test("becomes a warning again after the day, with the former reason", async () => {
    const { code, err } = await validated(withWarning(ACCEPTED), "2027-01-01");
    expect(code).toBe(0);
    expect(err.match(WARNINGS)).toHaveLength(2);
    expect(err).toContain(
      "It was accepted until 2026-12-31 (the old cart needs it). Fix it, or accept it until a later day.",
    );
  });

  test("is not accepted by text that looks like a comment", async () => {
    const text = withWarning("# a policy", `|-\n          ${ACCEPTED}\n          script-src 'unsafe-inline'`);
    const { err } = await validated(text, "2026-11-24");
    expect(err).not.toMatch(/is accepted until/);
  });

  test.each([
    ["# zoneward: accept csp_unsafe_inline until 2026-12-31", "the last day and the reason."],
    ["# zoneward: accept csp_unsafe_inline until 2026-12-31:  ", "the last day and the reason."],
    ["# zoneward: accept csp_unsafe_inline: why", "the last day"],
    ["# zoneward: accept csp_unsafe_inline until 2026-02-30: why", '"2026-02-30" is not a date'],
    ["# zoneward: accept csp_unsafe_inline until soon: why", '"soon" is not a date'],
  ])("needs a code, a day and a reason: %s", async (comment, said) => {
    const { code, err } = await validated(withWarning(comment), "2026-11-24");
    expect(code).toBe(1);
    expect(err).toContain("zoneward.yaml:5:7: error: Invalid acceptance");
    expect(err).toContain(said);
  });

  test("must be at an entry, and other comments are ignored", async () => {
    const last = `${withWarning("# zoneward: this file is ours")}${ACCEPTED}\n`;
    const { code, err } = await validated(last, "2026-11-24");
    expect(code).toBe(1);
    expect(err).toContain("zoneward.yaml:11:1: error: Invalid acceptance");
    expect(err.match(/error:/g)).toHaveLength(1);
  });

  test("cannot be an error", async () => {
    const text = withWarning("# zoneward: accept unknown_key until 2026-12-31: no").replace(
      "action:",
      "acton:",
    );
    const { code, err } = await validated(text, "2026-11-24");
    expect(code).toBe(1);
    expect(err).not.toContain("is accepted");
  });

  test.each([
    ["is at another entry", withWarning(ACCEPTED, "script-src 'self'"), "5:7"],
    ["has another code", withWarning(ACCEPTED.replace("unsafe_inline", "wildcard")), "5:7"],
    [
      "is about an expression",
      withWarning(ACCEPTED.replace("csp_unsafe_inline", "expression_always_true")),
      "5:7",
    ],
    ["is in an unused template", `${withWarning("# a policy")}${IDLE_TEMPLATE}`, "15:34"],
  ])("is reported as missing in a note if the comment %s", async (_, text, place) => {
    const { code, err } = await validated(text, "2026-11-24");
    expect(code).toBe(0);
    expect(err).toContain(`zoneward.yaml:${place}: note: Acceptance without a warning\n`);
    expect(err.match(/Acceptance without a warning/g)).toHaveLength(1);
  });

  test("is not reported as missing if other errors exist or if only a plan can find it", async () => {
    const wrong = withWarning(ACCEPTED, "script-src 'self'").replace("action:", "acton:");
    expect((await validated(wrong, "2026-11-24")).err).not.toContain("Acceptance without a warning");
    const later = withWarning(ACCEPTED.replace("csp_unsafe_inline", "blocks_untried"));
    expect((await validated(later, "2026-11-24")).err).not.toContain("Acceptance without a warning");
    for (const each of [ACCEPTED, ACCEPTED.replace("2026-12-31", "2026-11-01")])
      expect((await validated(withWarning(each), "2026-11-24")).err).not.toContain(
        "Acceptance without a warning",
      );
  });

  test("has its reason in JSON and SARIF", async () => {
    const json = await validated(withWarning(ACCEPTED), "2026-12-30", "--format", "json");
    const [first] = JSON.parse(json.out).problems;
    expect(first).toMatchObject({
      code: "csp_unsafe_inline",
      severity: "note",
      accepted: { until: "2026-12-31", reason: "the old cart needs it", days_left: 1 },
    });
    const sarif = await validated(withWarning(ACCEPTED), "2026-11-24", "--format", "sarif");
    const results: readonly { readonly suppressions?: readonly object[] }[] = JSON.parse(sarif.out).runs[0]
      .results;
    expect(results.map(({ suppressions }) => suppressions)).toEqual([
      undefined,
      [{ kind: "inSource", justification: "accepted until 2026-12-31: the old cart needs it" }],
    ]);
  });
});

const UNTIL = `version: 1
zones:
  shop.example.com:
    policies:
      - description: Checkout
        until: 2026-12-31
        action: log
        expression: "true"
        value: script-src 'self'
    managed_ruleset:
      disabled_rules:
        - { id: ${RULE}, until: 2027-01-02 }
        - ${RULE.replace("1a", "2b")}
    managed_exceptions:
      - { description: Migration, until: 2027-01-03, expression: ssl, skip: all }
`;

/** Files beside a zone with this live state. */
async function story(text: string, live: Readonly<Record<string, unknown>> = {}) {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": live } } as Seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": text });
  const around = { cwd, env: reaching(emulator) };
  const run = (...args: readonly string[]) => zoneward(args, around);
  return { run, file: () => readFile(path.join(cwd, "zoneward.yaml"), "utf8"), emulator };
}

describe("a changed end date", () => {
  const [ID, OTHER] = [RULE, RULE.replace("1a", "2b")];
  test.each([
    [
      "moved",
      "until: 2027-01-02",
      "until: 2027-03-01",
      ["extended", `"${ID}" moves: 2027-01-02 → 2027-03-01`],
    ],
    [
      "sooner",
      "until: 2027-01-02",
      "until: 2026-12-30",
      ["changed", `"${ID}" moves: 2027-01-02 → 2026-12-30`],
    ],
    ["gone", `{ id: ${ID}, until: 2027-01-02 }`, ID, ["extended", `"${ID}" moves: 2027-01-02 → never`]],
    [
      "new",
      `- ${OTHER}`,
      `- { id: ${OTHER}, until: 2027-01-02 }`,
      ["changed", `"${OTHER}" moves: never → 2027-01-02`],
    ],
    [
      "of an object",
      "until: 2026-12-31",
      "until: 2027-12-31",
      ["extended", `"Checkout" moves: 2026-12-31 → 2027-12-31`],
    ],
    ["of a removed entry", `- { id: ${ID}, until: 2027-01-02 }`, "", null],
    [
      "of an added entry",
      `- ${OTHER}`,
      `- ${OTHER}\n        - { id: ${ID.replace("1a", "3c")}, until: 2027-01-02 }`,
      null,
    ],
    ["of another rule", ID, ID.replace("1a", "3c"), null],
  ] as const)("is reported unless the entry itself changes: %s", async (_, before, after, told) => {
    itIs("2026-11-24");
    const { run } = await story(UNTIL.replace(before, after));
    const base = await folderWith({ "zoneward.yaml": UNTIL });
    const { out, err } = await run("plan", "--base", base);
    // A warning is in the text of the plan, a note only on stderr.
    const found = [...`${out}${err}`.matchAll(/(!|: note:) End date moved .*?\s+The end of (.*?)\. /g)];
    expect(found.map(([, lead, what]) => [lead === "!" ? "extended" : "changed", what])).toEqual(
      told === null ? [] : [told],
    );
  });
});

test("plan shows accepted warnings folded", async () => {
  itIs("2026-11-24");
  const { run } = await story(withWarning(ACCEPTED));
  const { diagnostics } = JSON.parse((await run("plan", "--format", "json")).out);
  const found = diagnostics.filter(({ code }: { readonly code: string }) => code === "csp_unsafe_inline");
  expect(found.map(({ severity }: { readonly severity: string }) => severity).sort()).toEqual([
    "note",
    "warning",
  ]);
  const markdown = (await run("plan", "--format", "markdown")).out;
  expect(markdown).toMatch(
    /<details><summary>1 warning accepted in the files<\/summary>\n\n- `csp_unsafe_inline` \(`zoneward.yaml:9`\): accepted until `2026-12-31`: the old cart needs it\n/,
  );
  const page = (await run("plan", "--format", "html")).out;
  expect(page).toMatch(
    /<details><summary>1 warning accepted in the files<\/summary>\n<ul class="messages">\n<li>accepted until 2026-12-31: the old cart needs it/,
  );
  expect((await run("plan")).err).toMatch(NOTE);
});

test("plan reports acceptances without a warning if it covers all files", async () => {
  const untried = ACCEPTED.replace("csp_unsafe_inline", "blocks_untried");
  itIs("2026-11-24");
  const { run } = await story(withWarning(untried, "script-src 'self'"));
  expect((await run("plan")).err).not.toContain("Acceptance without a warning");
  expect((await run("apply", "--yes")).code).toBe(0);
  const { err, code } = await run("plan");
  expect(code).toBe(0);
  expect(err).toContain("zoneward.yaml:5:7: note: Acceptance without a warning\n  This plan has no warning");
  const part = await run("plan", "--only", "policy/Other");
  expect(part.err).not.toContain("Acceptance without a warning");
  expect((await run("drift")).err).not.toContain("Acceptance without a warning");
});

test("a reason is escaped once wherever it is shown", async () => {
  const comment =
    "# zoneward: accept csp_unsafe_inline until 2026-12-31: ::error::x <img src=x> </details> \u202e@team";
  itIs("2026-11-24");
  const { run } = await story(withWarning(comment));
  expect((await run("plan")).err).toContain(
    "is accepted until 2026-12-31: ::error::x <img src=x> </details> \\u{202e}@team\n",
  );
  const page = (await run("plan", "--format", "html")).out;
  expect(page).toContain(": ::error::x &lt;img src=x&gt; &lt;/details&gt; \\u{202e}@team<");
  const markdown = (await run("plan", "--format", "markdown")).out;
  expect(markdown).not.toMatch(/^(?:[^`]|`[^`\n]*`)*<img/);
  expect(markdown).not.toContain("\u202e");
  expect((await run("plan", "--format", "sarif")).out).not.toContain("\u202e");
});

test("an accepted warning does not lift a guardrail", async () => {
  const comment = "# zoneward: accept blocks_untried until 2026-12-31: we are sure";
  itIs("2026-11-24");
  const { run } = await story(`guardrails: { forbid: [starts_blocking] }\n${withWarning(comment)}`);
  const { code, err } = await run("apply", "--yes");
  expect(err).toContain("note: blocks_untried is accepted until 2026-12-31");
  expect(code).toBe(3);
});

describe("an acceptance in the change itself", () => {
  const accept = (code: string, until = "2026-12-31") =>
    `# zoneward: accept ${code} until ${until}: we are sure`;
  const ofZone = (lines: readonly string[], above = "# the shop") =>
    [
      "version: 1",
      "zones:",
      `  ${above}`,
      "  shop.example.com:",
      ...lines.map((line) => `    ${line}`),
      "",
    ].join("\n");
  const policy = (name: string, action: string, above = "# a policy") => [
    `  ${above}`,
    `  - { description: ${name}, action: ${action}, expression: "true", value: "script-src 'self'" }`,
  ];
  const policies = (...all: readonly (readonly string[])[]) => ofZone(["policies:", ...all.flat()]);
  const settings = ["settings: { enabled: true, use_connection_url_path: false }"];
  const page =
    "tests: [{ page: https://shop.example.com/, scripts: { blocked: [https://evil.example/x.js] } }]";
  const pays = (csp: string) => [
    "policies:",
    `  - { description: Pay, action: allow, enabled: true, expression: "true", value: "script-src ${csp}" }`,
  ];
  const LIVE = {
    settings: { enabled: true, use_connection_url_path: true },
    policies: [
      { description: "Pay", action: "allow", enabled: true, expression: "true", value: "script-src 'self'" },
    ],
  };

  async function diagnosed(
    code: string,
    files: { readonly base?: string; readonly head: string },
    live = {},
  ) {
    itIs("2026-11-24");
    const emulator = await createEmulator({ seed: { zones: { "shop.example.com": live } } as Seed });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({ "zoneward.yaml": files.head });
    await mkdir(path.join(cwd, "base"));
    if (files.base !== undefined) await writeFile(path.join(cwd, "base/zoneward.yaml"), files.base);
    const args = ["plan", "--base", "base", "--format", "json"];
    const { diagnostics } = JSON.parse((await zoneward(args, { cwd, env: reaching(emulator) })).out);
    return diagnostics
      .filter((each: { readonly code: string }) => each.code === code)
      .map(({ severity, accepted, message, detail = message }: Record<string, unknown>) =>
        severity === "note"
          ? `until ${(accepted as { until: string }).until}`
          : `${severity}${/The change itself accepts this warning/.test(String(detail)) ? ", not accepted yet" : ""}`,
      );
  }

  test.each<[string, string, Record<"base" | "head", (above: string) => string>]>([
    [
      "a section is no longer managed",
      "no_longer_managed",
      {
        base: (above) => ofZone(["policies: []", ...settings], above),
        head: (above) => ofZone(["policies: []"], above),
      },
    ],
    [
      "a field is no longer managed",
      "no_longer_managed",
      {
        base: (above) => ofZone([above, ...settings]),
        head: (above) => ofZone([above, "settings: { enabled: true }"]),
      },
    ],
    [
      "a failing test is removed",
      "tests_taken_out",
      {
        base: (above) => ofZone([page, ...pays("'self'")], above),
        head: (above) => ofZone(pays("'self' evil.example"), above),
      },
    ],
  ])("does not count unless the base has it: %s", async (_, code, { base, head }) => {
    const diagnosedWith = (above: string) =>
      diagnosed(code, { base: base(above), head: head(accept(code)) }, LIVE);
    expect(await diagnosedWith("# nothing")).toEqual(["warning, not accepted yet"]);
    expect(await diagnosedWith(accept(code))).toEqual(["until 2026-12-31"]);
  });

  const UNTRIED = accept("blocks_untried");
  const CART = policy("Cart", "allow", UNTRIED);
  test.each<[string, string, string, string]>([
    [
      "at other lines, after other entries",
      policies(policy("Cart", "log", UNTRIED)),
      policies(policy("New", "log"), policy("Newer", "log"), CART).replace(
        "version: 1",
        "# Ours\n\nversion: 1",
      ),
      "until 2026-12-31",
    ],
    [
      "with another reason",
      policies(policy("Cart", "log", UNTRIED.replace("sure", "certain"))),
      policies(CART),
      "until 2026-12-31",
    ],
    [
      "until the day in the base only",
      policies(policy("Cart", "log", accept("blocks_untried", "2026-12-01"))),
      policies(CART),
      "until 2026-12-01",
    ],
    [
      "not after the day in the base",
      policies(policy("Cart", "log", accept("blocks_untried", "2026-11-01"))),
      policies(CART),
      "warning",
    ],
    [
      "not at another entry",
      policies(policy("Other", "log", UNTRIED), policy("Cart", "log")),
      policies(CART, policy("Other", "log")),
      "warning, not accepted yet",
    ],
    [
      "not for the whole zone instead of one entry",
      policies(policy("Cart", "log", UNTRIED)),
      policies(policy("Cart", "allow")).replace("# the shop", UNTRIED),
      "warning, not accepted yet",
    ],
    [
      "not with another code",
      policies(policy("Cart", "log", accept("csp_wide"))),
      policies(CART),
      "warning, not accepted yet",
    ],
    [
      "not if the files no longer have it",
      policies(policy("Cart", "log", UNTRIED)),
      policies(policy("Cart", "allow")),
      "warning",
    ],
    ["not if the base is unreadable", "version: [", policies(CART), "warning, not accepted yet"],
  ])("counts if the same entry of the base has it: %s", async (_, base, head, severity) => {
    expect(await diagnosed("blocks_untried", { base, head })).toEqual([severity]);
  });

  test("counts at once for a warning about the live state", async () => {
    const job = (above: string) =>
      ofZone(["logpush_jobs:", `  ${above}`, "  - { name: logs, dataset: http_requests, enabled: true }"]);
    const failing = { last_error: "2026-11-01T00:00:00Z", error_message: "no" };
    const live = {
      logpush_jobs: [
        {
          id: 1,
          name: "logs",
          dataset: "http_requests",
          enabled: true,
          destination_conf: "s3://a/b",
          ...failing,
        },
      ],
    };
    const [base, head] = [job("# logs"), job(accept("job_failing"))];
    expect(await diagnosed("job_failing", { base, head }, live)).toEqual(["until 2026-12-31"]);
  });

  test.each<[string, string, readonly string[]]>([
    ["if the base has the text too", withWarning("# a policy"), ["until 2026-12-31", "warning"]],
    [
      "until the day in the base, set for all policies of the zone",
      withWarning("# a policy").replace(
        "    policies:",
        `    ${accept("csp_unsafe_inline", "2026-12-01")}\n    policies:`,
      ),
      ["until 2026-12-01", "warning"],
    ],
    [
      "if the base has the text at another line",
      withWarning("- { description: First, action: log, expression: 'false', value: \"img-src 'self'\" }"),
      ["until 2026-12-31", "warning"],
    ],
    [
      "not for a new text",
      withWarning("# a policy", `"script-src 'self'"`),
      ["warning, not accepted yet", "warning"],
    ],
    [
      "not if another entry of the base has the text",
      withWarning("# a policy").replace("Checkout", "Cart"),
      ["warning, not accepted yet", "warning"],
    ],
    ["not if the base is unreadable", "version: [", ["warning, not accepted yet", "warning"]],
  ])("counts at once for a warning about an unchanged text: %s", async (_, base, severities) => {
    const head = withWarning(ACCEPTED);
    expect(await diagnosed("csp_unsafe_inline", { base, head })).toEqual(severities);
  });

  test("does not count for a newly logged credential until the next change", async () => {
    const fields = (names: string, above: string) =>
      ofZone([above, `custom_log_fields: { request_fields: [${names}] }`]);
    const head = fields("x-a, authorization", accept("logs_credentials"));
    const base = fields("x-a", "# fields");
    expect(await diagnosed("logs_credentials", { base, head })).toEqual(["warning, not accepted yet"]);
    expect(await diagnosed("logs_credentials", { base: head, head })).toEqual(["until 2026-12-31"]);
  });
});

describe("an entry with an end date", () => {
  test.each([
    ["2026-12-23", 0, []],
    ["2026-12-24", 0, ["6:16: warning: Expires on 2026-12-31"]],
    ["2026-12-31", 1, ["6:16: error: Expired on 2026-12-31", "12:", "15:"]],
    ["2027-01-03", 1, ["6:16: error: Expired on 2026-12-31", "12:58: error", "15:42: error: Expired on "]],
  ])("on %s: validate exits with %d", async (today, exit, lines) => {
    const { code, err } = await validated(UNTIL, today);
    expect(code).toBe(exit);
    const shown = err.match(/^zoneward.yaml:.*Expire[sd] on.*$/gm) ?? [];
    expect(shown).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(shown[index]).toContain(`zoneward.yaml:${line}`);
  });

  test("is refused by plan and apply after the day, and drift only warns", async () => {
    const { run, emulator } = await story(UNTIL);
    itIs("2026-12-01");
    expect((await run("plan", "--detailed-exitcode")).code).toBe(2);
    expect((await run("apply", "--yes")).code).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
    itIs("2026-12-31");
    for (const command of [["plan"], ["apply", "--yes"]]) {
      const refused = await run(...command);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain(
        '"Checkout" ended on 2026-12-31; today is 2026-12-31. Remove it, or set a later date.',
      );
    }
    const drift = await run("drift", "--detailed-exitcode");
    expect(drift.code).toBe(0);
    expect(drift.err).toContain("warning: Expired on 2026-12-31 [expired]");
    expect(JSON.stringify(emulator.log)).not.toContain("until");
  });

  test("has no end if it has ensure: absent", async () => {
    const text = UNTIL.replace("action: log", "ensure: absent");
    const { err } = await validated(text, "2026-12-31");
    expect(err).not.toContain("zoneward.yaml:6:16");
  });

  test("needs a valid date", async () => {
    const { code, err } = await validated(UNTIL.replace("2026-12-31", "2026-02-30"), "2026-01-01");
    expect(code).toBe(1);
    expect(err).toContain('zoneward.yaml:6:16: error: Invalid date\n  "2026-02-30" is not a date.');
  });

  test("keeps its date when adopt changes the entry", async () => {
    const { run, file } = await story(UNTIL.replace(/ {4}managed_exceptions[\s\S]*/, ""), {
      policies: [
        {
          description: "Checkout",
          action: "allow",
          enabled: true,
          expression: "true",
          value: "script-src 'self'",
        },
      ],
    });
    const { code } = await run("adopt");
    expect(code).toBe(0);
    expect(await file()).toContain("        until: 2026-12-31\n        action: allow\n");
  });
});
