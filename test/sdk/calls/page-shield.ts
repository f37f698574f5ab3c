import { detectionId, newPolicy, policyId, seed, stored } from "../../emulator/call.js";
import { all, type SdkCall, zone } from "../sdk-call.js";

const at = "/zones/{zone_id}/page_shield";
const { settings, scripts, connections } = seed.zones["shop.example"];
const [script = null] = scripts;
const [connection = null] = connections;
const scriptsInList = scripts.map(({ page_urls: _urls, versions: _versions, ...rest }) => rest);

/** Typed for the SDK: the action is one of its own. */
export const policy = { ...newPolicy, action: "allow" as const };

export const pageShield: readonly SdkCall[] = [
  {
    method: "pageShield.get",
    endpoint: `GET ${at}`,
    call: (sdk) => sdk.pageShield.get(zone),
    answer: settings,
  },
  {
    method: "pageShield.update",
    endpoint: `PUT ${at}`,
    call: (sdk) => sdk.pageShield.update({ ...zone, use_connection_url_path: true }),
    answer: { enabled: true, use_cloudflare_reporting_endpoint: true, use_connection_url_path: true },
  },
  {
    method: "pageShield.policies.list",
    endpoint: `GET ${at}/policies`,
    call: (sdk) => all(sdk.pageShield.policies.list(zone)),
    answer: [stored],
  },
  {
    method: "pageShield.policies.create",
    endpoint: `POST ${at}/policies`,
    call: (sdk) => sdk.pageShield.policies.create({ ...zone, ...policy, action: "add_reporting_directives" }),
    answer: { ...newPolicy, action: "add_reporting_directives" },
  },
  {
    method: "pageShield.policies.get",
    endpoint: `GET ${at}/policies/{policy_id}`,
    call: (sdk) => sdk.pageShield.policies.get(policyId, zone),
    answer: stored,
  },
  {
    method: "pageShield.policies.update",
    endpoint: `PUT ${at}/policies/{policy_id}`,
    call: (sdk) => sdk.pageShield.policies.update(policyId, { ...zone, action: "log", enabled: false }),
    answer: { ...newPolicy, id: policyId, action: "log", enabled: false },
  },
  {
    method: "pageShield.policies.delete",
    endpoint: `DELETE ${at}/policies/{policy_id}`,
    call: (sdk) => sdk.pageShield.policies.delete(policyId, zone),
    answer: null,
  },
  {
    method: "pageShield.scripts.list",
    endpoint: `GET ${at}/scripts`,
    call: (sdk) => all(sdk.pageShield.scripts.list(zone)),
    answer: scriptsInList,
  },
  {
    method: "pageShield.scripts.get",
    endpoint: `GET ${at}/scripts/{script_id}`,
    call: (sdk) => sdk.pageShield.scripts.get(detectionId, zone),
    answer: script,
  },
  {
    method: "pageShield.connections.list",
    endpoint: `GET ${at}/connections`,
    call: (sdk) => all(sdk.pageShield.connections.list(zone)),
    answer: connections,
  },
  {
    method: "pageShield.connections.get",
    endpoint: `GET ${at}/connections/{connection_id}`,
    call: (sdk) => sdk.pageShield.connections.get(detectionId, zone),
    answer: connection,
  },
];
