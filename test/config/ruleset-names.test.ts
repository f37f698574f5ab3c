import { expect, test } from "vitest";
import { desiredFrom } from "../../src/config/index.js";
import { linesOf } from "./bad-input/bad-input.js";
import { text } from "./text.js";

const file = text`
  version: 1
  zones:
    a.example:
      managed_ruleset: { ruleset: Cloudflare Managed Rulset }
      managed_exceptions:
        - description: Uploads
          expression: http.request.uri.path eq "/upload"
          skip: [Cloudflare OWASP Core Rulset, Ruleset of the account]
        - { description: Search, expression: "ssl", skip: { Cloudflare Managed Rulesets: [1a2b3c4d5e6f708192a3b4c5d6e7f809] } }
`;

test("validate warns of likely typos in names of rulesets; a plan looks the names up", () => {
  const problemsFor = (purpose: "check" | "plan") =>
    linesOf(desiredFrom([{ file: "a.yaml", text: file }], {}, purpose).problems);
  expect(problemsFor("plan")).toBe("");
  expect(problemsFor("check")).toBe(text`
    a.yaml:4:33 warning unknown_value /zones/a.example/managed_ruleset/ruleset
      Cloudflare documents no ruleset "Cloudflare Managed Rulset". Did you mean "Cloudflare Managed Ruleset"?
    a.yaml:8:16 warning unknown_value /zones/a.example/managed_exceptions/0/skip/0
      Cloudflare documents no ruleset "Cloudflare OWASP Core Rulset". Did you mean "Cloudflare OWASP Core Ruleset"?
    a.yaml:9:88 warning unknown_value /zones/a.example/managed_exceptions/1/skip/Cloudflare Managed Rulesets
      Cloudflare documents no ruleset "Cloudflare Managed Rulesets". Did you mean "Cloudflare Managed Ruleset"?
  `);
});
