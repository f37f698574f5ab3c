import type { Json, JsonObject } from "../model/json.js";
import { idOf } from "./ids.js";

/** A write that was made. */
export interface AuditedWrite {
  readonly method: string;
  /** Relative to the base, without the query. */
  readonly path: string;
  readonly body: Json | null;
  readonly status: number;
  readonly response: Json | null;
  readonly at: Date;
  readonly by: AuditedActor;
  readonly zone: { readonly id: string; readonly name: string } | null;
  readonly accountId: string;
}

/** The actor in the audit log. */
export type AuditedActor =
  | { readonly through: "dashboard"; readonly email: string }
  | { readonly through: "token"; readonly email: string; readonly token: string; readonly agent: string };

/** `late` entries appear from the second reading on, `missing` ones never. */
export const AUDITS = ["late", "missing"] as const;
export type Audited = (typeof AUDITS)[number];

interface Row {
  readonly entry: JsonObject;
  readonly at: Date;
  readonly zoneId: string | null;
  readonly accountId: string;
  isShown: boolean;
}

const LIMIT = 10_000;

/** The audit log of all accounts, the oldest entry first. Above its limit, the oldest entries are dropped. */
export class AuditLog {
  readonly #rows: Row[] = [];
  #count = 0;

  add(write: AuditedWrite, how: Audited | null): void {
    if (how === "missing") return;
    const { at, zone, accountId } = write;
    this.#rows.push({
      entry: entryOf(write, ++this.#count),
      at,
      zoneId: zone?.id ?? null,
      accountId,
      isShown: how !== "late",
    });
    if (this.#rows.length > LIMIT) this.#rows.splice(0, LIMIT / 10);
  }

  /** The entries of an account and a period, optionally of these zones only. */
  read(accountId: string, since: Date, before: Date, zoneIds: readonly string[]): readonly JsonObject[] {
    const rows = this.#rows.filter(
      (row) =>
        row.isShown &&
        row.accountId === accountId &&
        row.at >= since &&
        row.at <= before &&
        (zoneIds.length === 0 || (row.zoneId !== null && zoneIds.includes(row.zoneId))),
    );
    for (const row of this.#rows) row.isShown = true;
    return rows.map(({ entry }) => entry);
  }
}

const ACTIONS: { readonly [method: string]: string } = { POST: "create", DELETE: "delete" };

/** The members are those of the official TypeScript SDK. */
function entryOf(write: AuditedWrite, n: number): JsonObject {
  const { method, path, body, status, response, at, by, zone, accountId } = write;
  const isDashboard = by.through === "dashboard";
  return {
    id: idOf("audit", n),
    account: { id: accountId, name: "Example" },
    ...(zone === null ? {} : { zone: { ...zone } }),
    action: {
      type: ACTIONS[method] ?? "update",
      description: `${method} ${path}`,
      result: status < 300 ? "success" : "failure",
      time: at.toISOString(),
    },
    actor: {
      id: idOf("actor", by.email),
      email: by.email,
      ip_address: "192.0.2.7",
      type: "user",
      context: isDashboard ? "dash" : "api_token",
      ...(isDashboard ? {} : { token_id: idOf("token", by.token), token_name: by.token }),
    },
    raw: {
      method,
      uri: `${isDashboard ? "/api/v4" : "/client/v4"}${path}`,
      status_code: status,
      user_agent: isDashboard ? "Mozilla/5.0" : by.agent,
      cf_ray_id: idOf("ray", n).slice(0, 16),
    },
    resource: {
      id: idOf("resource", path),
      product: "zone",
      type: "resource",
      scope: "zones",
      request: body,
      response,
    },
  };
}
