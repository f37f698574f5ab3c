import { expect, test } from "vitest";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import type { Item } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";

const LIVE = { id: 7, name: "j", destination_conf: "https://a.example/" };

function jobOf(normal: JsonObject, raw: JsonObject): Item {
  return { ref: { kind: "logpush_job", key: "j", id: "7" }, normal, raw, owns: "all", at: null };
}

/** The body of the call that changes these fields of a live job. */
function sent(raw: JsonObject, changes: JsonObject, besides: JsonObject = {}) {
  const want = jobOf({ ...changes, ...besides }, raw);
  return logpushJob.toWire(want, { live: jobOf({}, raw), fields: Object.keys(changes) }, NO_JOBS);
}

const NO_JOBS = { items: [], context: null };

test("an ownership challenge is sent only with a changed destination", () => {
  const challenge = { ownership_challenge: "a-token" };
  const destination = { destination_conf: "https://b.example/" };
  expect(sent(LIVE, { name: "k" }, challenge)).toEqual({ name: "k" });
  expect(sent(LIVE, destination, challenge)).toEqual({ ...destination, ...challenge });
});

test("a parameter that only logpull_options can have is not sent in output_options", () => {
  const output_options = { field_names: ["RayID"] };
  const changes = { timestamps: "unix", "logpull_options.newer": "1" };
  expect(sent({ ...LIVE, output_options }, changes)).toEqual({
    output_options: { ...output_options, timestamp_format: "unix" },
  });
});
