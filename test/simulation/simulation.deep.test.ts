import { expect, test } from "vitest";
import { simulate } from "./simulate.js";
import { FAULTS } from "./story.js";

const SEEDS = 200;

/** Events that the stories must contain, because a simulation without them would not test them. */
const EVENTS = [
  ...FAULTS.map((name) => `fault: ${name}`),
  "in the service dialect",
  "in the interface dialect",
  "with two zones",
  "applies",
  "applies of saved plans",
  "plan files edited",
  "refused as edited",
  "refused as stale",
  "refused by a guardrail",
  "killed while planning",
  "killed at another read",
  "killed before the effect of a write",
  "killed after the effect of a write",
  "a torn journal",
  "a journal that is lost",
  "interrupted",
  "an outcome that was not known at first",
  "another client's change between plan and apply",
  "another client's change between plan and confirmation",
  ...["policy", "settings", "rule", "logpush_job", "zone_settings"].map(
    (what) => `another client's change to: ${what}`,
  ),
  "rollbacks",
  "rollbacks killed",
  "taken back instead of finished",
  "ends compared",
  "protection judged on the way",
];

test("all invariants hold through disturbed applies and rollbacks", async () => {
  const broken: string[] = [];
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const told = await simulate(seed);
    broken.push(...told.broken.map((each) => `npm run simulate -- --seeds ${seed}   # ${each}`));
    for (const [what, often] of told.counts) counts.set(what, (counts.get(what) ?? 0) + often);
  }
  expect(broken).toEqual([]);
  expect(EVENTS.filter((what) => !counts.has(what))).toEqual([]);
});

test("a seed always gives the same story, down to the last request", async () => {
  let requests = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const told = await simulate(seed);
    const again = await simulate(seed);
    expect(again.text).toBe(told.text);
    requests += told.text.split("\n").filter((line) => line.startsWith("  ")).length;
  }
  expect(requests).toBeGreaterThan(300);
  expect((await simulate(1)).text).not.toBe((await simulate(2)).text);
});
