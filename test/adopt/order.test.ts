import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const VENDORS = "efb7b8c949ac4650a09736fc376e9aee";
const OWASP = "4814384a9e5d4991b9815dcfc25d2f1f";

const skip = (description: string, action_parameters: object = { ruleset: "current" }) => ({
  action: "skip",
  action_parameters,
  expression: `http.request.uri.path eq "/${description}"`,
  description,
  enabled: true,
});
const execute = (id: string) => ({
  action: "execute",
  action_parameters: { id },
  expression: "true",
  enabled: true,
});

/** A live list of exceptions, files and a base, and a function that runs commands on them. */
async function story(
  rules: readonly object[],
  files: Readonly<Record<string, string>>,
  base: Readonly<Record<string, string>> = {},
) {
  const seed = {
    zones: { [ZONE]: { rulesets: [{ phase: "http_request_firewall_managed", rules }] } },
  } as Seed;
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith(files);
  const before = await folderWith(base);
  const around = { cwd, env: reaching(emulator) };
  const run = async (...args: string[]) => {
    const ran = await zoneward(args, around);
    return { ...ran, text: await readFile(path.join(cwd, "zoneward.yaml"), "utf8") };
  };
  return { run, before };
}

const entry = (name: string, comment = "") =>
  `      # about ${name}\n      - description: ${name}${comment}\n        expression: http.request.uri.path eq "/${name}"\n        skip: all\n`;
/** An entry as `adopt` writes it for an undeclared exception. */
const adoptedEntry = (name: string) =>
  ["a", "b"].includes(name)
    ? entry(name, name === "a" ? " # ours" : "")
    : entry(name)
        .split("\n")
        .slice(1)
        .join("\n")
        .replace("skip: all\n", "skip: all\n        enabled: true\n");
const fileOf = (...entries: readonly string[]) =>
  `version: 1\nzones:\n  ${ZONE}:\n    managed_exceptions: # in order\n${entries.join("")}    prune: [managed_exceptions] # all\n`;

describe("adopt writes exceptions in their live order", () => {
  test("with new ones before, between and after the declared ones", async () => {
    const live = ["first", "a", "between", "b", "last"].map((each) => skip(each));
    const { run } = await story([...live, execute(VENDORS)], {
      "zoneward.yaml": fileOf(entry("a", " # ours"), entry("b")),
    });
    const { code, out, text } = await run("adopt");
    expect(out).toMatchInlineSnapshot(`
      "Without --base, edits of the files that were never applied count as drift too, and are overwritten.
      Adopted into zoneward.yaml:
        shop.example.com: managed_exceptions "first" (weakens)
        shop.example.com: managed_exceptions "between" (weakens)
        shop.example.com: managed_exceptions "last" (weakens)
      3 changes adopted.
      "
    `);
    const expected = fileOf(...["first", "a", "between", "b", "last"].map((each) => adoptedEntry(each)));
    expect(text).toBe(expected);
    expect(code).toBe(0);
    expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
  });

  test("and moves declared ones with their comments", async () => {
    const live = ["c", "a", "b"].map((each) => skip(each));
    const { run } = await story([...live, execute(VENDORS)], {
      "zoneward.yaml": fileOf(entry("a"), entry("b", " # two"), entry("c", " # three")),
    });
    const { out, text } = await run("adopt");
    expect(out).toMatchInlineSnapshot(`
      "Without --base, edits of the files that were never applied count as drift too, and are overwritten.
      Adopted into zoneward.yaml:
        shop.example.com: managed_exceptions "c", position (neutral)
      1 change adopted.
      "
    `);
    expect(text).toBe(fileOf(entry("c", " # three"), entry("a"), entry("b", " # two")));
    expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
  });

  test("but keeps an order that the files change on purpose", async () => {
    const live = ["a", "b"].map((each) => skip(each));
    const base = fileOf(entry("a"), entry("b"));
    const files = fileOf(entry("b"), entry("a"));
    const { run, before } = await story(
      [...live, execute(VENDORS)],
      { "zoneward.yaml": files },
      { "zoneward.yaml": base },
    );
    const plan = await run("plan", "--base", before, "--fail-on", "drift");
    expect(plan.err).not.toMatch(/drift/);
    expect(plan.code).toBe(0);
    const { out, text } = await run("adopt", "--base", before);
    expect(out).toBe("No changes to adopt.\n");
    expect(text).toBe(files);
  });

  test("and reports one that stands after the ruleset it skips", async () => {
    const { run } = await story([skip("a"), execute(VENDORS), skip("b"), execute(OWASP), skip("new")], {
      "zoneward.yaml": fileOf(entry("a"), entry("b")),
    });
    const { out } = await run("adopt");
    expect(out).toMatchInlineSnapshot(`
      "Not adopted:
        shop.example.com: managed_exceptions "b", position: It stands behind Cloudflare Managed Ruleset, which no order of entries can express. Move it in the dashboard. An apply does that too.
        shop.example.com: managed_exceptions "new": It stands behind Cloudflare Managed Ruleset, Cloudflare OWASP Core Ruleset, which no order of entries can express. Move it in the dashboard.
      2 changes not adopted.
      "
    `);
  });

  test("when one is moved and changed, one is added and one is removed", async () => {
    const { expression: _, ...c } = skip("c");
    const rules = [{ ...c, enabled: false, expression: "true" }, skip("new"), skip("a")];
    const { run } = await story([...rules, execute(VENDORS)], {
      "zoneward.yaml": fileOf(entry("a"), entry("b", " # two"), entry("c", " # three")),
    });
    const { out, text } = await run("adopt");
    expect(out).toMatchInlineSnapshot(`
      "Without --base, edits of the files that were never applied count as drift too, and are overwritten.
      Adopted into zoneward.yaml:
        shop.example.com: managed_exceptions "b" (strengthens): its entry is deleted
        shop.example.com: managed_exceptions "c", expression (neutral)
        shop.example.com: managed_exceptions "c", position (neutral)
        shop.example.com: managed_exceptions "new" (weakens)
      4 changes adopted.
      "
    `);
    expect(text).toMatchInlineSnapshot(`
      "version: 1
      zones:
        shop.example.com:
          managed_exceptions: # in order
            # about c
            - description: c # three
              expression: "true"
              skip: all
            - description: new
              expression: http.request.uri.path eq "/new"
              skip: all
              enabled: true
            # about a
            - description: a
              expression: http.request.uri.path eq "/a"
              skip: all
          prune: [managed_exceptions] # all
      "
    `);
    expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
  });

  test("in a flow list, unless the list has a comment", async () => {
    const rules = ["new", "b", "a"].map((each) => skip(each));
    const flow = (comment: string) =>
      `version: 1\nzones: { ${ZONE}: { managed_exceptions: [{ description: a, skip: all }, ${comment}\n  { description: b, skip: all }], prune: [managed_exceptions] } }\n`;
    const { run } = await story([...rules, execute(VENDORS)], { "zoneward.yaml": flow("") });
    const { out, text } = await run("adopt");
    expect(out).toMatchInlineSnapshot(`
      "Without --base, edits of the files that were never applied count as drift too, and are overwritten.
      Adopted into zoneward.yaml:
        shop.example.com: managed_exceptions "b", position (neutral)
        shop.example.com: managed_exceptions "new" (weakens)
      2 changes adopted.
      "
    `);
    expect(text).toMatchInlineSnapshot(`
      "version: 1
      zones: { shop.example.com: { managed_exceptions: [{ description: new, expression: http.request.uri.path eq "/new", skip: all, enabled: true }, { description: b, skip: all }, { description: a, skip: all }], prune: [managed_exceptions] } }
      "
    `);
    expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
    const commented = await story([...rules, execute(VENDORS)], { "zoneward.yaml": flow("# of b") });
    expect((await commented.run("adopt")).out).toMatchInlineSnapshot(`
      "Without --base, edits of the files that were never applied count as drift too, and are overwritten.
      Adopted into zoneward.yaml:
        shop.example.com: managed_exceptions "new" (weakens)
      Not adopted:
        shop.example.com: managed_exceptions "b", position: Edit it by hand: its list is elsewhere, shared, or does not allow a small edit.
      1 change adopted, 1 not adopted.
      "
    `);
  });

  test("but reports one that belongs before an entry of a template", async () => {
    const rules = ["new", "a", "b"].map((each) => skip(each));
    const { run } = await story([...rules, execute(VENDORS)], {
      "zoneward.yaml": `version: 1\ntemplates:\n  t: { managed_exceptions: [{ description: a, skip: all }] }\nzones:\n  ${ZONE}:\n    extends: [t]\n    managed_exceptions:\n${entry("b")}    prune: [managed_exceptions]\n`,
    });
    expect((await run("adopt")).out).toMatchInlineSnapshot(`
      "Not adopted:
        shop.example.com: managed_exceptions "new": It belongs before an entry of a template or the defaults, which come first. Declare it there.
      1 change not adopted.
      "
    `);
  });
});
