import { expect, test } from "vitest";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import type { Item } from "../../src/model/item.js";
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

/** The body of the call that replaces the whole job, as a rollback sends it. */
function sent(changes: JsonObject) {
  const was = { live: jobOf(LIVE), fields: [] };
  return logpushJob.toWire(jobOf({ ...LIVE, ...changes }), was, { items: [], context: null });
}

test("an ownership challenge is sent only with a changed destination", () => {
  const challenge = { ownership_challenge: "a-token" };
  const destination = { destination_conf: "https://b.example/" };
  expect(sent({ newer: "two", ...challenge })).toEqual({ newer: "two" });
  expect(sent({ ...destination, ...challenge })).toEqual({ ...destination, ...challenge });
});
