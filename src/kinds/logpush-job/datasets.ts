import { suggest } from "../../model/suggest.js";
import type { Finding } from "../kind.js";

/** Those that the official Terraform provider lists (5.22.0), of zones and of accounts: an account's plan decides. */
const DATASETS: readonly string[] = [
  "access_requests",
  "audit_logs",
  "audit_logs_v2",
  "biso_user_actions",
  "casb_findings",
  "device_posture_results",
  "dex_application_tests",
  "dex_device_state_events",
  "dlp_forensic_copies",
  "dns_firewall_logs",
  "dns_logs",
  "email_security_alerts",
  "email_security_post_delivery_events",
  "firewall_events",
  "gateway_dns",
  "gateway_http",
  "gateway_network",
  "http_requests",
  "ipsec_logs",
  "magic_ids_detections",
  "mcp_portal_logs",
  "mnm_flow_logs",
  "nel_reports",
  "network_analytics_logs",
  "page_shield_events",
  "sinkhole_http_logs",
  "spectrum_events",
  "ssh_logs",
  "turnstile_events",
  "warp_config_changes",
  "warp_toggle_changes",
  "websocket_analytics",
  "workers_trace_events",
  "zaraz_events",
  "zero_trust_network_sessions",
];

/** The service gets new ones, so that an unknown one is no error. */
export function checkDataset(dataset: unknown): readonly Finding[] {
  if (typeof dataset !== "string" || DATASETS.includes(dataset)) return [];
  const close = suggest(dataset, DATASETS);
  const guess =
    close === null
      ? "If it is not newer than this version, the service refuses the job."
      : `Did you mean ${JSON.stringify(close)}?`;
  return [
    {
      path: ["dataset"],
      severity: "warning",
      code: "unknown_dataset",
      summary: "An unknown dataset",
      detail: `${JSON.stringify(dataset)} is no dataset that this version knows. ${guess}`,
    },
  ];
}
