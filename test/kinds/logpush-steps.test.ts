import { expect, test } from "vitest";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import { type Item, WITHOUT_BASE } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";

const LIVE = { id: 7, name: "j", destination_conf: "https://a.example/", newer: "one" };

function jobOf(raw: JsonObject): Item {
  return {
    ref: { kind: "logpush_job", key: "j", id: "7" },
    normal: raw,
    raw,
    owns: "all",
    at: null,
  };
}

/** The body of the call that makes the job another one as a whole, as a rollback does. */
function sent(changes: JsonObject) {
  const want = jobOf({ ...LIVE, ...changes });
  const triple = { ...WITHOUT_BASE, want, live: jobOf(LIVE) };
  const change = { at: 0, action: "update", triple, fields: [] } as const;
  const [step] = logpushJob.steps([change], { zoneId: "zone", items: [], context: null });
  return step !== undefined && "body" in step ? step.body : null;
}

test("a challenge goes along with a destination that changes, and with nothing else", () => {
  const challenge = { ownership_challenge: "a-token" };
  const destination = { destination_conf: "https://b.example/" };
  expect(sent({ newer: "two", ...challenge })).toEqual({ newer: "two" });
  expect(sent({ ...destination, ...challenge })).toEqual({ ...destination, ...challenge });
});
