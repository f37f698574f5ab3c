import { describe, expect, test } from "vitest";
import { folderWith, zoneward } from "../support/cli.js";
import { HOSTILE, harmIn } from "../support/hostile.js";
import { some } from "../support/random.js";

const texts = some(Object.entries(HOSTILE));

describe("hostile arguments are escaped in messages", () => {
  test.each(texts)(
    "%s",
    async (_, text) => {
      const cwd = await folderWith({ "zoneward.yaml": "version: 1\nzones: { shop.example.com: {} }\n" });
      const env = {}; // Without a credential, no request is sent.
      const lines: readonly (readonly string[])[] = [
        [text],
        ["plan", `--${text}`],
        ["plan", "--format", text],
        ["plan", "-c", text],
        ["plan", "--zone", text],
        ["plan", "--timeout", text],
        ["plan", "--rate-limit", text],
        ["plan", "--base-url", text],
        ["plan", "--allow", text],
        ["plan", text, text],
        ["apply", text],
        ["rollback", text],
        ["schema", text],
        ["completion", text],
        ["validate", "-c", text, "--format", "json"],
        ["scripts", text],
        ["scripts", "show", text],
        ["scripts", "list", "--status", text],
        ["csp", "check", text],
        ["csp", "match", text, text],
        ["csp", "check", text, "--format", "json"],
        ["expression", "check", text],
        ["expression", "match", "true", text],
        ["expression", "match", "true", "https://a.example/", "--field", text],
        ["emulator", "--port", `${text}x`],
        ["emulator", "--seed", text, "--port", "x"],
        ["emulator", "--fault", `${text}x`],
      ];
      for (const args of lines) {
        const { out, err } = await zoneward(args, { cwd, env });
        const reader = args.at(-1) === "json" ? "programs" : "people";
        expect({ args: args.slice(0, 3), harm: [...harmIn(out, reader), ...harmIn(err, "people")] }).toEqual(
          expect.objectContaining({ harm: [] }),
        );
      }
    },
    120_000,
  );
});

describe("hostile text in a file is escaped in messages", () => {
  const yaml = (text: string) => JSON.stringify(text);
  test.each(texts)(
    "%s",
    async (_, text) => {
      const files: readonly string[] = [
        text,
        `# ${text}\nversion: 2\n`,
        `version: 1\nzones: { ${yaml(text)}: {} }\n`,
        `version: 1\n${yaml(text)}: 1\nzones: { shop.example.com: { ${yaml(text)}: 1 } }\n`,
        `version: 1\nzones:\n  shop.example.com:\n    id: ${yaml(text)}\n    extends: [${yaml(text)}]\n`,
        `version: 1\nzones:\n  shop.example.com:\n    policies:\n      - { description: ${yaml(text)}, value: ${yaml(text)}, expression: ${yaml(text)}, action: ${yaml(text)} }\n      - { description: ${yaml(text)}, ${yaml(text)}: 1 }\n`,
        `version: 1\nzones:\n  shop.example.com:\n    logpush_jobs:\n      - { name: ${yaml(text)}, dataset: ${yaml(text)}, fields: [${yaml(text)}], extra: { ${yaml(text)}: 1, output_options: { ${yaml(text)}: 1 } } }\n`,
        `version: 1\nzones:\n  shop.example.com:\n    custom_log_fields: { cookie_fields: [${yaml(text)}, ${yaml(text)}] }\n    managed_ruleset: { ruleset: ${yaml(text)}, disabled_tags: [${yaml(text)}], rules: { ${yaml(text)}: {} } }\n`,
        `version: 1\nzones: { shop.example.com: !<${text}> {} }\n`,
        `version: 1\nzones: { shop.example.com: &${text} { a: *${text} } }\n`,
        `version: 1\nzones: { shop.example.com: { policies: [{ description: a, value: "\${${text}}" }] } }\n`,
      ];
      for (const [index, file] of files.entries()) {
        const cwd = await folderWith({ "zoneward.yaml": file });
        for (const args of [["validate"], ["validate", "--format", "json"]]) {
          const { out, err } = await zoneward(args, { cwd, env: {} });
          const harm = [...harmIn(out, args.length > 1 ? "programs" : "people"), ...harmIn(err, "people")];
          expect({ index, args, harm }).toEqual({ index, args, harm: [] });
          if (args.length > 1) JSON.parse(out);
        }
      }
    },
    120_000,
  );
});
