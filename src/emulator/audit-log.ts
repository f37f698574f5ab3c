import type { Json, JsonObject } from "../model/json.js";
import { idOf } from "./ids.js";

/** A write, as it was made. */
export interface AuditedWrite {
  readonly method: string;
  /** After the base, without the query. */
  readonly path: string;
  readonly body: Json | null;
  readonly status: number;
  readonly response: Json | null;
  readonly at: Date;
  readonly by: AuditedActor;
  readonly zone: { readonly id: string; readonly name: string } | null;
  readonly accountId: string;
}

/** Whom the audit log names. */
export type AuditedActor =
  | { readonly through: "dashboard"; readonly email: string }
  | { readonly through: "token"; readonly email: string; readonly token: string; readonly agent: string };

/** How well an entry is kept: `late` ones show from the second reading on, `missing` ones never. */
export const AUDITS = ["late", "missing"] as const;
export type Audited = (typeof AUDITS)[number];

interface Kept {
  readonly entry: JsonObject;
  readonly at: Date;
  readonly zoneId: string | null;
  readonly accountId: string;
  isShown: boolean;
}

const LIMIT = 10_000;

/** The audit logs of all accounts, the oldest entry first. It is bounded: the oldest go. */
export class AuditLog {
  readonly #kept: Kept[] = [];
  #written = 0;

  add(write: AuditedWrite, how: Audited | null): void {
    if (how === "missing") return;
    const { at, zone, accountId } = write;
    this.#kept.push({
      entry: entryOf(write, ++this.#written),
      at,
      zoneId: zone?.id ?? null,
      accountId,
      isShown: how !== "late",
    });
    if (this.#kept.length > LIMIT) this.#kept.splice(0, LIMIT / 10);
  }

  /** What there is of an account and a time; of these zones, where some are named. */
  read(accountId: string, since: Date, before: Date, zoneIds: readonly string[]): readonly JsonObject[] {
    const found = this.#kept.filter(
      (each) =>
        each.isShown &&
        each.accountId === accountId &&
        each.at >= since &&
        each.at <= before &&
        (zoneIds.length === 0 || (each.zoneId !== null && zoneIds.includes(each.zoneId))),
    );
    for (const each of this.#kept) each.isShown = true;
    return found.map(({ entry }) => entry);
  }
}

const ACTIONS: { readonly [method: string]: string } = { POST: "create", DELETE: "delete" };

/** The members of an entry are those of the official TypeScript SDK. */
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
