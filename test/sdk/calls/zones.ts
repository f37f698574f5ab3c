import { seed, zoneId } from "../../emulator/call.js";
import { all, type SdkCall } from "../sdk-call.js";

export const zones: readonly SdkCall[] = [
  {
    method: "user.tokens.verify",
    endpoint: "GET /user/tokens/verify",
    call: (sdk) => sdk.user.tokens.verify(),
    answer: { status: "active" },
  },
  {
    method: "accounts.tokens.verify",
    endpoint: "GET /accounts/{account_id}/tokens/verify",
    call: (sdk) => sdk.accounts.tokens.verify({ account_id: seed.account_id }),
    answer: { status: "active" },
  },
  {
    method: "accounts.logs.audit.list",
    endpoint: "GET /accounts/{account_id}/logs/audit",
    call: (sdk) =>
      all(
        sdk.accounts.logs.audit.list({
          account_id: seed.account_id,
          since: "2026-11-01",
          before: "2099-01-01T00:00:00Z",
        }),
      ),
    answer: [],
  },
  {
    method: "zones.list",
    endpoint: "GET /zones",
    call: (sdk) => all(sdk.zones.list({ name: "shop.example", account: { id: seed.account_id } })),
    answer: [
      {
        id: zoneId,
        name: "shop.example",
        status: "active",
        account: { id: seed.account_id },
        plan: { name: "Enterprise Website" },
      },
    ],
  },
  {
    method: "zones.settings.get",
    endpoint: "GET /zones/{zone_id}/settings/{setting_id}",
    call: (sdk) => sdk.zones.settings.get("min_tls_version", { zone_id: zoneId }),
    answer: { id: "min_tls_version", value: "1.0" },
  },
  {
    method: "zones.settings.edit",
    endpoint: "PATCH /zones/{zone_id}/settings/{setting_id}",
    call: (sdk) => sdk.zones.settings.edit("min_tls_version", { zone_id: zoneId, value: "1.2" }),
    answer: { id: "min_tls_version", value: "1.2" },
  },
];
