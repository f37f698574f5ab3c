import { expect, test } from "vitest";
import { interfaceZone, writesOf } from "./zone.js";

const job = {
  name: "http-requests",
  dataset: "http_requests",
  destination_conf: "s3://logs/web?region=eu-west-1",
  ownership_challenge: "00000000000000000000",
};
const created = { allow: ["create_unlisted"] };

test("a job that logs custom fields is created after the fields, with all fields in logpull_options", async () => {
  const { emulator, apply } = await interfaceZone();
  const requests = await apply(
    {
      logpush_jobs: [
        { ...job, fields: ["RayID", "Cookies", "RequestHeaders", "ResponseHeaders"], timestamps: "rfc3339" },
      ],
      custom_log_fields: { request_fields: ["accept"], response_fields: ["server"], cookie_fields: ["a"] },
    },
    created,
  );
  const writes = writesOf(requests);
  expect(writes.map(({ method }) => method)).toEqual(["POST", "PUT", "POST"]);
  expect(writes[2]).toMatchObject({
    path: `/zones/${emulator.zones["shop.example"]}/logpush/jobs`,
    body: {
      ...job,
      logpull_options: "fields=RayID,Cookies,RequestHeaders,ResponseHeaders&timestamps=rfc3339",
    },
    status: 200,
  });
});
