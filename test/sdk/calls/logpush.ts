import { bucket, jobId, stored } from "../../emulator/logpush.js";
import { all, type SdkCall, zone } from "../sdk-call.js";

const at = "/zones/{zone_id}/logpush";
const elsewhere = { destination_conf: "https://logs.example.com/other" };

export const logpush: readonly SdkCall[] = [
  {
    method: "logpush.jobs.list",
    endpoint: `GET ${at}/jobs`,
    call: (sdk) => all(sdk.logpush.jobs.list(zone)),
    answer: [stored],
  },
  {
    method: "logpush.jobs.create",
    endpoint: `POST ${at}/jobs`,
    call: (sdk) =>
      sdk.logpush.jobs.create({
        ...zone,
        ...elsewhere,
        name: "events",
        dataset: "page_shield_events",
        kind: "edge",
        output_options: { field_names: ["URL"], "CVE-2021-44228": true },
      }),
    answer: {
      ...elsewhere,
      name: "events",
      dataset: "page_shield_events",
      kind: "edge",
      enabled: false,
      output_options: { field_names: ["URL"], "CVE-2021-44228": true },
    },
  },
  {
    method: "logpush.jobs.get",
    endpoint: `GET ${at}/jobs/{job_id}`,
    call: (sdk) => sdk.logpush.jobs.get(jobId, zone),
    answer: stored,
  },
  {
    method: "logpush.jobs.update",
    endpoint: `PUT ${at}/jobs/{job_id}`,
    call: (sdk) => sdk.logpush.jobs.update(jobId, { ...zone, enabled: false, max_upload_records: 0 }),
    answer: { ...stored, enabled: false, max_upload_records: 0 },
  },
  {
    method: "logpush.jobs.delete",
    endpoint: `DELETE ${at}/jobs/{job_id}`,
    call: (sdk) => sdk.logpush.jobs.delete(jobId, zone),
    answer: { id: jobId },
  },
  {
    method: "logpush.datasets.fields.get",
    endpoint: `GET ${at}/datasets/{dataset_id}/fields`,
    call: (sdk) => sdk.logpush.datasets.fields.get("page_shield_events", zone),
    answer: { PolicyID: "what the service logs as PolicyID" },
  },
  {
    method: "logpush.ownership.create",
    endpoint: `POST ${at}/ownership`,
    call: (sdk) => sdk.logpush.ownership.create({ ...zone, destination_conf: bucket }),
    answer: { valid: true, message: "" },
  },
  {
    method: "logpush.ownership.validate",
    endpoint: `POST ${at}/ownership/validate`,
    call: (sdk) =>
      sdk.logpush.ownership.validate({ ...zone, destination_conf: bucket, ownership_challenge: "token" }),
    answer: { valid: true },
  },
  {
    method: "logpush.validate.destination",
    endpoint: `POST ${at}/validate/destination`,
    call: (sdk) => sdk.logpush.validate.destination({ ...zone, ...elsewhere }),
    answer: { valid: true, message: "" },
  },
];
