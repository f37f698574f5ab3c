import { describe, expect, test } from "vitest";
import { folderWith, zoneward } from "../support/cli.js";
import { harmIn } from "../support/hostile.js";
import { refusing, serving } from "../support/hostile-service.js";
import { DESIRED, hostileState, PRUNING, ZONE_ID } from "../support/hostile-state.js";

const IDS: readonly unknown[] = [
  "../../user/tokens",
  "..",
  "%2e%2e",
  "a/b",
  "a?b=c",
  "a#b",
  "a b",
  "",
  "a\n::error::b",
  "\u202e\u001b[31m",
  "é",
  "x".repeat(100_000),
  null,
  undefined,
  { id: "a" },
  ["a"],
  true,
  1.5,
];

type Answers = Record<string, unknown>;
const zone = `/zones/${ZONE_ID}`;
const phase = (name: string) => `${zone}/rulesets/phases/${name}/entrypoint`;
const [managed, fields] = ["http_request_firewall_managed", "http_log_custom_fields"].map(phase);

/** The places where the service gives an id, and how to replace it. */
const PLACES: Readonly<Record<string, (state: Answers, id: unknown) => Answers>> = {
  "a policy": inList(`${zone}/page_shield/policies`),
  "a job": inList(`${zone}/logpush/jobs`),
  "a ruleset": (state, id) => ({ ...state, [managed ?? ""]: { ...Object(state[managed ?? ""]), id } }),
  "a rule": inRules(managed ?? ""),
  "a rule of custom fields": inRules(fields ?? ""),
  "a managed ruleset of the account": inList(`/accounts/${"a".repeat(32)}/rulesets`),
  "a zone": inList("/zones"),
};

function inList(path: string): (state: Answers, id: unknown) => Answers {
  return (state, id) => ({
    ...state,
    [path]: [state[path]].flat().map((each, index) => (index === 0 ? { ...Object(each), id } : each)),
  });
}

function inRules(path: string): (state: Answers, id: unknown) => Answers {
  return (state, id) => {
    const ruleset = Object(state[path]);
    return {
      ...state,
      [path]: { ...ruleset, rules: ruleset.rules.map((rule: object) => ({ ...rule, id })) },
    };
  };
}

/** The paths of valid API calls. */
const CLEAN = /^[A-Z]+ \/client\/v4(?:\/[A-Za-z0-9_]{1,40})+(?:\?[A-Za-z0-9_.=&,%-]*)?$/;

describe("an invalid id never enters a path, and the message names its object", () => {
  test.each(Object.entries(PLACES))(
    "%s",
    async (place, withId) => {
      for (const id of IDS) {
        const { env, paths } = await serving(withId(hostileState("usual"), id), refusing("no"));
        const cwd = await folderWith({ "zoneward.yaml": PRUNING });
        for (const args of [["plan"], ["apply", "--yes"]]) {
          const { code, err } = await zoneward(args, { cwd, env });
          expect({
            place,
            id: String(JSON.stringify(id)).slice(0, 40),
            code,
            harm: harmIn(err, "people"),
          }).toEqual(expect.objectContaining({ code: 1, harm: [] }));
          expect(err).toMatch(/which is invalid|with an invalid id|with no id|has no id|without an id/);
        }
        expect(paths.filter((each) => !CLEAN.test(each))).toEqual([]);
        // A section without the invalid id may be changed.
        const sent = paths.filter((each) => !each.startsWith("GET") && !each.endsWith("/page_shield"));
        expect(sent).toEqual([]);
      }
    },
    120_000,
  );

  test("a newly created object", async () => {
    const state = hostileState("usual");
    for (const id of IDS) {
      const { [fields ?? ""]: _, ...without } = state;
      const lists = { ...without, [`${zone}/rulesets`]: [] };
      const { env, paths } = await serving(lists, (request, response) => {
        const isRead = request.method === "GET";
        const errors = isRead ? [{ code: 10_000_001, message: "none" }] : [];
        response.writeHead(isRead ? 404 : 200);
        response.end(JSON.stringify({ success: !isRead, errors, messages: [], result: { id } }));
      });
      const only = `${DESIRED.split("    settings")[0]}    custom_log_fields: { cookie_fields: [session] }\n`;
      const cwd = await folderWith({ "zoneward.yaml": only });
      const { code, err } = await zoneward(["apply", "--yes", "--verbose"], { cwd, env });
      expect({ code, harm: harmIn(err, "people") }).toEqual({ code: 1, harm: [] });
      expect(paths.filter((each) => !CLEAN.test(each))).toEqual([]);
      expect(paths.filter((each) => /^PUT/.test(each))).toEqual([]);
      if (id === IDS[1]) break; // Each further id would wait again for the list to show the new object.
    }
  }, 120_000);
});

test("an invalid ruleset id in a live rule is not looked up", async () => {
  const state = hostileState("usual");
  const ruleset = Object(state[managed ?? ""]);
  const odd = {
    id: "0d",
    action: "execute",
    expression: "true",
    action_parameters: { id: "../../../user/tokens", overrides: { rules: [{ id: null, enabled: true }] } },
  };
  const { env, paths } = await serving(
    { ...state, [managed ?? ""]: { ...ruleset, rules: [odd] } },
    refusing("denied", 403),
  );
  const cwd = await folderWith({
    "zoneward.yaml": `${DESIRED.split("    settings")[0]}    managed_ruleset: { ruleset: Another, disabled_tags: [a] }\n`,
  });
  const { code } = await zoneward(["plan"], { cwd, env });
  expect(code).toBe(1);
  expect(paths.filter((each) => /tokens|\.\./.test(each))).toEqual([]);
});
