import type { Phase } from "../phase.js";

export const PHASE: Phase = {
  kind: "custom_rule",
  name: "http_request_firewall_custom",
  description: "Custom rules",
};
